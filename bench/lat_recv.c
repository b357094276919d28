/* SPDX-License-Identifier: MIT */
/* lat_recv - one read of a message that has arrived: what a server pays to take in a request. */
#include "common/conversation.h"

static void run(uint64_t n)
{
	for (uint64_t turns; n; n -= turns) {
		turns = n < conversation_count() ? n : conversation_count();
		bench_pause();
		conversation_ask(turns);
		bench_resume();
		for (uint64_t i = 0; i < turns; i++)
			conversation_receive(i);
	}
}

static const struct bench bench = {
	.summary = "Receiving a message of SIZE bytes that has arrived from another CPU.",
	.operation = "one read of SIZE bytes",
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
