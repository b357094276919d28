/* SPDX-License-Identifier: MIT */
/*
 * lat_recv - one read of a message that has arrived: what a server pays to take in a request.
 *
 * Both ends are in this process.  Each message is sent, and the one before it answered by one byte,
 * outside the time: as in a conversation, acknowledgements ride on answers.
 */
#include <err.h>

#include "measure/bench.h"
#include "measure/channel.h"
#include "util/xalloc.h"

static struct channel channel;
static unsigned char *message, *inbox;
static size_t size;

static const struct bench_parameter parameters[] = {
	{ "kind", BENCH_CHOICE, CHANNEL_KINDS, .help = "of channel" },
	{ "size", BENCH_SIZE, "1 64 256 1k 4k 16k 32k 64k", 1, 16 << 20, .fallback = "1",
	  .axis = true, .help = "bytes in a message" },
	{ 0 }
};

static const char *supported(void)
{
	return channel_hold_reason(bench_choice(0), bench_number(1));
}

static void setup(void)
{
	size = bench_number(1);
	message = xcalloc(size, 1);
	inbox = xcalloc(size, 1);
	channel_open(&channel, bench_choice(0));
}

static void run(uint64_t n)
{
	unsigned char answer = 0;

	while (n--) {
		bench_pause();
		message[0]++;
		channel_send(&channel.b, &answer, 1);
		channel_receive(&channel.a, &answer, 1);
		channel_send(&channel.a, message, size);
		bench_resume();
		channel_receive(&channel.b, inbox, size);
		if (inbox[0] != message[0])
			errx(1, "another message arrived than was sent");
	}
}

static void teardown(void)
{
	channel_close(&channel);
}

static uint64_t bytes(void)
{
	return size;
}

static const struct bench bench = {
	.summary = "Receiving a message of SIZE bytes that has already arrived.",
	.operation = "one read of SIZE bytes",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.run = run,
	.teardown = teardown,
	.bytes = bytes,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
