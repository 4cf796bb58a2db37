#include "domain/figures.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "domain/codeobj.h"
#include "domain/fault.h"
#include "domain/hearing.h"
#include "domain/object_file.h"
#include "ground/fd.h"
#include "ground/mem.h"
#include "ground/text.h"
#include "records/hash.h"

enum { OBJECT_MAX = 16 * 1024 * 1024 };

/* A copy of a piece of the memory that the compiler shares with us, or NULL. It
 * may be cut short while we look, where a mapping would end us: so it is read. */
static char *read_piece(int fd, int64_t at, int64_t len)
{
	struct stat st;
	char *copy;

	if (at < 0 || len <= 0 || len > OBJECT_MAX || fstat(fd, &st) || at > st.st_size - len)
		return NULL;
	copy = mem_alloc((size_t)len);
	if (fd_read_at(fd, copy, (size_t)len, at) == 0)
		return copy;
	free(copy);
	return NULL;
}

static void set_figure(struct json *entry, const char *key, int value)
{
	if (value == CODEOBJ_UNKNOWN)
		json_set(entry, key, json_new_null());
	else
		json_set_int(entry, key, value);
}

static struct json *matrix_record(const struct codeobj *c)
{
	struct json *matrix = json_new_object();

	for (int i = 0; i < c->n_ops; i++)
		json_set_int(matrix, c->ops[i].name, c->ops[i].count);
	return matrix;
}

static void set_figures(struct json *entry, const struct codeobj *c)
{
	set_figure(entry, "vgpr", c->vgpr);
	set_figure(entry, "agpr", c->agpr);
	set_figure(entry, "sgpr", c->sgpr);
	set_figure(entry, "spill", c->spill);
	set_figure(entry, "sgpr_spill", c->sgpr_spill);
	set_figure(entry, "lds", c->lds);
	set_figure(entry, "scratch", c->scratch);
	set_figure(entry, "occupancy", c->occupancy);
	json_set_string(entry, "limit", c->limit);
	set_figure(entry, "mfma", c->mfma);
	set_figure(entry, "wmma", c->wmma);
	if (c->n_ops)
		json_set(entry, "matrix", matrix_record(c));
}

static void set_error(struct json *entry, const char *class, const char *message)
{
	json_set_bool(entry, "ok", false);
	json_set(entry, "error", fault_new(class, message));
}

/* -- keeping the object */

/* A kernel's name is the candidate's to choose: only what is safe in a file name is kept. */
static void tidy(char *name)
{
	for (char *p = name; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *p))
			*p = '_';
}

struct piece {
	char *data;   /* NULL: there is none */
	size_t len;
};

static struct piece take_piece(struct trial *t, const struct json *report, const char *at,
			       const char *size)
{
	int64_t len = json_get_int(report, size, -1);
	char *data = read_piece(t->builder->objects, json_get_int(report, at, -1), len);

	return (struct piece){ data, data ? (size_t)len : 0 };
}

static int write_piece(const char *stem, const char *suffix, const struct piece *p)
{
	return p->data ? object_file_write(stem, suffix, p->data, p->len) : 0;
}

/* The verdict stands, and the record tells of each; a person is told once. */
static void say_lost(struct judge *j, int why)
{
	pthread_mutex_lock(&j->lock);
	if (!j->objects_lost)
		text_complain("geak-eval", "code objects cannot be written into %s: %s; the verdicts "
			      "go on without", j->config.objects_dir, strerror(why));
	j->objects_lost = true;
	pthread_mutex_unlock(&j->lock);
}

/* DIR/CANDIDATE-KERNEL-HASH.TARGET.hsaco and the assembly beside it; the hash tells the
 * specialisations of one kernel apart. NVIDIA's assembly is not yet the machine's: that comes
 * in words of its own, where there was a tool for them. */
static void save(struct trial *t, struct json *entry, const struct json *report,
		 const struct piece *code, const struct piece *listing)
{
	const char *dir = t->judge->config.objects_dir, *id = json_get_string(t->candidate, "id");
	const char *target = json_get_string(entry, "target");
	bool amd = strncmp(target, "gfx", 3) == 0;
	struct piece words = take_piece(t, report, "words_at", "words_size");
	const char *suffix = amd ? "hsaco" : "cubin";
	char digest[HASH_HEX], *name, *stem, *path;

	hash_bytes_hex(code->data, code->len, digest);
	name = mem_printf("%.64s-%.64s-%.8s", id ? id : "candidate",
			  json_get_string(entry, "kernel"), digest);
	tidy(name);
	stem = mem_printf("%s/%s.%s", dir, name, target);
	path = mem_printf("%s.%s", stem, suffix);
	if (write_piece(stem, suffix, code) || write_piece(stem, amd ? "amdgcn" : "ptx", listing)
	    || write_piece(stem, "sass", &words)) {
		int why = errno;

		json_set_string(entry, "object_error", strerror(why));
		say_lost(t->judge, why);
	} else {
		json_set_string(entry, "object", path);
	}
	free(words.data);
	free(path);
	free(stem);
	free(name);
}

static int small(const struct json *report, const char *key)
{
	int64_t n = json_get_int(report, key, 0);

	return n > 0 && n <= INT_MAX ? (int)n : 0;
}

static void read_object(struct trial *t, struct json *entry, const struct json *report)
{
	struct piece code = take_piece(t, report, "at", "size");
	struct piece listing = take_piece(t, report, "asm_at", "asm_size");
	struct err e = ERR_INIT;
	struct codeobj c;

	if (!code.data || !listing.data) {
		set_error(entry, "NoObject", "the compiler gave no code object");
	} else {
		struct codeobj_input in = {
			.data = code.data, .len = code.len, .asm_text = listing.data,
			.asm_len = listing.len, .target = json_get_string(entry, "target"),
			.shared = small(report, "shared"),
			.threads = small(report, "threads"),
		};

		if (codeobj_read(&in, &c, &e)) {
			set_error(entry, "BadObject", e.text);
		} else {
			json_set_int(entry, "size", (int64_t)code.len);
			set_figures(entry, &c);
			if (c.occupancy == 0)
				set_error(entry, "OutOfResources", "a workgroup needs more LDS "
					  "(shared memory) or registers than a compute unit has; "
					  "use smaller blocks, fewer stages or fewer warps");
			if (t->judge->config.objects_dir)
				save(t, entry, report, &code, &listing);
		}
	}
	free(code.data);
	free(listing.data);
}

struct json *figures_entry(struct trial *t, const struct json *report)
{
	const char *depth = json_get_string(report, "depth");
	const char *skipped = json_get_string(report, "skipped");
	const struct json *error = json_get(report, "error");
	struct json *entry = json_new_object();

	json_set_string(entry, "target", json_get_string(report, "target"));
	json_set_string(entry, "kernel", json_get_string(report, "kernel"));
	if (json_get_string(report, "specialization"))
		json_set_string(entry, "specialization", json_get_string(report, "specialization"));
	if (json_get_bool(report, "tuned", false))
		json_set_bool(entry, "tuned", true);
	if (skipped) {
		json_set(entry, "ok", json_new_null());
		json_set_string(entry, "skipped", skipped);
	} else if (json_is(error, JSON_OBJECT)) {
		json_set_bool(entry, "ok", false);
		json_set(entry, "error", hear_error(error));
	} else {
		json_set_bool(entry, "ok", true);
		json_set_string(entry, "depth", depth);
		if (json_get(report, "ms"))
			json_set_number(entry, "ms", json_get_number(report, "ms", 0));
		if (strcmp(depth, "object") == 0)
			read_object(t, entry, report);
	}
	return entry;
}
