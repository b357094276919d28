/* SPDX-License-Identifier: MIT */
/* cea model: shows how the time of processors grows with their number and the size of the
 * problem. */
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/load.h"
#include "commands.h"
#include "stats/law.h"
#include "util/file.h"
#include "util/number.h"

static struct {
	struct load load; /* options for all traces */
	const char *times, *program;
	struct opt_list at;
	uint64_t upto;
} set = { .load = LOAD_DEFAULT };

static const struct opt options[] = {
	{ 0, "at", OPT_LIST, &set.at, "P[,N]", 0, 0,
	  "predict this run (default: twice the largest P, with the largest N)" },
	{ 0, "upto", OPT_COUNT, &set.upto, "P", 1, 1e6,
	  "fit to runs on at most P processors, and compare with the others" },
	{ 0, "times", OPT_STRING, &set.times, "FILE", 0, 0,
	  "add runs from a table of processors, size and seconds by category" },
	{ 0, "program", OPT_STRING, &set.program, "NAME", 0, 0,
	  "only threads of this program run on the processors (default: all threads)" },
	LOAD_OPTIONS(set.load),
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "cea model",
	.operands = "P[,N]:TRACE...",
	.summary = "Prints how the time of the processors was spent in runs on P processors with "
		   "problems of size N, how each category grows, and how long other runs take.",
	.example = "cea model 1:one.ktr 2:two.ktr --at 4",
};

/* A run.  Runs with the same numbers of processors and size are repetitions. */
struct run {
	const char *name;
	double p, n, elapsed;	/* seconds */
	double seconds[CYCLES]; /* of all processors */
	int64_t left;		/* ns in no category: 0 unless there is an error */
};

static VEC(struct run) runs;

/* ---- what was measured ---- */

/* Parses "4" or "4,1000"; *n is unchanged if it is missing.  Returns false for anything else. */
static bool parse_setting(const char *words, double *p, double *n)
{
	char *copy = xstrdup(words), *comma = strchr(copy, ',');
	bool good;

	if (comma)
		*comma++ = '\0';
	good = number_parse_double(copy, p) && *p >= 1 && *p <= 1e6 && *p == floor(*p) &&
	       (!comma || (number_parse_double(comma, n) && *n >= 1));
	free(copy);
	return good;
}

static void read_run(char *operand)
{
	struct run r = { .n = 1 };
	char *colon = strchr(operand, ':');
	struct load l = set.load;
	int64_t ns[CYCLES];

	char *setting =
	    colon && colon[1] ? xstrndup(operand, (size_t)(colon - operand)) : xstrdup("");
	if (!parse_setting(setting, &r.p, &r.n))
		opt_bad_usage(&usage, "'%s': not P:TRACE or P,N:TRACE, such as 2:two.ktr", operand);
	free(setting);
	l.path = r.name = colon + 1;
	load_read(&l);
	int64_t elapsed = l.graph.end - l.graph.begin;
	size_t program = set.program ? names_find(&l.graph.programs, set.program) : GRAPH_NOBODY;
	if (program == SIZE_MAX)
		errx(1, "%s: no program '%s' (--program)", r.name, set.program);
	int64_t over =
	    cycles(&l.graph, l.completeness.call_cost, (unsigned)r.p, (uint32_t)program, ns);
	r.elapsed = (double)elapsed * 1e-9;
	r.left = (int64_t)r.p * elapsed;
	for (int c = 0; c < CYCLES; c++) {
		r.seconds[c] = (double)ns[c] * 1e-9;
		r.left -= ns[c];
	}
	vec_push(&runs, r);
	load_end(&l);
	if (over > elapsed / 50)
		warnx("%s: more than %.0f threads ran at the same time during %.0f %% of the run: "
		      "is the number of processors right?",
		      r.name, r.p, 100 * (double)over / (double)elapsed);
}

