/* SPDX-License-Identifier: MIT */
/*
 * lat_mem_par - a load from a buffer of SIZE bytes by CHAINS chains at once, each load depending on
 * the last of its chain: how many misses a processor has in flight.  With one chain it is
 * lat_mem_rd.
 */
#include "measure/bench.h"
#include "common/memory.h"

enum { MOST = 16 };

struct line {
	struct line *next;
	char rest[MEMORY_LINE - sizeof(struct line *)];
};

static struct line *lines, *at[MOST];
static size_t *order, nlines, turn;

static const struct bench_parameter parameters[] = { MEMORY_SIZE_PARAMETER,
						     { "chains", BENCH_CHOICE, "1 2 4 8 16",
						       .help = "chains at once" },
						     { 0 } };

static size_t chains(void)
{
	return (size_t)1 << bench_choice(1);
}

/* Chain i of k is i / k of the way round ahead of the first. */
static struct line *place(size_t i)
{
	return &lines[order[(turn + i * (nlines / chains())) % nlines]];
}

static const char *supported(void)
{
	return memory_size() < MOST * sizeof(struct line) ? "16 chains need 16 lines"
							  : memory_supported();
}

static void setup(void)
{
	nlines = memory_size() / sizeof(*lines);
	lines = memory_new(memory_size(), MEMORY_SMALL, 1);
	order = memory_sequence(nlines, true);
	for (size_t i = 0; i < nlines; i++)
		lines[order[i]].next = &lines[order[(i + 1) % nlines]];
	for (size_t i = 0; i < chains(); i++)
		at[i] = place(i);
}

/* k is a constant: the chains are in registers. */
static inline __attribute__((always_inline)) void walk(uint64_t n, size_t k)
{
	struct line *p[MOST];

	for (size_t i = 0; i < k; i++)
		p[i] = at[i];
	for (; n; n -= MOST)
		for (size_t round = 0; round < MOST / k; round++)
#pragma GCC unroll 16
			for (size_t i = 0; i < k; i++)
				p[i] = p[i]->next;
	for (size_t i = 0; i < k; i++)
		at[i] = p[i];
}

static void run(uint64_t n)
{
	switch (chains()) {
	case 1: walk(n, 1); break;
	case 2: walk(n, 2); break;
	case 4: walk(n, 4); break;
	case 8: walk(n, 8); break;
	default: walk(n, MOST);
	}
}

static const char *check(uint64_t n)
{
	turn = (turn + n / chains()) % nlines;
	for (size_t i = 0; i < chains(); i++)
		if (at[i] != place(i) || (i && at[i] == at[0]))
			return "a walk ended at the wrong line";
	return NULL;
}

const struct bench bench = {
	.summary = "Time of a load when CHAINS chains of dependent loads run at once.",
	.operation = "one load",
	.parameters = parameters,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
	.unroll = MOST,
};
