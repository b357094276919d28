/* SPDX-License-Identifier: MIT */
/* hbench compare: what changed between runs, and how their environments differ. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "difference.h"
#include "hbench.h"
#include "util/map.h"
#include "util/opt.h"
#include "util/table.h"
#include "util/vec.h"

enum { SLOWER = 4 }; /* the exit status, apart from the 1 of errors */

static struct {
	bool json, csv, all, environment;
	const char *state;
	double equivalence, rate, fail_above;
} set = { .equivalence = 3, .rate = 5, .fail_above = NAN };

static const struct opt options[] = {
	{ 0, "fail-above", OPT_PERCENT, &set.fail_above, "PERCENT", 0, 1e6,
	  "exit with status 4 when an entry is slower by more than this" },
	{ 0, "equivalence", OPT_PERCENT, &set.equivalence, "PERCENT", 0.01, 1000,
	  "difference that does not matter in practice (3 %)" },
	{ 0, "rate", OPT_PERCENT, &set.rate, "PERCENT", 0.01, 50,
	  "share of the reported differences that may be false (5 %)" },
	{ 0, "state", OPT_STRING, &set.state, "RUN",
	  .help =
	      "adjust all runs to the state of the host during RUN; none: compare as measured" },
	{ 0, "all", OPT_FLAG, &set.all, .help = "also print entries that did not change" },
	{ 0, "environment", OPT_FLAG, &set.environment, .help = "print the environments in full" },
	{ 'j', "json", OPT_FLAG, &set.json, .help = "print the entries as JSON" },
	{ 0, "csv", OPT_FLAG, &set.csv, .help = "print the entries as CSV" },
	{ 0 }
};

static const struct opt_usage usage = {
	"hbench compare",
	"A B...",
	"Prints what changed from run A to each of the others, the greatest change first, then "
	"how\n"
	"their environments differ.  Runs, directories above them, osvec.json files and names of\n"
	"reference platforms will do.",
	"hbench compare --fail-above 5% results/before results/after",
};

/* The entries of all runs that A has too: those of run i are d.v[first[i]...first[i + 1] - 1]. */
struct comparison {
	struct operand *m;
	size_t n, *first;
	bool *adjusted; /* by run: to the state of the host during A, without being asked */
	VEC(struct difference) d;
};

/* -- the entries ------------------------------------------------------------------------------- */

static const char *verdict(const struct difference *d)
{
	double bound = 1 + set.equivalence / 100;

	if (difference_matters(d, set.equivalence / 100))
		return d->ratio.centre > 1 ? "slower" : "faster";
	return d->ratio.low >= 1 / bound && d->ratio.high <= bound ? "alike" : "unresolved";
}

static int by_effect(const void *a, const void *b)
{
	const struct difference *x = a, *y = b;
	double ex = fabs(log(x->ratio.centre)), ey = fabs(log(y->ratio.centre));

	return ex < ey ? 1 : ex > ey ? -1 : strcmp(x->a->name, y->a->name);
}

static void find_differences(struct comparison *c)
{
	const struct osvec *a = c->m[0].vector;

	c->first = xcalloc(c->n + 1, sizeof(*c->first));
	for (size_t i = 1; i < c->n; i++) {
		for (size_t j = 0; j < a->n; j++) {
			const struct osvec_entry *b =
			    osvec_find(c->m[i].vector, a->entries[j].name);

			if (b)
				vec_push(&c->d, difference_between(&a->entries[j], b));
		}
		c->first[i + 1] = c->d.n;
		if (c->d.n == c->first[i])
			errx(1, "%s and %s have no entry in common", c->m[0].name, c->m[i].name);
	}
	difference_decide(c->d.v, c->d.n, set.rate / 100);
	for (size_t i = 1; i < c->n; i++)
		qsort(c->d.v + c->first[i], c->first[i + 1] - c->first[i], sizeof(*c->d.v),
		      by_effect);
}

