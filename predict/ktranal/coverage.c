/* SPDX-License-Identifier: MIT */
#include "coverage.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/map.h"
#include "util/number.h"
#include "util/table.h"
#include "util/vec.h"

/* The share of calls that should be mapped: with less, adding rules is advised. */
static const double enough = 0.95;

/* One line of a table, over all runs. */
struct entry_sum {
	const struct appvec_item *item; /* NULL: a call that no rule maps */
	const char *name;		/* of the entry or call */
	double calls, bytes, time;
	struct names from;
};

struct sums {
	struct entry_sum *v;
	size_t n, cap;
	struct names keys; /* what distinguishes the lines */
};

/* The runs together; what is printed is their mean. */
struct total {
	const struct appvec *vector;
	double runs, calls, mapped, time, mapped_time;
	char per_unit[64]; /* heading */
};

static struct entry_sum *find_sum(struct sums *sums, const char *key)
{
	size_t i = names_add(&sums->keys, key);

	if (i == sums->n)
		vec_push(sums, (struct entry_sum){ 0 });
	return &sums->v[i];
}

static int by_calls(const void *a, const void *b)
{
	const struct entry_sum *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	int order = strcmp(x->name, y->name);
	if (order || !x->item)
		return order;
	return (x->item->part > y->item->part) - (x->item->part < y->item->part);
}

static int by_time(const void *a, const void *b)
{
	const struct entry_sum *x = a, *y = b;
	double p = isnan(x->time) ? 0 : x->time, q = isnan(y->time) ? 0 : y->time;

	if (p != q)
		return p < q ? 1 : -1;
	return by_calls(a, b);
}

/* Adds the words of a list. */
static void add_words(struct names *names, const char *list)
{
	for (const char *p = list; *p; p += *p == ' ') {
		char *word = xstrndup(p, strcspn(p, " "));

		p += strlen(word);
		names_add(names, word);
		free(word);
	}
}

static void add_item(struct sums *sums, const struct appvec_item *item)
{
	char *key =
	    xasprintf("%s %.17g %d %d", item->entry, item->weight, item->part, item->fallback);
	struct entry_sum *s = find_sum(sums, key);

	s->item = item;
	s->name = item->entry;
	s->calls += item->calls;
	s->bytes += item->bytes;
	add_words(&s->from, item->from);
	free(key);
}

static void add_unmapped(struct sums *sums, const struct appvec_unmapped *u)
{
	struct entry_sum *s = find_sum(sums, u->call);

	s->name = u->call;
	s->calls += u->calls;
	s->time += u->time;
}

static void free_sums(struct sums *sums)
{
	for (size_t i = 0; i < sums->n; i++)
		names_free(&sums->v[i].from);
	names_free(&sums->keys);
	vec_free(sums);
}

/* A mean of counts is whole when the runs agree. */
static const char *count_format(double mean)
{
	return mean == floor(mean) ? "%.0f" : "%.1f";
}

/* The columns of counts: per run, per unit where units were counted, share of all calls. */
enum { COUNTS = 3 };

static size_t count_columns(struct table_column *out, const struct total *all)
{
	size_t n = 0;

	out[n++] =
	    (struct table_column){ all->runs > 1 ? "CALLS/RUN" : "CALLS", NULL, TABLE_RIGHT };
	if (all->vector->units != 1)
		out[n++] = (struct table_column){ all->per_unit, NULL, TABLE_RIGHT };
	out[n++] = (struct table_column){ "%", NULL, TABLE_RIGHT };
	return n;
}

static void put_counts(struct table *t, const struct total *all, double calls, const char *share)
{
	double mean = calls / all->runs;

	table_number(t, mean, count_format(mean));
	if (all->vector->units != 1)
		table_number(t, mean / all->vector->units, "%.4g");
	table_number(t, 100 * calls / all->calls, share);
}

static void put_list(struct table *t, const struct names *names)
{
	char *list = names_join(names, " ");

	table_text(t, list);
	free(list);
}

