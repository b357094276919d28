/* SPDX-License-Identifier: MIT */
/*
 * lat_direct - reads or overwrites blocks of 4 KB of a file of 32 MB past the page cache
 * (O_DIRECT), with DEPTH requests in flight: one by pread(2) and pwrite(2), more through io_uring.
 *
 * It is the device that is measured, with its caches, and the path to it; nothing is flushed.
 */
#include <err.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "common/reason.h"
#include "common/ring.h"
#include "stats/random.h"

enum { READ, WRITE };
enum { SEQUENTIAL, RANDOM };
enum { BLOCK = 4096, BLOCKS = 8192, DEPTH_MOST = 256 };

static int file;
static bool reads;
static uint64_t depth, next, most; /* next: number of requests made; most: at a time */
static size_t order[BLOCKS];
static struct random rng;
static unsigned char buffer[DEPTH_MOST][BLOCK] __attribute__((aligned(BLOCK)));

static const struct bench_parameter parameters[] = {
	{ "call", BENCH_CHOICE, "read write", .help = "call that is measured" },
	{ "order", BENCH_CHOICE, "sequential random", .help = "order of the blocks" },
	{ "depth", BENCH_COUNT, "1 8 32", 1, DEPTH_MOST, .fallback = "1", .axis = true,
	  .help = "requests in flight at once" },
	{ 0 }
};

static off_t place(uint64_t i)
{
	return (off_t)order[i % BLOCKS] * BLOCK;
}

static const char *supported(void)
{
	const char *reason = files_reason(BLOCKS * BLOCK);

	if (reason)
		return reason;
	file = files_make(BLOCKS * BLOCK);
	if (fsync(file))
		err(1, "fsync");
	if (files_drop(file, BLOCKS * BLOCK))
		return "this file system keeps its files in memory";
	reads = bench_choice(0) == READ;
	depth = bench_number(2);
	if (fcntl(file, F_SETFL, O_DIRECT) || pread(file, buffer, BLOCK, 0) != BLOCK)
		return reason_errno("O_DIRECT");
	return depth > 1 ? ring_open((unsigned)depth, false) : NULL;
}

static void setup(void)
{
	for (size_t i = 0; i < BLOCKS; i++)
		order[i] = i;
	random_seed(&rng, random_fresh_seed());
	if (bench_choice(1) == RANDOM)
		random_shuffle(&rng, order, BLOCKS);
}

static void prepare(uint64_t n)
{
	memset(buffer, reads ? 0 : buffer[0][0] + 1, sizeof(buffer));
}

static void run_one(uint64_t n)
{
	for (; n--; next++)
		if ((reads ? pread(file, buffer, BLOCK, place(next))
			   : pwrite(file, buffer, BLOCK, place(next))) != BLOCK)
			err(1, "pread or pwrite");
}

/* Keeps DEPTH requests in flight until the last.  A buffer may be shared by two of them. */
static void run_many(uint64_t n)
{
	uint64_t begun = 0, ended = 0;

	while (ended < n) {
		for (; begun < n && begun - ended < depth; begun++, next++)
			ring_prepare(reads ? RING_READ : RING_WRITE, file, buffer[next % depth],
				     BLOCK, (uint64_t)place(next));
		if (begun - ended > most)
			most = begun - ended;
		if (ring_submit(1, BLOCK) != 1)
			errx(1, "a request has failed");
		ended++;
	}
}

static void run(uint64_t n)
{
	(depth > 1 ? run_many : run_one)(n);
}

static const char *check(uint64_t n)
{
	unsigned char wanted = reads ? FILES_BYTE : buffer[0][0];
	unsigned char *last = buffer[(next - 1) % depth];

	if (!reads && pread(file, last, BLOCK, place(next - 1)) != BLOCK)
		err(1, "pread");
	if (depth > 1 && most != depth)
		return "there were fewer requests in flight, or more";
	if (files_cached(file, BLOCKS * BLOCK))
		return "the page cache was used";
	return last[0] == wanted && last[BLOCK - 1] == wanted
		   ? NULL
		   : "the bytes are not those of the file";
}

/* Most of the time all requests are in flight. */
static uint64_t multiple(void)
{
	return depth > 1 ? 4 * depth : 1;
}

const struct bench bench = {
	.summary = "Reading or writing 4 KB of a file past the page cache.",
	.operation = "one block of 4 KB read or written",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.multiple = multiple,
};