/* The table of runs from ... to - 1; every: also what did not change. */
static void print_differences(const struct comparison *c, size_t from, size_t to, bool every,
			      enum table_format format)
{
	static const struct table_column columns[] = {
		{ "entry", NULL, TABLE_NAME },	   { "A", "a", TABLE_RIGHT },
		{ "B", "b", TABLE_RIGHT },	   { "B/A", "ratio", TABLE_RIGHT },
		{ "from", "low", TABLE_RIGHT },	   { "to", "high", TABLE_RIGHT },
		{ "B is", "verdict", TABLE_LEFT }, { "p", NULL, TABLE_DATA },
		{ "differs", NULL, TABLE_DATA },   { "run", NULL, TABLE_DATA },
		{ "adjusted", NULL, TABLE_DATA },
	};
	struct table *t = table_of(columns);

	for (size_t i = from; i < to; i++)
		for (size_t j = c->first[i]; j < c->first[i + 1]; j++) {
			const struct difference *d = &c->d.v[j];

			if (!every && !difference_matters(d, set.equivalence / 100))
				continue;
			table_text(t, d->a->name);
			table_seconds(t, d->a->seconds);
			table_seconds(t, d->b->seconds);
			table_number(t, d->ratio.centre, "%.3f");
			table_number(t, d->ratio.low, "%.3f");
			table_number(t, d->ratio.high, "%.3f");
			table_text(t, verdict(d));
			table_number(t, d->p, "%.2g");
			table_text(t, isnan(d->p) ? NULL : d->differs ? "yes" : "no");
			table_text(t, c->m[i].name);
			table_text(t, c->adjusted[i] ? "yes" : "no");
		}
	table_end(t, stdout, format);
}

static void print_counts(const struct comparison *c, size_t run)
{
	static const char *const words[] = { "slower", "faster", "alike", "unresolved" };
	size_t n[sizeof(words) / sizeof(*words)] = { 0 };

	for (size_t j = c->first[run]; j < c->first[run + 1]; j++)
		for (size_t w = 0; w < sizeof(words) / sizeof(*words); w++)
			n[w] += !strcmp(verdict(&c->d.v[j]), words[w]);
	printf("%zu entries in both: %zu slower in B, %zu faster, %zu alike within %.3g %%, "
	       "%zu unresolved\n",
	       c->first[run + 1] - c->first[run], n[0], n[1], n[2], set.equivalence, n[3]);
}

/* Whether the reference loops took in b a time that they also took in a, where its regressions
 * hold.
 */
static bool is_within(const struct osvec *a, const struct osvec *b)
{
	for (size_t i = 0; i < OSVEC_CANARIES; i++) {
		struct osvec_canary in_a = osvec_canary(a, i);
		double usual = osvec_canary(b, i).median;

		if (!(usual >= in_a.low && usual <= in_a.high))
			return false;
	}
	return true;
}

/* Of two runs of one machine: whether its host was in another state. */
static void print_state(const struct osvec *a, const struct osvec *b, bool adjusted)
{
	const double noticed = 0.01;

	for (size_t i = 0; i < OSVEC_CANARIES && !set.state && !strcmp(a->machine, b->machine);
	     i++) {
		double ratio = osvec_canary(b, i).median / osvec_canary(a, i).median;

		if (fabs(ratio - 1) > noticed)
			printf("the reference loop \"%s\" took %.3f times as long during B%s\n",
			       osvec_canary_names[i], ratio,
			       adjusted ? "" : ": compare in one state of the host by --state");
	}
	if (adjusted)
		puts("B is adjusted to the state of the host during A (as measured: --state none)");
}

/* The entries of a that b lacks. */
static size_t add_missing(struct table *t, const char *name, const struct osvec *a,
			  const struct osvec *b)
{
	struct names missing = { 0 };

	for (size_t i = 0; i < a->n; i++)
		if (!osvec_find(b, a->entries[i].name))
			names_add(&missing, a->entries[i].name);
	size_t n = missing.n;
	if (n) {
		char *list = names_join(&missing, " ");

		table_text(t, name);
		table_text(t, list);
		free(list);
	}
	names_free(&missing);
	return n;
}

static void print_missing(const struct osvec *a, const struct osvec *b)
{
	static const struct table_column columns[] = {
		{ "only in", NULL, TABLE_LEFT },
		{ "", NULL, TABLE_LIST },
	};
	struct table *t = table_of(columns);

	if (add_missing(t, "A", a, b) + add_missing(t, "B", b, a)) {
		putchar('\n');
		table_print(t, stdout, TABLE_TEXT);
	}
	table_free(t);
}

