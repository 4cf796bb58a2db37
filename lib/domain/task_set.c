#include "domain/task_set.h"

#include <stdlib.h>
#include <string.h>

#include "domain/task.h"
#include "domain/task_keys.h"
#include "ground/buf.h"
#include "ground/mem.h"
#include "ground/paths.h"

void task_set_init(struct task_set *set)
{
	memset(set, 0, sizeof(*set));
	names_init(&set->ids);
}

void task_set_release(struct task_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		free(set->entries[i].id);
		json_free(set->entries[i].task);
		json_free(set->entries[i].error);
	}
	free(set->entries);
	free(set->first);
	names_release(&set->ids);
	task_set_init(set);
}

const struct task_entry *task_set_find(const struct task_set *set, const char *id)
{
	size_t n = names_find(&set->ids, id);

	return n == NAMES_NONE ? NULL : &set->entries[set->first[n]];
}

static void append(struct task_set *set, const char *id, struct json *task, struct json *error)
{
	size_t known = set->ids.count, n;

	if (set->count == set->cap) {
		set->cap = set->cap ? 2 * set->cap : 16;
		set->entries = mem_realloc(set->entries, set->cap * sizeof(*set->entries));
		set->first = mem_realloc(set->first, set->cap * sizeof(*set->first));
	}
	n = names_add(&set->ids, id);
	if (n == known)
		set->first[n] = set->count;
	set->entries[set->count++] = (struct task_entry){ mem_strdup(id), task, error };
}

/* Whether the next stage reads it. */
static int check_size(const struct json *task, struct err *e)
{
	struct buf text;

	buf_init(&text, JSON_MAX_BYTES);
	record_print(task, &text, e);
	buf_release(&text);
	return e->code;
}

int task_set_add(struct task_set *set, const struct json *task, struct err *e)
{
	const char *id = record_id(task);

	if (task_check(task, e) || task_keys_check(task, e) || check_size(task, e))
		return ERR_RECORD;
	if (task_set_find(set, id))
		return err_set(e, ERR_RECORD, "the task \"%s\" came before; ids must differ", id);
	append(set, id, task_in_order(task), NULL);
	return 0;
}

void task_set_add_broken(struct task_set *set, const struct record_origin *from, const char *id,
			 const struct err *why, const struct json *record)
{
	append(set, id, NULL, record_error(from, why, record));
}

void task_set_add_text(struct task_set *set, const struct record_origin *from, const char *id,
		       const struct err *why, const struct line *text)
{
	append(set, id, NULL, record_error_text(from, why, text->text, text->len, text->full_len));
}

struct json *task_set_text(const char *path, size_t max, struct err *e)
{
	struct json *value = NULL;
	struct buf text;

	buf_init(&text, max);
	if (paths_read(path, max, &text, e) == 0) {
		/* Bytes that are no UTF-8 would be replaced; a NUL would too. */
		value = json_new_stringn(text.data, text.len);
		if (strcmp(json_string(value), text.data) != 0 || strlen(text.data) != text.len) {
			err_set(e, ERR_RECORD, "%s is not UTF-8 text", path);
			json_free(value);
			value = NULL;
		}
	}
	buf_release(&text);
	return value;
}
