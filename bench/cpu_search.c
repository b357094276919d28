/* SPDX-License-Identifier: MIT */
/*
 * cpu_search - a key looked up in a sorted index of SIZE bytes by halving, as databases do: loads
 * that depend on comparisons of random outcome, beyond each level of the caches.
 */
#include "measure/bench.h"
#include "common/memory.h"
#include "stats/random.h"

enum { FACTOR = 3 }; /* key i is FACTOR * i + 1 */

static uint64_t *keys;
static size_t nkeys;
static struct random rng;
static uint64_t missed;

static const struct bench_parameter parameters[] = { { "size", BENCH_SIZE, "32k 1m 32m 512m",
						       MEMORY_LINE, UINT64_C(1) << 40, .axis = true,
						       .help = "bytes in the index" },
						     { 0 } };

static void setup(void)
{
	nkeys = memory_size() / sizeof(*keys);
	keys = memory_new(memory_size(), MEMORY_USUAL, 1);
	for (size_t i = 0; i < nkeys; i++)
		keys[i] = FACTOR * i + 1;
	random_seed(&rng, random_fresh_seed());
}

/* The first place whose key is not less. */
static __attribute__((noinline)) size_t find(uint64_t key)
{
	size_t from = 0, to = nkeys;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (keys[middle] < key)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static void run(uint64_t n)
{
	while (n--) {
		uint64_t i = random_below(&rng, nkeys);

		missed += find(FACTOR * i + 1) != i;
	}
}

static const char *check(uint64_t n)
{
	return missed ? "a key was not found" : NULL;
}

const struct bench bench = {
	.summary = "Searching a sorted index of SIZE bytes by halving.",
	.operation = "one key found",
	.parameters = parameters,
	.supported = memory_supported,
	.setup = setup,
	.computes = true,
	.run = run,
	.check = check,
};