static void print_entries(const struct total *all, FILE *f)
{
	struct table_column columns[5 + COUNTS] = {
		{ "ENTRY", NULL, TABLE_LEFT },
		{ "WEIGHT", NULL, TABLE_RIGHT },
		{ "PART", NULL, TABLE_LEFT },
	};
	struct sums sums = { 0 };
	size_t n = 3;

	for (size_t k = 0; k < all->vector->ntraces; k++)
		for (size_t i = 0; i < all->vector->traces[k].nitems; i++)
			add_item(&sums, &all->vector->traces[k].items[i]);
	vec_sort(&sums, by_calls);
	n += count_columns(&columns[n], all);
	columns[n++] = (struct table_column){ "MEAN SIZE", NULL, TABLE_RIGHT };
	columns[n++] = (struct table_column){ "FROM", NULL, TABLE_LIST };
	struct table *t = table_new(columns, n);
	for (size_t i = 0; i < sums.n; i++) {
		const struct entry_sum *s = &sums.v[i];

		table_text(t, s->name);
		table_number(t, s->item->weight, "%.3g");
		table_text(t, s->item->fallback ? "fallback" : part_names[s->item->part]);
		put_counts(t, all, s->calls, "%.1f");
		table_number(t, s->bytes > 0 ? s->bytes / s->calls : NAN, "%.0f");
		put_list(t, &s->from);
	}
	table_end(t, f, TABLE_TEXT);
	free_sums(&sums);
}

static void print_unmapped(const struct total *all, FILE *f)
{
	struct table_column columns[2 + COUNTS] = { { "FELL BACK", NULL, TABLE_LEFT } };
	struct sums sums = { 0 };
	size_t n = 1;

	for (size_t k = 0; k < all->vector->ntraces; k++)
		for (size_t i = 0; i < all->vector->traces[k].nunmapped; i++)
			add_unmapped(&sums, &all->vector->traces[k].unmapped[i]);
	vec_sort(&sums, by_time);
	n += count_columns(&columns[n], all);
	columns[n++] = (struct table_column){ "TIME IN CALLS", NULL, TABLE_RIGHT };
	struct table *t = table_new(columns, n);
	for (size_t i = 0; i < sums.n; i++) {
		const struct entry_sum *s = &sums.v[i];
		char time[NUMBER_MAX];

		table_text(t, s->name);
		put_counts(t, all, s->calls, "%.2f");
		table_text(t, number_format_duration(time, s->time / all->runs));
	}
	if (sums.n) {
		putc('\n', f);
		table_print(t, f, TABLE_TEXT);
	}
	table_free(t);
	free_sums(&sums);
}

static struct total add_up(const struct appvec *a)
{
	struct total all = { .vector = a, .runs = (double)a->ntraces };

	snprintf(all.per_unit, sizeof(all.per_unit), "PER %s", a->unit);
	for (char *p = all.per_unit; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	for (size_t r = 0; r < a->ntraces; r++) {
		all.calls += a->traces[r].calls;
		all.mapped += a->traces[r].mapped_calls;
		all.time += a->traces[r].call_time;
		all.mapped_time += a->traces[r].mapped_time;
	}
	return all;
}

void coverage_print(const struct appvec *a, FILE *f)
{
	const struct total all = add_up(a);
	double mean = all.calls / all.runs;
	char shown[NUMBER_MAX];

	print_entries(&all, f);
	print_unmapped(&all, f);
	fprintf(f, "\nmapped: %.2f %% of ", 100 * all.mapped / all.calls);
	fprintf(f, mean == floor(mean) ? "%.0f calls" : "%.1f calls", mean);
	if (a->ntraces > 1)
		fprintf(f, " per run (mean of %zu traces)", a->ntraces);
	if (all.time > 0)
		fprintf(f, ", %.2f %% of the %s in calls", 100 * all.mapped_time / all.time,
			number_format_duration(shown, all.time / all.runs));
	fprintf(f, ";\nthe rest is priced as a null call, a lower bound\n");
	if (a->start)
		fprintf(f, "the start is apart: %.4g calls, once\n",
			add_up(a->start).calls / (double)a->start->ntraces);
	if (all.mapped / all.calls < enough)
		fprintf(f, "less than %.0f %% of the calls are mapped: add rules to the basis\n",
			100 * enough);
}
