/* SPDX-License-Identifier: MIT */
#include "history.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results.h"
#include "json/json.h"
#include "stats/sample.h"
#include "util/map.h"
#include "util/vec.h"

enum {
	ROUNDS_MAX = 1000000, /* one takes milliseconds; reductions have an array of them */
	FLAGS_MAX = 16,	      /* different ones of an entry */
	/* A flag that more than a quarter of the processes raise is the entry's: fewer do not carry
	 * a Hodges-Lehmann centre away, which breaks down at 29 %. */
	FLAGGED_PART = 4,
};

static const char *const verdicts[HISTORY_VERDICTS] = {
	[HISTORY_COUNTED] = "counted",
	[HISTORY_DISTURBED] = "disturbed",
	[HISTORY_FAILED] = "failed",
	[HISTORY_UNSUPPORTED] = "unsupported",
};

/* While reading: what the medians and flags of an entry come from. */
struct gathering {
	VEC(double) faults, switches, batch_sd;
	struct names flags;
	size_t raised[FLAGS_MAX];
	size_t cap; /* of runs */
};

struct log_reader {
	struct history *h;
	struct names names;
	VEC(struct gathering) gatherings;
	size_t cap;
};

const char *history_verdict_name(enum history_verdict v)
{
	return verdicts[v];
}

static enum history_verdict read_verdict(struct fields *f, const json_t *run)
{
	char *word = field_string(f, run, "verdict", true);
	enum history_verdict v = HISTORY_COUNTED;

	while (word && v < HISTORY_VERDICTS && strcmp(verdicts[v], word))
		v++;
	if (v == HISTORY_VERDICTS)
		fields_fail(f, "verdict", "unknown verdict '%.40s'", word);
	free(word);
	return v;
}

static double number(struct fields *f, const json_t *run, const char *key)
{
	double v = field_maybe_number(f, run, key, 0, DBL_MAX);

	return isnan(v) ? 0 : v;
}

/* The median of the numbers in an array; NaN without any. */
static double median_of(const json_t *array)
{
	size_t n = json_array_size(array);
	double *x = xcalloc(n, sizeof(*x));

	for (size_t i = 0; i < n; i++)
		x[i] = json_number_value(json_array_get(array, i));
	double median = n && sample_finite(x, n) ? sample_median(x, n) : NAN;
	free(x);
	return median;
}

static struct history_run read_counted(struct fields *f, const json_t *run)
{
	const json_t *canaries = json_object_get(run, "canaries");
	struct history_run r = {
		.round = (unsigned)field_number(f, run, "round", 0, ROUNDS_MAX),
		.seconds = field_maybe_number(f, run, "seconds", 0, DBL_MAX),
		.mean = field_maybe_number(f, run, "mean", 0, DBL_MAX),
		.cpu = field_maybe_number(f, run, "cpu_seconds", 0, DBL_MAX),
	};

	for (size_t i = 0; i < OSVEC_CANARIES; i++)
		r.canaries[i] = median_of(json_object_get(canaries, osvec_canary_names[i]));
	return r;
}

static void add_run(struct history_entry *x, struct gathering *g, const struct history_run *run)
{
	if (x->n == g->cap) {
		g->cap = g->cap ? 2 * g->cap : 16;
		x->runs = xreallocarray(x->runs, g->cap, sizeof(*x->runs));
	}
	x->runs[x->n++] = *run;
}

static void add_flags(struct fields *f, const json_t *run, struct gathering *g)
{
	const json_t *flags = field_array(f, run, "flags", false);

	for (size_t i = 0; i < json_array_size(flags); i++) {
		const char *word = json_string_value(json_array_get(flags, i));
		size_t at = word ? names_find(&g->flags, word) : SIZE_MAX;

		if (word && at == SIZE_MAX && g->flags.n < FLAGS_MAX)
			at = names_add(&g->flags, word);
		if (at != SIZE_MAX)
			g->raised[at]++;
	}
}

static void add_counted(struct fields *f, const json_t *run, struct history_entry *x,
			struct gathering *g)
{
	double size = field_maybe_number(f, run, "size", 0, DBL_MAX);

	if (!x->curve)
		x->curve = field_string(f, run, "curve", false);
	if (isnan(x->size))
		x->size = size;
	x->bytes = fmax(x->bytes, number(f, run, "bytes"));
	if (isnan(x->footprint))
		x->footprint = field_maybe_number(f, run, "footprint", 0, DBL_MAX);
	vec_push(&g->faults, number(f, run, "faults"));
	vec_push(&g->switches, number(f, run, "switches"));
	vec_push(&g->batch_sd, number(f, run, "batch_sd"));
	x->ticks += number(f, run, "ticks");
	x->user_ticks += number(f, run, "user_ticks");
	add_flags(f, run, g);
	struct history_run counted = read_counted(f, run);
	if (!f->failed)
		add_run(x, g, &counted);
}

