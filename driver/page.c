/* SPDX-License-Identifier: MIT */
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "difference.h"
#include "vector/group.h"
#include "stats/sample.h"
#include "util/map.h"
#include "util/number.h"
#include "util/vec.h"

/* In the order in which they are explained. */
static const struct flag {
	const char *word, *meaning;
	bool elsewhere; /* a column tells as much: not shown in rows */
} flags[] = {
	{ "FEW", "fewer processes than the suite wants", true },
	{ "WIDE", "an interval more than twice as wide as wanted", true },
	{ "BIMODAL", "two groups of values: the time is one of them or between them", false },
	{ "NOTSTEADY", "not settled: the halves of a process differ", false },
	{ "OVERHEAD", "loop and clock were more than 20 % of the reading", false },
	{ "DISTURBED", "others had the CPU in most batches or much of the time", false },
	{ "SKEWED", "mean and median differ by more than 10 %", false },
	{ "DRIFT", "a canary entry or the clock drifted meanwhile", false },
	{ "OUTLIERS", "more than a tenth of the values is ten deviations off", false },
	{ "CROWDED", "more copies than CPUs: waiting for each other is in the time", false },
	{ "UNSEEN", "free to wander: interruptions by others cannot be seen", false },
	{ "SIBLING", "the second CPU shares a core with the first", false },
	{ "NOCODE", "caches were emptied of data alone: no code can be made here", false },
	{ "NOVDSO", "reading the clock entered the kernel", false },
	{ "NOLOG", "values and runs.jsonl differ: flags may be missing", false },
	{ "UNSHARED", "of several copies: measured alone only", false },
};

enum { FLAGS = sizeof(flags) / sizeof(*flags) };

/* What makes no difference in practice: runs of one machine differ by as much. */
static const double equivalence = 0.03;

/* An entry that one of the machines has. */
struct row {
	const struct osvec_entry *first; /* of the first machine that has it */
	size_t group;
};

typedef VEC(struct row) rows;

static int by_subject(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const struct osvec_entry *p = x->first, *q = y->first;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	int order = strcmp(p->curve ? p->curve : p->name, q->curve ? q->curve : q->name);
	if (!order && p->curve && p->size != q->size)
		return p->size < q->size ? -1 : 1;
	return order ? order : strcmp(p->name, q->name);
}

static rows gather(const struct operand *m, size_t n)
{
	rows all = { 0 };

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m[i].vector->n; j++) {
			const struct osvec_entry *x = &m[i].vector->entries[j];
			size_t earlier = 0;

			while (earlier < i && !osvec_find(m[earlier].vector, x->name))
				earlier++;
			if (earlier == i)
				vec_push(&all, (struct row){ x, group_of(x->name) });
		}
	vec_sort(&all, by_subject);
	return all;
}

/* -- cells ------------------------------------------------------------------------------------- */

void page_percent(struct table *t, double share)
{
	char text[NUMBER_MAX];

	snprintf(text, sizeof(text), "%.*f%%", share < 0.0995 ? 1 : 0, share * 100);
	table_shown(t, share, text);
}

/* A vector has an unknown interval as an empty one. */
static double precision(const struct osvec_entry *x)
{
	return x->high > x->low ? (x->high - x->low) / 2 / x->seconds : NAN;
}

static double rate(const struct osvec_entry *x)
{
	return x->bytes > 0 ? x->bytes / x->seconds : NAN;
}

static const char *format_rate(char *out, double bytes_per_second)
{
	char number[NUMBER_MAX];

	number_format_si(number, bytes_per_second);
	snprintf(out, NUMBER_MAX, "%.20s%sB/s", number, strchr(number, ' ') ? "" : " ");
	return out;
}

static size_t count_flag(const struct osvec *v, const char *word)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		n += osvec_has_flag(v->entries[i].flags, word);
	return n;
}

/* Whether rows leave a flag out: another column tells it, or most of them would have it. */
static bool is_hidden(const struct osvec *v, const char *word)
{
	const size_t few = 4; /* entries that are read one by one */
	size_t i = 0;

	while (i < FLAGS && strcmp(flags[i].word, word))
		i++;
	return (i < FLAGS && flags[i].elsewhere) || (v->n > few && 2 * count_flag(v, word) > v->n);
}

/* The flags of x that are shown in rows, as words that lines can end between. */
static char *flag_words(const struct osvec *v, const struct osvec_entry *x)
{
	char *all = xstrdup(x->flags), *text = xstrdup(""), *state;

	for (char *w = strtok_r(all, ",", &state); w; w = strtok_r(NULL, ",", &state))
		if (!is_hidden(v, w))
			text = xappend(text, "%s%s", *text ? " " : "", w);
	free(all);
	return text;
}

void page_explain_flags(const struct osvec *v, FILE *f)
{
	for (size_t i = 0; i < FLAGS; i++) {
		size_t n = count_flag(v, flags[i].word);
		bool silent = is_hidden(v, flags[i].word) && !flags[i].elsewhere;

		if (n)
			fprintf(f, "  %-9s %4zu  %s%s\n", flags[i].word, n, flags[i].meaning,
				silent ? " (most: not in rows)" : "");
	}
}

