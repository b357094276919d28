/* SPDX-License-Identifier: MIT */
/*
 * lat_messaging - PAIRS processes send messages of 100 bytes to each of PAIRS others, in turns,
 * over one unix stream socket or pipe for each receiver: how scheduler and channels bear a crowd.
 *
 * All run on the CPU of the peer; with -P free, everywhere.  The caller starts the senders and
 * waits for the receivers.
 */
#include <err.h>
#include <unistd.h>

#include "measure/bench.h"
#include "peer/sockets.h"

enum { MESSAGE = 100, MOST = 64 };

static uint64_t pairs, counted; /* counted: messages received in a batch */
static struct channel data[MOST], starts[2 * MOST], ends;

static const struct bench_parameter parameters[] = {
	{ "kind", BENCH_CHOICE, "pipe unix", .help = "kind of channel" },
	{ "pairs", BENCH_COUNT, "1 4 20", 1, MOST, .fallback = "4", .axis = true,
	  .help = "senders, and as many receivers" },
	{ 0 }
};

static const char *supported(void)
{
	return channel_reason((enum channel_kind)bench_choice(0), MESSAGE);
}

/* Told how many turns there are, sends as many messages to each receiver. */
static _Noreturn void send_turns(struct channel *start)
{
	static const char message[MESSAGE];

	for (;;) {
		uint64_t turns;

		channel_receive(&start->b, &turns, sizeof(turns));
		while (turns--)
			for (uint64_t i = 0; i < pairs; i++)
				channel_send(&data[i].a, message, sizeof(message));
	}
}

/* Told how many turns there are, receives as many messages from each sender and says so. */
static _Noreturn void receive_turns(struct channel *start, struct channel *from)
{
	char message[MESSAGE];

	for (;;) {
		uint64_t turns, n = 0;

		channel_receive(&start->b, &turns, sizeof(turns));
		for (; n < turns * pairs; n++)
			channel_receive(&from->b, message, sizeof(message));
		channel_send(&ends.b, &n, sizeof(n));
	}
}

static void setup(void)
{
	pairs = bench_number(1);
	channel_open(&ends, CHANNEL_PIPE);
	for (uint64_t i = 0; i < pairs; i++)
		channel_open(&data[i], (enum channel_kind)bench_choice(0));
	for (uint64_t i = 0; i < 2 * pairs; i++) {
		channel_open(&starts[i], CHANNEL_PIPE);
		if (bench_fork())
			continue;
		if (i < pairs)
			send_turns(&starts[i]);
		receive_turns(&starts[i], &data[i - pairs]);
	}
}

static void start(uint64_t first, uint64_t turns)
{
	for (uint64_t i = first; i < first + pairs; i++)
		channel_send(&starts[i].a, &turns, sizeof(turns));
}

/* The receivers wait for the first messages. */
static void prepare(uint64_t n)
{
	start(pairs, n / (pairs * pairs));
}

static void run(uint64_t n)
{
	uint64_t received;

	start(0, n / (pairs * pairs));
	counted = 0;
	for (uint64_t i = 0; i < pairs; i++, counted += received)
		channel_receive(&ends.a, &received, sizeof(received));
}

static const char *check(uint64_t n)
{
	return counted == n ? NULL : "another number of messages was received";
}

/* One turn: a message from each sender to each receiver. */
static uint64_t multiple(void)
{
	return bench_number(1) * bench_number(1);
}

const struct bench bench = {
	.summary = "Messages of 100 bytes between PAIRS senders and PAIRS receivers.",
	.operation = "one message sent and received",
	.parameters = parameters,
	.parties = BENCH_TWO,
	.kernel_entries = 2,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.multiple = multiple,
};
