/* SPDX-License-Identifier: MIT */
/*
 * cpu_hash - looks up a key in a hash table: FNV-1a over its bytes, a probe, a comparison.
 *
 * 32768 keys of 8 to 24 bytes in random order; table and keys take about 2 MB, so that the second
 * level cache matters, as in servers.
 */
#include <stdio.h>
#include <string.h>

#include "measure/bench.h"
#include "stats/random.h"
#include "util/xalloc.h"

enum { KEYS = 1 << 15, SLOTS = 2 * KEYS, KEY_MOST = 32 };

struct slot {
	uint32_t hash, key; /* key: its number plus one; 0: free */
};

static char (*keys)[KEY_MOST];
static uint32_t *order; /* in which the keys are looked up */
static struct slot *slots;
static size_t next;
static uint64_t missed;

/* The constants are those of Fowler, Noll and Vo. */
static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

static struct slot *find(const char *key)
{
	uint32_t h = hash(key);

	for (size_t i = h % SLOTS;; i = (i + 1) % SLOTS)
		if (!slots[i].key || (slots[i].hash == h && !strcmp(keys[slots[i].key - 1], key)))
			return &slots[i];
}

static void shuffle(void)
{
	struct random rng;

	random_seed(&rng, 1);
	for (uint32_t i = 0; i < KEYS; i++) {
		uint32_t k = (uint32_t)random_below(&rng, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
}

static void setup(void)
{
	keys = xcalloc(KEYS, sizeof(*keys));
	order = xcalloc(KEYS, sizeof(*order));
	slots = xcalloc(SLOTS, sizeof(*slots));
	for (uint32_t i = 0; i < KEYS; i++) {
		snprintf(keys[i], KEY_MOST, "%.*s:%06u", (int)(1 + i % 17),
			 "session:user:item:cart", i);
		struct slot *slot = find(keys[i]);
		*slot = (struct slot){ hash(keys[i]), i + 1 };
	}
	shuffle();
}

static void run(uint64_t n)
{
	while (n--) {
		uint32_t key = order[next];

		missed += find(keys[key])->key != key + 1;
		next = (next + 1) % KEYS;
	}
}

static const char *check(uint64_t n)
{
	return missed ? "a key was not found" : NULL;
}

const struct bench bench = {
	.summary = "Hashing and memory: keys looked up in a hash table.",
	.operation = "one key of 8 to 24 bytes hashed, found and compared",
	.setup = setup,
	.computes = true,
	.run = run,
	.check = check,
};
