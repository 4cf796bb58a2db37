/*
 * store-time FILE ENTRIES LOOKUPS: fills a store with entries of the size of a reply, and prints
 * the microseconds that a look-up of one of them takes, in the middle and at the 99th percentile,
 * and those that putting one took on average.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ground/buf.h"
#include "ground/mem.h"
#include "outside/store.h"
#include "records/hash.h"

enum { VALUE_BYTES = 1000 };

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void key_of(long i, char key[HASH_HEX])
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", i);
	hash_bytes_hex(text, strlen(text), key);
}

static int order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int fail(const struct err *e)
{
	fprintf(stderr, "store-time: %s\n", e->text);
	return 70;
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct store *s = argc == 4 ? store_open(argv[1], &e) : NULL;
	long entries = s ? atol(argv[2]) : 0, lookups = s ? atol(argv[3]) : 0;
	double begin = now_us(), put_us, *took = mem_alloc((size_t)(lookups + 1) * sizeof(*took));
	char key[HASH_HEX], value[VALUE_BYTES];
	struct buf out;

	if (!s)
		return fail(&e);
	memset(value, 'x', sizeof(value));
	for (long i = 0; i < entries; i++) {
		key_of(i, key);
		memcpy(value, key, strlen(key));
		if (store_put(s, key, value, sizeof(value), &e))
			return fail(&e);
	}
	put_us = (now_us() - begin) / (double)(entries ? entries : 1);
	buf_init(&out, 2 * VALUE_BYTES);
	srand48(1);
	for (long i = 0; i < lookups; i++) {
		key_of(lrand48() % entries, key);
		buf_reset(&out);
		begin = now_us();
		if (store_get(s, key, &out, &e) != 1 || memcmp(out.data, key, strlen(key)) != 0)
			return fail(&e);
		took[i] = now_us() - begin;
	}
	qsort(took, (size_t)lookups, sizeof(*took), order);
	printf("%.1f %.1f %.1f\n", took[lookups / 2], took[lookups * 99 / 100], put_us);
	buf_release(&out);
	free(took);
	store_close(s);
	return 0;
}
