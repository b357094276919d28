/* SPDX-License-Identifier: MIT */
/* hbench summary and hbench vector: the results of a run as a table, and as an OS vector. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "hbench.h"
#include "page.h"
#include "results.h"
#include "suite.h"
#include "util/file.h"
#include "util/number.h"
#include "util/opt.h"
#include "util/table.h"
#include "util/vec.h"
#include "vector/machines.h"

/* The entries whose values have two modes. */
static void print_modes(const struct reduction *r, FILE *f)
{
	static const struct table_column columns[] = {
		{ "two modes", NULL, TABLE_LEFT }, { "share", NULL, TABLE_RIGHT },
		{ "time", NULL, TABLE_RIGHT },	   { "share", NULL, TABLE_RIGHT },
		{ "time", NULL, TABLE_RIGHT },
	};
	struct table *t = table_of(columns);
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct modes *m = &r->costs[i].modes;

		if (!m->bimodal)
			continue;
		table_text(t, r->costs[i].name);
		page_percent(t, m->weight_low);
		table_seconds(t, m->low);
		page_percent(t, 1 - m->weight_low);
		table_seconds(t, m->high);
		n++;
	}
	if (n) {
		putc('\n', f);
		table_print(t, f, TABLE_TEXT);
	}
	table_free(t);
}

/* -- in words ---------------------------------------------------------------------------------- */

static void print_precision(const struct reduction *r, size_t entries, FILE *f)
{
	const struct cost *widest = NULL;
	double *known = xcalloc(r->n, sizeof(*known));
	size_t n = 0, reached = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct cost *x = &r->costs[i];

		if (isnan(x->precision) || suite_is_control(x->name))
			continue;
		known[n++] = x->precision;
		reached += x->precision <= r->rule.precision;
		if (!widest || x->precision > widest->precision)
			widest = x;
	}
	if (n)
		fprintf(f,
			"precision (95 %%): median +-%.1f %%; %zu of %zu entries within the "
			"+-%.3g %% wanted;\n  widest: %s +-%.1f %%\n",
			100 * sample_median(known, n), reached, entries, 100 * r->rule.precision,
			widest->name, 100 * widest->precision);
	else
		fprintf(f, "precision: none, too few processes for an interval\n");
	free(known);
}

/* How busy the host was: the usual process of the run against the calmest. */
static void print_state(const struct osvec *v, FILE *f)
{
	const double busy = 0.1;

	for (size_t i = 0; i < OSVEC_CANARIES; i++) {
		struct osvec_canary c = osvec_canary(v, i);
		double more = c.median / c.low - 1;

		if (!isnan(more))
			fprintf(f,
				"host: the reference loop \"%s\" took %.0f %% longer than in its "
				"calmest tenth%s\n",
				osvec_canary_names[i], 100 * more,
				more > busy ? ": BUSY, a calm host is faster" : "");
	}
}

static void print_trust(const struct reduction *r, FILE *f)
{
	for (size_t i = 0; i < r->ncontrols; i++) {
		const struct control *c = &r->controls[i];

		fprintf(f, "control: %s measured twice differs by %+.1f %%%s\n", c->twin,
			100 * (c->ratio - 1),
			!c->judged   ? ": without an interval, perhaps noise"
			: c->trusted ? ""
				     : ", more than claimed: UNTRUSTWORTHY");
	}
	for (size_t i = 0; i < r->ndrifts; i++)
		fprintf(f, "drift: %s in %u of %u rounds\n", r->drifts[i].entry,
			r->drifts[i].rounds, r->rounds);
	for (size_t i = 0; i < r->nskipped; i++)
		fprintf(f, "skipped: %s\n  %s\n", r->skipped[i].entry, r->skipped[i].reason);
}

void summary_print(const struct operand *m, FILE *f)
{
	const struct reduction *r = m->run;
	const char *status = r ? results_status(r->path, r->meta) : "a vector alone";
	struct error e;

	if (m->vector->n)
		page_rows(m, 1, f, TABLE_TEXT);
	if (r)
		print_modes(r, f);
	fprintf(f, "\n%s\n%zu %s, ", r ? r->path : m->name, m->vector->n,
		m->vector->n == 1 ? "entry" : "entries");
	if (r)
		fprintf(f, "%u rounds, ", r->rounds);
	fprintf(f, "%s\n", status);
	if (!strcmp(status, "killed"))
		fprintf(f, "'hbench run --resume -o %s' goes on\n", r->path);
	if (r && r->n)
		print_precision(r, m->vector->n, f);
	page_explain_flags(m->vector, f);
	if (r) {
		print_trust(r, f);
		print_state(m->vector, f);
	}
	if (r && events_print(r->path, r->meta, f, &e))
		warnx("%s", e.text);
}

int summary_write(const struct operand *m, struct error *e)
{
	char *text = NULL, *path = xasprintf("%s/summary.tsv", m->run->path);
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		err(1, "memory");
	page_rows(m, 1, f, TABLE_TSV);
	if (fclose(f))
		err(1, "memory");
	int failed = file_write(path, text, n, e);
	free(text);
	free(path);
	return failed;
}

