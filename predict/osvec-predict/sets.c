/* SPDX-License-Identifier: MIT */
#include "sets.h"

#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/text.h"
#include "util/vec.h"

static const size_t longest_file = 1 << 20;

const char *const set_names[SETS] = { "development", "held-out", "sealed" };

/* The next word of a line, NULL at its end. */
static char *next_word(char **text)
{
	char *word;

	do
		word = strsep(text, " \t");
	while (word && !*word);
	return word;
}

static int parse_line(struct sets *s, char *text, struct error *e)
{
	const char *what = next_word(&text), *name = next_word(&text), *set = next_word(&text);
	struct sets_row row = { 0 };

	if (!set || next_word(&text) || (strcmp(what, "application") && strcmp(what, "machine")))
		return error_set(e, "not 'application NAME SET' or 'machine NAME SET'");
	while (row.set < SETS && strcmp(set, set_names[row.set]))
		row.set++;
	if (row.set == SETS)
		return error_set(e, "'%.40s' is neither development, held-out nor sealed", set);
	row.name = xasprintf("%s %s", what, name);
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].name, row.name) && s->v[i].set != row.set) {
			error_set(e, "%s is in set %s by a line before", row.name,
				  set_names[s->v[i].set]);
			free(row.name);
			return -1;
		}
	vec_push(s, row);
	return 0;
}

int sets_read(struct sets *s, const char *path, struct error *e)
{
	size_t n, line = 0;
	char *text = file_read(path, longest_file, &n, e);
	int failed = 0;

	if (!text)
		return -1;
	for (char *at = text, *row; !failed && (row = text_line(&at));) {
		line++;
		if (!*row || *row == '#')
			continue;
		failed = parse_line(s, row, e);
		if (failed)
			error_prefix(e, "%s:%zu", path, line);
	}
	free(text);
	return failed;
}

static enum set find(const struct sets *s, const char *what, const char *name)
{
	const size_t n = strlen(what);

	for (size_t i = 0; i < s->n; i++)
		if (!strncmp(s->v[i].name, what, n) && !strcmp(s->v[i].name + n, name))
			return s->v[i].set;
	return SET_HELD_OUT;
}

enum set sets_find(const struct sets *s, const char *application, const char *machine)
{
	const enum set a = find(s, "application ", application);
	const enum set m = find(s, "machine ", machine);

	return a > m ? a : m;
}

void sets_free(struct sets *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].name);
	vec_free(s);
}
