/* SPDX-License-Identifier: MIT */
#include "pingpong.h"

#include <err.h>

#include "measure/bench.h"
#include "util/xalloc.h"

static enum channel_kind kind;
static struct channel channel;
static unsigned char *message;
static size_t size;
static int partner;

static const struct bench_parameter parameters[] = { { "size", BENCH_SIZE, "1 64 256 1k 4k 16k 32k",
						       1, 1 << 20, .fallback = "1", .axis = true,
						       .help = "bytes in a message" },
						     { 0 } };

static const char *supported(void)
{
	return channel_reason(kind, bench_number(0));
}

/* Adds one to the first byte of each message: the proof that it was here. */
static _Noreturn void answer(void)
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
	size = bench_number(0);
	message = xcalloc(size, 1);
	channel_open(&channel, kind);
	partner = bench_fork();
	if (!partner)
		answer();
	channel_close_end(&channel.b);
}

static void run(uint64_t n)
{
	while (n--) {
		unsigned char sent = message[0];

		channel_send(&channel.a, message, size);
		channel_receive(&channel.a, message, size);
		if (message[0] != (unsigned char)(sent + 1))
			errx(1, "the answer is not to the message sent");
	}
}

static void teardown(void)
{
	bench_reap(partner);
	channel_close_end(&channel.a);
}

/* There and back. */
static uint64_t bytes(void)
{
	return 2 * bench_number(0);
}

int pingpong_main(int argc, char **argv, enum channel_kind of, const char *summary)
{
	const struct bench bench = {
		.summary = summary,
		.operation = "a message and its answer: two writes, two reads, two switches",
		.parameters = parameters,
		.parties = BENCH_TWO,
		.kernel_entries = 4,
		.supported = supported,
		.setup = setup,
		.run = run,
		.teardown = teardown,
		.bytes = bytes,
	};

	kind = of;
	return bench_main(argc, argv, &bench);
}
