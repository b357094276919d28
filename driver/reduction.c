/* SPDX-License-Identifier: MIT */
#include "reduction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "host_state.h"
#include "history.h"
#include "meta.h"
#include "results.h"
#include "suite.h"
#include "json/json.h"
#include "util/vec.h"

static int by_name(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;

	return strcmp(x->name, y->name);
}

const struct cost *reduction_find(const struct reduction *r, const char *name)
{
	struct cost key = { .name = (char *)(uintptr_t)name };

	return r->n ? bsearch(&key, r->costs, r->n, sizeof(key), by_name) : NULL;
}

static double setting(const struct reduction *r, const char *key, double fallback)
{
	const json_t *v = json_object_get(json_object_get(r->meta, "settings"), key);

	return json_is_number(v) ? json_number_value(v) : fallback;
}

/* Reads the values of an entry; one without any is none. */
static int load_entry(struct reduction *r, const char *name, struct error *e)
{
	struct cost x = { .history = history_find(r->history, name) };

	if (results_read_values(r->path, name, &x.all, &x.processes, e))
		return -1;
	if (!x.processes) {
		free(x.all);
		/* A kill can lose the last value, not more. */
		return x.history && x.history->n > 1
			   ? error_set(e, "%s/%s:1: no value, of %zu processes in runs.jsonl",
				       r->path, name, x.history->n)
			   : 0;
	}
	x.name = xstrdup(name);
	x.shipped = r->shipped ? osvec_find(r->shipped, name) : NULL;
	cost_describe(&x, &r->rule, r->estimator);
	r->costs[r->n++] = x;
	return 0;
}

static int load_entries(struct reduction *r, struct error *e)
{
	size_t n;
	char **names = results_entries(r->path, &n);
	int failed = 0;

	r->costs = xcalloc(n, sizeof(*r->costs));
	for (size_t i = 0; i < n; i++) {
		failed = failed || load_entry(r, names[i], e);
		free(names[i]);
	}
	free(names);
	qsort(r->costs, r->n, sizeof(*r->costs), by_name);
	return failed;
}

/* -- canary entries and controls --------------------------------------------------------------- */

enum { ASIDE = 2 }; /* rounds on either side that count */

/* noise_most: in standard deviations of one value; about three of a median of five. */
static const double drift_least = 0.03, noise_most = 1.5;

/* The standard deviation of one value, from the steps between neighbours: slow drift is not
 * noise. */
static double noise(const double *x, size_t n)
{
	const double normal = 0.9539; /* the median step of normal values */
	double *steps = xcalloc(n, sizeof(*steps)), sd = 0;

	for (size_t i = 0; i + 1 < n; i++)
		steps[i] = fabs(x[i + 1] - x[i]);
	if (n > 1)
		sd = sample_median(steps, n - 1) / normal;
	free(steps);
	return sd;
}

void reduction_find_drift(const double *values, size_t n, double centre, bool *drifted)
{
	double limit = fmax(drift_least * centre, noise_most * noise(values, n));

	for (size_t i = 0; i < n; i++) {
		size_t from = i > ASIDE ? i - ASIDE : 0, to = i + ASIDE < n ? i + ASIDE + 1 : n;

		drifted[i] = fabs(sample_median(values + from, to - from) - centre) > limit;
	}
}

/* The round that value i of all comes from: by its run; without one, a value a round is assumed. */
static size_t round_of(const struct cost *x, size_t i)
{
	return x->runs[i] ? x->runs[i]->round : i;
}

/* Rounds begun, by runs.jsonl or by the values. */
static unsigned count_rounds(const struct reduction *r)
{
	unsigned rounds = r->history->rounds;

	for (size_t i = 0; i < r->n; i++)
		rounds = r->costs[i].processes > rounds ? (unsigned)r->costs[i].processes : rounds;
	return rounds;
}

/* Sets drifted[round] where the canary entry was off its centre. */
static void find_drift(struct reduction *r, const char *name, bool *drifted)
{
	const struct cost *x = reduction_find(r, name);
	unsigned count = 0;

	if (!x)
		return;
	bool *now = xcalloc(x->processes, sizeof(*now));
	/* Whatever estimator the summary is to use. */
	struct estimate hl = estimate_hodges_lehmann(x->all, x->processes, COST_LEVEL);
	reduction_find_drift(x->all, x->processes, hl.centre, now);
	for (size_t i = 0; i < x->processes; i++) {
		drifted[round_of(x, i)] |= now[i];
		count += now[i];
	}
	free(now);
	r->drifts = xreallocarray(r->drifts, r->ndrifts + 1, sizeof(*r->drifts));
	r->drifts[r->ndrifts++] = (struct drift){ xstrdup(name), count };
}

