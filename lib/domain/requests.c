#include "domain/requests.h"

#include <stdio.h>
#include <stdlib.h>

#include "ground/mem.h"
#include "ground/names.h"

struct requests {
	char *path;
	FILE *file;
	struct names ids; /* a batch must not have one twice */
};

struct requests *requests_open(const char *path, struct err *e)
{
	FILE *file = fopen(path, "we");
	struct requests *r;

	if (!file) {
		err_errno(e, ERR_USAGE, "--requests: %s cannot be written", path);
		return NULL;
	}
	r = mem_zalloc(1, sizeof(*r));
	r->path = mem_strdup(path);
	r->file = file;
	names_init(&r->ids);
	return r;
}

static int fail(const struct requests *r, struct err *e)
{
	return err_errno(e, ERR_IO, "writing requests into %s failed", r->path);
}

int requests_add(struct requests *r, const struct llm *llm, const struct llm_request *req,
		 struct err *e)
{
	struct json *line = llm_batch_line(llm, req);
	size_t before = r->ids.count;
	struct buf text;
	int rc = 0;

	buf_init(&text, SIZE_MAX / 2);
	if (names_add(&r->ids, json_get_string(line, "custom_id")) == before) {
		json_print(line, &text);
		buf_addc(&text, '\n');
		if (fwrite(text.data, 1, text.len, r->file) != text.len)
			rc = fail(r, e);
	}
	buf_release(&text);
	json_free(line);
	return rc;
}

int requests_close(struct requests *r, struct err *e)
{
	int rc = 0;

	if (!r)
		return 0;
	if (fclose(r->file))
		rc = fail(r, e);
	names_release(&r->ids);
	free(r->path);
	free(r);
	return rc;
}
