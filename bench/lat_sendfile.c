/* SPDX-License-Identifier: MIT */
/*
 * lat_sendfile - sendfile(2) of SIZE bytes of a cached file to a TCP connection whose buffers hold
 * them.  The other end, in this process too, reads them outside the time and answers by one byte.
 */
#include <err.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "measure/bench.h"
#include "measure/channel.h"
#include "measure/scratch.h"
#include "util/xalloc.h"

static struct channel channel;
static char *inbox;
static int file;
static size_t size;

static const struct bench_parameter parameters[] = {
	{ "size", BENCH_SIZE, "1k 4k 16k 64k 256k", 1, 16 << 20, .fallback = "4k", .axis = true,
	  .help = "bytes sent" },
	{ 0 }
};

static const char *supported(void)
{
	const char *reason = scratch_reason(bench_number(0));

	return reason ? reason : channel_hold_reason(CHANNEL_TCP, bench_number(0));
}

static void setup(void)
{
	size = bench_number(0);
	inbox = xcalloc(size, 1);
	file = scratch_file(size);
	channel_open(&channel, CHANNEL_TCP);
}

static void run(uint64_t n)
{
	char answer = 0;

	while (n--) {
		off_t from = 0;

		if (sendfile(channel.a.out, file, &from, size) != (ssize_t)size)
			err(1, "sendfile of %zu bytes", size);
		bench_pause();
		inbox[size - 1] = 0;
		channel_receive(&channel.b, inbox, size);
		if (inbox[size - 1] != SCRATCH_BYTE)
			errx(1, "what arrived is not what is in the file");
		channel_send(&channel.b, &answer, 1);
		channel_receive(&channel.a, &answer, 1);
		bench_resume();
	}
}

static void teardown(void)
{
	channel_close(&channel);
	close(file);
}

static uint64_t bytes(void)
{
	return size;
}

static const struct bench bench = {
	.summary = "Sending SIZE bytes of a cached file to a TCP connection.",
	.operation = "one sendfile",
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
