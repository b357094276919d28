/* SPDX-License-Identifier: MIT */
/* hbench compare: how two runs differ, entry by entry, after how their environments differ. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hbench.h"
#include "reduce.h"
#include "results.h"
#include "stats/distribution.h"
#include "util/number.h"
#include "util/opt.h"
#include "util/table.h"
#include "util/vec.h"

static struct {
	bool json, csv, all;
	double equivalence, rate;
} set = { .equivalence = 3, .rate = 5 };

static const struct opt options[] = {
	{ 0, "equivalence", OPT_NUMBER, &set.equivalence, "PERCENT", 0.01, 1000,
	  "what makes no difference in practice (3)" },
	{ 0, "rate", OPT_NUMBER, &set.rate, "PERCENT", 0.01, 50,
	  "share of false ones allowed among the differences reported (5)" },
	{ 0, "all", OPT_FLAG, &set.all, .help = "print environment values that are alike too" },
	{ 'j', "json", OPT_FLAG, &set.json, .help = "print the table as JSON" },
	{ 0, "csv", OPT_FLAG, &set.csv, .help = "print the table as CSV" },
	{ 0 }
};

static const struct opt_usage usage = {
	"hbench compare",
	"A B",
	"Compares two runs (directories, or osvec.json files): first their environments, then\n"
	"each entry's ratio of B to A with its 95 % interval, the greatest change first.",
	"hbench compare results/before results/after",
};

/* A run, with its raw values, or a vector alone. */
struct side {
	struct reduction *run; /* NULL: a vector alone */
	struct osvec *vector;
};

/* One entry in both. */
struct joined {
	const struct osvec_entry *a, *b;
	const struct reduced *raw_a, *raw_b; /* NULL: of a vector alone */
	struct estimate ratio;		     /* b / a; NaN bounds when the error is unknown */
	double p;			     /* of "no difference"; NaN: unknown */
	bool differs;			     /* reported at the allowed rate of false ones */
};

typedef VEC(struct joined) pairs;

static struct side load(const char *path)
{
	struct error e;
	char *run = results_locate(path, false, NULL);
	struct side s = { run ? reduce(run, ESTIMATE_HODGES_LEHMANN, &e) : NULL, NULL };

	s.vector = s.run ? reduce_vector(s.run, &e) : run ? NULL : osvec_read(path, &e);
	if (!s.vector)
		errx(1, "%s", e.text);
	free(run);
	return s;
}

/* -- the environments -------------------------------------------------------------------------- */

/* Facts that differ from minute to minute and explain nothing. */
static bool is_fleeting(const char *key)
{
	return !strncmp(key, "load.", 5) || !strcmp(key, "memory.available");
}

static json_t *environment(const struct side *s)
{
	return json_object_get(s->run ? s->run->meta : s->vector->meta, "environment");
}

/* Adds a row for each fact that differs, or with --all for each; returns how many. */
static size_t add_facts(struct table *t, const json_t *a, const json_t *b)
{
	json_t *all = json_copy((json_t *)(uintptr_t)a), *value;
	const char *key;
	size_t n = 0;

	json_object_update_missing(all, (json_t *)(uintptr_t)b);
	json_object_foreach(all, key, value)
	{
		const json_t *of_a = json_object_get(a, key), *of_b = json_object_get(b, key);

		if (is_fleeting(key) || (!set.all && of_a && of_b && json_equal(of_a, of_b)))
			continue;
		table_text(t, key);
		table_text(t, json_string_value(of_a));
		table_text(t, "");
		table_text(t, json_string_value(of_b));
		n++;
	}
	json_decref(all);
	return n;
}

static void print_environments(const struct side *a, const struct side *b)
{
	static const struct table_column columns[] = {
		{ "environment", NULL, TABLE_LEFT },
		{ "of A, and below of B", NULL, TABLE_LIST },
	};

	printf("A: %s %s\nB: %s %s\n\n", a->vector->machine, a->vector->path, b->vector->machine,
	       b->vector->path);
	if (!environment(a) || !environment(b)) {
		printf("environment: not stored in %s\n\n", environment(a) ? "B" : "A");
		return;
	}
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));
	size_t n = add_facts(t, environment(a), environment(b));
	if (n)
		table_print(t, stdout, TABLE_TEXT);
	puts(n ? "" : "environment: alike\n");
	table_free(t);
}

/* -- the entries ------------------------------------------------------------------------------- */

/* The half-width of x's interval at level, of its logarithm; NaN: unknown. */
static double half_width(const struct osvec_entry *x, double level)
{
	if (x->n < 2)
		return NAN;
	return x->error * distribution_student_quantile((1 + level) / 2, (double)x->n - 1);
}

static struct estimate ratio_at(const struct joined *l, double level)
{
	bool modes = strstr(l->a->flags, "BIMODAL") || strstr(l->b->flags, "BIMODAL");

	/* The shift between two groups that fall into modes is that of a mode, not of the means. */
	if (l->raw_a && l->raw_b && !modes)
		return estimate_ratio(l->raw_b->values, l->raw_b->n, l->raw_a->values, l->raw_a->n,
				      level);
	double ratio = l->b->seconds / l->a->seconds;
	double width = hypot(half_width(l->a, level), half_width(l->b, level));
	return (struct estimate){ ratio, ratio * exp(-width), ratio * exp(width) };
}

/*
 * The p-value of "the ratio is 1" by inversion: the smallest alpha whose interval at level
 * 1 - alpha leaves 1 out.  So it never contradicts the interval that is printed.
 */
