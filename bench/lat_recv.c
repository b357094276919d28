/* SPDX-License-Identifier: MIT */
/* lat_recv - one read of a message that has arrived: what a server pays to take in a request. */
#include "measure/bench.h"
#include "measure/conversation.h"

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
	conversation_start(bench_choice(0), bench_number(1));
}

static void run(uint64_t n)
{
	for (uint64_t turns; n; n -= turns) {
		turns = n < conversation_count() ? n : conversation_count();
		bench_pause();
		for (uint64_t i = 0; i < turns; i++) {
			conversation_answer(i);
			conversation_send(i);
		}
		bench_resume();
		for (uint64_t i = 0; i < turns; i++)
			conversation_receive(i);
	}
}

static uint64_t bytes(void)
{
	return bench_number(1);
}

static const struct bench bench = {
	.summary = "Receiving a message of SIZE bytes that has already arrived.",
	.operation = "one read of SIZE bytes",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.run = run,
	.teardown = conversation_stop,
	.bytes = bytes,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