static void print_run(const struct comparison *c, size_t run)
{
	const struct osvec *a = c->m[0].vector, *b = c->m[run].vector;
	bool any = set.all;

	printf("A: %s %s\nB: %s %s\n\n", a->machine, a->path, b->machine, b->path);
	for (size_t j = c->first[run]; j < c->first[run + 1] && !any; j++)
		any = difference_matters(&c->d.v[j], set.equivalence / 100);
	if (any) {
		print_differences(c, run, run + 1, set.all, TABLE_TEXT);
		putchar('\n');
	}
	print_counts(c, run);
	print_state(a, b, c->adjusted[run]);
	print_missing(a, b);
	putchar('\n');
}

/* -- the environments -------------------------------------------------------------------------- */

/* Facts that explain nothing: they differ from minute to minute, or are measured, and so are as
 * precise as entries that name a level show. */
static bool is_fleeting(const char *key)
{
	return !strncmp(key, "load.", 5) || !strncmp(key, "level.", 6) ||
	       !strcmp(key, "memory.available");
}

/* Whether a fact of two environments, NULL where one lacks it, tells them apart. */
static bool differs(const char *key, const json_t *a, const json_t *b)
{
	return !is_fleeting(key) && !(a && b && json_equal(a, b));
}

/* The facts that one of the two environments has. */
static json_t *all_facts(const json_t *a, const json_t *b)
{
	json_t *all = json_object();

	json_object_update(all, (json_t *)(uintptr_t)a);
	json_object_update(all, (json_t *)(uintptr_t)b);
	return all;
}

/* Whether both environments are stored and no fact tells them apart. */
static bool is_alike(const struct operand *m, const struct operand *other)
{
	const json_t *a = operand_environment(m), *b = operand_environment(other);
	json_t *all = all_facts(a, b), *value;
	bool alike = a && b;
	const char *key;

	json_object_foreach(all, key, value)
	{
		alike &= !differs(key, json_object_get(a, key), json_object_get(b, key));
	}
	json_decref(all);
	return alike;
}

static struct names words_of(const char *text)
{
	struct names words = { 0 };
	char *copy = xstrdup(text ? text : ""), *state;

	for (char *w = strtok_r(copy, " ", &state); w; w = strtok_r(NULL, " ", &state))
		names_add(&words, w);
	free(copy);
	return words;
}

static size_t count_new(const struct names *words, const struct names *known)
{
	size_t n = 0;

	for (size_t i = 0; i < words->n; i++)
		n += names_find(known, words->v[i]) == SIZE_MAX;
	return n;
}

/* Of long lists, such as cpu.flags, how many words came and went. */
static void add_brief(struct table *t, const char *key, const char *a, const char *b)
{
	const size_t list = 8; /* words and more */
	struct names of_a = words_of(a), of_b = words_of(b);

	table_text(t, key);
	if (of_a.n < list && of_b.n < list) {
		table_text(t, a);
		table_text(t, b);
	} else {
		char *in_a = xasprintf("%zu words", of_a.n);
		char *in_b = xasprintf("%zu added, %zu removed (see --environment)",
				       count_new(&of_b, &of_a), count_new(&of_a, &of_b));

		table_text(t, in_a);
		table_text(t, in_b);
		free(in_a);
		free(in_b);
	}
	names_free(&of_a);
	names_free(&of_b);
}

static void add_full(struct table *t, const char *key, const char *a, const char *b)
{
	bool alike = a && b && !strcmp(a, b);

	table_text(t, key);
	table_text(t, alike ? "both" : "A");
	table_text(t, a);
	if (alike)
		return;
	table_text(t, "");
	table_text(t, "B");
	table_text(t, b);
}

