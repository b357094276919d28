/* SPDX-License-Identifier: MIT */
/*
 * bw_stream - sends bytes to another process, which reads and counts them, SIZE at a time, over a
 * pipe, a pair of unix stream sockets, or TCP on the loopback interface.
 */
#include <err.h>
#include <string.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/sockets.h"
#include "util/xalloc.h"

static struct channel data, control;
static char *buffer;
static size_t size;
static uint64_t received;
static int peer;

static const struct bench_parameter parameters[] = {
	{ "kind", BENCH_CHOICE, "pipe unix tcp", .help = "of channel" },
	{ "size", BENCH_SIZE, "1 64 1k 4k 16k 64k 256k 1m", 1, 64 << 20, .fallback = "64k",
	  .axis = true, .help = "bytes in a write and, at most, in a read" },
	{ 0 }
};

static const char *supported(void)
{
	return channel_reason((enum channel_kind)bench_choice(0), bench_number(1));
}

/* The peer receives a number of bytes over control, reads as many, and replies how many it read. */
static _Noreturn void count(void)
{
	channel_close_end(&data.a);
	channel_close_end(&control.a);
	for (;;) {
		uint64_t expected, total = 0;

		channel_receive(&control.b, &expected, sizeof(expected));
		while (total < expected) {
			ssize_t n = read(data.b.in, buffer, size);

			if (n <= 0)
				err(1, "read");
			total += (uint64_t)n;
		}
		channel_send(&control.b, &total, sizeof(total));
	}
}

static void setup(void)
{
	size = bench_number(1);
	/* Written, so that its pages are not all the kernel's page of zeros. */
	buffer = xmalloc(size);
	memset(buffer, 1, size);
	channel_open(&data, (enum channel_kind)bench_choice(0));
	channel_open(&control, CHANNEL_PIPE);
	peer = bench_fork();
	if (!peer)
		count();
	channel_close_end(&data.b);
	channel_close_end(&control.b);
}

/* Announces the number of bytes to the peer. */
static void prepare(uint64_t n)
{
	uint64_t total = n * size;

	channel_send(&control.a, &total, sizeof(total));
}

/* Ends when the peer has counted the last byte. */
static void run(uint64_t n)
{
	while (n--)
		channel_send(&data.a, buffer, size);
	channel_receive(&control.a, &received, sizeof(received));
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
};
