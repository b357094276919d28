/* SPDX-License-Identifier: MIT */
/*
 * lat_send - one write of a message that fits the buffers: what a server pays to send a reply.
 *
 * Nobody sleeps at the other end, so that no wake-up is in the time.
 */
#include "common/conversation.h"

static void run(uint64_t n)
{
	for (uint64_t turns; n; n -= turns) {
		turns = n < conversation_count() ? n : conversation_count();
		for (uint64_t i = 0; i < turns; i++)
			conversation_send(i);
		bench_pause();
		conversation_take(turns);
		bench_resume();
	}
}

static const struct bench bench = {
	.summary = "Sending a message of SIZE bytes to another CPU, where nobody sleeps.",
	.operation = "one write of SIZE bytes",
	.parameters = conversation_parameters,
	.parties = BENCH_APART,
	.kernel_entries = 1,
	.supported = conversation_supported,
	.setup = conversation_setup,
	.run = run,
	.teardown = conversation_stop,
	.bytes = conversation_bytes,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
