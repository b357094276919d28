/* SPDX-License-Identifier: MIT */
/*
 * lat_mem_rd - one load that depends on the previous load: a pointer chase through a buffer.
 *
 * Every cache line is visited once a round.  Random order defeats the prefetchers and yields the
 * latency of the cache or memory that holds SIZE bytes; ascending order (stride) does not.  With 4k
 * pages, a random walk beyond the reach of the TLB includes page walks, with 2m pages hardly any.
 */
#include <err.h>

#include "measure/bench.h"
#include "common/memory.h"

enum { RANDOM, STRIDE };
enum { UNROLL = 8 };

struct line {
	struct line *next;
	char rest[MEMORY_LINE - sizeof(struct line *)];
};

static struct line *lines, *at;
static size_t *order, nlines, turn; /* at is &lines[order[turn]] */

static const struct bench_parameter parameters[] = {
	MEMORY_SIZE_PARAMETER,
	{ "order", BENCH_CHOICE, "random stride", .fallback = "random",
	  .help = "order in which the cache lines are visited" },
	{ "pages", BENCH_CHOICE, "4k 2m", .fallback = "4k",
	  .help = "size of the pages that hold the buffer" },
	{ 0 }
};

static enum memory_pages pages(void)
{
	return bench_choice(2) ? MEMORY_HUGE : MEMORY_SMALL;
}

static const char *supported(void)
{
	const char *reason = memory_supported();

	return !reason && pages() == MEMORY_HUGE ? memory_huge_reason() : reason;
}

/* Whether the first visits jump about, if they are to be random, or ascend line by line. */
static bool is_in_order(void)
{
	enum { VISITS = 1000, LEAST = 32 /* fewer lines may ascend by chance */ };
	size_t visits = nlines - 1 < VISITS ? nlines - 1 : VISITS, ascending = 0;

	for (size_t i = 0; i < visits; i++)
		ascending += lines[order[i]].next == &lines[order[i]] + 1;
	return bench_choice(1) == STRIDE ? ascending == visits
					 : nlines < LEAST || ascending < visits / 4;
}

static void setup(void)
{
	uint64_t others = memory_huge_bytes(); /* huge pages of the harness */

	nlines = memory_size() / sizeof(*lines);
	lines = memory_new(memory_size(), pages(), 1);
	if ((memory_huge_bytes() - others >= memory_size()) != (bench_choice(2) == 1))
		errx(1, "the pages of the buffer have another size");
	order = memory_sequence(nlines, bench_choice(1) == RANDOM);
	for (size_t i = 0; i < nlines; i++)
		lines[order[i]].next = &lines[order[(i + 1) % nlines]];
	if (!is_in_order())
		errx(1, "the lines are not visited in the order asked for");
	at = &lines[order[0]];
}

static void run(uint64_t n)
{
	struct line *p = at;

	for (; n; n -= UNROLL)
		p = p->next->next->next->next->next->next->next->next;
	at = p;
}

static const char *check(uint64_t n)
{
	turn = (turn + n) % nlines;
	return at == &lines[order[turn]] ? NULL : "the walk ended at the wrong line";
}

const struct bench bench = {
	.summary = "Latency of a load from a buffer of SIZE bytes, each depending on the last.",
	.operation = "one load",
	.parameters = parameters,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
	.unroll = UNROLL,
};
