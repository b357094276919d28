/* SPDX-License-Identifier: MIT */
/* The programs spell the entries of a suite: see suite.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "levels.h"
#include "process.h"
#include "suite.h"
#include "util/xalloc.h"

static bool is_named(struct suite_entry *x, const char *name)
{
	suite_name_entry(x);
	return !strcmp(x->measured, name);
}

/* Leaves words and a placement out of x until it has that name, which the program prints: usual
 * placements, and usual values of silent parameters, are no part of it. */
static bool shorten(struct suite_entry *x, const char *name)
{
	char *placement = x->placement;
	size_t n = x->nwords;

	for (int turn = 0; turn < 2; turn++, x->placement = NULL)
		for (x->nwords = n;; x->nwords--) {
			if (is_named(x, name))
				return true;
			if (!x->nwords)
				break;
		}
	x->placement = placement;
	x->nwords = n;
	return false;
}

static void free_words(char **words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(words[i]);
	free(words);
}

/* Gives x those parameters, if they make the name. */
static void take_parameters(struct suite_entry *x, const json_t *parameters, const char *name)
{
	size_t n = json_array_size(parameters), had = x->nwords;
	char **words = xcalloc(n, sizeof(*words)), **before = x->words, *placement = x->placement;

	for (size_t i = 0; i < n; i++) {
		const char *word = json_string_value(json_array_get(parameters, i));

		words[i] = xstrdup(word ? word : "");
	}
	x->words = words;
	x->nwords = n;
	if (shorten(x, name)) {
		for (size_t i = x->nwords; i < n; i++)
			free(words[i]);
		free_words(before, had);
		if (!x->placement)
			free(placement);
		return;
	}
	free_words(words, n);
	x->words = before;
	x->nwords = had;
}

static int ask_program(struct suite_entry *x, const char *directory, struct error *e)
{
	suite_arguments a = { 0 };

	vec_push(&a, xstrdup("-J"));
	suite_add_arguments(&a, x);
	errno = 0;
	json_t *o = process_describe(directory, x->program, a.v, a.n, e);
	int failed = !o && errno == EINVAL ? -1 : 0;
	const char *name = json_string_value(json_object_get(o, "entry"));
	if (name)
		take_parameters(x, json_object_get(o, "parameters"), name);
	for (size_t i = 0; i < a.n; i++)
		free(a.v[i]);
	vec_free(&a);
	json_decref(o);
	return failed;
}

/* Exchanges names of levels of memory, whose sizes are not known yet, and words. */
static void exchange(struct suite_entry *x, char **levels, size_t n)
{
	for (size_t i = 0; i < n && i < x->nwords; i++)
		if (levels[i]) {
			char *word = x->words[i];

			x->words[i] = levels[i];
			levels[i] = word;
		}
}

int suite_spell_entry(struct suite_entry *x, const char *directory, struct error *e)
{
	const char any_size[] = "64m";
	size_t n = x->nwords;
	char **levels = xcalloc(n, sizeof(*levels));

	for (size_t i = 0; i < n; i++)
		if (levels_is_name(x->words[i]))
			levels[i] = xstrdup(any_size);
	exchange(x, levels, n);
	int failed = ask_program(x, directory, e);
	exchange(x, levels, n);
	free_words(levels, n);
	suite_name_entry(x);
	return failed;
}
