/* SPDX-License-Identifier: MIT */
#include "suite.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "util/home.h"
#include "util/map.h"
#include "util/xalloc.h"

enum { FILE_LIMIT = 1 << 20 }; /* bytes */

struct suite *suite_read(const char *path, struct error *e)
{
	size_t n;
	char *text = file_read(path, FILE_LIMIT, &n, e);
	char *programs = home_find(HOME_BENCH, NULL, NULL);
	struct suite *s = text ? suite_parse(text, n, path, programs, e) : NULL;

	free(programs);
	free(text);
	return s;
}

static bool is_file(const char *name)
{
	return !strcmp(name, "-") || strpbrk(name, "/.");
}

/* The path of an installed suite, or NULL and *e. */
static char *find(const char *name, struct error *e)
{
	char *file = xasprintf("%s.suite", name), *path = home_find(HOME_CONF, file, e);

	free(file);
	return path;
}

bool suite_is_known(const char *name)
{
	char *path = is_file(name) ? xstrdup(name) : find(name, NULL);

	free(path);
	return path != NULL;
}

struct suite *suite_find_and_read(const char *name, struct error *e)
{
	if (is_file(name))
		return suite_read(name, e);
	char *path = find(name, e);
	struct suite *s = path ? suite_read(path, e) : NULL;

	if (!path && !access(name, F_OK))
		error_set(e, "no installed suite %s; for a file, write ./%s", name, name);
	else if (!path)
		error_prefix(e, "no suite '%s' (" SUITE_NAMES ")", name);
	free(path);
	return s;
}

void suite_free_entry(struct suite_entry *x)
{
	for (size_t i = 0; i < x->nwords; i++) {
		free(x->words[i]);
		if (x->operands)
			free(x->operands[i]);
	}
	free(x->words);
	free(x->operands);
	free(x->name);
	free(x->measured);
	free(x->program);
	free(x->placement);
	for (size_t i = 0; i < SUITE_MODES; i++)
		free(x->modes[i]);
	free(x->twin);
}

char **suite_copy_words(char *const *words, size_t n)
{
	char **copy = xcalloc(n, sizeof(*copy));

	for (size_t i = 0; i < n; i++)
		copy[i] = xstrdup(words[i]);
	return copy;
}

struct suite_entry suite_copy_entry(const struct suite_entry *from)
{
	struct suite_entry x = *from;

	x.name = x.measured = x.twin = NULL;
	x.program = xstrdup(from->program);
	x.words = suite_copy_words(from->words, from->nwords);
	x.operands = from->operands ? suite_copy_words(from->operands, from->nwords) : NULL;
	x.placement = from->placement ? xstrdup(from->placement) : NULL;
	for (size_t i = 0; i < SUITE_MODES; i++)
		x.modes[i] = from->modes[i] ? xstrdup(from->modes[i]) : NULL;
	return x;
}

void suite_free(struct suite *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		suite_free_entry(&s->entries[i]);
	free(s->entries);
	free(s->name);
	free(s);
}

/* -- choosing ---------------------------------------------------------------------------------- */

bool suite_is_control(const char *name)
{
	return !strncmp(name, SUITE_CONTROL_PREFIX, strlen(SUITE_CONTROL_PREFIX));
}

size_t suite_find(const struct suite *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->entries[i].name, name))
			return i;
	return SIZE_MAX;
}

const struct suite_mode_name suite_modes[SUITE_MODES] = {
	[SUITE_THREADED] = { "@threaded", "-M" },
	[SUITE_COLD] = { "@cold", "-1" },
	[SUITE_AFTER] = { "@after=", "-F" },
	[SUITE_SHARED] = { "@shared", "-S" },
};

char *suite_line(const struct suite_entry *x)
{
	char *line = xstrdup(x->program);

	for (size_t i = 0; i < x->nwords; i++)
		line = xappend(line, " %s", x->words[i]);
	if (x->placement)
		line = xappend(line, " @%s", x->placement);
	for (size_t i = 0; i < SUITE_MODES; i++)
		if (x->modes[i])
			line = xappend(line, " %s", x->modes[i]);
	return x->copies > 1 ? xappend(line, " x%u", x->copies) : line;
}

char *suite_text(const struct suite *s)
{
	static const char *const settings[] = {
		[SUITE_CANARY] = "set canary",
		[SUITE_CONTROL] = "set control",
	};
	char *text = xstrdup("");

	for (size_t i = 0; i < s->n; i++)
		if (s->entries[i].role != SUITE_CONTROL) {
			char *line = suite_line(&s->entries[i]);

			text = xappend(text, "%s\n", line);
			free(line);
		}
	for (size_t i = 0; i < s->n; i++)
		if (s->entries[i].role != SUITE_PLAIN)
			text =
			    xappend(text, "%s %s\n", settings[s->entries[i].role],
				    s->entries[i].twin ? s->entries[i].twin : s->entries[i].name);
	return text;
}

