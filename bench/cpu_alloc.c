/* SPDX-License-Identifier: MIT */
/*
 * cpu_alloc - the memory of a program that makes and drops many objects: lists of 4 to 16 objects
 * of 16 to 272 bytes, of which 2048 exist; a random one is summed up and freed, and a new one made.
 */
#include <err.h>
#include <stdlib.h>

#include "measure/bench.h"
#include "stats/random.h"

enum { LISTS = 2048 };

struct object {
	struct object *next;
	uint64_t value;
};

static struct object *lists[LISTS];
static struct random rng;
static uint64_t made, freed; /* sums of their values */

static struct object *make(void)
{
	uint64_t bits = random_next(&rng);
	struct object *list = NULL;

	for (uint64_t i = 4 + bits % 13; i; i--, bits = bits >> 4 | bits << 60) {
		struct object *o = malloc(sizeof(*o) + bits % 257);

		if (!o)
			err(1, "malloc");
		*o = (struct object){ list, bits % 1009 };
		made += o->value;
		list = o;
	}
	return list;
}

static void drop(struct object *list)
{
	while (list) {
		struct object *next = list->next;

		freed += list->value;
		free(list);
		list = next;
	}
}

static void setup(void)
{
	random_seed(&rng, random_fresh_seed());
	for (size_t i = 0; i < LISTS; i++)
		lists[i] = make();
}

static void run(uint64_t n)
{
	while (n--) {
		size_t i = random_below(&rng, LISTS);

		drop(lists[i]);
		lists[i] = make();
	}
}

static const char *check(uint64_t n)
{
	uint64_t alive = 0;

	for (size_t i = 0; i < LISTS; i++)
		for (const struct object *o = lists[i]; o; o = o->next)
			alive += o->value;
	return made - freed == alive ? NULL : "an object was overwritten";
}

const struct bench bench = {
	.summary = "Allocation: lists of small objects made, read and freed in random order.",
	.operation = "one list of 4 to 16 objects",
	.setup = setup,
	.computes = true,
	.run = run,
	.check = check,
};