static void print_environment(const struct operand *m, const struct operand *other)
{
	static const struct table_column brief[] = {
		{ "environment", NULL, TABLE_LEFT },
		{ "A", NULL, TABLE_NAME },
		{ "B", NULL, TABLE_LIST },
	};
	static const struct table_column full[] = {
		{ "environment", NULL, TABLE_LEFT },
		{ "", NULL, TABLE_LEFT },
		{ "", NULL, TABLE_LIST },
	};
	const json_t *a = operand_environment(m), *b = operand_environment(other);
	struct table *t = table_new(set.environment ? full : brief, 3);
	json_t *all = all_facts(a, b), *value;
	const char *key;
	size_t n = 0;

	json_object_foreach(all, key, value)
	{
		const json_t *of_a = json_object_get(a, key), *of_b = json_object_get(b, key);

		if (!set.environment && !differs(key, of_a, of_b))
			continue;
		(set.environment ? add_full : add_brief)(t, key, json_string_value(of_a),
							 json_string_value(of_b));
		n++;
	}
	if (!a || !b)
		printf("environment: not stored in %s\n", a ? "B" : "A");
	else if (n)
		table_print(t, stdout, TABLE_TEXT);
	else
		puts("environment: alike");
	table_free(t);
	json_decref(all);
}

/* -- the command ------------------------------------------------------------------------------- */

/* Names the entries that are slower than --fail-above allows, for sure.  The exit status. */
static int judge(const struct comparison *c)
{
	size_t judged = 0, failed = 0;

	for (size_t i = 1; i < c->n; i++)
		for (size_t j = c->first[i]; j < c->first[i + 1]; j++) {
			const struct difference *d = &c->d.v[j];

			judged += !isnan(d->p);
			if (!d->differs || !(d->ratio.low > 1 + set.fail_above / 100))
				continue;
			failed++;
			warnx("%s: %s is slower by %.3g %% (%.3g to %.3g), allowed are %g %%",
			      c->m[i].name, d->a->name, 100 * (d->ratio.centre - 1),
			      100 * (d->ratio.low - 1), 100 * (d->ratio.high - 1), set.fail_above);
		}
	if (!judged)
		errx(1, "no entry has an interval in two runs: --fail-above has nothing to judge");
	return failed ? SLOWER : 0;
}

/* Adjusts the runs but RUN to its state, as --state says. */
static void adjust_all(const struct comparison *c)
{
	struct operand like;
	struct error e;

	if (operand_read(&like, set.state, ESTIMATE_HODGES_LEHMANN, &e))
		errx(1, "--state: %s", e.text);
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->m[i].name, set.state) && operand_adjust(&c->m[i], &like, &e))
			errx(1, "--state: %s", e.text);
	operand_free(&like);
}

/* Without --state: adjusts to the state of A the runs whose environment is that of A, and whose
 * reference loops took a time that they also took during A.  The system is the same there, so that
 * slower loops show another state of the host, and no change of the system. */
static void adjust_alike(const struct comparison *c)
{
	struct error e;

	for (size_t i = 1; i < c->n; i++)
		c->adjusted[i] = is_alike(&c->m[0], &c->m[i]) &&
				 is_within(c->m[0].vector, c->m[i].vector) &&
				 !operand_adjust(&c->m[i], &c->m[0], &e);
}

int compare_command(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options), status = 0;
	struct comparison c = { .n = (size_t)(argc - first) };
	struct error e;

	if (c.n < 2)
		opt_bad_usage(&usage, "two runs are needed");
	c.m = xcalloc(c.n, sizeof(*c.m));
	c.adjusted = xcalloc(c.n, sizeof(*c.adjusted));
	for (size_t i = 0; i < c.n; i++)
		if (operand_read(&c.m[i], argv[first + (int)i], ESTIMATE_HODGES_LEHMANN, &e))
			errx(1, "%s", e.text);
	if (!set.state)
		adjust_alike(&c);
	else if (strcmp(set.state, "none") != 0)
		adjust_all(&c);
	find_differences(&c);
	if (set.json || set.csv)
		print_differences(&c, 1, c.n, true, set.json ? TABLE_JSON : TABLE_CSV);
	for (size_t i = 1; i < c.n && !set.json && !set.csv; i++)
		print_run(&c, i);
	for (size_t i = 1; i < c.n && !set.json && !set.csv; i++) {
		if (c.n > 2)
			printf("%sB: %s %s\n", i > 1 ? "\n" : "", c.m[i].vector->machine,
			       c.m[i].vector->path);
		print_environment(&c.m[0], &c.m[i]);
	}
	if (!isnan(set.fail_above))
		status = judge(&c);
	for (size_t i = 0; i < c.n; i++)
		operand_free(&c.m[i]);
	vec_free(&c.d);
	free(c.first);
	free(c.adjusted);
	free(c.m);
	return status;
}