char *const *suite_operands(const struct suite_entry *x)
{
	return x->operands ? x->operands : x->words;
}

void suite_add_arguments(suite_arguments *a, const struct suite_entry *x)
{
	if (x->placement)
		vec_push(a, xasprintf("-P%s", x->placement));
	for (size_t i = 0; i < SUITE_MODES; i++)
		if (x->modes[i])
			vec_push(a, xasprintf("%s%s", suite_modes[i].option,
					      x->modes[i] + strlen(suite_modes[i].word)));
	if (x->copies > 1)
		vec_push(a, xasprintf("-X%u", x->copies));
	for (size_t i = 0; i < x->nwords; i++)
		vec_push(a, xstrdup(suite_operands(x)[i]));
}

/* program_word_word[@placement][@threaded][@cold][@after=SIZE][@shared][xCOPIES]; the caller frees.
 */
static char *make_name(const struct suite_entry *x, char *const *words)
{
	char *name = xstrdup(x->program);

	for (size_t i = 0; i < x->nwords; i++)
		name = xappend(name, "_%s", words[i]);
	if (x->placement)
		name = xappend(name, "@%s", x->placement);
	for (size_t i = 0; i < SUITE_MODES; i++)
		if (x->modes[i])
			name = xappend(name, "%s", x->modes[i]);
	if (x->copies > 1)
		name = xappend(name, "x%u", x->copies);
	return name;
}

void suite_name_entry(struct suite_entry *x)
{
	char *name = make_name(x, x->words);

	free(x->measured);
	free(x->name);
	x->measured = make_name(x, suite_operands(x));
	x->name = xasprintf("%s%s", x->twin ? SUITE_CONTROL_PREFIX : "", name);
	free(name);
}

/* A glob that matches the entry or its program, or a plain word within the entry. */
static bool matches(const char *pattern, const struct suite_entry *x)
{
	if (!strpbrk(pattern, "*?[") && strstr(x->name, pattern))
		return true;
	return !fnmatch(pattern, x->name, 0) || !fnmatch(pattern, x->program, 0);
}

/* Leaves the entries that are to be kept, and the controls of those. */
static void keep_only(struct suite *s, bool *keep)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->entries[i].twin)
			keep[i] = keep[suite_find(s, s->entries[i].twin)];
	for (size_t i = 0; i < s->n; i++) {
		if (!keep[i]) {
			suite_free_entry(&s->entries[i]);
			continue;
		}
		s->entries[kept] = s->entries[i];
		s->entries[kept].number = kept;
		kept++;
	}
	s->n = kept;
}

static int refuse_pattern(const struct suite *s, const char *pattern, struct error *e)
{
	struct names known = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		names_add(&known, s->entries[i].program);
		names_add(&known, s->entries[i].name);
	}
	const char *nearest = names_nearest(&known, pattern);
	error_set(e, "%s: no entry matches '%s'%s%s%s (see 'hbench list -S')", s->name, pattern,
		  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	names_free(&known);
	return -1;
}

int suite_select(struct suite *s, char *const *patterns, size_t n, struct error *e)
{
	bool *keep = xcalloc(s->n, sizeof(*keep));
	int failed = 0;

	for (size_t i = 0; i < n && !failed; i++) {
		bool found = false;

		for (size_t j = 0; j < s->n; j++)
			if (s->entries[j].role != SUITE_CONTROL &&
			    matches(patterns[i], &s->entries[j]))
				keep[j] = found = true;
		if (!found)
			failed = refuse_pattern(s, patterns[i], e);
	}
	if (n && !failed)
		keep_only(s, keep);
	free(keep);
	return failed;
}

void suite_add_copies(struct suite *s, unsigned n)
{
	const size_t before = s->n;

	s->entries = xreallocarray(s->entries, 2 * before, sizeof(*s->entries));
	for (size_t i = 0; n > 1 && i < before; i++) {
		if (s->entries[i].copies > 1 || s->entries[i].role == SUITE_CONTROL)
			continue;
		struct suite_entry x = suite_copy_entry(&s->entries[i]);

		x.role = SUITE_PLAIN;
		x.copies = n;
		suite_name_entry(&x);
		if (suite_find(s, x.name) != SIZE_MAX) {
			suite_free_entry(&x);
			continue;
		}
		x.number = s->n;
		s->entries[s->n++] = x;
	}
}
