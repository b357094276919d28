/* SPDX-License-Identifier: MIT */
#include "decomposition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/footprint.h"
#include "stats/distribution.h"
#include "util/number.h"
#include "util/vec.h"
#include "vector/group.h"

enum { WORDS = 3, STEP = 4 }; /* in a row; largest ratio of the sizes between which costs lie */

/* The derivative of log(measured / predicted) by the logarithm of an entry's cost. */
struct slope {
	const struct osvec_entry *entry;
	double slope;
};

/* A row being computed. */
struct row {
	const struct osvec *v;
	struct finding *f;
	char *words[WORDS]; /* NULL: none */
	VEC(struct slope) slopes;
};

/* pattern with $1 to $3 replaced by words, and word number star (if not 0) by an asterisk. */
static char *expand(const struct row *r, const char *pattern, size_t star)
{
	char *name = xstrdup("");

	for (const char *p = pattern; *p; p++) {
		size_t i = *p == '$' ? (size_t)(p[1] - '0') : 0;
		bool word = i >= 1 && i <= WORDS && r->words[i - 1];

		name = xappend(name, "%.*s", word ? 0 : 1, p);
		if (word) {
			name = xappend(name, "%s", i == star ? "*" : r->words[i - 1]);
			p++;
		}
	}
	return name;
}

/* Adds a word to a list, once. */
static void note(char **list, const char *word)
{
	if (!*list || !osvec_has_flag(*list, word))
		*list = xappend(*list, "%s%s", *list ? "," : "", word);
}

static void add_slope(struct row *r, const struct osvec_entry *x, double slope)
{
	static const char *const doubts[] = { "BIMODAL", "DISTURBED", "DRIFT" };
	size_t i = 0;

	while (i < r->slopes.n && r->slopes.v[i].entry != x)
		i++;
	if (i == r->slopes.n)
		vec_push(&r->slopes, (struct slope){ x, 0 });
	r->slopes.v[i].slope += slope;
	for (size_t k = 0; k < sizeof(doubts) / sizeof(*doubts); k++)
		if (osvec_has_flag(x->flags, doubts[k]))
			note(&r->f->doubtful, x->name);
}

/* A price as a mix of two entries, which are one and the same when it was measured. */
struct cost {
	struct osvec_mix mix;
	double seconds, bytes;
};

/* The price on a curve over word k of pattern; false when there is no point near enough. */
static bool on_curve(struct row *r, const char *pattern, size_t k, struct cost *out)
{
	char *name = expand(r, pattern, k);
	struct osvec_curve c = osvec_curve(r->v, name);
	uint64_t size;
	bool found = false;

	if (c.n && number_parse_size(r->words[k - 1], &size)) {
		out->mix = osvec_curve_at(&c, (double)size);
		const struct osvec_entry *a = out->mix.a, *b = out->mix.b;

		found = !out->mix.extrapolated && a->size > 0 && b->size <= STEP * a->size;
		out->seconds = osvec_mix_seconds(&out->mix);
		out->bytes = a->bytes / a->size * (double)size;
	}
	free(name);
	return found;
}

static bool find_price(struct row *r, const char *pattern, struct cost *out)
{
	char *name = expand(r, pattern, 0);
	const struct osvec_entry *x = osvec_find(r->v, name);
	bool found = x;

	if (x)
		*out = (struct cost){ { x, x, 1, 1, false }, x->seconds, x->bytes };
	for (size_t k = 1; !found && k <= WORDS && r->words[k - 1]; k++)
		found = on_curve(r, pattern, k, out);
	if (!found)
		note(&r->f->missing, name);
	else if (!x)
		r->f->interpolated = true;
	free(name);
	return found;
}

/* How many of an entry's cost a term stands for; 0 and a note when that is unknown. */
static double times_of(struct row *r, const struct term *t, const struct cost *c)
{
	double times = t->times;
	uint64_t bytes;

	if (t->bytes) {
		char *text = expand(r, t->bytes, 0);
		bool known = number_parse_size(text, &bytes) && c->bytes > 0;

		times *= known ? (double)bytes / c->bytes : 0;
		free(text);
	}
	if (t->faults) {
		char *name = expand(r, t->faults, 0);
		const struct osvec_entry *x = osvec_find(r->v, name);

		if (!x || !(x->faults > 0)) {
			char *what = xasprintf("%s%s", x ? "the page faults of " : "", name);

			note(&r->f->missing, what);
			free(what);
		} else {
			times *= x->faults;
		}
		free(name);
	}
	return times;
}

static void add_part(struct finding *f, const char *name, double seconds)
{
	size_t i = 0;

	while (i < f->nparts && strcmp(f->parts[i].name, name))
		i++;
	if (i == f->nparts)
		f->parts[f->nparts++] = (struct part){ name, 0 };
	f->parts[i].seconds += seconds;
}

