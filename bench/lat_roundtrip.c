/* SPDX-License-Identifier: MIT */
/*
 * lat_roundtrip - a message of SIZE bytes to another process and a reply of the same size, over two
 * pipes, a pair of unix stream sockets, or TCP or UDP on the loopback interface.
 */
#include <err.h>

#include "measure/bench.h"
#include "common/sockets.h"
#include "util/xalloc.h"

static struct channel channel;
static unsigned char *message;
static size_t size;
static int peer;

static const struct bench_parameter parameters[] = {
	{ "kind", BENCH_CHOICE, CHANNEL_KINDS, .help = "of channel" },
	{ "size", BENCH_SIZE, "1 64 256 1k 4k 16k 32k", 1, 1 << 20, .fallback = "1", .axis = true,
	  .help = "bytes in a message" },
	{ 0 }
};

static const char *supported(void)
{
	return channel_reason((enum channel_kind)bench_choice(0), bench_number(1));
}

/* The peer increments the first byte of each message, which proves that it has read it. */
static _Noreturn void reply(void)
{
	channel_close_end(&channel.a);
	for (;;) {
		channel_receive(&channel.b, message, size);
		message[0]++;
		channel_send(&channel.b, message, size);
	}
}

static void setup(void)
{
	size = bench_number(1);
	message = xcalloc(size, 1);
	channel_open(&channel, (enum channel_kind)bench_choice(0));
	peer = bench_fork();
	if (!peer)
		reply();
	channel_close_end(&channel.b);
}

static void run(uint64_t n)
{
	while (n--) {
		unsigned char sent = message[0];

		channel_send(&channel.a, message, size);
		channel_receive(&channel.a, message, size);
		if (message[0] != (unsigned char)(sent + 1))
			errx(1, "the reply is not to the message sent");
	}
}

const struct bench bench = {
	.summary = "Round trip of a message of SIZE bytes to another process.",
	.operation = "a message and its reply: two writes, two reads, two switches",
	.parameters = parameters,
	.parties = BENCH_TWO,
	.kernel_entries = 4,
	.supported = supported,
	.setup = setup,
	.run = run,
	.transfers = 2,
};
