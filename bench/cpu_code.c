/* SPDX-License-Identifier: MIT */
/*
 * cpu_code - a large amount of code: 128 functions in turn, each of which calls 8 of its own.
 *
 * As in applications, the code does not fit the first level instruction cache, its calls and
 * returns fill the predictors, and an emulator that translates code has to look up each piece of
 * it.
 */
#include <string.h>

#include "measure/bench.h"
#include "stats/random.h"

enum {
	GROUPS = 128,
	LEAVES = 8,   /* of a group */
	WORDS = 4096, /* of data: they fit the cache */
};

static uint32_t memory[WORDS];
static uint32_t state;
static size_t order[GROUPS];
static size_t at;

/* A little of what programs do: load, test, compute, store.  One test in 256 goes the other way. */
#define WORK(number, x) \
	do { \
		uint32_t v = memory[((x) ^ (number)*40503u) % WORDS]; \
		if (v % 256 == (number) % 256) \
			(x) = (x) / 3 + v; \
		memory[((x) >> 9) % WORDS] = v + (x); \
		(x) = ((x) ^ (number)) * 2654435761u + v; \
	} while (0)

/* The numbers are octal: 1024 leaves 00000 to 01777, of which group 0123 has 01230 to 01237. */
#define LEAF(number) \
	static __attribute__((noinline)) uint32_t leaf##number(uint32_t x) \
	{ \
		WORK(number, x); \
		return x; \
	}
#define GROUP(number) \
	static uint32_t group##number(uint32_t x) \
	{ \
		x = leaf##number##1(leaf##number##0(x)); \
		x = leaf##number##3(leaf##number##2(x)); \
		x = leaf##number##5(leaf##number##4(x)); \
		return leaf##number##7(leaf##number##6(x)); \
	}
#define NAME(number) group##number,

#define EIGHT(make, p) \
	make(p##0) make(p##1) make(p##2) make(p##3) make(p##4) make(p##5) make(p##6) make(p##7)
#define MANY(make, p) \
	EIGHT(make, p##0) \
	EIGHT(make, p##1) \
	EIGHT(make, p##2) \
	EIGHT(make, p##3) EIGHT(make, p##4) EIGHT(make, p##5) EIGHT(make, p##6) EIGHT(make, p##7)
#define MOST(make, p) \
	MANY(make, p##0) \
	MANY(make, p##1) \
	MANY(make, p##2) \
	MANY(make, p##3) MANY(make, p##4) MANY(make, p##5) MANY(make, p##6) MANY(make, p##7)

MOST(LEAF, 00)
MOST(LEAF, 01)
MANY(GROUP, 00)
MANY(GROUP, 01)

static uint32_t (*const groups[GROUPS])(uint32_t) = { MANY(NAME, 00) MANY(NAME, 01) };

/* Where the batch began, for its check. */
static struct {
	uint32_t memory[WORDS], state;
	size_t at;
} before;

static void run(uint64_t n)
{
	uint32_t x = state;
	size_t i = at;

	while (n--) {
		x = groups[order[i]](x);
		i = (i + 1) % GROUPS;
	}
	state = x;
	at = i;
}

static void setup(void)
{
	struct random rng;

	random_seed(&rng, random_fresh_seed());
	for (size_t i = 0; i < WORDS; i++)
		memory[i] = (uint32_t)random_next(&rng);
	for (size_t i = 0; i < GROUPS; i++)
		order[i] = i;
	random_shuffle(&rng, order, GROUPS);
	/* An emulator translates code when it first runs, which takes a hundred times as long. */
	run(GROUPS);
}

static void prepare(uint64_t n)
{
	memcpy(before.memory, memory, sizeof(memory));
	before.state = state;
	before.at = at;
}

/* Repeats the batch by a loop without calls. */
static const char *check(uint64_t n)
{
	uint32_t found = state, x = before.state;
	size_t i = before.at;

	memcpy(memory, before.memory, sizeof(memory));
	for (; n--; i = (i + 1) % GROUPS)
		for (uint32_t leaf = 0; leaf < LEAVES; leaf++)
			WORK((uint32_t)order[i] * LEAVES + leaf, x);
	return x == found ? NULL : "the functions computed something else than a loop does";
}

/* Whole turns, so that every batch runs all of the code. */
static uint64_t multiple(void)
{
	return GROUPS;
}

const struct bench bench = {
	.summary = "Calling 128 functions of 8 calls each in turn: code beyond the first cache.",
	.operation = "one function and the 8 that it calls",
	.setup = setup,
	.prepare = prepare,
	.computes = true,
	.run = run,
	.check = check,
	.multiple = multiple,
};
