/*
 * prompt-show TEMPLATE TASKFILE [TARGET]: writes the prompt for a task.
 * With "-" as TEMPLATE it cuts the code out of TASKFILE, a reply, for the entry TARGET.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain/examples.h"
#include "domain/keywords.h"
#include "domain/prompt.h"
#include "domain/reply.h"
#include "ground/paths.h"

static int fill(const struct json *task, struct json *vars, struct err *e)
{
	struct examples *x = examples_open(NULL, e);
	int rc = x ? examples_add(x, task, vars, e) : e->code;

	examples_free(x);
	return rc ? rc : keywords_add(task, vars, e);
}

static int show(const char *name, const struct buf *text, const char *target, struct buf *out,
		struct err *e)
{
	struct json *task, *vars;
	int rc;

	if (strcmp(name, "-") == 0)
		return reply_code(text->data, target, out, e);
	task = json_parse(text->data, text->len, e);
	vars = task ? prompt_task_vars(task, target, e) : NULL;
	rc = vars ? fill(task, vars, e) : e->code;
	if (!rc)
		rc = prompt_render(name, vars, out, e);
	json_free(vars);
	json_free(task);
	return rc;
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct buf text, out;
	int rc;

	if (argc < 3)
		return 64;
	buf_init(&text, JSON_MAX_BYTES);
	buf_init(&out, 1 << 20);
	rc = paths_read(argv[2], text.max, &text, &e);
	if (rc == 0)
		rc = show(argv[1], &text, argc > 3 ? argv[3] : NULL, &out, &e);
	if (rc)
		fprintf(stderr, "%s\n", e.text);
	else
		fputs(out.data, stdout);
	buf_release(&out);
	buf_release(&text);
	return err_exit_status(rc);
}