/* -- a row for each entry ---------------------------------------------------------------------- */

static void add_row(struct table *t, const struct operand *m, const struct osvec_entry *x,
		    bool text)
{
	static const struct cost unknown = {
		.trimmed = { NAN, NAN, NAN },
		.minimum = NAN,
		.cv = NAN,
		.batch_cv = NAN,
		.tail_excess = NAN,
	};
	const struct cost *raw = m->run ? reduction_find(m->run, x->name) : NULL;
	char *words = text ? flag_words(m->vector, x) : xstrdup(x->flags);
	char shown[NUMBER_MAX];

	double half = raw ? raw->precision : precision(x);
	raw = raw ? raw : &unknown;
	table_text(t, x->name);
	table_seconds(t, x->seconds);
	page_percent(t, half);
	table_seconds(t, x->mean);
	table_shown(t, rate(x), format_rate(shown, rate(x)));
	table_count(t, x->n);
	table_text(t, words);
	table_number(t, isnan(half) ? NAN : x->low, "%g");
	table_number(t, isnan(half) ? NAN : x->high, "%g");
	table_number(t, x->mean_error, "%g");
	table_number(t, x->cpu, "%g");
	table_number(t, raw->trimmed.centre, "%g");
	table_number(t, raw->trimmed.low, "%g");
	table_number(t, raw->trimmed.high, "%g");
	table_number(t, raw->minimum, "%g");
	table_number(t, raw->cv, "%g");
	table_number(t, raw->batch_cv, "%g");
	table_number(t, raw->tail_excess, "%g");
	table_text(t, m->vector->machine);
	table_text(t, group_name(group_of(x->name)));
	free(words);
}

void page_rows(const struct operand *m, size_t n, FILE *f, enum table_format format)
{
	static const struct table_column columns[] = {
		{ "entry", NULL, TABLE_NAME },
		{ "time", "seconds", TABLE_RIGHT },
		{ "+-", "precision", TABLE_RIGHT },
		{ "mean", NULL, TABLE_RIGHT },
		{ "rate", "bytes_per_second", TABLE_RIGHT },
		{ "n", NULL, TABLE_RIGHT },
		{ "flags", NULL, TABLE_LIST },
		{ "low", NULL, TABLE_DATA },
		{ "high", NULL, TABLE_DATA },
		{ "mean_error", NULL, TABLE_DATA },
		{ "cpu", NULL, TABLE_DATA },
		{ "trimmed", NULL, TABLE_DATA },
		{ "trimmed_low", NULL, TABLE_DATA },
		{ "trimmed_high", NULL, TABLE_DATA },
		{ "minimum", NULL, TABLE_DATA },
		{ "cv", NULL, TABLE_DATA },
		{ "batch_cv", NULL, TABLE_DATA },
		{ "tail_excess", NULL, TABLE_DATA },
		{ "machine", NULL, TABLE_DATA },
		{ "group", NULL, TABLE_GROUP },
	};
	struct table *t = table_of(columns);
	rows all = gather(m, n);

	for (size_t r = 0; r < all.n; r++)
		for (size_t i = 0; i < n; i++) {
			const struct osvec_entry *x = osvec_find(m[i].vector, all.v[r].first->name);

			if (x)
				add_row(t, &m[i], x, format == TABLE_TEXT);
		}
	table_end(t, f, format);
	vec_free(&all);
}

/* -- machines side by side --------------------------------------------------------------------- */

enum { VALUE = 10, NAME = 32 }; /* columns of a terminal that cells and entries take at most */

/* How columns are called: by their machines where these differ and all fit, else A, B, C... */
static char **name_columns(const struct operand *m, size_t n)
{
	char **heading = xcalloc(n, sizeof(*heading));
	struct names seen = { 0 };
	bool fit = true;
	int room = table_width(stdout) - NAME;

	for (size_t i = 0; i < n; i++) {
		int width = (int)strlen(m[i].vector->machine);

		fit &= names_add(&seen, m[i].vector->machine) == i;
		room -= 2 + (width > VALUE ? width : VALUE);
	}
	names_free(&seen);
	for (size_t i = 0; i < n; i++)
		heading[i] = fit && room >= 0 ? xstrdup(m[i].vector->machine)
					      : xasprintf("%c%.0zu", 'A' + (int)(i % 26), i / 26);
	return heading;
}

/* How each machine differs from the fastest, whose own cell has a == b; b is NULL where the machine
 * has no such entry. */
/* A level of memory has another size on another machine: bytes are compared. */
static double price(const struct osvec_entry *x)
{
	return x->bytes > 0 ? x->seconds / x->bytes : x->seconds;
}

static void compare_row(const struct operand *m, size_t n, const char *name,
			struct difference *cells)
{
	const struct osvec_entry *best = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct osvec_entry *x = osvec_find(m[i].vector, name);

