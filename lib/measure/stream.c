/* SPDX-License-Identifier: MIT */
#include "measure/stream.h"

#include <err.h>
#include <unistd.h>

#include "measure/bench.h"
#include "util/xalloc.h"

static struct channel data, control;
static char *buffer;
static size_t buffer_size;
static uint64_t arrived;
static int partner;

/* For every announcement on control: reads as many bytes, answers how many it has read. */
static _Noreturn void count(void)
{
	channel_close_end(&data.a);
	channel_close_end(&control.a);
	for (;;) {
		uint64_t expected, total = 0;

		channel_receive(&control.b, &expected, sizeof(expected));
		while (total < expected) {
			ssize_t n = read(data.b.in, buffer, buffer_size);

			if (n <= 0)
				err(1, "read");
			total += (uint64_t)n;
		}
		channel_send(&control.b, &total, sizeof(total));
	}
}

void stream_start(enum channel_kind kind, size_t size)
{
	buffer_size = size;
	buffer = xcalloc(size, 1);
	channel_open(&data, kind);
	channel_open(&control, CHANNEL_PIPE);
	partner = bench_fork();
	if (!partner)
		count();
	channel_close_end(&data.b);
	channel_close_end(&control.b);
}

void stream_batch(uint64_t n)
{
	uint64_t total = n * buffer_size;

	channel_send(&control.a, &total, sizeof(total));
}

void stream_run(uint64_t n)
{
	while (n--)
		channel_send(&data.a, buffer, buffer_size);
	channel_receive(&control.a, &arrived, sizeof(arrived));
}

const char *stream_check(uint64_t n)
{
	return arrived == n * buffer_size ? NULL : "the partner counted another number of bytes";
}

void stream_stop(void)
{
	bench_reap(partner);
	channel_close_end(&data.a);
	channel_close_end(&control.a);
}
