/* SPDX-License-Identifier: MIT */
/*
 * lat_c2c - passes SIZE bytes of memory, line by line, to a process on another CPU and back: one
 * writes a word of each line, the other polls the line that is written last and reads the rest.
 *
 * No system call is made and nobody sleeps.  The polling loop has no pause instruction, which takes
 * longer than a line does on some CPUs.
 */
#include <err.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "measure/bench.h"
#include "common/memory.h"

static struct line {
	_Alignas(MEMORY_LINE) _Atomic uint64_t turn;
} * lines;

static size_t nlines;
static uint64_t turn, before; /* odd turns are ours, even ones the peer's */

static const struct bench_parameter parameters[] = {
	{ "size", BENCH_SIZE, "64 256 1k 4k 64k", MEMORY_LINE, 64 << 20, .fallback = "64",
	  .axis = true, .help = "bytes passed in each direction, a multiple of 64" },
	{ 0 }
};

static void pass(uint64_t number)
{
	for (size_t i = 1; i < nlines; i++)
		atomic_store_explicit(&lines[i].turn, number, memory_order_relaxed);
	atomic_store_explicit(&lines[0].turn, number, memory_order_release);
}

/* True when all lines have come. */
static bool take(uint64_t number)
{
	uint64_t wrong = 0;

	while (atomic_load_explicit(&lines[0].turn, memory_order_acquire) != number)
		;
	for (size_t i = 1; i < nlines; i++)
		wrong |= atomic_load_explicit(&lines[i].turn, memory_order_relaxed) ^ number;
	return !wrong;
}

static const char *supported(void)
{
	if (!bench_is_apart())
		return "what is passed on one CPU stays in its cache: -P apart";
	return memory_reason(bench_number(0));
}

static void setup(void)
{
	nlines = bench_number(0) / sizeof(*lines);
	lines = memory_shared(bench_number(0));
	if (bench_fork())
		return;
	for (uint64_t next = 1;; next += 2)
		if (take(next))
			pass(next + 1);
		else
			errx(1, "a line came too late");
}

static void prepare(uint64_t n)
{
	before = turn;
}

static void run(uint64_t n)
{
	while (n--) {
		pass(++turn);
		if (!take(++turn))
			errx(1, "a line came too late");
	}
}

static const char *check(uint64_t n)
{
	struct line *last = lines + bench_number(0) / sizeof(*lines) - 1;

	return turn - before == 2 * n && atomic_load(&last->turn) == turn
		   ? NULL
		   : "the lines were not passed back";
}

const struct bench bench = {
	.summary = "Passing SIZE bytes of memory to another CPU and back, without the kernel.",
	.operation = "SIZE bytes passed to the other CPU and back",
	.parameters = parameters,
	.parties = BENCH_TWO,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.transfers = 2,
};
