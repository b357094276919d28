/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include <err.h>
#include <string.h>
#include <unistd.h>

#include "measure/bench.h"
#include "util/xalloc.h"

static enum channel_kind kind;
static struct channel data, control;
static char *buffer;
static size_t size;
static uint64_t arrived;
static int partner;

static const struct bench_parameter parameters[] = {
	{ "size", BENCH_SIZE, "1 64 1k 4k 16k 64k 256k 1m", 1, 64 << 20, .fallback = "64k",
	  .axis = true, .help = "bytes in a write and, at most, in a read" },
	{ 0 }
};

static const char *supported(void)
{
	return channel_reason(kind, bench_number(0));
}

/* For every announcement on control: reads as many bytes, answers how many it has read. */
static _Noreturn void count(void)
{
	channel_close_end(&data.a);
	channel_close_end(&control.a);
	for (;;) {
		uint64_t expected, total = 0;

		channel_receive(&control.b, &expected, sizeof(expected));
		while (total < expected) {
			ssize_t n = read(data.b.in, buffer, size);

			if (n <= 0)
				err(1, "read");
			total += (uint64_t)n;
		}
		channel_send(&control.b, &total, sizeof(total));
	}
}

static void setup(void)
{
	size = bench_number(0);
	/* Pages of its own: fresh ones would all be the one page of zeros. */
	buffer = xmalloc(size);
	memset(buffer, 1, size);
	channel_open(&data, kind);
	channel_open(&control, CHANNEL_PIPE);
	partner = bench_fork();
	if (!partner)
		count();
	channel_close_end(&data.b);
	channel_close_end(&control.b);
}

/* Announces n transfers to the partner. */
static void batch(uint64_t n)
{
	uint64_t total = n * size;

	channel_send(&control.a, &total, sizeof(total));
}

/* Ends when the partner has counted the last byte. */
static void run(uint64_t n)
{
	while (n--)
		channel_send(&data.a, buffer, size);
	channel_receive(&control.a, &arrived, sizeof(arrived));
}

static const char *check(uint64_t n)
{
	return arrived == n * size ? NULL : "the partner counted another number of bytes";
}

static void teardown(void)
{
	bench_reap(partner);
	channel_close_end(&data.a);
	channel_close_end(&control.a);
}

static uint64_t bytes(void)
{
	return size;
}

int stream_main(int argc, char **argv, enum channel_kind of, const char *summary)
{
	const struct bench bench = {
		.summary = summary,
		.operation = "writing SIZE bytes, read at the other end",
		.parameters = parameters,
		.parties = BENCH_TWO,
		.kernel_entries = 1,
		.supported = supported,
		.setup = setup,
		.batch = batch,
		.run = run,
		.check = check,
		.teardown = teardown,
		.bytes = bytes,
	};

	kind = of;
	return bench_main(argc, argv, &bench);
}
