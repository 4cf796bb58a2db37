/* Tasks out of a file of task/1 records, one a line. */
#include "domain/task_set.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "ground/line.h"

static void add_line(struct task_set *set, const struct record_origin *from, const struct line *line)
{
	enum record_kind kind;
	struct err why = ERR_INIT;
	struct json *record = record_parse(line->text, line->len, &kind, &why);

	if (record && kind != RECORD_TASK)
		err_set(&why, ERR_RECORD, "it is a %s, not a task/1", json_get_string(record, "geak"));
	else if (record)
		task_set_add(set, record, &why);
	if (why.code)
		err_prefix(&why, "line %llu", (unsigned long long)from->line);
	if (!record)
		task_set_add_text(set, from, "", &why, line);
	else if (why.code)
		task_set_add_broken(set, from, record_id(record), &why, record);
	json_free(record);
}

int task_set_read_records(struct task_set *set, const char *path, struct err *e)
{
	bool standard = strcmp(path, "-") == 0;
	struct record_origin from = { .tool = "geak-task", .input = standard ? "standard input" : path };
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct line_reader reader;
	enum line_status status;
	struct line line;

	if (fd < 0)
		return err_errno(e, ERR_USAGE, "%s cannot be opened", path);
	line_init(&reader, fd, JSON_MAX_BYTES);
	while ((status = line_next(&reader, true, &line)) != LINE_EOF && status != LINE_ERROR) {
		struct err why = ERR_INIT;

		from.line++;
		if (status == LINE_TOO_LONG) {
			err_set(&why, ERR_RECORD, "line %llu is longer than 16 MiB",
				(unsigned long long)from.line);
			task_set_add_text(set, &from, "", &why, &line);
		} else if (!line_is_blank(&line)) {
			add_line(set, &from, &line);
		}
	}
	if (status == LINE_ERROR)
		err_errno(e, ERR_IO, "%s cannot be read", from.input);
	line_release(&reader);
	if (!standard)
		close(fd);
	return e->code;
}