static int column_of(const char *name)
{
	if (!strcmp(name, "processors") || !strcmp(name, "size"))
		return *name == 'p' ? CYCLES : CYCLES + 1;
	for (int c = 0; c < CYCLES; c++)
		if (!strcmp(name, cycles_name(c)))
			return c;
	errx(1, "%s: column '%s' is not processors, size or a category", set.times, name);
}

/* Parses a line of numbers. */
static void take_line(char *line, unsigned number, const int *columns, int n)
{
	double v[CYCLES + 2] = { [CYCLES] = 1, [CYCLES + 1] = 1 };
	struct run r = { .name = set.times };
	char *rest = line;
	int i = 0;

	for (const char *word; (word = strsep(&rest, " \t,"));) {
		if (!*word)
			continue;
		if (i == n || !number_parse_double(word, &v[columns[i]]) || v[columns[i]] < 0 ||
		    v[columns[i]] > 1e15)
			errx(1, "%s:%u: '%s' is not a number from 0 to 1e15, or has no column",
			     set.times, number, word);
		i++;
	}
	r.p = v[CYCLES];
	r.n = v[CYCLES + 1];
	if (i < n || r.p < 1 || r.p > 1e6 || r.p != floor(r.p) || r.n < 1)
		errx(1, "%s:%u: %s", set.times, number,
		     i < n     ? "a number is missing"
		     : r.n < 1 ? "the size is below 1"
			       : "processors: not an integer from 1 to 1e6");
	memcpy(r.seconds, v, sizeof(r.seconds));
	for (int c = 0; c < CYCLES; c++)
		r.elapsed += r.seconds[c] / r.p;
	if (!(r.elapsed > 0))
		errx(1, "%s:%u: all times are 0", set.times, number);
	vec_push(&runs, r);
}

static void take_heading(char *line, int *columns, int *n)
{
	for (const char *word; (word = strsep(&line, " \t,"));) {
		int column = *word ? column_of(word) : 0;

		for (int i = 0; i < *n && *word; i++)
			if (columns[i] == column)
				errx(1, "%s: column '%s' is there twice", set.times, word);
		if (*word)
			columns[(*n)++] = column;
	}
}

static void read_times(void)
{
	int columns[CYCLES + 2], n = 0;
	unsigned number = 0;
	struct error e;
	size_t bytes;
	char *text = file_read(set.times, 16 << 20, &bytes, &e), *rest = text;

	if (!text)
		errx(1, "%s", e.text);
	for (char *line; (line = strsep(&rest, "\n"));) {
		number++;
		if (*line == '#' || !line[strspn(line, " \t\r")])
			continue;
		line[strcspn(line, "\r")] = '\0';
		if (n) {
			take_line(line, number, columns, n);
			continue;
		}
		take_heading(line, columns, &n);
	}
	free(text);
}

/* ---- the model ---- */

static struct {
	struct law laws[LAW_MOST];
	size_t n;
	double share; /* of all time */
} model[CYCLES];

static bool is_fitted(const struct run *r)
{
	return !set.upto || r->p <= (double)set.upto;
}

static void fit(void)
{
	struct law_point *v = xcalloc(runs.n, sizeof(*v));
	double all = 0;

	for (int c = 0; c < CYCLES; c++) {
		size_t n = 0;

		for (size_t i = 0; i < runs.n; i++) {
			const struct run *r = &runs.v[i];

			if (!is_fitted(r))
				continue;
			v[n++] = (struct law_point){ r->p, r->n, r->seconds[c], r->p * r->elapsed };
			model[c].share += r->seconds[c];
		}
		all += model[c].share;
		model[c].n = law_fit(v, n, model[c].laws);
	}
	for (int c = 0; c < CYCLES; c++)
		model[c].share /= all;
	free(v);
}

/* Returns the predicted elapsed time.  *low and *high are the extremes of the laws that fit almost
 * as well. */
