/* SPDX-License-Identifier: MIT */
/* Tests of driver/levels: from steps of a curve and from sysfs to sizes, and into suites. */
#include "../../driver/levels.h"

#include <stdlib.h>
#include <string.h>

#include "../tap.h"
#include "machine/caches.h"

enum { K = 1 << 10, M = 1 << 20 };

static const char *fact(const json_t *facts, const char *key)
{
	return json_string_value(json_object_get(facts, key));
}

/* n levels that hold to[], the last of which is memory if the curve ends in it. */
static json_t *from_steps(const double *to, size_t n, bool ends_in_memory)
{
	struct level v[8] = { 0 };
	json_t *facts = json_object();

	for (size_t i = 0; i < n; i++)
		v[i] = (struct level){ .from = i ? 2 * to[i - 1] : 4 * K,
				       .to = to[i],
				       .next = i + 1 == n && ends_in_memory ? 0 : 2 * to[i] };
	struct hierarchy h = { .v = v, .n = n };
	if (levels_from_hierarchy(facts, &h))
		return facts;
	json_decref(facts);
	return NULL;
}

#define STEPS(ends, ...) \
	from_steps((const double[]){ __VA_ARGS__ }, \
		   sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double), ends)

/* Sizes between a cache and memory are of neither where neighbours have a part of the cache. */
static void test_shared_cache(void)
{
	struct level v[] = { { .to = 32 * K, .next = 64 * K },
			     { .to = 4 * M, .next = 8 * M },
			     { .from = 128 * M, .to = 512 * M } };
	struct hierarchy h = { .v = v, .n = 3 };
	json_t *facts = json_object();

	ok(levels_from_hierarchy(facts, &h), "a cache that others share");
	is_string(fact(facts, "level.memory"), "128m", "loads take the time of memory from there");
	is_string(fact(facts, "level.ram"), "256m", "and a buffer in memory is twice as large");
	json_decref(facts);
}

static void test_steps(void)
{
	json_t *facts = STEPS(true, 32 * K, 1 * M, 32 * M, 512 * M);

	is_string(fact(facts, "level.l1"), "16k", "half of what the first cache holds");
	is_string(fact(facts, "level.l2"), "512k", "of the second");
	is_string(fact(facts, "level.llc"), "16m", "of the last");
	is_string(fact(facts, "level.ram"), "128m", "four times the last");
	is_string(fact(facts, "level.memory"), "64m", "which no cache holds");
	is_string(fact(facts, "level.source"), "measured", "as measured");
	json_decref(facts);

	facts = STEPS(true, 32 * K, 1 * M, 512 * M);
	is_string(fact(facts, "level.l2"), "512k", "two caches");
	is_string(fact(facts, "level.llc"), NULL, "have no third");
	is_string(fact(facts, "level.memory"), "2m", "and memory begins behind the second");
	is_string(fact(facts, "level.ram"), "64m", "memory begins at 64m at least");
	json_decref(facts);

	facts = STEPS(false, 32 * K, 1 * M, 256 * M);
	is_string(fact(facts, "level.llc"), "128m", "a level that ends is no memory");
	is_string(fact(facts, "level.ram"), "1g", "and memory is four times as much");
	json_decref(facts);

	facts = STEPS(true, 64 * K, 1 * M, 4 * M, 16 * M, 512 * M);
	is_string(fact(facts, "level.llc"), "8m", "of four caches the last");
	json_decref(facts);
	facts = STEPS(true, 512 * M);
	ok(!facts, "a flat curve says nothing");
	json_decref(facts);
}

/* Where no program can be run. */
static void test_elsewhere(void)
{
	char programs[] = "/nonexistent";
	struct plan plan = { .programs = programs, .timeout = 1, .ncpus = 1 };
	json_t *facts = json_pack("{s:s, s:s, s:s, s:s}", "cache.l1d", "48K", "cache.l1i", "32K",
				  "cache.l2", "2048K", "cache.l3", "107520K");

	levels_find(facts, &plan);
	is_string(fact(facts, "level.source"), "sysfs", "without measurement, sysfs");
	is_string(fact(facts, "level.l1"), "24k", "the data cache");
	is_string(fact(facts, "level.l2"), "1m", "the second");
	is_string(fact(facts, "level.llc"), "53760k", "the third");
	is_string(fact(facts, "level.ram"), "420m", "and memory");
	is_string(fact(facts, "level.memory"), NULL, "but nobody has seen what no cache holds");
	json_decref(facts);

	facts = json_object();
	levels_find(facts, &plan);
	is_string(fact(facts, "level.source"), "assumed", "without either");
	is_string(fact(facts, "level.llc"), "8m", "a usual size");
	json_decref(facts);
}

static void test_suite(void)
{
	static const char text[] = "set control lat_x_llc\n"
				   "lat_x llc,4k\nlat_y a ram x2\nlat_z l2\n";
	struct error e;
	struct suite *s = suite_parse(text, strlen(text), "t.suite", NULL, &e);
	json_t *facts = json_pack("{s:s, s:s, s:s}", "level.llc", "16m", "level.ram", "64m",
				  "level.memory", "32m");

	ok(levels_wanted(s), "a suite with levels");
	unsetenv(CACHES_VARIABLE);
	levels_apply(s, facts);
	is_string(getenv(CACHES_VARIABLE), "32m", "programs are told what no cache holds");
	is_string(s->entries[0].name, "lat_x_llc", "an entry keeps the name");
	is_string(s->entries[0].measured, "lat_x_16m", "the program prints the size");
	is_string(suite_operands(&s->entries[0])[0], "16m", "that it gets");
	ok(s->entries[0].level_bytes == 16 * M, "which is known in bytes");
	ok(!s->entries[1].operands && !strcmp(s->entries[1].measured, "lat_x_4k") &&
	       !s->entries[1].level_bytes,
	   "other entries stay");
	is_string(s->entries[2].name, "lat_y_a_ramx2", "copies");
	is_string(s->entries[2].measured, "lat_y_a_64mx2", "too");
	is_string(s->entries[2].lacks, NULL, "lack nothing");
	is_string(s->entries[3].lacks, "l2", "a level that this machine lacks");
	is_string(s->entries[4].name, "control_lat_x_llc", "a control");
	is_string(s->entries[4].measured, "lat_x_16m", "measures the same");
	char *line = suite_line(&s->entries[2]);
	is_string(line, "lat_y a ram x2", "the stored suite has the levels");
	free(line);
	suite_free(s);
	s = suite_parse("lat_x 4k\n", 9, "t.suite", NULL, &e);
	ok(!levels_wanted(s), "a suite without");
	suite_free(s);
	s = suite_parse("lat_x @cold\n", 12, "t.suite", NULL, &e);
	ok(levels_wanted(s), "and one with cold caches");
	suite_free(s);
	json_decref(facts);
}

int main(void)
{
	test_steps();
	test_shared_cache();
	test_elsewhere();
	test_suite();
	return done_testing();
}
