/* SPDX-License-Identifier: MIT */
#include "measure/pingpong.h"

#include <err.h>

#include "measure/bench.h"
#include "util/xalloc.h"

static struct channel channel;
static unsigned char *message;
static size_t message_size;
static int partner;

/* Adds one to the first byte of each message: the proof that it was here. */
static _Noreturn void answer(void)
{
	channel_close_end(&channel.a);
	for (;;) {
		channel_receive(&channel.b, message, message_size);
		message[0]++;
		channel_send(&channel.b, message, message_size);
	}
}

void pingpong_start(enum channel_kind kind, size_t size)
{
	message_size = size;
	message = xcalloc(size, 1);
	channel_open(&channel, kind);
	partner = bench_fork();
	if (!partner)
		answer();
	channel_close_end(&channel.b);
}

void pingpong_run(uint64_t n)
{
	while (n--) {
		unsigned char sent = message[0];

		channel_send(&channel.a, message, message_size);
		channel_receive(&channel.a, message, message_size);
		if (message[0] != (unsigned char)(sent + 1))
			errx(1, "the answer is not to the message sent");
	}
}

void pingpong_stop(void)
{
	bench_reap(partner);
	channel_close_end(&channel.a);
}
