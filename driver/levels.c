/* SPDX-License-Identifier: MIT */
#include "levels.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "machine/caches.h"
#include "process.h"
#include "util/number.h"
#include "util/xalloc.h"
#include "vector/osvec.h"

enum { L1, L2, LLC, RAM, LEVELS };

static const char *const names[LEVELS] = { "l1", "l2", "llc", "ram" };
static const char no_cache[] = "memory";

#define SMALLEST UINT64_C(4096) /* bytes of a buffer that is measured */
#define RAM_LEAST (UINT64_C(64) << 20)

enum {
	SIZES = 18, /* powers of two from SMALLEST: to 512 MB */
	PASSES = 3, /* through all sizes, of which the fastest counts */
};

static const double slow = 1; /* seconds for a process: larger buffers take too long here */

/* The name of a level that word is, or NULL. */
static const char *level_name(const char *word)
{
	for (size_t i = 0; i < LEVELS; i++)
		if (!strcmp(word, names[i]))
			return names[i];
	return NULL;
}

bool levels_is_name(const char *word)
{
	return level_name(word) != NULL;
}

static bool names_level(const struct suite_entry *x)
{
	for (size_t i = 0; i < x->nwords; i++)
		if (level_name(x->words[i]))
			return true;
	return false;
}

bool levels_wanted(const struct suite *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->entries[i].modes[SUITE_COLD] || names_level(&s->entries[i]))
			return true;
	return false;
}

/* The value of "level.NAME", or NULL. */
static const char *find_fact(const json_t *facts, const char *name)
{
	char *key = xasprintf("level.%s", name);
	const char *value = json_string_value(json_object_get(facts, key));

	free(key);
	return value;
}

static void add_fact(json_t *facts, const char *name, uint64_t bytes)
{
	char *key = xasprintf("level.%s", name), size[NUMBER_MAX];

	json_object_set_new(facts, key, json_string(number_format_size(size, bytes)));
	free(key);
}

/* Sizes of 0 are levels that are not there. */
static void add_facts(json_t *facts, const uint64_t *bytes, const char *source)
{
	for (size_t i = 0; i < LEVELS; i++)
		if (bytes[i])
			add_fact(facts, names[i], bytes[i]);
	json_object_set_new(facts, "level.source", json_text(source));
}

/* Of n caches, what each holds, the nearest first, n > 0; memory: what no cache holds, or 0. */
static void from_caches(json_t *facts, const double *holds, size_t n, double memory,
			const char *source)
{
	const uint64_t bytes[LEVELS] = {
		[L1] = (uint64_t)holds[0] / 2,
		[L2] = n > 1 ? (uint64_t)holds[1] / 2 : 0,
		[LLC] = n > 2 ? (uint64_t)holds[n - 1] / 2 : 0,
		[RAM] = (uint64_t)fmax(fmax(4 * holds[n - 1], 2 * memory), RAM_LEAST),
	};

	add_facts(facts, bytes, source);
}

bool levels_from_hierarchy(json_t *facts, const struct hierarchy *h)
{
	double holds[SIZES];
	/* The last level is memory, unless the curve goes on rising after it. */
	size_t n = h->n && h->v[h->n - 1].next == 0 ? h->n - 1 : h->n;

	if (h->n < 2)
		return false;
	for (size_t i = 0; i < n; i++)
		holds[i] = h->v[i].to;
	double memory = n < h->n ? h->v[n].from : h->v[n - 1].next;
	from_caches(facts, holds, n, memory, "measured");
	add_fact(facts, no_cache, (uint64_t)memory);
	return true;
}

/* -- measuring --------------------------------------------------------------------------------- */

/* Seconds of a load in the fastest batch of a process, since neighbours in a cache only make it
 * seem smaller; NaN when there is no value.  *wall: what the process took. */
