/* SPDX-License-Identifier: MIT */
/*
 * bw_stream - sends bytes to another process, which reads and counts them, SIZE at a time, over a
 * pipe, a pair of unix stream sockets, or TCP on the loopback interface.
 */
#include <string.h>

#include "common/peer.h"
#include "measure/bench.h"
#include "util/xalloc.h"

static struct channel_end data;
static char *buffer;
static size_t size;
static uint64_t received;

static const struct bench_parameter parameters[] = {
	{ "kind", BENCH_CHOICE, "pipe unix tcp", .help = "kind of channel" },
	{ "size", BENCH_SIZE, "1 64 1k 4k 16k 64k 256k 1m", 1, 64 << 20, .fallback = "64k",
	  .axis = true, .help = "bytes in a write and, at most, in a read" },
	{ 0 }
};

static const char *supported(void)
{
	return peer_reason((enum channel_kind)bench_choice(0), bench_number(1));
}

static void setup(void)
{
	size = bench_number(1);
	/* Written, so that its pages are not all the kernel's page of zeros. */
	buffer = xmalloc(size);
	memset(buffer, 1, size);
	data = peer_connect((enum channel_kind)bench_choice(0), size);
}

/* Announces the number of bytes to the peer. */
static void prepare(uint64_t n)
{
	peer_order(WORK_SINK, n * size);
}

/* Ends when the peer has counted the last byte. */
static void run(uint64_t n)
{
	while (n--)
		channel_send(&data, buffer, size);
	received = peer_done();
}

static const char *check(uint64_t n)
{
	return received == n * size ? NULL : "the peer counted another number of bytes";
}

const struct bench bench = {
	.summary = "Bandwidth to another process in writes of SIZE bytes.",
	.operation = "writing SIZE bytes, read at the other end",
	.parameters = parameters,
	.parties = BENCH_TWO,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.transfers = 1,
	.remote = true,
};