static void spread_drift(struct reduction *r, const bool *drifted)
{
	for (size_t i = 0; i < r->n; i++) {
		struct cost *x = &r->costs[i];
		size_t hit = 0;

		for (size_t j = x->pilot; j < x->processes; j++)
			hit += drifted[round_of(x, j)];
		x->drifted = (double)hit / (double)x->n;
	}
}

/* Relative: what two calibrations of a clock may differ by. */
static const double calibration = 1e-3;

static void check_control(struct reduction *r, const char *name, const char *twin)
{
	const struct cost *a = reduction_find(r, name), *b = reduction_find(r, twin);

	if (!a || !b)
		return;
	/* A half-width below the calibration cannot be claimed: in virtual time all values are
	 * equal. */
	double claimed = a->precision + b->precision;

	if (claimed < calibration)
		claimed = calibration;
	double ratio = a->centre.centre / b->centre.centre;
	r->controls = xreallocarray(r->controls, r->ncontrols + 1, sizeof(*r->controls));
	r->controls[r->ncontrols++] = (struct control){
		.twin = xstrdup(twin),
		.ratio = ratio,
		.judged = !isnan(claimed),
		.trusted = !(fabs(log(ratio)) > claimed),
	};
}

/* The mean correlation between the values of two entries in one round, in [0, 1]; 1 when no two
 * entries share a round. */
static double find_correlation(const struct reduction *r)
{
	double *sum = xcalloc(r->rounds, sizeof(*sum)), *count = xcalloc(r->rounds, sizeof(*count));
	double products = 0, pairs = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct cost *x = &r->costs[i];
		double mean = sample_mean(x->values, x->n);

		for (size_t j = x->pilot; x->cv > 0 && j < x->processes; j++) {
			double z = (x->values[j - x->pilot] / mean - 1) / x->cv;

			sum[round_of(x, j)] += z;
			count[round_of(x, j)]++;
			products -= z * z;
		}
	}
	for (unsigned i = 0; i < r->rounds; i++) {
		products += sum[i] * sum[i];
		pairs += count[i] * (count[i] - 1);
	}
	free(sum);
	free(count);
	return pairs > 0 ? fmin(fmax(products / pairs, 0), 1) : 1;
}

/* The stored suite says which entries are canaries and controls. */
static void judge_run(struct reduction *r)
{
	struct suite *s = meta_suite(r->meta, NULL);
	bool *drifted = xcalloc(r->rounds, sizeof(*drifted));

	for (size_t i = 0; s && i < s->n; i++) {
		if (s->entries[i].role == SUITE_CANARY)
			find_drift(r, s->entries[i].name, drifted);
		else if (s->entries[i].role == SUITE_CONTROL)
			check_control(r, s->entries[i].name, s->entries[i].twin);
	}
	spread_drift(r, drifted);
	free(drifted);
	suite_free(s);
}

/* Of a run without history, which has no reference loops, the vector alone knows the costs in one
 * state of the host. */
static void take_shipped(struct reduction *r)
{
	if (!r->shipped || isnan(osvec_canary(r->shipped, 0).median) ||
	    strcmp(r->shipped->estimator, estimator_name(r->estimator)) != 0)
		return;
	for (size_t i = 0; i < r->n; i++) {
		struct cost *x = &r->costs[i];
		const struct osvec_entry *old = x->shipped;

		if (!old || old->n != x->n)
			continue;
		/* Bounds that are the value itself are no interval where that many processes give
		 * none. */
		bool bounded = old->low < old->high || !isnan(x->centre.low);
		x->centre = (struct estimate){ old->seconds, bounded ? old->low : NAN,
					       bounded ? old->high : NAN };
		x->precision = estimate_precision(&x->centre);
		x->error = old->error;
	}
}

struct reduction *reduction_of(const char *path, enum estimator estimator, struct error *e)
{
	struct reduction *r = xcalloc(1, sizeof(*r));

	r->path = xstrdup(path);
	r->estimator = estimator;
	r->meta = results_read_meta(path, e);
	r->history = r->meta ? history_read(path, e) : NULL;
	r->shipped = r->history && !r->history->n ? osvec_read(path, NULL) : NULL;
	r->rule = (struct schedule_rule){
		.min = (size_t)setting(r, "processes_min", 15),
		.max = (size_t)setting(r, "processes_max", 60),
		.precision = setting(r, "precision", 0.02),
	};
	if (!r->history || results_read_skipped(path, &r->skipped, &r->nskipped, e) ||
	    load_entries(r, e)) {
		reduction_free(r);
		return NULL;
	}
	host_state_adjust(r, r);
	r->rounds = count_rounds(r);
	judge_run(r);
	take_shipped(r); /* which has no controls: those are judged by their values */
	for (size_t i = 0; i < r->n; i++)
		cost_set_flags(&r->costs[i], &r->rule, r->history->n > 0);
	return r;
}

