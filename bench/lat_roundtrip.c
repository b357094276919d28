/* SPDX-License-Identifier: MIT */
/*
 * lat_roundtrip - a message of SIZE bytes to another process and a reply of the same size, over two
 * pipes, a pair of unix sockets (a stream, or datagrams), or TCP or UDP on the loopback interface.
 */
#include <err.h>

#include "common/peer.h"
#include "measure/bench.h"
#include "util/xalloc.h"

static struct channel_end end;
static unsigned char *message;
static size_t size;

static const struct bench_parameter parameters[] = {
	{ "kind", BENCH_CHOICE, CHANNEL_KINDS, .help = "of channel" },
	{ "size", BENCH_SIZE, "1 64 256 1k 4k 16k 32k", 1, 1 << 20, .fallback = "1", .axis = true,
	  .help = "bytes in a message" },
	{ 0 }
};

static const char *supported(void)
{
	return peer_reason((enum channel_kind)bench_choice(0), bench_number(1));
}

static void setup(void)
{
	size = bench_number(1);
	message = xcalloc(size, 1);
	end = peer_connect((enum channel_kind)bench_choice(0), size);
	peer_order(WORK_ECHO, 1);
}

static void run(uint64_t n)
{
	while (n--) {
		unsigned char sent = message[0];

		channel_send(&end, message, size);
		channel_receive(&end, message, size);
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
	.remote = true,
};
