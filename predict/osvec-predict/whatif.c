/* SPDX-License-Identifier: MIT */
/* osvec-predict whatif - what a faster or slower primitive would change. */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "answer.h"
#include "change.h"
#include "level.h"
#include "quota.h"
#include "util/number.h"
#include "util/vec.h"

static struct query q;
static struct {
	struct opt_list scales, replacements, best_of;
	uint64_t top;
} set = { .top = 20 };

static const struct opt options[] = {
	QUERY_OPTIONS(q),
	QUERY_FORMATS(q),
	{ 0, "scale", OPT_LIST, &set.scales, "ENTRY=FACTOR", 0, 0,
	  "cost of the entries that a pattern matches, or user, times this" },
	{ 0, "replace", OPT_LIST, &set.replacements, "ENTRY=OTHER", 0, 0,
	  "cost of the entries that a pattern or group matches, as on OTHER" },
	{ 0, "best-of", OPT_LIST, &set.best_of, "OTHER", 0, 0,
	  "cost of each entry, as on machine OTHER where it is less" },
	{ 0, "top", OPT_COUNT, &set.top, "N", 1, 1e6, "lines to print (default 20)" },
	{ 0 },
};

static const struct opt_usage usage = {
	"osvec-predict whatif",
	"MACHINE",
	"Predicts what the application would gain if entries of MACHINE had other costs; without\n"
	"such options, what each entry could bring.",
	"osvec-predict whatif -a redis-set.json native --scale 'lat_send_tcp_*=0.5'",
};

/* The machine with the costs of others, and not scaled: what its calls cost more inside programs.
 */
static struct osvec *unscaled;

static struct changes {
	struct change *v;
	size_t n, cap;
} changes;

static void add_change(struct change c, size_t length)
{
	c.pattern = xstrndup(c.value, length);
	vec_push(&changes, c);
}

static struct osvec *read_other(const char *option, const char *path)
{
	struct error e;
	struct osvec *v = machines_read_one(path, &e);

	if (!v)
		errx(1, "%s: %s", option, e.text);
	return v;
}

static void parse_changes(void)
{
	for (size_t i = 0; i < set.replacements.n; i++) {
		struct change c = { .option = "--replace", .value = set.replacements.v[i] };
		const char *equals = strchr(c.value, '=');

		if (!equals || equals == c.value || !equals[1])
			opt_bad_usage(&usage, "--replace %s: not ENTRY=MACHINE", c.value);
		c.from = read_other(c.option, equals + 1);
		add_change(c, (size_t)(equals - c.value));
	}
	for (size_t i = 0; i < set.best_of.n; i++) {
		struct change c = { .option = "--best-of", .value = "*", .only_if_cheaper = true };

		c.from = read_other(c.option, set.best_of.v[i]);
		add_change(c, 1);
	}
	for (size_t i = 0; i < set.scales.n; i++) {
		struct change c = { .option = "--scale", .value = set.scales.v[i] };
		const char *equals = strrchr(c.value, '=');

		if (!equals || equals == c.value || !number_parse_double(equals + 1, &c.factor) ||
		    !(c.factor >= 1e-9 && c.factor <= 1e9))
			opt_bad_usage(&usage,
				      "--scale %s: not ENTRY=FACTOR with a factor from 1e-9 to 1e9",
				      c.value);
		add_change(c, (size_t)(equals - c.value));
	}
}

/* Whether the pattern matches an entry that the application uses, or a point of a curve. */
static bool is_used(const struct change *s, const struct osvec *v)
{
	const struct prediction *p = q.predictions[0];

	for (size_t i = 0; i < p->ncharges; i++)
		if (p->charges[i].entry && change_is_of(s, p->charges[i].entry->name))
			return true;
	for (size_t i = 0; i < q.application->nuser_entries; i++)
		if (change_is_of(s, q.application->user_entries[i]) &&
		    osvec_find(v, q.application->user_entries[i]))
			return true;
	return false;
}

static void print_change(void)
{
	static const struct table_column columns[] = {
		{ "part", "part", TABLE_LEFT },	      { "before", "before", TABLE_RIGHT },
		{ "after", "after", TABLE_RIGHT },    { "saved", "saved", TABLE_RIGHT },
		{ "of all", "percent", TABLE_RIGHT },
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
	struct table *t = table_of(columns);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		table_text(t, rows[i].name);
		answer_time(&q, t, rows[i].before);
		answer_time(&q, t, rows[i].after);
		answer_time(&q, t, rows[i].before - rows[i].after);
		table_number(t, 100 * (rows[i].before - rows[i].after) / a->total, "%.2f %%");
	}
	answer_table(&q, "change", t, true);
}

/* The entries that changed most. */
static void print_entries(void)
{
	static const struct table_column columns[] = {
		{ "entry", "entry", TABLE_LEFT },
		{ "before", "before", TABLE_RIGHT },
		{ "after", "after", TABLE_RIGHT },
		{ "saved", "saved", TABLE_RIGHT },
	};
	const struct prediction *a = q.predictions[0];
	struct prediction_part *parts = xcalloc(a->nlines, sizeof(*parts));
	struct table *t = table_of(columns);

	prediction_difference(a, q.predictions[1], parts);
	for (size_t i = 0; i < a->nlines && i < set.top && parts[i].log_ratio != 0; i++) {
		table_text(t, answer_line_name(parts[i].a));
		answer_time(&q, t, parts[i].a->seconds);
		answer_time(&q, t, parts[i].b->seconds);
		answer_time(&q, t, parts[i].a->seconds - parts[i].b->seconds);
	}
	answer_say(&q, "%s", "");
	answer_table(&q, "entries", t, false);
	free(parts);
}

