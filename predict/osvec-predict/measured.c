/* SPDX-License-Identifier: MIT */
#include "measured.h"

#include <math.h>
#include <string.h>

#include "stats/sample.h"
#include "util/file.h"
#include "util/number.h"
#include "util/text.h"
#include "util/vec.h"

static const size_t longest_file = 16 << 20;

const char *const measured_kind_names[MEASURED_KINDS] = { "cpu", "wall", "rate" };

/* The repetitions, cut at tabs, into row. */
static int parse_times(struct measured_row *row, char *text, struct error *e)
{
	VEC(double) times = { 0 };
	int failed = 0;

	row->ascending = true;
	for (char *word; !failed && (word = strsep(&text, "\t"));) {
		double seconds;

		if (number_parse_double(word, &seconds) && seconds >= 1e-12 && seconds <= 1e12) {
			row->ascending &= !times.n || times.v[times.n - 1] <= seconds;
			vec_push(&times, seconds);
		} else
			failed =
			    error_set(e, "'%.40s' is not a time from 1e-12 to 1e12 seconds", word);
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

static int parse_line(struct measured *t, char *text, size_t line, struct error *e)
{
	struct measured_row row = { .line = line };
	const char *application = strsep(&text, "\t");
	const char *machine = strsep(&text, "\t");
	const char *kind = strsep(&text, "\t");

	if (!text || !*application || !*machine)
		return error_set(e, "not application, machine, cpu, wall or rate, and seconds, "
				    "with a tab between each");
	while (row.kind < MEASURED_KINDS && strcmp(kind, measured_kind_names[row.kind]))
		row.kind++;
	if (row.kind == MEASURED_KINDS)
		return error_set(e, "'%.40s' is neither cpu, wall nor rate", kind);
	const struct measured_row *same = measured_find(t, application, machine, row.kind);
	if (same)
		return error_set(e,
				 "line %zu has the %s time of %.80s on %.80s already: put "
				 "repetitions on one line",
				 same->line, kind, application, machine);
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
	for (char *at = text, *row; !failed && (row = text_line(&at));) {
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
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].kind == kind && !strcmp(t->v[i].application, application) &&
		    !strcmp(t->v[i].machine, machine))
			return &t->v[i];
	return NULL;
}

void measured_free(struct measured *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->v[i].application);
		free(t->v[i].machine);
	}
	vec_free(t);
}