/* -- the commands ------------------------------------------------------------------------------ */

static struct {
	bool json, csv, all;
	const char *output, *estimator, *state;
} set;

/* Reads what the operands name, the newest run below ./results without any.  An error ends the
 * program. */
static struct operand *read_operands(char **operands, size_t n, const struct opt_usage *usage)
{
	int estimator = set.estimator ? estimator_parse(set.estimator) : ESTIMATE_HODGES_LEHMANN;
	struct operand *m = xcalloc(n ? n : 1, sizeof(*m));
	struct error e;

	if (estimator < 0)
		opt_bad_usage(usage, "--estimator %s: not hl, trimmed, median or mean",
			      set.estimator);
	for (size_t i = 0; i == 0 || i < n; i++) {
		if (operand_read(&m[i], n ? operands[i] : "results", (enum estimator)estimator, &e))
			errx(1, "%s", e.text);
		if (set.estimator && !m[i].run)
			errx(1, "%s: --estimator needs the values of a run, this is a vector alone",
			     m[i].name);
	}
	return m;
}

int summary_command(int argc, char **argv)
{
	static const struct opt options[] = {
		{ 0, "all", OPT_FLAG, &set.all,
		  .help = "with several runs, also print entries that do not differ" },
		{ 0, "estimator", OPT_STRING, &set.estimator, "NAME",
		  .help = "estimator of the column time: hl, trimmed, median or mean (hl)" },
		{ 'j', "json", OPT_FLAG, &set.json, .help = "print JSON" },
		{ 0, "csv", OPT_FLAG, &set.csv, .help = "print CSV" },
		{ 0 }
	};
	static const struct opt_usage usage = {
		"hbench summary",
		"[RUN...]",
		"Prints the results of a run, by default of the newest one below ./results: times "
		"per\n"
		"operation with half the width of their 95 % intervals, and bytes per second.  "
		"Several\n"
		"runs, directories above them, osvec.json files or reference platforms are put\n"
		"side by side.",
		"hbench summary --csv results/myhost >myhost.csv",
	};
	int first = opt_parse_mixed(argc, argv, &usage, options);
	size_t n = (size_t)(argc - first);
	struct operand *m = read_operands(argv + first, n, &usage);

	n = n ? n : 1;
	if (set.json || set.csv)
		page_rows(m, n, stdout, set.json ? TABLE_JSON : TABLE_CSV);
	else if (n > 1)
		page_side_by_side(m, n, set.all);
	else
		summary_print(m, stdout);
	for (size_t i = 0; i < n; i++)
		operand_free(&m[i]);
	free(m);
	return 0;
}

/* Raw numbers and their description cannot be made again. */
static void refuse_raw_file(const char *path)
{
	char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') : NULL;

	if (slash && strcmp(slash, "/osvec.json")) {
		*slash = '\0';
		if (results_is_run(slash > real ? real : "/"))
			errx(2, "%s: this file is part of a run; write to another one", path);
	}
	free(real);
}

int vector_command(int argc, char **argv)
{
	static const struct opt options[] = {
		{ 'o', "output", OPT_STRING, &set.output, "FILE",
		  .help = "file to write (osvec.json of the run)" },
		{ 0, "estimator", OPT_STRING, &set.estimator, "NAME",
		  .help = "estimator of the costs: hl, trimmed, median or mean (hl)" },
		{ 0, "state", OPT_STRING, &set.state, "RUN",
		  .help = "adjust the costs to the state of the host during RUN" },
		{ 0 }
	};
	static const struct opt_usage usage = {
		"hbench vector",
		"[RUN]",
		"Writes the OS vector of a run, by default of the newest one below ./results, from "
		"its\n"
		"raw numbers.",
		"hbench vector --estimator trimmed -o myhost.json results/myhost",
	};
	struct operand like = { 0 };
	struct error e;
	int first = opt_parse_mixed(argc, argv, &usage, options);

	if (argc - first > 1)
		opt_bad_usage(&usage, "one run at a time");
	char *reference = first < argc ? machines_find_reference(argv[first]) : NULL;

	if (set.output)
		refuse_raw_file(set.output);
	else if (reference)
		opt_bad_usage(&usage, "%s is a reference platform: name a file by -o", argv[first]);
	free(reference);
	struct operand *m = read_operands(argv + first, (size_t)(argc - first), &usage);
	if (!m->run)
		errx(1, "%s: already a vector", m->name);
	if (set.state &&
	    (operand_read(&like, set.state, m->run->estimator, &e) || operand_adjust(m, &like, &e)))
		errx(1, "--state: %s", e.text);
	if (reduction_write_vector(m->run, set.output, &e))
		errx(1, "%s", e.text);
	operand_free(&like);
	operand_free(m);
	free(m);
	return 0;
}