/* The time of all lines of one name: as an item, for switches and for faults. */
struct share {
	const struct prediction_line *line;
	double seconds;
};

static int by_seconds(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	return (fabs(x->seconds) < fabs(y->seconds)) - (fabs(x->seconds) > fabs(y->seconds));
}

static size_t sum_by_name(const struct prediction *p, struct share *shares)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nlines; i++) {
		size_t k = 0;

		if (p->lines[i].kind == LINE_ASLEEP)
			continue;
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
		{ "entry", "entry", TABLE_LEFT },
		{ "time", "seconds", TABLE_RIGHT },
		{ "elasticity", "elasticity", TABLE_RIGHT },
		{ "10 % cheaper saves", "saved", TABLE_RIGHT },
		{ "free: faster by", "speedup", TABLE_RIGHT },
	};
	const struct prediction *p = q.predictions[0];
	struct share *shares = xcalloc(p->nlines, sizeof(*shares));
	size_t n = sum_by_name(p, shares);
	struct table *t = table_of(columns);

	for (size_t i = 0; i < n && i < set.top && shares[i].seconds != 0; i++) {
		double s = shares[i].seconds;

		table_text(t, shares[i].line->name);
		answer_time(&q, t, s);
		table_number(t, s / p->total, "%.4f");
		answer_time(&q, t, 0.1 * s);
		table_number(t, p->total > s ? p->total / (p->total - s) : NAN, "%.2f x");
	}
	answer_table(&q, "elasticities", t, true);
	answer_say(&q,
		   "elasticity: by how many percent the time grows when the entry costs 1 %% more; "
		   "free: how much faster it would be if the entry cost nothing");
	free(shares);
}

/* What only this machine has measured keeps its cost, or has that between two sizes of the other
 * one, even where that machine, by what it has measured instead, takes less. */
static void check_ideal(const struct osvec *other)
{
	struct prediction *p = level_price(&q, other);
	char kernel[NUMBER_MAX], all[NUMBER_MAX];

	if (p->kernel < q.predictions[1]->kernel || p->total < q.predictions[1]->total)
		query_note(
		    &q,
		    "this is not the ideal machine: the kernel part of %s alone is %s, and its "
		    "time %s; what it has not measured stays as it is, or is between what it has",
		    other->machine, number_format_duration(kernel, query_time(&q, p->kernel)),
		    number_format_duration(all, query_time(&q, p->total)));
	prediction_free(p);
}

/* A factor is of what the application pays, with what calls cost more inside it: so that a tenth
 * less saves what the table of elasticities says, of all its rows that the pattern matches. */
static void scale_charges(struct prediction *p, const struct change *c)
{
	double *factors = xcalloc(p->ncharges, sizeof(*factors));

	for (size_t i = 0; i < p->ncharges; i++) {
		const struct osvec_entry *x = p->charges[i].entry;

		factors[i] = x && change_is_of(c, x->name) ? c->factor : 1;
	}
	prediction_scale_charges(p, factors);
	free(factors);
}

static void apply_changes(void)
{
	if (changes.n) {
		struct machine *changed = &q.machines.v[1];

		unscaled = read_other("MACHINE", q.machines.v[0].vector->path);
		changed->vector->original = unscaled;
		free(changed->label);
		changed->label = xasprintf("%s changed", changed->vector->machine);
	}
	for (size_t i = 0; i < changes.n; i++) {
		change_add_missing(&changes.v[i], q.machines.v[1].vector);
		change_add_missing(&changes.v[i], unscaled);
	}
	for (size_t i = 0; i < changes.n; i++)
		if (!change_is_user(&changes.v[i]))
			change_make(&changes.v[i], &q, q.machines.v[1].vector, unscaled);
	q.without_quota = true; /* until all is changed */
	query_answer(&q);
	for (size_t i = 0; i < changes.n; i++) {
		const struct change *c = &changes.v[i];

		if (change_is_user(c))
			prediction_scale(q.predictions[1], 1, c->factor, 1);
		else if (!c->from)
			scale_charges(q.predictions[1], c);
		if (!change_is_user(c) && !is_used(c, q.machines.v[1].vector))
			query_note(&q, "%s does not use %s", q.application->name, c->pattern);
		if (c->only_if_cheaper)
			check_ideal(c->from);
	}
	quota_apply(&q);
}

static void free_changes(void)
{
	osvec_free(unscaled);
	for (size_t i = 0; i < changes.n; i++) {
		free(changes.v[i].pattern);
		osvec_free(changes.v[i].from);
	}
	vec_free(&changes);
}

int command_whatif(int argc, char **argv)
{
	query_parse(&q, argc, argv, &usage, options, 1);
	parse_changes();
	/* The machine as it is, and a copy to be changed: in one state of its host. */
	q.vector_state = true;
	if (changes.n)
		vec_push(&q.operands, q.operands.v[0]);
	query_read(&q);
	if (q.machines.n != (changes.n ? 2 : 1))
		opt_bad_usage(&usage, "%s stands for several machines: name one", q.operands.v[0]);
	apply_changes();

	answer_begin(&q);
	answer_word(&q, "machine", q.machines.v[0].vector->machine);
	answer_say(&q, "%s on %s: time per %s, level %s", q.application->name,
		   q.machines.v[0].vector->machine, q.unit, level_name(&q));
	answer_say(&q, "%s", "");
	if (changes.n) {
		print_change();
		print_entries();
	} else {
		print_elasticities();
	}
	answer_end(&q);
	free_changes();
	query_free(&q);
	return 0;
}
