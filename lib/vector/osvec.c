/* SPDX-License-Identifier: MIT */
#include "vector/osvec.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distribution.h"
#include "util/text.h"
#include "util/timestamp.h"
#include "util/vec.h"
#include "vector/group.h"

struct osvec *osvec_new(const char *machine)
{
	struct osvec *v = xcalloc(1, sizeof(*v));

	v->machine = text_make_printable(xstrdup(machine));
	v->created = timestamp_now();
	v->path = xstrdup("");
	v->estimator = xstrdup("hl");
	v->level = 0.95;
	v->correlation = 1; /* the worst case, until it is known */
	v->meta = json_object();
	return v;
}

char *osvec_own(struct osvec *v, char *text)
{
	if (text)
		vec_push(&v->texts, text);
	return text;
}

void osvec_reserve(struct osvec *v, size_t more)
{
	if (v->n + more <= v->cap)
		return;
	v->cap = v->n + more;
	v->entries = xreallocarray(v->entries, v->cap, sizeof(*v->entries));
}

void osvec_push(struct osvec *v, struct osvec_entry entry)
{
	static char none[] = "";

	if (!entry.flags)
		entry.flags = none;
	if (v->n == v->cap)
		osvec_reserve(v, v->n + 8);
	v->entries[v->n++] = entry;
}

struct osvec_entry *osvec_add(struct osvec *v, struct osvec_entry entry)
{
	osvec_own(v, entry.name);
	osvec_own(v, entry.curve);
	osvec_own(v, entry.flags);
	osvec_push(v, entry);
	return &v->entries[v->n - 1];
}

static int by_name(const void *a, const void *b)
{
	const struct osvec_entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* By curve, then by size. */
static int by_curve(const void *a, const void *b)
{
	const struct osvec_entry *x = *(const struct osvec_entry *const *)a;
	const struct osvec_entry *y = *(const struct osvec_entry *const *)b;
	int c = x->curve == y->curve ? 0 : strcmp(x->curve, y->curve);

	return c ? c : (x->size > y->size) - (x->size < y->size);
}

static int check_entry(const struct osvec_entry *x, struct error *e)
{
	/* Names become file names and columns of tables. */
	if (!*x->name || strchr(x->name, '/') || *x->name == '.')
		return error_set(e, "'%s' is not a valid name of an entry", x->name);
	for (const char *p = x->name; *p; p++)
		if (*p <= ' ' || *p > '~')
			return error_set(e, "the name of an entry holds more than visible ASCII");
	/* Between bounds that no cost comes near, so that quotients of costs are finite, too. */
	if (!(x->seconds >= 1e-18 && x->seconds <= 1e9))
		return error_set(e, "%s: a cost of %g seconds is not between 1e-18 and 1e9",
				 x->name, x->seconds);
	if (x->mean > 1e9 || x->cpu > 1e9)
		return error_set(e, "%s: a mean of more than 1e9 seconds", x->name);
	if (x->cpu > 0 && x->cpu < 1e-18)
		return error_set(e, "%s: %g seconds of CPU are fewer than 1e-18", x->name, x->cpu);
	if (x->faults > 1e9 || x->switches > 1e9)
		return error_set(
		    e, "%s: %g page faults or %g switches in one operation are more than 1e9",
		    x->name, x->faults, x->switches);
	if (x->error > 100)
		return error_set(e, "%s: an error of %g times the cost", x->name, x->error);
	if (!(x->low <= x->seconds && x->seconds <= x->high) || !isfinite(x->low) ||
	    !isfinite(x->high))
		return error_set(e, "%s: the interval from %g to %g does not contain %g", x->name,
				 x->low, x->high, x->seconds);
	if (x->curve && (!(x->size >= 0) || !isfinite(x->size)))
		return error_set(e, "%s: no size for its place on the curve %s", x->name, x->curve);
	if (x->curve && x->size > 0 && x->size < 1e-18)
		return error_set(e, "%s: a size of %g is less than 1e-18", x->name, x->size);
	return 0;
}

/* Puts the points of each curve beside each other. */
static int find_curves(struct osvec *v, struct error *e)
{
	free(v->curves);
	v->curves = xcalloc(v->n, sizeof(*v->curves));
	v->ncurves = 0;
	for (size_t i = 0; i < v->n; i++)
		if (v->entries[i].curve)
			v->curves[v->ncurves++] = &v->entries[i];
	qsort(v->curves, v->ncurves, sizeof(*v->curves), by_curve);
	for (size_t i = 1; i < v->ncurves; i++)
		if (!by_curve(&v->curves[i - 1], &v->curves[i]))
			return error_set(e, "%s and %s are the same point of %s",
					 v->curves[i - 1]->name, v->curves[i]->name,
					 v->curves[i]->curve);
	return 0;
}

/* The index of the first entry whose name is not above that of the one before it; n: none. */
static size_t first_unsorted(const struct osvec *v)
{
	size_t i = 1;

	while (i < v->n && by_name(&v->entries[i - 1], &v->entries[i]) < 0)
		i++;
	return i < v->n ? i : v->n;
}

/* Below this share of CPU time an entry waits; smaller gaps are errors of clocks, or steal.  The
 * time is the typical one, which is what operations are priced with. */
static const double least_cpu = 0.85;

static double find_waiting(const struct osvec_entry *x)
{
	if (!(x->cpu > 0 && x->cpu < least_cpu * x->seconds))
		return 0;
	const size_t group = group_of(x->name);
	return group == GROUP_USER || group == GROUP_FILES || group == GROUP_DURABLE
		   ? 1 - x->cpu / x->seconds
		   : 0;
}

/* An entry that has its CPU time apart is all waiting, but for that. */
static void find_waits(struct osvec *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (!(v->entries[i].waiting > 0))
			v->entries[i].waiting = find_waiting(&v->entries[i]);
	for (size_t i = 0; i < v->n; i++) {
		struct osvec_entry *x =
		    (struct osvec_entry *)osvec_find_whole(v, v->entries[i].name);

		if (!x)
			continue;
		x->waits = true;
		x->waiting = 0;
	}
}

/* A recorder counts these faults one by one (@fault.KIND in basis(5)), however many a kernel makes
 * of one. */
static void count_faults(struct osvec *v)
{
	static const char fault[] = "lat_pagefault_";

	for (size_t i = 0; i < v->n; i++)
		if (!strncmp(v->entries[i].name, fault, sizeof(fault) - 1))
			v->entries[i].faults = 1;
}

int osvec_finish(struct osvec *v, struct error *e)
{
	for (size_t i = 0; i < v->n; i++)
		if (check_entry(&v->entries[i], e))
			return -1;
	size_t i = first_unsorted(v);
	if (i < v->n) { /* written by hand, or with entries added */
		qsort(v->entries, v->n, sizeof(*v->entries), by_name);
		i = first_unsorted(v);
	}
	if (i < v->n)
		return error_set(e, "%s: two entries have this name", v->entries[i].name);
	find_waits(v);
	count_faults(v);
	return find_curves(v, e);
}

void osvec_free(struct osvec *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->texts.n; i++)
		free(v->texts.v[i]);
	vec_free(&v->texts);
	if (v->names && !--v->names->users)
		free(v->names);
	free(v->entries);
	free(v->curves);
	free(v->machine);
	free(v->created);
	free(v->path);
	free(v->estimator);
	json_decref(v->meta);
	free(v);
}