/* What calls cost more inside a program, seconds by group; free it.  NULL: they are in a loop. */
static double *find_extra(struct row *r)
{
	/* For groups that have no entries after other data, as in predictions (model/demand.c). */
	static const char null_entry[] = "lat_syscall_getppid";
	uint64_t bytes;

	if (!r->f->rule->footprint)
		return NULL;
	char *text = expand(r, r->f->rule->footprint, 0);
	double *extra = xcalloc(group_count(), sizeof(*extra));
	if (!number_parse_size(text, &bytes))
		bytes = 0;
	if (bytes > FOOTPRINT_LEAST && isinf(footprint_next(r->v, FOOTPRINT_LEAST)))
		note(&r->f->missing, "lat_syscall_getppid@after=256k");
	else
		footprint_extra(r->v, null_entry, (double)bytes, NULL, extra);
	free(text);
	return extra;
}

/* Adds up the terms.  Slopes are left in seconds, to be divided by the sum. */
static void predict(struct row *r)
{
	double *extra = find_extra(r), more = 0;

	for (const struct term *t = r->f->rule->predicted; t->times != 0; t++) {
		struct cost c;

		if (!find_price(r, t->entry, &c))
			continue;
		double seconds = times_of(r, t, &c) * c.seconds;
		add_part(r->f, t->part, seconds);
		add_slope(r, c.mix.a, -seconds * c.mix.w);
		if (c.mix.w < 1)
			add_slope(r, c.mix.b, -seconds * (1 - c.mix.w));
		r->f->predicted += seconds;
		more += extra ? t->times * extra[group_of(t->entry)] : 0;
	}
	free(extra);
	if (more > 0)
		add_part(r->f, "after other data and code", more);
	r->f->predicted += more;
	for (size_t i = 0; i < r->slopes.n; i++)
		r->slopes.v[i].slope /= r->f->predicted;
}

/* The half-width of the interval of the ratio's logarithm; NaN: unknown. */
static double half_width(const struct row *r)
{
	double independent = 0, common = 0;
	double freedom = INFINITY;

	for (size_t i = 0; i < r->slopes.n; i++) {
		const struct osvec_entry *x = r->slopes.v[i].entry;
		double error = r->slopes.v[i].slope * x->error;

		independent += error * error;
		common += error;
		if (x->n)
			freedom = fmin(freedom, (double)x->n - 1);
	}
	double rho = r->v->correlation;
	double variance = fmax(independent, (1 - rho) * independent + rho * common * common);
	return sqrt(variance) * distribution_student_quantile((1 + r->v->level) / 2, freedom);
}

enum verdict verdict_of(const struct estimate *ratio, double margin)
{
	/* Without an interval the centre alone decides. */
	double low = isnan(ratio->low) ? ratio->centre : ratio->low;
	double high = isnan(ratio->high) ? ratio->centre : ratio->high;

	if (low >= 1 / margin && high <= margin)
		return VERDICT_AGREES;
	if (low <= 1 && high >= 1)
		return VERDICT_NOISE;
	return low > 1 ? VERDICT_SLOWER : VERDICT_FASTER;
}

const char *verdict_word(enum verdict v)
{
	static const char *const words[] = {
		[VERDICT_AGREES] = "agrees",	    [VERDICT_NOISE] = "within noise",
		[VERDICT_SLOWER] = "slower",	    [VERDICT_FASTER] = "faster",
		[VERDICT_MISSING] = "not measured",
	};

	return words[v];
}

static void compute(struct row *r, double margin)
{
	struct finding *f = r->f;
	const struct osvec_entry *whole = osvec_find(r->v, f->entry);

	if (!whole)
		note(&f->missing, f->entry);
	predict(r);
	f->verdict = VERDICT_MISSING;
	if (f->missing)
		return;
	if (!(f->predicted > 0)) {
		f->missing = xstrdup("parts that are less than the whole");
		return;
	}
	f->measured = whole->seconds;
	f->bytes = whole->bytes;
	add_slope(r, whole, 1);
	f->ratio.centre = f->measured / f->predicted;
	double width = half_width(r);
	f->ratio.low = f->ratio.centre * exp(-width);
	f->ratio.high = f->ratio.centre * exp(width);
	f->verdict = verdict_of(&f->ratio, margin);
}

/* Adds the finding of one rule at row, which is cut into its words. */
static void add_row(struct findings *all, const struct osvec *v, const struct rule *rule, char *row,
		    double margin)
{
	char *words = row, *label = strsep(&words, "=");
	struct finding f = { .rule = rule, .at = xstrdup(label) };
	struct row r = { .v = v, .f = &f };

	if (!words)
		words = label;
	for (size_t i = 0; i < WORDS && words && *words; i++)
		r.words[i] = strsep(&words, ":");
	f.entry = expand(&r, rule->measured, 0);
	compute(&r, margin);
	vec_free(&r.slopes);
	vec_push(all, f);
}

struct findings decompose(const struct osvec *v, const struct rule *rules, double margin)
{
	struct findings all = { 0 };

	for (const struct rule *rule = rules; rule->name; rule++) {
		char *words = xstrdup(rule->at ? rule->at : ""), *rest = words;

		while (rest)
			add_row(&all, v, rule, strsep(&rest, " "), margin);
		free(words);
	}
	return all;
}

void findings_free(struct findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i].at);
		free(f->v[i].entry);
		free(f->v[i].missing);
		free(f->v[i].doubtful);
	}
	vec_free(f);
}
