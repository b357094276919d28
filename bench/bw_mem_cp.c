/* SPDX-License-Identifier: MIT */
/*
 * bw_mem_cp - copies one buffer to another, by memcpy(3) of the C library or by a 64-bit load and
 * store per word.  An unaligned destination starts one byte past a word.
 */
#include <string.h>

#include "measure/bench.h"
#include "common/memory.h"

/* A word at any address. */
typedef volatile uint64_t word __attribute__((aligned(1)));

enum { LIBC, UNROLLED };
enum { ALIGNED, UNALIGNED };
enum { BEFORE = 1, AFTER = 2 };

/* Half a page apart modulo the page size, so that no load aliases a recent store (4K aliasing). */
enum { APART = 2048 };

static char *from, *to;

static const struct bench_parameter parameters[] = {
	MEMORY_SIZE_PARAMETER,
	{ "method", BENCH_CHOICE, "libc unrolled", .fallback = "libc",
	  .help = "memcpy(3), or an unrolled loop of words" },
	{ "alignment", BENCH_CHOICE, "aligned unaligned", .fallback = "aligned",
	  .help = "of the destination, to 8 bytes" },
	{ 0 }
};

static const char *supported(void)
{
	const char *reason = memory_supported();

	return reason ? reason : memory_reason(2 * memory_size());
}

static void setup(void)
{
	from = memory_new(memory_size(), MEMORY_USUAL, AFTER);
	to = memory_new(memory_size() + 2 * APART, MEMORY_USUAL, BEFORE);
	to += APART + (bench_choice(2) == UNALIGNED);
}

static void prepare(uint64_t n)
{
	memory_spoil(to, memory_size(), BEFORE);
}

static void copy_words(uint64_t size)
{
	const word *p = (const word *)from, *end = (const word *)(from + size);

	for (word *q = (word *)to; p < end; p += 8, q += 8) {
		q[0] = p[0];
		q[1] = p[1];
		q[2] = p[2];
		q[3] = p[3];
		q[4] = p[4];
		q[5] = p[5];
		q[6] = p[6];
		q[7] = p[7];
	}
}

static void run(uint64_t n)
{
	uint64_t size = memory_size();

	if (bench_choice(1) == UNROLLED)
		while (n--)
			copy_words(size);
	else
		while (n--) {
			memcpy(to, from, size);
			bench_clobber();
		}
}

static const char *check(uint64_t n)
{
	return memory_holds(to, memory_size(), AFTER) ? NULL : "words were not copied";
}

const struct bench bench = {
	.summary = "Memory copy bandwidth for SIZE bytes, by the C library or word by word.",
	.operation = "copying SIZE bytes once",
	.parameters = parameters,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.transfers = 1,
};
