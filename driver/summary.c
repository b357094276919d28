/* SPDX-License-Identifier: MIT */
/* hbench summary and hbench vector: the results of a run as a table, and as an OS vector. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hbench.h"
#include "results.h"
#include "util/file.h"
#include "util/number.h"
#include "util/opt.h"
#include "util/table.h"
#include "util/vec.h"

/* -- the table --------------------------------------------------------------------------------- */

static void put_percent(struct table *t, double share)
{
	char text[NUMBER_MAX];

	snprintf(text, sizeof(text), "%.*f%%", share < 0.0995 ? 1 : 0, share * 100);
	table_shown(t, share, text);
}

/* Flags as words, which lines can end between. */
static char *words(const char *flags)
{
	char *text = xstrdup(flags);

	for (char *comma = text; (comma = strchr(comma, ','));)
		*comma = ' ';
	return text;
}

static void print_entries(const struct reduction *r, FILE *f, enum table_format format)
{
	static const struct table_column columns[] = {
		{ "entry", NULL, true },	  { "time", "seconds", false },
		{ "+-", "precision", false },	  { "n", NULL, false },
		{ "trimmed", NULL, false },	  { "+-", "trimmed_precision", false },
		{ "min", "minimum", false },	  { "sd", "cv", false },
		{ "tail", "tail_excess", false }, { "flags", NULL, TABLE_LIST },
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < r->n; i++) {
		const struct reduced *x = &r->entries[i];
		char *last = format == TABLE_TEXT ? words(x->flags) : xstrdup(x->flags);

		table_text(t, x->name);
		table_seconds(t, x->centre.centre);
		put_percent(t, x->precision);
		table_count(t, x->n);
		table_seconds(t, x->trimmed.centre);
		put_percent(t, estimate_precision(&x->trimmed));
		table_seconds(t, x->minimum);
		put_percent(t, x->cv);
		put_percent(t, x->tail_excess);
		table_text(t, last);
		free(last);
	}
	table_print(t, f, format);
	table_free(t);
}

/* The times that are the mean of two. */
static void print_modes(const struct reduction *r)
{
	static const struct table_column columns[] = {
		{ "two modes", NULL, TABLE_LEFT }, { "share", NULL, TABLE_RIGHT },
		{ "time", NULL, TABLE_RIGHT },	   { "share", NULL, TABLE_RIGHT },
		{ "time", NULL, TABLE_RIGHT },
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct modes *m = &r->entries[i].modes;

		if (!m->bimodal)
			continue;
		table_text(t, r->entries[i].name);
		put_percent(t, m->weight_low);
		table_seconds(t, m->low);
		put_percent(t, 1 - m->weight_low);
		table_seconds(t, m->high);
		n++;
	}
	if (n) {
		putchar('\n');
		table_print(t, stdout, TABLE_TEXT);
	}
	table_free(t);
}

int summary_write(const struct reduction *r, struct error *e)
{
	char *text = NULL, *path = xasprintf("%s/summary.tsv", r->path);
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		err(1, "memory");
	fprintf(f, "entry\tn\tseconds\tlow\thigh\ttrimmed\ttrimmed_low\ttrimmed_high\tminimum\tcv\t"
		   "batch_cv\ttail_excess\tflags\n");
	for (size_t i = 0; i < r->n; i++) {
		const struct reduced *x = &r->entries[i];

		fprintf(f,
			"%s\t%zu\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.4g\t%.4g\t%.4g\t"
			"%s\n",
			x->name, x->n, x->centre.centre, x->centre.low, x->centre.high,
			x->trimmed.centre, x->trimmed.low, x->trimmed.high, x->minimum, x->cv,
			x->batch_cv, x->tail_excess, *x->flags ? x->flags : "-");
	}
	if (fclose(f))
		err(1, "memory");
	int failed = file_write(path, text, n, e);
	free(text);
	free(path);
	return failed;
}

