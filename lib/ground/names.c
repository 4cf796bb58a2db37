#include "ground/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ground/mem.h"

enum { FIRST_SLOTS = 64 };

void names_init(struct names *n)
{
	*n = (struct names){ 0 };
}

void names_release(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->list[i]);
	free(n->list);
	free(n->slots);
	names_init(n);
}

/* FNV-1a. */
static uint64_t hash(const char *s)
{
	uint64_t h = 14695981039346656037U;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211U;
	return h ^ h >> 32;
}

/* Where name stands, or the free slot where it would. */
static size_t *slot_of(const struct names *n, const char *name)
{
	size_t at = hash(name) & (n->slot_count - 1);

	while (n->slots[at] && strcmp(n->list[n->slots[at] - 1], name) != 0)
		at = (at + 1) & (n->slot_count - 1);
	return &n->slots[at];
}

static void grow(struct names *n)
{
	free(n->slots);
	n->slot_count = n->slot_count ? 2 * n->slot_count : FIRST_SLOTS;
	n->slots = mem_zalloc(n->slot_count, sizeof(*n->slots));
	for (size_t i = 0; i < n->count; i++)
		*slot_of(n, n->list[i]) = i + 1;
}

size_t names_find(const struct names *n, const char *name)
{
	size_t found = n->slot_count ? *slot_of(n, name) : 0;

	return found ? found - 1 : NAMES_NONE;
}

size_t names_add(struct names *n, const char *name)
{
	size_t found = names_find(n, name);

	if (found != NAMES_NONE)
		return found;
	if (2 * (n->count + 1) > n->slot_count)
		grow(n);
	if (n->count == n->cap) {
		n->cap = n->cap ? 2 * n->cap : FIRST_SLOTS;
		n->list = mem_realloc(n->list, n->cap * sizeof(*n->list));
	}
	n->list[n->count++] = mem_strdup(name);
	*slot_of(n, name) = n->count;
	return n->count - 1;
}
