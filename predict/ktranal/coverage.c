/* SPDX-License-Identifier: MIT */
#include "coverage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/number.h"
#include "util/table.h"
#include "util/vec.h"

static const double enough = 0.95; /* of the calls: below, a prediction is said to be a lower bound */

/* Item by item over all runs. */
struct sum {
	const struct appvec_item *item;
	double calls, bytes, time;
};

struct sums {
	struct sum *v;
	size_t n, cap;
};

static struct sum *find(struct sums *sums, const struct appvec_item *item)
{
	for (size_t i = 0; i < sums->n; i++) {
		const struct appvec_item *other = sums->v[i].item;

		if (other->weight == item->weight && other->part == item->part &&
		    other->fallback == item->fallback && !strcmp(other->entry, item->entry))
			return &sums->v[i];
	}
	vec_push(sums, (struct sum){ .item = item });
	return &sums->v[sums->n - 1];
}

static int by_calls(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	int order = strcmp(x->item->entry, y->item->entry);
	return order ? order : (x->item->part > y->item->part) - (x->item->part < y->item->part);
}

static struct sums sum_items(const struct appvec *a)
{
	struct sums sums = { 0 };

	for (size_t r = 0; r < a->nruns; r++)
		for (size_t i = 0; i < a->runs[r].nitems; i++) {
			const struct appvec_item *item = &a->runs[r].items[i];
			struct sum *s = find(&sums, item);

			s->calls += item->calls;
			s->bytes += item->bytes;
			s->time += item->time;
		}
	qsort(sums.v, sums.n, sizeof(*sums.v), by_calls);
	return sums;
}

static void print_entries(const struct appvec *a, double calls, FILE *f)
{
	static const struct table_column columns[] = {
		{ "ENTRY", NULL, true }, { "WEIGHT", NULL, false }, { "PART", NULL, true },
		{ "CALLS", NULL, false }, { "%", NULL, false }, { "MEAN SIZE", NULL, false },
		{ "FROM", NULL, true },
	};
	static const char *const parts[] = {
		[PART_KERNEL] = "kernel", [PART_WAIT] = "wait", [PART_COUNTED] = "counted",
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));
	struct sums sums = sum_items(a);

	for (size_t i = 0; i < sums.n; i++) {
		const struct sum *s = &sums.v[i];

		table_text(t, s->item->entry);
		table_number(t, s->item->weight, "%.3g");
		table_text(t, s->item->fallback ? "fallback" : parts[s->item->part]);
		table_number(t, s->calls, "%.0f");
		table_number(t, 100 * s->calls / calls, "%.1f");
		table_number(t, s->bytes > 0 ? s->bytes / s->calls : NAN, "%.0f");
		table_text(t, s->item->from);
	}
	table_print(t, f, TABLE_TEXT);
	table_free(t);
	vec_free(&sums);
}

static void print_unmapped(const struct appvec *a, double calls, FILE *f)
{
	static const struct table_column columns[] = {
		{ "FELL BACK", NULL, true }, { "CALLS", NULL, false }, { "%", NULL, false },
		{ "TIME IN CALLS", NULL, false },
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));
	bool any = false;

	for (size_t r = 0; r < a->nruns; r++)
		for (size_t i = 0; i < a->runs[r].nunmapped; i++) {
			const struct appvec_unmapped *u = &a->runs[r].unmapped[i];
			char time[NUMBER_MAX];

			table_text(t, u->call);
			table_number(t, u->calls, "%.0f");
			table_number(t, 100 * u->calls / calls, "%.2f");
			table_text(t, number_format_duration(time, u->time));
			any = true;
		}
	if (any) {
		putc('\n', f);
		table_print(t, f, TABLE_TEXT);
	}
	table_free(t);
}

void coverage_print(const struct appvec *a, FILE *f)
{
	double calls = 0, mapped = 0, time = 0, mapped_time = 0;
	char shown[NUMBER_MAX];

	for (size_t r = 0; r < a->nruns; r++) {
		calls += a->runs[r].calls;
		mapped += a->runs[r].mapped_calls;
		time += a->runs[r].call_time;
		mapped_time += a->runs[r].mapped_time;
	}
	print_entries(a, calls, f);
	print_unmapped(a, calls, f);
	fprintf(f, "\nmapped: %.2f %% of %.0f calls", 100 * mapped / calls, calls);
	if (time > 0)
		fprintf(f, ", %.2f %% of the %s in calls", 100 * mapped_time / time,
			number_format_duration(shown, time));
	fprintf(f, "; the rest is priced as a null call, a lower bound\n");
	if (mapped / calls < enough)
		fprintf(f, "less than %.0f %% of the calls are mapped: add rules to the basis\n",
			100 * enough);
}
