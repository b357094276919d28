/* SPDX-License-Identifier: MIT */
/*
 * lat_tlb - one load that depends on the last, of one line in each of PAGES pages, in random order:
 * what exceeds the time of as many lines that lie together (packed) are misses of the TLB.  The
 * lines of the pages spread over the sets of the caches.
 */
#include <stdlib.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/memory.h"
#include "util/xalloc.h"

enum { SPREAD, PACKED };
enum { UNROLL = 8 };

struct line {
	struct line *next;
	char rest[MEMORY_LINE - sizeof(struct line *)];
};

static struct line **lines, *at;
static size_t nlines, turn; /* at is lines[turn] */

static const struct bench_parameter parameters[] = {
	{ "pages", BENCH_COUNT, "16 64 256 1024 4096 16384", 8, 1 << 28, .axis = true,
	  .help = "base pages, a line in each" },
	{ "lines", BENCH_CHOICE, "spread packed", .fallback = "spread",
	  .help = "spread: a line in each page; packed: as many lines side by side" },
	{ 0 }
};

static const char *supported(void)
{
	return memory_reason(bench_number(0) * (uint64_t)sysconf(_SC_PAGESIZE));
}

static void setup(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), apart = page / MEMORY_LINE;
	struct line *memory;

	nlines = bench_number(0);
	size_t *order = memory_sequence(nlines, true);
	memory = memory_new(nlines * page, MEMORY_SMALL, 1);
	lines = xcalloc(nlines, sizeof(*lines));
	for (size_t i = 0; i < nlines; i++)
		lines[i] = bench_choice(1) == PACKED ? memory + order[i]
						     : memory + order[i] * apart + order[i] % apart;
	for (size_t i = 0; i < nlines; i++)
		lines[i]->next = lines[(i + 1) % nlines];
	free(order);
	at = lines[0];
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
	return at == lines[turn] ? NULL : "the walk ended at the wrong line";
}

const struct bench bench = {
	.summary = "Latency of a load from one of PAGES pages, each depending on the last.",
	.operation = "one load",
	.parameters = parameters,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
	.unroll = UNROLL,
};