		cells[i] = (struct difference){ .b = x, .p = NAN };
		if (x && (!best || price(x) < price(best)))
			best = x;
	}
	for (size_t i = 0; i < n; i++)
		if (cells[i].b == best)
			cells[i].a = best;
		else if (cells[i].b)
			cells[i] = difference_between(best, cells[i].b);
}

static bool any_matters(const struct difference *cells, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (difference_matters(&cells[i], equivalence))
			return true;
	return false;
}

static void add_cell(struct table *t, const struct difference *d, bool marking)
{
	bool bandwidth = d->b && d->b->bytes > 0 && !strncmp(d->b->name, "bw_", 3);
	bool best = d->a == d->b || (!isnan(d->p) && !difference_matters(d, equivalence));
	char value[NUMBER_MAX], shown[NUMBER_MAX + 2];

	if (!d->b) {
		table_text(t, NULL);
		return;
	}
	if (bandwidth)
		format_rate(value, rate(d->b));
	else
		number_format_duration(value, d->b->seconds);
	snprintf(shown, sizeof(shown), "%s%c", value, marking && best ? '*' : ' ');
	table_text(t, shown);
}

/* The columns from ... to - 1 of all rows, as far as they fit beside each other. */
static void print_columns(const rows *all, const struct difference *cells, size_t n,
			  char *const *heading, size_t from, size_t to, bool every)
{
	struct table_column *columns = xcalloc(to - from + 2, sizeof(*columns));
	struct table *t = table_new(columns, to - from + 2);

	columns[0] = (struct table_column){ "entry", NULL, TABLE_NAME };
	for (size_t i = from; i < to; i++)
		columns[1 + i - from] = (struct table_column){ heading[i], NULL, TABLE_RIGHT };
	columns[1 + to - from] = (struct table_column){ "group", NULL, TABLE_GROUP };
	for (size_t r = 0; r < all->n; r++) {
		bool matters = any_matters(cells + r * n, n);

		if (!matters && !every)
			continue;
		table_text(t, all->v[r].first->name);
		for (size_t i = from; i < to; i++)
			add_cell(t, &cells[r * n + i], matters);
		table_text(t, group_name(all->v[r].group));
	}
	table_end(t, stdout, TABLE_TEXT);
	putchar('\n');
	free(columns);
}

/* The median of half the intervals of v; NaN when there is none. */
static double median_precision(const struct osvec *v)
{
	VEC(double) known = { 0 };

	for (size_t i = 0; i < v->n; i++)
		if (!isnan(precision(&v->entries[i])))
			vec_push(&known, precision(&v->entries[i]));
	double median = known.n ? sample_median(known.v, known.n) : NAN;
	vec_free(&known);
	return median;
}

/* Which machine a column is, and how far it can be trusted. */
static void print_machines(const struct operand *m, size_t n, char *const *heading)
{
	static const struct table_column columns[] = {
		{ "", NULL, TABLE_LEFT },	   { "machine", NULL, TABLE_NAME },
		{ "processor", NULL, TABLE_NAME }, { "kernel", NULL, TABLE_NAME },
		{ "entries", NULL, TABLE_RIGHT },  { "median +-", NULL, TABLE_RIGHT },
	};
	struct table *t = table_of(columns);

	for (size_t i = 0; i < n; i++) {
		table_text(t, heading[i]);
		table_text(t, m[i].vector->machine);
		table_text(t, osvec_fact(m[i].vector, "cpu.model"));
		table_text(t, osvec_fact(m[i].vector, "kernel.release"));
		table_count(t, m[i].vector->n);
		page_percent(t, median_precision(m[i].vector));
	}
	table_end(t, stdout, TABLE_TEXT);
	putchar('\n');
}

void page_side_by_side(const struct operand *m, size_t n, bool every)
{
	size_t fit = (size_t)(table_width(stdout) - NAME) / (VALUE + 2), alike = 0;
	size_t pages = (n + fit - 1) / fit, wide = (n + pages - 1) / pages;
	rows all = gather(m, n);
	struct difference *cells = xcalloc(all.n * n, sizeof(*cells));
	char **heading = name_columns(m, n);

	print_machines(m, n, heading);
	for (size_t r = 0; r < all.n; r++)
		compare_row(m, n, all.v[r].first->name, cells + r * n);
	difference_decide(cells, all.n * n, 0.05);
	for (size_t r = 0; r < all.n; r++)
		alike += !any_matters(cells + r * n, n);
	for (size_t from = 0; from < n && (every || alike < all.n); from += wide)
		print_columns(&all, cells, n, heading, from, from + wide < n ? from + wide : n,
			      every);
	printf("*: the best, and what does not differ from it beyond noise and 3 %%\n");
	if (alike)
		printf("%zu of %zu entries show no difference%s\n", alike, all.n,
		       every ? "" : " and are left out (--all shows them)");
	for (size_t i = 0; i < n; i++)
		free(heading[i]);
	free(heading);
	free(cells);
	vec_free(&all);
}
