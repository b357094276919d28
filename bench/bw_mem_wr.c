/* SPDX-License-Identifier: MIT */
/*
 * bw_mem_wr - writes a buffer front to back by the widest vector stores of the CPU, which a flag
 * names, or past the caches, which then read no line before it is written (nontemporal).  bw_bzero
 * measures the C library's way.
 */
#include "measure/bench.h"
#include "common/memory.h"
#include "common/vectors.h"

enum { VECTOR, NONTEMPORAL };
enum { BEFORE = 1, AFTER = 2 };

static const struct vectors *vectors;
static void *buffer;

static const struct bench_parameter parameters[] = {
	MEMORY_SIZE_PARAMETER,
	{ "stores", BENCH_CHOICE, "vector nontemporal", .fallback = "vector", .silent = true,
	  .help = "stores into the caches (vector) or past them (nontemporal)" },
	{ 0 }
};

static const char *supported(void)
{
	const char *reason = memory_supported();

	return reason || bench_choice(1) != NONTEMPORAL ? reason : vectors_nontemporal_reason();
}

static void setup(void)
{
	vectors = bench_choice(1) == NONTEMPORAL ? &vectors_nontemporal : vectors_choose();
	buffer = memory_new(memory_size(), MEMORY_USUAL, BEFORE);
}

static void prepare(uint64_t n)
{
	memory_spoil(buffer, memory_size(), BEFORE);
}

static void run(uint64_t n)
{
	vectors->fill(buffer, memory_size(), AFTER, n);
}

static const char *check(uint64_t n)
{
	return memory_holds(buffer, memory_size(), AFTER) ? NULL : "words were not written";
}

const struct bench bench = {
	.summary = "Memory write bandwidth by vector stores, for a buffer of SIZE bytes.",
	.operation = "writing SIZE bytes once",
	.parameters = parameters,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.transfers = 1,
};