static double predict(double p, double n, double *low, double *high)
{
	double sum = 0;

	*low = *high = 0;
	for (int c = 0; c < CYCLES; c++) {
		double at = law_at(&model[c].laws[0], p, n), least = at, most = at;

		for (size_t i = 1; i < model[c].n; i++) {
			double other = law_at(&model[c].laws[i], p, n);

			least = other < least ? other : least;
			most = other > most ? other : most;
		}
		sum += at;
		*low += least / p;
		*high += most / p;
	}
	return sum / p;
}

/* ---- printing ---- */

static void print_runs(void)
{
	struct table_column all[CYCLES],
	    columns[CYCLES + 5] = { { "RUN", "run", TABLE_NAME },
				    { "P", "processors", TABLE_RIGHT },
				    { "N", "size", TABLE_RIGHT },
				    { "ELAPSED", "seconds", TABLE_RIGHT } };
	size_t n = 4;
	int64_t left = 0;

	time_columns(all, CYCLES);
	for (int c = 0; c < CYCLES; c++)
		if (model[c].share > 0 || load_format(&set.load) != TABLE_TEXT)
			columns[n++] = all[c];
	columns[n++] = (struct table_column){ "residual", "residual_seconds", TABLE_DATA };
	struct table *t = table_new(columns, n);
	for (size_t i = 0; i < runs.n; i++) {
		const struct run *r = &runs.v[i];

		table_text(t, r->name);
		table_number(t, r->p, "%.0f");
		table_number(t, r->n, "%g");
		table_seconds(t, r->elapsed);
		for (int c = 0; c < CYCLES; c++)
			if (model[c].share > 0 || load_format(&set.load) != TABLE_TEXT)
				table_seconds(t, r->seconds[c]);
		table_seconds(t, (double)r->left * 1e-9);
		left += r->left;
	}
	table_end(t, stdout, load_format(&set.load));
	if (load_format(&set.load) == TABLE_TEXT)
		printf("not in a category: %" PRId64 " ns\n", left);
}

static void print_laws(void)
{
	static const struct table_column columns[] = {
		{ "CATEGORY", "category", TABLE_LEFT },
		{ "SHARE", "share", TABLE_RIGHT },
		{ "ERROR", "error", TABLE_RIGHT },
		{ "AS GOOD", "others", TABLE_RIGHT },
		{ "SECONDS OF ALL PROCESSORS", "law", TABLE_LEFT },
	};
	struct table *t = table_of(columns);

	for (int c = 0; c < CYCLES; c++) {
		if (!(model[c].share > 0))
			continue;
		char *law = law_text(&model[c].laws[0]);
		table_text(t, cycles_name(c));
		table_percent(t, model[c].share, "%.1f%%");
		table_percent(t, model[c].laws[0].error, "%.2f%%");
		table_count(t, model[c].n - 1);
		table_text(t, law);
		free(law);
	}
	table_end(t, stdout, load_format(&set.load));
}

/* Whether the runs that the laws were fitted to say how long one on p processors of size n takes: p
 * and n are theirs, or vary among them. */
static bool knows(double p, double n)
{
	double low_p = INFINITY, low_n = INFINITY, high_p = 0, high_n = 0;

	for (size_t i = 0; i < runs.n; i++)
		if (is_fitted(&runs.v[i])) {
			low_p = fmin(low_p, runs.v[i].p);
			low_n = fmin(low_n, runs.v[i].n);
			high_p = fmax(high_p, runs.v[i].p);
			high_n = fmax(high_n, runs.v[i].n);
		}
	return (low_p < high_p || p == low_p) && (low_n < high_n || n == low_n);
}

