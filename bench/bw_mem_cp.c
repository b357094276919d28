/* SPDX-License-Identifier: MIT */
/*
 * bw_mem_cp - copies one buffer to another, by memcpy(3) of the C library, by a 64-bit load and
 * store per word (unrolled, as in 1997), by the widest vectors of the CPU, which a flag names, or
 * past the caches (nontemporal).  An unaligned destination starts one byte past a word.
 */
#include <string.h>

#include "measure/bench.h"
#include "common/memory.h"
#include "common/vectors.h"

/* A word at any address. */
typedef volatile uint64_t word __attribute__((aligned(1)));

enum { LIBC, UNROLLED, VECTOR, NONTEMPORAL };
enum { ALIGNED, UNALIGNED };
enum { BEFORE = 1, AFTER = 2 };

/* Half a page apart modulo the page size, so that no load aliases a recent store (4K aliasing). */
enum { APART = 2048 };

static char *from, *to;
static const struct vectors *vectors;

static const struct bench_parameter parameters[] = {
	MEMORY_SIZE_PARAMETER,
	{ "method", BENCH_CHOICE, "libc unrolled vector nontemporal", .fallback = "libc",
	  .help = "libc: memcpy(3); unrolled: words; vector: vectors; nontemporal: stores past the "
		  "caches" },
	{ "alignment", BENCH_CHOICE, "aligned unaligned", .fallback = "aligned",
	  .help = "alignment of the destination to 8 bytes" },
	{ 0 }
};

static const char *supported(void)
{
	const char *reason = memory_supported();

	if (!reason && bench_choice(1) == NONTEMPORAL)
		reason = bench_choice(2) == UNALIGNED ? "stores past the caches have to be aligned"
						      : vectors_nontemporal_reason();
	return reason ? reason : memory_reason(2 * memory_size());
}

static void setup(void)
{
	from = memory_new(memory_size(), MEMORY_USUAL, AFTER);
	to = memory_new(memory_size() + 2 * APART, MEMORY_USUAL, BEFORE);
	to += APART + (bench_choice(2) == UNALIGNED);
	if (bench_choice(1) == VECTOR)
		vectors = vectors_choose();
	else if (bench_choice(1) == NONTEMPORAL)
		vectors = &vectors_nontemporal;
}

static void prepare(uint64_t n)
{
	memory_spoil(to, memory_size(), BEFORE);
}

static void copy_words(void)
{
	uint64_t size = memory_size();
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

static void run_libc(uint64_t n)
{
	while (n--) {
		memcpy(to, from, memory_size());
		bench_clobber();
	}
}

static void run_words(uint64_t n)
{
	while (n--)
		copy_words();
}

static void run_vectors(uint64_t n)
{
	vectors->copy(to, from, memory_size(), n);
}

static void run(uint64_t n)
{
	static void (*const methods[])(uint64_t) = { run_libc, run_words, run_vectors,
						     run_vectors };

	methods[bench_choice(1)](n);
}

static const char *check(uint64_t n)
{
	return memory_holds(to, memory_size(), AFTER) ? NULL : "words were not copied";
}

const struct bench bench = {
	.summary = "Memory copy bandwidth for SIZE bytes, by the C library, words or vectors.",
	.operation = "copying SIZE bytes once",
	.parameters = parameters,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.transfers = 1,
};
