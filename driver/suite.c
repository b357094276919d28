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
#include "util/number.h"
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
		error_prefix(e, "no suite '%s' (quick, default, full, thesis, remote or a file)",
			     name);
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

void suite_set_copies(struct suite *s, unsigned n)
{
	bool *keep = xcalloc(s->n, sizeof(*keep));

	for (size_t i = 0; i < s->n; i++)
		keep[i] = s->entries[i].copies == 1;
	keep_only(s, keep);
	for (size_t i = 0; i < s->n; i++) {
		struct suite_entry *x = &s->entries[i];

		x->copies = n;
		if (x->twin && n > 1)
			x->twin = xappend(x->twin, "x%u", n);
		suite_name_entry(x);
	}
	free(keep);
}

/* -- settings ---------------------------------------------------------------------------------- */

const struct settings settings_default = {
	.processes_min = 15,
	.processes_max = 60,
	.precision = 0.02,
	.timeout = 60,
};

/* -- parsers of one value: false when the word does not fit ----------------------------------- */

static bool parse_percent(const char *s, double *out)
{
	double v;

	if (!strchr(s, '%') || !number_parse_percent(s, &v) || !(v > 0 && v <= 100))
		return false;
	*out = v / 100;
	return true;
}

static bool parse_duration(const char *s, double *out)
{
	double v;

	if (!number_parse_duration(s, &v) || !(v > 0 && v <= 1e6))
		return false;
	*out = v;
	return true;
}

static bool parse_count(const char *s, double *out)
{
	uint64_t v;

	if (!number_parse_u64(s, &v) || v < 1 || v > 10000)
		return false;
	*out = (double)v;
	return true;
}

/* -- the settings ------------------------------------------------------------------------------ */

#define MEMBER(name) offsetof(struct settings, name)

/* One value goes to both members, two (if the members differ) ascend. */
static const struct setting {
	const char *name, *takes;
	bool (*parse)(const char *s, double *out);
	size_t first, last; /* offsets of members */
} all[] = {
	{ "batch", "a duration such as 1ms", parse_duration, MEMBER(batch), MEMBER(batch) },
	{ "batches", "a number from 1 to 10000", parse_count, MEMBER(batches), MEMBER(batches) },
	{ "processes", "one or two numbers from 1 to 10000, the smaller first", parse_count,
	  MEMBER(processes_min), MEMBER(processes_max) },
	{ "precision", "a percentage such as 2%", parse_percent, MEMBER(precision),
	  MEMBER(precision) },
	{ "budget", "a duration such as 90s", parse_duration, MEMBER(budget), MEMBER(budget) },
	{ "timeout", "a duration such as 60s", parse_duration, MEMBER(timeout), MEMBER(timeout) },
};

static const struct {
	const char *key; /* in meta.json */
	size_t offset;
	double low, high;
} members[] = {
	{ "batch", MEMBER(batch), 0, 1e6 },
	{ "batches", MEMBER(batches), 0, 1e6 },
	{ "processes_min", MEMBER(processes_min), 1, 1e6 },
	{ "processes_max", MEMBER(processes_max), 1, 1e6 },
	{ "precision", MEMBER(precision), 0, 1 },
	{ "budget", MEMBER(budget), 0, 1e9 },
	{ "timeout", MEMBER(timeout), 0, 1e9 },
};

static double *member(struct settings *s, size_t offset)
{
	return (double *)((char *)s + offset);
}

static bool set(struct settings *s, const struct setting *x, char *const *words, size_t n)
{
	double *first = member(s, x->first), *last = member(s, x->last);

	return n >= 1 && n <= (first == last ? 1 : 2) && x->parse(words[0], first) &&
	       x->parse(words[n - 1], last) && *first <= *last;
}

int settings_set(struct settings *s, char *const *words, size_t n, struct error *e)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (strcmp(all[i].name, words[0]))
			continue;
		if (set(s, &all[i], words + 1, n - 1))
			return 0;
		return error_set(e, "set %s takes %s", all[i].name, all[i].takes);
	}
	return error_set(e, "unknown setting '%.60s'", words[0]);
}

json_t *settings_to_json(const struct settings *s)
{
	struct settings copy = *s;
	json_t *o = json_object();

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		json_object_set_new(o, members[i].key,
				    json_double(*member(&copy, members[i].offset)));
	return o;
}

void settings_from_json(struct settings *s, struct fields *f, const json_t *o)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		*member(s, members[i].offset) =
		    field_number(f, o, members[i].key, members[i].low, members[i].high);
}
