/* SPDX-License-Identifier: MIT */
/*
 * agreement DIRECTORY NAME... - predicted and measured times side by side, one row per NAME:
 * NAME.rank holds what `osvec-predict rank -j` printed for one machine, NAME.seconds the wall and CPU
 * seconds of the runs, one run a line.
 *
 *	predicted	of kernel and user part, and of these with waiting, where there is any
 *	model, hot	half the interval that rank prints, and half that of the measurement alone
 *	cpu, +-, wall	the median of the runs; half their range
 *	ratio		predicted / measured: "=" within the measurement's interval, " " within the
 *			one printed, "!" outside.  The runs count with their range.
 *
 * Status 1 when a time is outside the interval printed.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/sample.h"
#include "util/file.h"
#include "util/number.h"
#include "util/opt.h"
#include "util/table.h"
#include "util/vec.h"
#include "util/xalloc.h"
#include "vector/field.h"

enum { FILE_LIMIT = 1 << 24 };

struct interval {
	double low, high;
};

struct forecast {
	double total, busy;	    /* seconds; without waiting */
	struct interval model, hot; /* of the total, relative to it */
	char *entry;		    /* the dearest */
	double share;
};

struct runs {
	VEC(double) wall, cpu;
};

static char *contents(const char *directory, const char *name, const char *suffix, size_t *n)
{
	char *path = xasprintf("%s/%s.%s", directory, name, suffix);
	struct error e;
	char *text = file_read(path, FILE_LIMIT, n, &e);

	if (!text)
		errx(1, "%s", e.text);
	free(path);
	return text;
}

static struct interval relative(struct fields *f, const json_t *o, const char *low,
				const char *high, double total)
{
	return (struct interval){ field_number(f, o, low, 0, INFINITY) / total,
				  field_number(f, o, high, 0, INFINITY) / total };
}

static struct forecast read_forecast(const char *directory, const char *name)
{
	size_t n;
	char *text = contents(directory, name, "rank", &n);
	struct error e;
	struct fields f = { .name = name, .error = &e };
	json_t *rank = json_loadb(text, n, 0, NULL);
	json_t *machine = json_array_get(json_object_get(rank, "machines"), 0);
	json_t *top = json_array_get(json_object_get(rank, "top"), 0);

	if (!machine || !top)
		errx(1, "%s.rank: is no ranking", name);
	double total = field_number(&f, machine, "seconds", 0, INFINITY);
	struct forecast p = {
		.total = total,
		.busy = total - field_number(&f, machine, "wait", -INFINITY, INFINITY),
		.model = relative(&f, machine, "low", "high", total),
		.hot = relative(&f, machine, "measured_low", "measured_high", total),
		.entry = field_string(&f, top, "entry", true),
		.share = field_number(&f, top, "share", -INFINITY, INFINITY),
	};
	if (f.failed)
		errx(1, "%s", e.text);
	json_decref(rank);
	free(text);
	return p;
}

static struct runs read_runs(const char *directory, const char *name)
{
	size_t n;
	char *text = contents(directory, name, "seconds", &n), *rest = text;
	struct runs r = { 0 };

	for (char *line; (line = strtok_r(rest, "\n", &rest));) {
		char *space = strchr(line, ' ');
		double wall, cpu;

		if (space)
			*space = '\0';
		if (!space || !number_parse_double(line, &wall) ||
		    !number_parse_double(space + 1, &cpu))
			errx(1, "%s.seconds: '%s' is no wall and CPU time", name, line);
		vec_push(&r.wall, wall);
		vec_push(&r.cpu, cpu);
	}
	if (!r.wall.n)
		errx(1, "%s.seconds: no run", name);
	free(text);
	return r;
}

static double half(struct interval i)
{
	return (i.high - i.low) / 2;
}

/* Do some of the values, if only by their range, lie in the interval around the prediction? */
static bool meets(double predicted, struct interval i, struct interval measured)
{
	return measured.low <= predicted * i.high && measured.high >= predicted * i.low;
}

static void show_time(struct table *t, double seconds)
{
	char text[NUMBER_MAX];

	table_shown(t, seconds, number_format_duration(text, seconds));
}

static void show_percent(struct table *t, double share)
{
	table_number(t, 100 * share, "%.0f %%");
}

/* The cells of one kind of time; false when it is outside the interval printed. */
static bool compare(struct table *t, const struct forecast *p, double predicted, const double *v,
		    size_t n, bool range)
{
	double *sorted = sample_sorted(v, n);
	struct interval measured = { sorted[0], sorted[n - 1] };
	double median = sample_quantile(sorted, n, 0.5);
	bool inside = median >= predicted * p->model.low && median <= predicted * p->model.high;
	char ratio[NUMBER_MAX];

	show_time(t, median);
	if (range)
		show_percent(t, half(measured) / median);
	snprintf(ratio, sizeof(ratio), "%.2f%s", predicted / median,
		 !inside			      ? "!"
		 : meets(predicted, p->hot, measured) ? "="
						      : " ");
	table_shown(t, predicted / median, ratio);
	free(sorted);
	return inside;
}

int main(int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "mix", NULL, true },
		{ "predicted", NULL, false },
		{ "model", NULL, false },
		{ "hot", NULL, false },
		{ "cpu", NULL, false },
		{ "+-", NULL, false },
		{ "ratio", NULL, false },
		{ "wall", NULL, false },
		{ "ratio", "wall_ratio", false },
		{ "largest entry", NULL, true },
		{ "share", NULL, false },
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));
	int inside = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: agreement DIRECTORY NAME...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		struct forecast p = read_forecast(argv[1], argv[i]);
		struct runs r = read_runs(argv[1], argv[i]);

		table_text(t, argv[i]);
		show_time(t, p.total);
		show_percent(t, half(p.model));
		show_percent(t, half(p.hot));
		bool both = compare(t, &p, p.busy, r.cpu.v, r.cpu.n, true);
		both = compare(t, &p, p.total, r.wall.v, r.wall.n, false) && both;
		inside += both;
		table_text(t, p.entry);
		show_percent(t, p.share);
		free(p.entry);
		vec_free(&r.wall);
		vec_free(&r.cpu);
	}
	table_print(t, stdout, TABLE_TEXT);
	table_free(t);
	printf("%d of %d inside the interval printed\n", inside, argc - 2);
	return opt_finish(inside == argc - 2 ? 0 : 1);
}