static void put_prediction(struct table *t, double p, double n)
{
	double low, high, one[2], sum = 0, seconds = predict(p, n, &low, &high);
	double speedup = predict(1, n, &one[0], &one[1]) / seconds;
	unsigned measured = 0;

	for (size_t i = 0; i < runs.n; i++)
		if (runs.v[i].p == p && runs.v[i].n == n) {
			sum += runs.v[i].elapsed;
			measured++;
		}
	if (!knows(p, n))
		seconds = low = high = NAN;
	if (!knows(1, n) || !knows(p, n))
		speedup = NAN;
	double mean = measured ? sum / measured : NAN;
	table_number(t, p, "%.0f");
	table_number(t, n, "%g");
	table_seconds(t, mean);
	table_seconds(t, seconds);
	table_seconds(t, low);
	table_seconds(t, high);
	table_percent(t, seconds / mean - 1, "%+.1f%%");
	table_number(t, speedup, "%.2f");
	table_percent(t, speedup / p, "%.1f%%");
}

static void print_predictions(void)
{
	static const struct table_column columns[] = {
		{ "P", "processors", TABLE_RIGHT },
		{ "N", "size", TABLE_RIGHT },
		{ "MEASURED", "measured", TABLE_RIGHT },
		{ "PREDICTED", "predicted", TABLE_RIGHT },
		{ "LOW", "low", TABLE_RIGHT },
		{ "HIGH", "high", TABLE_RIGHT },
		{ "ERROR", "error", TABLE_RIGHT },
		{ "SPEED-UP", "speedup", TABLE_RIGHT },
		{ "EFFICIENCY", "efficiency", TABLE_RIGHT },
	};
	struct table *t = table_of(columns);
	double p = 0, n = 0;

	for (size_t i = 0; i < runs.n; i++) {
		const struct run *r = &runs.v[i];
		size_t k = 0;

		while (k < i && (runs.v[k].p != r->p || runs.v[k].n != r->n))
			k++;
		if (k == i)
			put_prediction(t, r->p, r->n);
		p = r->p > p ? r->p : p;
		n = r->n > n ? r->n : n;
	}
	if (!set.at.n)
		put_prediction(t, 2 * p, n);
	for (size_t i = 0; i < set.at.n; i++) {
		double size = n;

		parse_setting(set.at.v[i], &p, &size);
		put_prediction(t, p, size);
	}
	table_end(t, stdout, load_format(&set.load));
}

/* Prints which law has the largest error for runs that it was not fitted to. */
static void print_worst(void)
{
	int worst = 0;

	for (int c = 1; c < CYCLES; c++)
		if (model[c].share > 0 && model[c].laws[0].error > model[worst].laws[0].error)
			worst = c;
	if (model[worst].laws[0].error >= 0)
		printf("\nleast accurate: %s, off by %.2f %% of the time of runs it was not fitted "
		       "to\n\n",
		       cycles_name(worst), 100 * model[worst].laws[0].error);
	else
		printf("\nall runs have the same processors and size: nothing says how time "
		       "grows\n\n");
}

int command_model(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options);

	if (first == argc && !set.times)
		opt_bad_usage(&usage, "no run given: use P:TRACE, such as 2:two.ktr");
	opt_check_formats(&usage, set.load.json, set.load.csv);
	for (size_t i = 0; i < set.at.n; i++)
		if (!parse_setting(set.at.v[i], &(double){ 0 }, &(double){ 0 }))
			opt_bad_usage(&usage, "--at %s: not P or P,N", set.at.v[i]);
	for (int i = first; i < argc; i++)
		read_run(argv[i]);
	if (set.times)
		read_times();
	size_t fitted = 0;
	for (size_t i = 0; i < runs.n; i++)
		fitted += is_fitted(&runs.v[i]);
	if (!runs.n)
		errx(1, "%s: contains no run", set.times);
	if (!fitted)
		errx(1, "no run has as few processors as --upto says");
	fit();
	switch (load_format(&set.load)) {
	case TABLE_TEXT:
		print_runs();
		putchar('\n');
		print_laws();
		print_worst();
		print_predictions();
		break;
	case TABLE_JSON:
		printf("{\"runs\": ");
		print_runs();
		printf(", \"laws\": ");
		print_laws();
		printf(", \"predictions\": ");
		print_predictions();
		printf("}\n");
		break;
	default: print_predictions();
	}
	vec_free(&runs);
	return 0;
}