void reduction_free(struct reduction *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		cost_done(&r->costs[i]);
	for (size_t i = 0; i < r->ncontrols; i++)
		free(r->controls[i].twin);
	for (size_t i = 0; i < r->ndrifts; i++)
		free(r->drifts[i].entry);
	results_free_skipped(r->skipped, r->nskipped);
	free(r->controls);
	free(r->drifts);
	free(r->costs);
	free(r->state_of);
	osvec_free(r->shipped);
	history_free(r->history);
	json_decref(r->meta);
	free(r->path);
	free(r);
}

/* -- the vector -------------------------------------------------------------------------------- */

/* Curve, size and bytes of an entry: from runs.jsonl, else from the vector that came with the run.
 */
static void describe_operation(struct osvec_entry *x, const struct cost *from)
{
	const struct history_entry *history = from->history;
	const struct osvec_entry *old = from->shipped;

	if (history) {
		x->curve = isnan(history->size) || !history->curve ? NULL : xstrdup(history->curve);
		x->size = history->size;
		x->bytes = history->bytes;
		x->footprint = history->footprint;
		x->user = history->ticks > 0 ? history->user_ticks / history->ticks : 0;
		x->faults = history->median.faults;
		x->switches = history->median.switches;
	} else if (old) {
		x->curve = old->curve ? xstrdup(old->curve) : NULL;
		x->size = old->size;
		x->bytes = old->bytes;
		x->footprint = old->footprint;
		x->user = old->user;
		x->faults = old->faults;
		x->switches = old->switches;
	}
}

static void add_to_vector(struct osvec *v, const struct cost *from)
{
	struct osvec_entry x = {
		.name = xstrdup(from->name),
		.seconds = from->centre.centre,
		.error = from->error,
		.n = from->n,
		.low = from->centre.low,
		.high = from->centre.high,
		.mean = from->mean.centre,
		.mean_error = from->mean_error,
		.cpu = from->cpu,
		.footprint = NAN,
		.flags = xstrdup(from->flags),
	};

	if (isnan(x.low) || isnan(x.high))
		x.low = x.high = x.seconds;
	describe_operation(&x, from);
	osvec_add(v, x);
}

/* The members of meta.json that identify the machine, and say how many CPUs it has. */
static json_t *vector_meta(const struct reduction *r)
{
	static const char *const facts[] = {
		"host.name",
		"host.identity",
		"kernel.release",
		"cpu.model",
		"cpu.family",
		"cpu.model_number",
		"cpu.count",
		"cpu.usable",
		"peer.address",
		"peer.system",
		"cgroup.cpu_max",
		"cgroup.cpu_quota_us",
		"cgroup.cpu_period_us",
	};
	const json_t *all = json_object_get(r->meta, "environment");
	json_t *slices = json_object_get(r->meta, "slices"), *environment = json_object();

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		json_object_set(environment, facts[i], json_object_get(all, facts[i]));
	return json_pack("{s:O*, s:s*, s:O*, s:o*, s:o}", "run", json_object_get(r->meta, "run"),
			 "state_of", r->state_of, "slices",
			 json_array_size(slices) > 1 ? slices : NULL, "rates",
			 events_rates(r->path, r->meta), "environment", environment);
}

struct osvec *reduction_vector(const struct reduction *r, struct error *e)
{
	const char *machine = json_string_value(json_object_get(r->meta, "machine"));
	struct osvec *v = osvec_new(machine ? machine : r->path);

	json_decref(v->meta);
	v->meta = vector_meta(r);
	host_state_describe(r, v);
	free(v->estimator);
	v->estimator = xstrdup(estimator_name(r->estimator));
	free(v->path);
	v->path = xstrdup(r->path);
	v->level = COST_LEVEL;
	v->correlation = r->shipped ? r->shipped->correlation : find_correlation(r);
	for (size_t i = 0; i < r->n; i++) /* no controls, even without their twins */
		if (!suite_is_control(r->costs[i].name))
			add_to_vector(v, &r->costs[i]);
	if (!osvec_finish(v, e))
		return v;
	error_prefix(e, "%s", r->path);
	osvec_free(v);
	return NULL;
}

int reduction_write_vector(const struct reduction *r, const char *path, struct error *e)
{
	struct osvec *v = reduction_vector(r, e);
	char *file = path ? xstrdup(path) : xasprintf("%s/osvec.json", r->path);
	int failed = v ? osvec_write(v, file, e) : -1;

	osvec_free(v);
	free(file);
	return failed;
}