const struct osvec_entry *osvec_find(const struct osvec *v, const char *name)
{
	struct osvec_entry key = { .name = (char *)(uintptr_t)name };

	return v->n ? bsearch(&key, v->entries, v->n, sizeof(key), by_name) : NULL;
}

const struct osvec_entry *osvec_find_whole(const struct osvec *v, const char *name)
{
	const char *cpu = strstr(name, "-cpu_");
	char *whole = cpu ? xasprintf("%.*s%s", (int)(cpu - name), name, cpu + 4) : NULL;
	const struct osvec_entry *x = whole ? osvec_find(v, whole) : NULL;

	free(whole);
	return x;
}

bool osvec_is_copy(const struct osvec *a, const struct osvec *b)
{
	size_t i = 0;

	if (a->n != b->n || !*a->created || strcmp(a->created, b->created) != 0 ||
	    strcmp(a->machine, b->machine) != 0)
		return false;
	while (i < a->n && a->entries[i].seconds == b->entries[i].seconds &&
	       !strcmp(a->entries[i].name, b->entries[i].name))
		i++;
	return i == a->n;
}

bool osvec_is_same(const struct osvec *a, const struct osvec *b)
{
	return a == b ||
	       (a && b && ((*a->path && !strcmp(a->path, b->path)) || osvec_is_copy(a, b)));
}

const char *osvec_fact(const struct osvec *v, const char *key)
{
	const json_t *environment = json_object_get(v->meta, "environment");
	const char *word = json_string_value(json_object_get(environment, key));

	return word ? word : "";
}

bool osvec_is_other(const struct osvec *a, const struct osvec *b, const char *key)
{
	const char *x = osvec_fact(a, key), *y = osvec_fact(b, key);

	return *x && *y && strcmp(x, y) != 0;
}

bool osvec_is_other_processor(const struct osvec *a, const struct osvec *b)
{
	return osvec_is_other(a, b, "cpu.model") || osvec_is_other(a, b, "cpu.family") ||
	       osvec_is_other(a, b, "cpu.model_number");
}

/* The CPUs that a quota gives, with both in microseconds; INFINITY: as no kernel has it. */
static double quota_cpus(double quota, double period)
{
	return quota >= 1e3 && period >= 1e3 && period <= 1e6 ? quota / period : INFINITY;
}

double osvec_cpus(const struct osvec *v)
{
	double cpus, quota, period = 1e5; /* the kernel's own, which is left out */

	if ((sscanf(osvec_fact(v, "cpu.usable"), "%lf", &cpus) != 1 &&
	     sscanf(osvec_fact(v, "cpu.count"), "%lf", &cpus) != 1) ||
	    !(cpus >= 1))
		cpus = INFINITY;
	if (sscanf(osvec_fact(v, "cgroup.cpu_max"), "%lf %lf", &quota, &period) == 2)
		return fmin(cpus, quota_cpus(quota, period));
	if (sscanf(osvec_fact(v, "cgroup.cpu_quota_us"), "%lf", &quota) != 1)
		return cpus;
	sscanf(osvec_fact(v, "cgroup.cpu_period_us"), "%lf", &period);
	return fmin(cpus, quota_cpus(quota, period));
}