static double p_value(const struct joined *l)
{
	double low = 0, high = 1;

	if (isnan(l->ratio.low))
		return NAN;
	for (int i = 0; i < 20; i++) {
		double alpha = (low + high) / 2;
		struct estimate r = ratio_at(l, 1 - alpha);

		/* A level that so few values cannot reach has no bounds. */
		if (!isnan(r.low) && (r.low > 1 || r.high < 1))
			high = alpha;
		else
			low = alpha;
	}
	return high;
}

static pairs join(const struct side *a, const struct side *b)
{
	pairs all = { 0 };

	for (size_t i = 0; i < a->vector->n; i++) {
		const struct osvec_entry *x = &a->vector->entries[i];
		struct joined l = { .a = x, .b = osvec_find(b->vector, x->name) };

		if (!l.b)
			continue;
		l.raw_a = a->run ? reduce_find(a->run, x->name) : NULL;
		l.raw_b = b->run ? reduce_find(b->run, x->name) : NULL;
		l.ratio = ratio_at(&l, 0.95);
		l.p = p_value(&l);
		vec_push(&all, l);
	}
	return all;
}

/* The surest difference first; unknown ones last. */
static int by_p(const void *a, const void *b)
{
	const struct joined *x = a, *y = b;

	if (isnan(x->p) || isnan(y->p))
		return isnan(x->p) - isnan(y->p);
	return (x->p > y->p) - (x->p < y->p);
}

static int by_effect(const void *a, const void *b)
{
	const struct joined *x = a, *y = b;
	double ex = fabs(log(x->ratio.centre)), ey = fabs(log(y->ratio.centre));

	return ex < ey ? 1 : ex > ey ? -1 : strcmp(x->a->name, y->a->name);
}

/* Benjamini and Hochberg (1995): of the reported differences, a share of rate is false on average.
 */
static void control_false_discoveries(pairs *all, double rate)
{
	size_t known = 0, reported = 0;

	qsort(all->v, all->n, sizeof(*all->v), by_p);
	while (known < all->n && !isnan(all->v[known].p))
		known++;
	for (size_t i = 0; i < known; i++)
		if (all->v[i].p <= rate * (double)(i + 1) / (double)known)
			reported = i + 1;
	for (size_t i = 0; i < reported; i++)
		all->v[i].differs = true;
}

static const char *equivalent(const struct joined *l)
{
	double bound = 1 + set.equivalence / 100;

	if (isnan(l->ratio.low) || isnan(l->ratio.high))
		return "unresolved";
	if (l->ratio.low >= 1 / bound && l->ratio.high <= bound)
		return "yes";
	if (l->differs && (l->ratio.low > bound || l->ratio.high < 1 / bound))
		return "no";
	return "unresolved";
}

static void print_pairs(const pairs *all, enum table_format format)
{
	static const struct table_column columns[] = {
		{ "entry", NULL, true },   { "A", "a", false },	      { "B", "b", false },
		{ "B/A", "ratio", false }, { "low", NULL, false },    { "high", NULL, false },
		{ "p", NULL, false },	   { "differs", NULL, true }, { "equivalent", NULL, true },
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < all->n; i++) {
		const struct joined *l = &all->v[i];

		table_text(t, l->a->name);
		table_seconds(t, l->a->seconds);
		table_seconds(t, l->b->seconds);
		table_number(t, l->ratio.centre, "%.3f");
		table_number(t, l->ratio.low, "%.3f");
		table_number(t, l->ratio.high, "%.3f");
		table_number(t, l->p, "%.2g");
		table_text(t, isnan(l->p) ? NULL : l->differs ? "yes" : "no");
		table_text(t, equivalent(l));
	}
	table_print(t, stdout, format);
	table_free(t);
}

static void print_missing(const struct osvec *a, const struct osvec *b, const char *name)
{
	for (size_t i = 0; i < a->n; i++)
		if (!osvec_find(b, a->entries[i].name))
			printf("only in %s: %s\n", name, a->entries[i].name);
}

static void print_counts(const pairs *all)
{
	size_t no = 0, yes = 0;

	for (size_t i = 0; i < all->n; i++) {
		yes += !strcmp(equivalent(&all->v[i]), "yes");
		no += !strcmp(equivalent(&all->v[i]), "no");
	}
	printf("\n%zu entries in both: %zu equivalent within %.3g %%, %zu not, %zu unresolved\n",
	       all->n, yes, set.equivalence, no, all->n - yes - no);
}

int compare_command(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options);

	if (argc - first != 2)
		opt_bad_usage(&usage, "two runs are needed");
	struct side a = load(argv[first]), b = load(argv[first + 1]);
	pairs all = join(&a, &b);
	if (!all.n)
		errx(1, "%s and %s have no entry in common", argv[first], argv[first + 1]);
	control_false_discoveries(&all, set.rate / 100);
	qsort(all.v, all.n, sizeof(*all.v), by_effect);
	if (set.json || set.csv) {
		print_pairs(&all, set.json ? TABLE_JSON : TABLE_CSV);
	} else {
		print_environments(&a, &b);
		print_pairs(&all, TABLE_TEXT);
		print_missing(a.vector, b.vector, "A");
		print_missing(b.vector, a.vector, "B");
		print_counts(&all);
	}
	vec_free(&all);
	osvec_free(a.vector);
	osvec_free(b.vector);
	reduce_free(a.run);
	reduce_free(b.run);
	return 0;
}
