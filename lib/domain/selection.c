#include "domain/selection.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "domain/rank.h"
#include "ground/fd.h"
#include "ground/mem.h"
#include "ground/names.h"
#include "records/record.h"

struct entry {
	struct rank rank;
	size_t task;
	off_t at;     /* where its record lies in the file */
	size_t len;
	bool judged;
};

struct selection {
	int fd;
	off_t end;
	struct names keys, tasks;       /* a key is a task's number and the candidate's id */
	struct entry *entries;          /* by number of the key, until they are ranked */
	size_t cap;
	struct selection_task *by_task; /* once they are ranked */
};

static int open_nameless(struct err *e)
{
	const char *dir = getenv("TMPDIR");
	char *path = mem_printf("%s/geak-XXXXXX", dir && *dir ? dir : "/tmp");
	int fd = mkostemp(path, O_CLOEXEC);

	if (fd < 0)
		err_errno(e, ERR_IO, "the temporary file %s cannot be made; set TMPDIR", path);
	else
		unlink(path);
	free(path);
	return fd;
}

struct selection *selection_new(struct err *e)
{
	int fd = open_nameless(e);
	struct selection *s;

	if (fd < 0)
		return NULL;
	s = mem_zalloc(1, sizeof(*s));
	s->fd = fd;
	names_init(&s->keys);
	names_init(&s->tasks);
	return s;
}

void selection_free(struct selection *s)
{
	if (!s)
		return;
	close(s->fd);
	names_release(&s->keys);
	names_release(&s->tasks);
	free(s->entries);
	free(s->by_task);
	free(s);
}

static int store(struct selection *s, const struct json *record, struct entry *entry,
		 struct err *e)
{
	struct buf text;
	int rc = 0;

	buf_init(&text, SIZE_MAX / 2);
	json_print(record, &text);
	if (fd_write_at(s->fd, text.data, text.len, s->end))
		rc = err_errno(e, ERR_IO, "the temporary file (TMPDIR says where) cannot be written");
	entry->at = s->end;
	entry->len = text.len;
	s->end += (off_t)text.len;
	buf_release(&text);
	return rc;
}

/* Keeps the record under its key, unless it would take a judged one's place unjudged. */
static int add(struct selection *s, const struct json *candidate, struct entry *entry,
	       const char *key, struct err *e)
{
	size_t index = names_find(&s->keys, key);

	if (index != NAMES_NONE && s->entries[index].judged && !entry->judged)
		return 0;
	if (store(s, candidate, entry, e)) /* before it has a number: each number has an entry */
		return e->code;
	index = names_add(&s->keys, key);
	rank_of(candidate, &entry->rank);
	entry->rank.id = strchr(s->keys.list[index], ' ') + 1;
	if (s->keys.count > s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		s->entries = mem_realloc(s->entries, s->cap * sizeof(*s->entries));
	}
	s->entries[index] = *entry;
	return 0;
}

int selection_add(struct selection *s, const struct json *candidate, struct err *e)
{
	const char *id = json_get_string(candidate, "id");
	const char *task = json_get_string(record_task(candidate), "id");
	struct entry entry = { .judged = json_get_string(json_get(candidate, "eval"), "status") };
	char *key;
	int rc;

	if (!id || !task)
		return err_set(e, ERR_RECORD, "the candidate cannot be ranked: it has no %s",
			       id ? "task with an \"id\"" : "\"id\"");
	entry.task = names_add(&s->tasks, task);
	key = mem_printf("%zu %s", entry.task, id);
	rc = add(s, candidate, &entry, key, e);
	free(key);
	return rc;
}

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return rank_compare_keys(&x->rank, &y->rank);
}

size_t selection_rank(struct selection *s)
{
	size_t n = s->keys.count;

	if (n)
		qsort(s->entries, n, sizeof(*s->entries), compare);
	s->by_task = mem_zalloc(s->tasks.count, sizeof(*s->by_task));
	for (size_t i = n; i-- > 0;) {
		const struct entry *entry = &s->entries[i];
		struct selection_task *t = &s->by_task[entry->task];

		t->id = s->tasks.list[entry->task];
		t->first = i;
		t->candidates++;
		t->passed += entry->rank.reached == RANK_PASSED;
		t->judged += entry->judged;
	}
	return s->tasks.count;
}

struct selection_task selection_task(const struct selection *s, size_t index)
{
	return s->by_task[index];
}

struct json *selection_read(const struct selection *s, const struct selection_task *task,
			    size_t rank, struct err *e)
{
	const struct entry *entry = &s->entries[task->first + rank];
	char *text = mem_alloc(entry->len);
	struct json *record = NULL;

	if (fd_read_at(s->fd, text, entry->len, entry->at) == 0)
		record = json_parse(text, entry->len, e);
	else
		err_errno(e, ERR_IO, "the temporary file cannot be read back");
	free(text);
	return record;
}