static double load(const struct plan *plan, char *size, char *pages, double *wall)
{
	char *program = xasprintf("%s/lat_mem_rd", plan->programs);
	char json[] = "-J", batches[] = "-B5", random[] = "random";
	char *const argv[] = { program, json, batches, size, random, pages, NULL };
	cpu_set_t cpu;
	struct process p = { .argv = argv, .cpus = &cpu };
	struct error e;
	double seconds = NAN;

	CPU_ZERO(&cpu);
	CPU_SET(plan->cpus[plan->ncpus > 1], &cpu);
	if (!process_run(&p, plan->timeout, &e) && !p.status && !p.timed_out) {
		json_t *o = json_loads(p.out, 0, NULL);
		double value = json_number_value(json_object_get(o, "minimum"));

		seconds = value > 0 ? value : NAN;
		json_decref(o);
	}
	*wall = p.wall;
	process_done(&p);
	free(program);
	return seconds;
}

/* Loads from the first sizes, fewer where memory or patience ends: a vector with one curve. */
static struct osvec *measure(const struct plan *plan, char *pages)
{
	double best[SIZES], seconds, wall;
	struct osvec *v = osvec_new("");
	size_t n = SIZES;

	for (size_t pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < n && !process_interrupted(); i++) {
			char size[NUMBER_MAX];

			number_format_size(size, SMALLEST << i);
			seconds = load(plan, size, pages, &wall);
			best[i] = pass ? fmin(best[i], seconds) : seconds;
			if (isnan(best[i]))
				n = i;
			else if (wall > slow)
				n = i + 1;
		}
	for (size_t i = 0; i < n && !process_interrupted(); i++)
		osvec_add(v, (struct osvec_entry){ .name = xasprintf("%zu", i),
						   .curve = xstrdup("*"),
						   .size = (double)(SMALLEST << i),
						   .seconds = best[i],
						   .low = best[i],
						   .high = best[i] });
	osvec_finish(v, NULL);
	return v;
}

static bool find_by_loads(json_t *facts, const struct plan *plan, char *pages)
{
	struct osvec *v = measure(plan, pages);
	struct hierarchy h = hierarchy_find(v, "*");
	bool found = levels_from_hierarchy(facts, &h);

	hierarchy_free(&h);
	osvec_free(v);
	return found;
}

static bool find_in_sysfs(json_t *facts)
{
	static const char *const keys[] = { "cache.l1d", "cache.l2", "cache.l3", "cache.l4" };
	double holds[sizeof(keys) / sizeof(*keys)];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *text = json_string_value(json_object_get(facts, keys[i]));
		uint64_t size;

		if (text && number_parse_size(text, &size) && size > SMALLEST)
			holds[n++] = (double)size;
	}
	if (n)
		from_caches(facts, holds, n, 0, "sysfs");
	return n > 0;
}

void levels_find(json_t *facts, const struct plan *plan)
{
	static const uint64_t assumed[LEVELS] = { 16 << 10, 256 << 10, 8 << 20, RAM_LEAST };

	char huge[] = "2m", small[] = "4k"; /* in which misses of the TLB blur the steps */

	if (!find_by_loads(facts, plan, huge) && !find_by_loads(facts, plan, small) &&
	    !find_in_sysfs(facts))
		add_facts(facts, assumed, "assumed");
}

/* -- suites ------------------------------------------------------------------------------------ */

/* x has the name of a level. */
static void apply(struct suite_entry *x, const json_t *facts)
{
	x->operands = xcalloc(x->nwords, sizeof(*x->operands));
	for (size_t i = 0; i < x->nwords; i++) {
		const char *level = level_name(x->words[i]);
		const char *size = level ? find_fact(facts, level) : x->words[i];

		if (!size)
			x->lacks = level;
		else if (level)
			number_parse_size(size, &x->level_bytes);
		x->operands[i] = xstrdup(size ? size : level);
	}
	suite_name_entry(x);
}

void levels_apply(struct suite *s, const json_t *facts)
{
	const char *size = find_fact(facts, no_cache);

	if (size)
		setenv(CACHES_VARIABLE, size, 1);
	for (size_t i = 0; i < s->n; i++)
		if (names_level(&s->entries[i]))
			apply(&s->entries[i], facts);
}
