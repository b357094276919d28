/* SPDX-License-Identifier: MIT */
#include "measured.h"

#include <math.h>
#include <string.h>

#include "stats/sample.h"
#include "util/file.h"
#include "util/number.h"
#include "util/vec.h"

static const size_t longest_file = 16 << 20;

static const char *const kind_names[MEASURED_KINDS] = { "cpu", "wall", "rate" };

const char *measured_kind_name(enum measured_kind kind)
{
	return kind_names[kind];
}

/* MEASURED_KINDS when there is no kind of that name. */
static enum measured_kind parse_kind(const char *name)
{
	enum measured_kind kind = 0;

	while (kind < MEASURED_KINDS && strcmp(name, kind_names[kind]))
		kind++;
	return kind;
}

/* The repetitions, cut at tabs, into row. */
static int parse_times(struct measured_row *row, char *text, struct error *e)
{
	VEC(double) times = { 0 };
	int failed = 0;

	for (char *word; !failed && (word = strsep(&text, "\t"));) {
		double seconds;

		if (number_parse_double(word, &seconds) && seconds > 0)
			vec_push(&times, seconds);
		else
			failed = error_set(e, "'%.40s' is not a time in seconds above 0", word);
	}
	if (!failed) {
		double *sorted = sample_sorted(times.v, times.n);

		row->median = sample_quantile(sorted, times.n, 0.5);
		row->low = sorted[0];
		row->high = sorted[times.n - 1];
		row->repetitions = times.n;
		free(sorted);
	}
	vec_free(&times);
	return failed;
}

static char *make_key(const char *application, const char *machine, enum measured_kind kind)
{
	return xasprintf("%s\t%s\t%s", application, machine, kind_names[kind]);
}

static int parse_line(struct measured *t, char *text, size_t line, struct error *e)
{
	struct measured_row row = { .line = line };
	const char *application = strsep(&text, "\t");
	const char *machine = strsep(&text, "\t");
	const char *kind = strsep(&text, "\t");

	if (!text || !*application || !*machine)
		return error_set(e, "not application, machine, cpu, wall or rate, and seconds, "
				    "with a tab between each");
	row.kind = parse_kind(kind);
	if (row.kind == MEASURED_KINDS)
		return error_set(e, "'%.40s' is neither cpu, wall nor rate", kind);
	char *key = make_key(application, machine, row.kind);
	size_t same = names_add(&t->keys, key);
	free(key);
	if (same < t->n)
		return error_set(e,
				 "line %zu has the %s time of %.80s on %.80s already: put "
				 "repetitions on one line",
				 t->v[same].line, kind, application, machine);
	if (parse_times(&row, text, e))
		return -1;
	row.application = xstrdup(application);
	row.machine = xstrdup(machine);
	vec_push(t, row);
	return 0;
}

int measured_read(struct measured *t, const char *path, struct error *e)
{
	size_t n, line = 0;
	char *text = file_read(path, longest_file, &n, e);
	int failed = 0;

	if (!text)
		return -1;
	if (strlen(text) != n)
		failed = error_set(e, "%s: holds NUL bytes: not a table of text", path);
	for (char *at = text, *row; !failed && (row = strsep(&at, "\n"));) {
		line++;
		if (!*row || *row == '#')
			continue;
		failed = parse_line(t, row, line, e);
		if (failed)
			error_prefix(e, "%s:%zu", path, line);
	}
	free(text);
	return failed;
}

const struct measured_row *measured_find(const struct measured *t, const char *application,
					 const char *machine, enum measured_kind kind)
{
	char *key = make_key(application, machine, kind);
	size_t i = names_find(&t->keys, key);

	free(key);
	return i < t->n ? &t->v[i] : NULL;
}

void measured_free(struct measured *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->v[i].application);
		free(t->v[i].machine);
	}
	names_free(&t->keys);
	vec_free(t);
}