bool osvec_has_flag(const char *flags, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strstr(flags, word); p; p = strstr(p + 1, word))
		if ((p == flags || p[-1] == ',') && (p[n] == ',' || !p[n]))
			return true;
	return false;
}

/* -- the state of the host --------------------------------------------------------------------- */

const char *const osvec_canary_names[OSVEC_CANARIES] = { "code", "call" };

/* In meta, under "canaries": {"call": [median, low, high, mean], ...}. */
static struct osvec_canary read_canary(const struct osvec *v, const char *name)
{
	const json_t *stored = json_object_get(json_object_get(v->meta, "canaries"), name);
	double x[4];

	for (size_t k = 0; k < 4; k++) {
		x[k] = json_number_value(json_array_get(stored, k));
		x[k] = x[k] > 0 ? x[k] : NAN;
	}
	return (struct osvec_canary){ x[0], x[1], x[2], x[3] };
}

struct osvec_canary osvec_canary(const struct osvec *v, size_t i)
{
	return read_canary(v, osvec_canary_names[i]);
}

void osvec_set_canary(struct osvec *v, size_t i, const struct osvec_canary *c)
{
	json_t *all = json_object_get(v->meta, "canaries");

	if (!all)
		json_object_set_new(v->meta, "canaries", all = json_object());
	json_object_set_new(all, osvec_canary_names[i],
			    json_pack("[f, f, f, f]", c->median, c->low, c->high, c->mean));
}

double osvec_host_spread(const struct osvec *v)
{
	/* Of the normal distribution: four fifths are between the lowest tenth and the highest. */
	const double tenths = 2 * distribution_normal_quantile(0.9);
	double sum = 0;

	for (size_t i = 0; i < OSVEC_CANARIES; i++) {
		struct osvec_canary c = osvec_canary(v, i);

		if (i == 0 && isnan(c.median)) /* the loop in its place until 2026-11-29 */
			c = read_canary(v, "integer");
		if (c.high > c.low && isfinite(c.high / c.low))
			sum += log(c.high / c.low) / tenths;
	}
	return sum / OSVEC_CANARIES;
}

/* -- curves ------------------------------------------------------------------------------------ */

struct osvec_curve osvec_curve(const struct osvec *v, const char *name)
{
	size_t low, end;

	vec_search(low, v->ncurves, strcmp(v->curves[low]->curve, name) >= 0);
	for (end = low; end < v->ncurves && !strcmp(v->curves[end]->curve, name);)
		end++;
	return (struct osvec_curve){ v->curves + low, end - low };
}

double osvec_place_between(double a, double b, double size)
{
	return a > 0 ? log(size / a) / log(b / a) : size / b;
}

/* The cost at a size beyond the last point, relative to that: a call, and so much for each byte. */
static double beyond(const struct osvec_curve *c, double size)
{
	const struct osvec_entry *last = c->points[c->n - 1];
	const struct osvec_entry *before = c->n > 1 ? c->points[c->n - 2] : NULL;

	if (!(last->bytes > 0) || !(last->size > 0))
		return 1;
	if (!before)
		return size / last->size;
	double slope = (last->seconds - before->seconds) / (last->size - before->size);
	double seconds = last->seconds + slope * (size - last->size);
	return fmin(fmax(seconds / last->seconds, 1), size / last->size);
}

struct osvec_mix osvec_curve_at(const struct osvec_curve *c, double size)
{
	const struct osvec_entry *first = c->points[0], *last = c->points[c->n - 1];
	size_t high;

	if (size <= first->size)
		return (struct osvec_mix){ first, first, 1, 1, size < first->size };
	if (size >= last->size)
		return (struct osvec_mix){ last, last, 1, beyond(c, size), size > last->size };
	vec_search(high, c->n - 1, c->points[high]->size > size);
	const struct osvec_entry *a = c->points[high - 1], *b = c->points[high];
	return (struct osvec_mix){ a, b, 1 - osvec_place_between(a->size, b->size, size), 1,
				   false };
}

double osvec_mix_seconds(const struct osvec_mix *m)
{
	double seconds = m->a == m->b
			     ? m->a->seconds
			     : exp(m->w * log(m->a->seconds) + (1 - m->w) * log(m->b->seconds));

	return seconds * m->scale;
}

double osvec_mix_switches(const struct osvec_mix *m)
{
	return m->scale * (m->w * m->a->switches + (1 - m->w) * m->b->switches);
}

double osvec_mix_waiting(const struct osvec_mix *m)
{
	return m->w * m->a->waiting + (1 - m->w) * m->b->waiting;
}

double osvec_mix_faults(const struct osvec_mix *m)
{
	return m->scale * (m->w * m->a->faults + (1 - m->w) * m->b->faults);
}
