/* SPDX-License-Identifier: MIT */
/* osvec-predict whatif - what a faster or slower primitive would change. */
#include <err.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "answer.h"
#include "util/number.h"
#include "util/vec.h"

static struct query q;
static struct {
	struct opt_list scales;
	uint64_t top;
} set = { .top = 20 };

static const struct opt options[] = {
	QUERY_OPTIONS(q),
	{ 0, "scale", OPT_LIST, &set.scales, "ENTRY=FACTOR", 0, 0,
	  "cost of the entries that a pattern matches, or user, times this" },
	{ 0, "top", OPT_COUNT, &set.top, "N", 1, 1e6, "lines to print (default 20)" },
	{ 0 },
};

static const struct opt_usage usage = {
	"osvec-predict whatif",
	"MACHINE",
	"Predicts what the application would gain if entries of MACHINE had other costs; without\n"
	"--scale, what each entry could bring.",
	"osvec-predict whatif -a redis-set.json native --scale 'lat_send_tcp_*=0.5'",
};

struct scale {
	char *pattern;
	double factor;
};

static struct scale parse_scale(const char *s)
{
	const char *equals = strrchr(s, '=');
	struct scale x = { NULL, NAN };

	if (!equals || equals == s || !number_parse_double(equals + 1, &x.factor) ||
	    !(x.factor >= 1e-9 && x.factor <= 1e9))
		opt_bad_usage(&usage, "--scale %s: not ENTRY=FACTOR with a factor from 1e-9 to 1e9",
			      s);
	x.pattern = xstrndup(s, (size_t)(equals - s));
	return x;
}

static bool is_user(const struct scale *s)
{
	return !strcmp(s->pattern, "user");
}

/* Whether the pattern matches an entry that the application uses, or a point of a curve. */
static bool is_used(const struct scale *s, const struct osvec *v)
{
	const struct prediction *p = q.predictions[0];

	for (size_t i = 0; i < p->ncharges; i++)
		if (p->charges[i].entry && !fnmatch(s->pattern, p->charges[i].entry->name, 0))
			return true;
	for (size_t i = 0; i < q.application->nuser_entries; i++)
		if (!fnmatch(s->pattern, q.application->user_entries[i], 0) &&
		    osvec_find(v, q.application->user_entries[i]))
			return true;
	return false;
}

static bool has_beginning(const struct osvec *v, const char *beginning)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strncmp(v->entries[i].name, beginning, strlen(beginning)))
			return true;
	return false;
}

static void scale_vector(struct osvec *v, const struct scale *s)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		if (!fnmatch(s->pattern, v->entries[i].name, 0)) {
			v->entries[i].seconds *= s->factor;
			n++;
		}
	if (!n && has_beginning(v, s->pattern))
		errx(1, "--scale %s: %s has no such entry; did you mean '%s*'?", s->pattern,
		     v->machine, s->pattern);
	if (!n)
		errx(1, "--scale %s: %s has no such entry (its entries are in %s)", s->pattern,
		     v->machine, v->path);
}

static void print_change(void)
{
	static const struct table_column columns[] = {
		{ "part", "part", true },	{ "before", "before", false },
		{ "after", "after", false },	{ "saved", "saved", false },
		{ "of all", "percent", false },
	};
	const struct prediction *a = q.predictions[0], *b = q.predictions[1];
	const struct {
		const char *name;
		double before, after;
	} rows[] = {
		{ "kernel", a->kernel, b->kernel },
		{ "user", a->user, b->user },
		{ "wait", a->wait, b->wait },
		{ "all", a->total, b->total },
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		table_text(t, rows[i].name);
		answer_time(&q, t, rows[i].before);
		answer_time(&q, t, rows[i].after);
		answer_time(&q, t, rows[i].before - rows[i].after);
		table_number(t, 100 * (rows[i].before - rows[i].after) / a->total, "%.2f %%");
	}
	answer_table(&q, "change", t, true);
}

/* The time of all lines of one name: as an item, for switches and for faults. */
struct share {
	const struct prediction_line *line;
	double seconds;
};

static int by_seconds(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static size_t sum_by_name(const struct prediction *p, struct share *shares)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nlines; i++) {
		size_t k = 0;

		while (k < n && strcmp(shares[k].line->name, p->lines[i].name))
			k++;
		if (k == n)
			shares[n++] = (struct share){ &p->lines[i], 0 };
		shares[k].seconds += p->lines[i].seconds;
	}
	qsort(shares, n, sizeof(*shares), by_seconds);
	return n;
}

/* Time is linear in each cost, so that an entry's share is its elasticity. */
static void print_elasticities(void)
{
	static const struct table_column columns[] = {
		{ "entry", "entry", true },
		{ "time", "seconds", false },
		{ "elasticity", "elasticity", false },
		{ "10 % cheaper saves", "saved", false },
		{ "free: faster by", "speedup", false },
	};
	const struct prediction *p = q.predictions[0];
	struct share *shares = xcalloc(p->nlines, sizeof(*shares));
	size_t n = sum_by_name(p, shares);
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < n && i < set.top && shares[i].seconds != 0; i++) {
		double s = shares[i].seconds;

		table_text(t, shares[i].line->name);
		answer_time(&q, t, s);
		table_number(t, s / p->total, "%.4f");
		answer_time(&q, t, 0.1 * s);
		table_number(t, p->total > s ? p->total / (p->total - s) : NAN, "%.2f x");
	}
	answer_table(&q, "elasticities", t, true);
	free(shares);
}

static void apply(struct scale *scales, size_t n)
{
	if (n) {
		struct machine *changed = &q.machines.v[1];

		changed->vector->original = q.machines.v[0].vector;
		free(changed->label);
		changed->label = xasprintf("%s changed", changed->vector->machine);
	}
	for (size_t i = 0; i < n; i++)
		if (!is_user(&scales[i]))
			scale_vector(q.machines.v[1].vector, &scales[i]);
	query_answer(&q);
	for (size_t i = 0; i < n; i++) {
		if (is_user(&scales[i]))
			prediction_scale(q.predictions[1], 1, scales[i].factor, 1);
		else if (!is_used(&scales[i], q.machines.v[1].vector))
			query_note(&q, "%s does not use %s", q.application->name,
				   scales[i].pattern);
	}
}

int command_whatif(int argc, char **argv)
{
	query_parse(&q, argc, argv, &usage, options, 1);
	size_t n = set.scales.n;
	struct scale *scales = xcalloc(n, sizeof(*scales));

	for (size_t i = 0; i < n; i++)
		scales[i] = parse_scale(set.scales.v[i]);
	/* The machine as it is, and a copy to be changed. */
	if (n)
		vec_push(&q.operands, q.operands.v[0]);
	query_read(&q);
	if (q.machines.n != (n ? 2 : 1))
		opt_bad_usage(&usage, "%s stands for several machines: name one", q.operands.v[0]);
	apply(scales, n);

	answer_begin(&q);
	answer_word(&q, "machine", q.machines.v[0].vector->machine);
	answer_say(&q, "%s on %s: time per %s, level %s", q.application->name,
		   q.machines.v[0].vector->machine, q.unit, query_level(&q));
	answer_say(&q, "%s", "");
	if (n)
		print_change();
	else
		print_elasticities();
	answer_end(&q);
	for (size_t i = 0; i < n; i++)
		free(scales[i].pattern);
	free(scales);
	query_free(&q);
	return 0;
}