static size_t find_or_add(struct log_reader *r, const char *name)
{
	size_t known = r->names.n, i = names_add(&r->names, name);

	if (i < known)
		return i;
	if (r->h->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 64;
		r->h->entries = xreallocarray(r->h->entries, r->cap, sizeof(*r->h->entries));
	}
	r->h->entries[r->h->n++] = (struct history_entry){
		.name = xstrdup(name),
		.size = NAN,
		.footprint = NAN,
	};
	vec_push(&r->gatherings, (struct gathering){ 0 });
	return i;
}

static void read_run(struct log_reader *r, struct fields *f, const json_t *run)
{
	char *name = field_string(f, run, "entry", true);
	enum history_verdict verdict = read_verdict(f, run);
	double round = field_number(f, run, "round", 0, ROUNDS_MAX);

	if (!f->failed) {
		size_t i = find_or_add(r, name);
		struct history_entry *x = &r->h->entries[i];

		if (round + 1 > r->h->rounds)
			r->h->rounds = (unsigned)round + 1;
		x->processes++;
		x->wall += number(f, run, "wall");
		if (verdict == HISTORY_COUNTED)
			add_counted(f, run, x, &r->gatherings.v[i]);
	}
	free(name);
}

/* Draws the conclusions and returns the memory of g. */
static void conclude(struct history_entry *x, struct gathering *g)
{
	x->flags = xstrdup("");
	for (size_t i = 0; i < g->flags.n; i++)
		if (g->raised[i] * FLAGGED_PART > g->faults.n)
			x->flags = xappend(x->flags, "%s%s", *x->flags ? "," : "", g->flags.v[i]);
	if (g->faults.n)
		x->median = (struct history_medians){
			sample_median(g->faults.v, g->faults.n),
			sample_median(g->switches.v, g->switches.n),
			sample_median(g->batch_sd.v, g->batch_sd.n),
		};
	vec_free(&g->faults);
	vec_free(&g->switches);
	vec_free(&g->batch_sd);
	names_free(&g->flags);
}

static int read_lines(struct log_reader *r, const char *name, const char *text, size_t n,
		      struct error *e)
{
	struct fields f = { .name = name, .error = e };
	size_t line = 0;

	for (size_t at = 0; at < n && !f.failed; line++) {
		const char *end = memchr(text + at, '\n', n - at);
		json_error_t why;

		if (!end)
			break; /* torn: its process does not count */
		size_t length = (size_t)(end - text) - at;
		json_t *run = json_loadb(text + at, length, JSON_REJECT_DUPLICATES, &why);
		snprintf(f.where, sizeof(f.where), "line %zu", line + 1);
		if (run)
			read_run(r, &f, run);
		else
			fields_fail(&f, "", "invalid JSON: %s", why.text);
		json_decref(run);
		at += length + 1;
	}
	return f.failed ? -1 : 0;
}

static void free_entry(struct history_entry *x)
{
	free(x->name);
	free(x->curve);
	free(x->runs);
	free(x->flags);
}

int history_check(const json_t *run, const char *program, struct error *e)
{
	struct fields f = { .name = program, .error = e };
	struct history_entry x = { .size = NAN, .footprint = NAN };
	struct gathering g = { 0 };

	add_counted(&f, run, &x, &g);
	conclude(&x, &g);
	free_entry(&x);
	return f.failed ? -1 : 0;
}

struct history *history_read(const char *path, struct error *e)
{
	char *file = xasprintf("%s/runs.jsonl", path);
	struct log_reader r = { .h = xcalloc(1, sizeof(*r.h)) };
	size_t n = 0;
	char *text = access(file, F_OK) ? xstrdup("") : results_read(path, "runs.jsonl", &n, e);
	int failed = text ? read_lines(&r, file, text, n, e) : -1;

	for (size_t i = 0; i < r.h->n; i++)
		conclude(&r.h->entries[i], &r.gatherings.v[i]);
	vec_free(&r.gatherings);
	names_free(&r.names);
	free(text);
	free(file);
	if (!failed)
		return r.h;
	history_free(r.h);
	return NULL;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->n; i++)
		free_entry(&h->entries[i]);
	free(h->entries);
	free(h);
}

const struct history_entry *history_find(const struct history *h, const char *name)
{
	for (size_t i = 0; i < h->n; i++)
		if (!strcmp(h->entries[i].name, name))
			return &h->entries[i];
	return NULL;
}