/* -- in words ---------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_precision(const struct reduction *r, FILE *f)
{
	const struct reduced *widest = NULL;
	double *sorted = xcalloc(r->n, sizeof(*sorted));
	size_t n = 0, reached = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct reduced *x = &r->entries[i];

		if (isnan(x->precision))
			continue;
		sorted[n++] = x->precision;
		reached += x->precision <= r->precision;
		if (!widest || x->precision > widest->precision)
			widest = x;
	}
	qsort(sorted, n, sizeof(*sorted), by_number);
	if (n)
		fprintf(f,
			"precision (95 %%): median +-%.1f %%; %zu of %zu entries within the "
			"+-%.3g %% wanted;\n  widest: %s +-%.1f %%\n",
			100 * sorted[n / 2], reached, r->n, 100 * r->precision, widest->name,
			100 * widest->precision);
	else
		fprintf(f, "precision: none, too few processes for an interval\n");
	free(sorted);
}

static void print_flags(const struct reduction *r, FILE *f)
{
	static const struct {
		const char *word, *meaning;
	} flags[] = {
		{ "FEW", "fewer processes than the suite wants" },
		{ "WIDE", "not as precise as wanted" },
		{ "BIMODAL", "two modes: the time is the mean" },
		{ "NOTSTEADY", "drifting within a process" },
		{ "OVERHEAD", "the loop cost much of the reading" },
		{ "DISTURBED", "interrupted by others" },
		{ "SKEWED", "some batches far above the rest" },
		{ "DRIFT", "measured while the machine (a canary) or its clock moved" },
		{ "OUTLIERS", "more than a tenth far off" },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		size_t n = 0;

		for (size_t j = 0; j < r->n; j++)
			n += reduce_has_flag(r->entries[j].flags, flags[i].word);
		if (n)
			fprintf(f, "  %-9s %4zu  %s\n", flags[i].word, n, flags[i].meaning);
	}
}

static void print_trust(const struct reduction *r, FILE *f)
{
	for (size_t i = 0; i < r->ncontrols; i++) {
		const struct reduced_control *c = &r->controls[i];

		fprintf(f, "control: %s measured twice differs by %+.1f %%%s\n", c->twin,
			100 * (c->ratio - 1),
			c->trusted ? "" : ", more than claimed: UNTRUSTWORTHY");
	}
	for (size_t i = 0; i < r->ncanaries; i++)
		fprintf(f, "canary: %s moved in %u of %u rounds\n", r->canaries[i].name,
			r->canaries[i].moved, r->rounds);
}

void summary_brief(const struct reduction *r, FILE *f)
{
	const char *status = json_string_value(json_object_get(r->meta, "status"));

	fprintf(f, "%s: %zu entries, %u rounds, %s\n", r->path, r->n, r->rounds,
		status ? status : "unknown end");
	if (r->n)
		print_precision(r, f);
	print_flags(r, f);
	print_trust(r, f);
	for (size_t i = 0; i < r->nskipped; i++)
		fprintf(f, "skipped: %s\n  %s\n", r->skipped[i].entry, r->skipped[i].reason);
}

/* -- the commands ------------------------------------------------------------------------------ */

static struct {
	bool json, csv;
	const char *output, *estimator;
} set = { .estimator = "hl" };

/* Reduces the run that the operand names, the newest one below ./results without an operand.  The
 * caller frees it; an error ends the program. */
static struct reduction *reduce_operand(int argc, char **argv, const struct opt_usage *usage,
					const struct opt *options)
{
	struct error e;
	int first = opt_parse_mixed(argc, argv, usage, options);
	int estimator = estimator_parse(set.estimator);

	if (argc - first > 1)
		opt_bad_usage(usage, "one run at a time");
	if (estimator < 0)
		opt_bad_usage(usage, "--estimator %s: not hl, trimmed, median or mean",
			      set.estimator);
	char *path = results_locate(first < argc ? argv[first] : "results", false, &e);
	struct reduction *r = path ? reduce(path, (enum estimator)estimator, &e) : NULL;

	if (!r)
		errx(1, "%s", e.text);
	free(path);
	return r;
}

int summary_command(int argc, char **argv)
{
	static const struct opt options[] = {
		{ 0, "estimator", OPT_STRING, &set.estimator, "NAME",
		  .help = "of the column time: hl, trimmed, median or mean (hl)" },
		{ 'j', "json", OPT_FLAG, &set.json, .help = "print JSON" },
		{ 0, "csv", OPT_FLAG, &set.csv, .help = "print CSV" },
		{ 0 }
	};
	static const struct opt_usage usage = {
		"hbench summary",
		"[DIR]",
		"Prints the results of the run in DIR, or of the newest run below it (results).  "
		"Times\n"
		"are per operation, with the half-width of their 95 % interval; beside them the 10 "
		"%\n"
		"trimmed mean.",
		"hbench summary --csv results/myhost >myhost.csv",
	};
	struct reduction *r = reduce_operand(argc, argv, &usage, options);
	bool text = !set.json && !set.csv;

	print_entries(r, stdout, text ? TABLE_TEXT : set.json ? TABLE_JSON : TABLE_CSV);
	if (text) {
		print_modes(r);
		putchar('\n');
		summary_brief(r, stdout);
	}
	reduce_free(r);
	return 0;
}

int vector_command(int argc, char **argv)
{
	static const struct opt options[] = {
		{ 'o', "output", OPT_STRING, &set.output, "FILE",
		  .help = "where to (osvec.json of the run)" },
		{ 0, "estimator", OPT_STRING, &set.estimator, "NAME",
		  .help = "of the costs: hl, trimmed, median or mean (hl)" },
		{ 0 }
	};
	static const struct opt_usage usage = {
		"hbench vector",
		"[DIR]",
		"Writes the OS vector of the run in DIR, or of the newest run below it (results), "
		"from\n"
		"its raw numbers.",
		"hbench vector --estimator trimmed -o myhost.json results/myhost",
	};
	struct error e;
	struct reduction *r = reduce_operand(argc, argv, &usage, options);

	if (reduce_write_vector(r, set.output, &e))
		errx(1, "%s", e.text);
	reduce_free(r);
	return 0;
}
