/*
 * Each word of a text counts once, with the weight log(1 + n / texts that have it).
 * The likeness of two texts is the weight of the words they share over the
 * geometric mean of their own: a long text does not win by its length.
 */
#include "domain/similar.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ground/mem.h"

enum { WORD_MIN = 3 }; /* shorter ones say nothing about an operator */

struct words {
	char *bytes; /* the words, lower case, NUL after each */
	const char **list;
	size_t n;
};

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A plural and its singular are one word. */
static size_t stem(const char *word, size_t len)
{
	return len > WORD_MIN + 1 && word[len - 1] == 's' && word[len - 2] != 's' ? len - 1 : len;
}

/* The words of a text, sorted, each once. */
static void words_init(struct words *w, const char *text)
{
	size_t size = strlen(text) + 2, used = 0, kept = 0;

	w->bytes = mem_alloc(size);
	w->list = mem_alloc(size * sizeof(*w->list));
	w->n = 0;
	while (*text) {
		char *word = w->bytes + used;
		size_t len = 0;

		while (isalnum((unsigned char)text[len])) {
			word[len] = (char)tolower((unsigned char)text[len]);
			len++;
		}
		if (len >= WORD_MIN) {
			word[stem(word, len)] = '\0';
			w->list[w->n++] = word;
			used += len + 1;
		}
		text += len ? len : 1;
	}
	qsort(w->list, w->n, sizeof(*w->list), compare);
	for (size_t i = 0; i < w->n; i++)
		if (i == 0 || strcmp(w->list[i], w->list[i - 1]) != 0)
			w->list[kept++] = w->list[i];
	w->n = kept;
}

static void words_release(struct words *w)
{
	free(w->bytes);
	free(w->list);
}

static bool has(const struct words *w, const char *word)
{
	return w->n && bsearch(&word, w->list, w->n, sizeof(*w->list), compare);
}

static double weight(const char *word, const struct words *texts, size_t n)
{
	size_t having = 0;

	for (size_t i = 0; i < n; i++)
		having += has(&texts[i], word);
	return log(1 + (double)n / (double)(having ? having : 1));
}

static double likeness(const struct words *a, const struct words *b,
		       const struct words *texts, size_t n)
{
	double shared = 0, of_a = 0, of_b = 0;

	for (size_t i = 0; i < a->n; i++) {
		double w = weight(a->list[i], texts, n);

		of_a += w;
		shared += has(b, a->list[i]) ? w : 0;
	}
	for (size_t i = 0; i < b->n; i++)
		of_b += weight(b->list[i], texts, n);
	return shared > 0 ? shared / sqrt(of_a * of_b) : 0;
}

size_t similar_best(const char *query, const char *const *texts, size_t n, double *score)
{
	struct words *words = mem_zalloc(n, sizeof(*words)), asked;
	double best_score = -1;
	size_t best = 0;

	words_init(&asked, query);
	for (size_t i = 0; i < n; i++)
		words_init(&words[i], texts[i]);
	for (size_t i = 0; i < n; i++) {
		double s = likeness(&asked, &words[i], words, n);

		if (s > best_score) {
			best_score = s;
			best = i;
		}
	}
	for (size_t i = 0; i < n; i++)
		words_release(&words[i]);
	free(words);
	words_release(&asked);
	if (score)
		*score = best_score;
	return best;
}
