/* SPDX-License-Identifier: MIT */
/* lat_pipe - a message goes to another process through a pipe, and one of its size comes back. */
#include <err.h>
#include <unistd.h>

#include "measure/bench.h"

static int to[2], from[2], partner;
static char buffer[1 << 20];

static void read_all(int fd, size_t n)
{
	while (n) {
		ssize_t got = read(fd, buffer, n);

		if (got < 0)
			err(1, "read from pipe");
		if (got == 0)
			errx(1, "the partner closed the pipe");
		n -= (size_t)got;
	}
}

static void write_all(int fd, size_t n)
{
	while (n) {
		ssize_t put = write(fd, buffer, n);

		if (put < 0)
			err(1, "write to pipe");
		n -= (size_t)put;
	}
}

static void setup(void)
{
	size_t size = bench_number(0);

	if (pipe(to) || pipe(from))
		err(1, "pipe");
	partner = bench_fork();
	if (partner == 0)
		for (;;) {
			read_all(to[0], size);
			write_all(from[1], size);
		}
	close(to[0]);
	close(from[1]);
}

static void run(uint64_t n)
{
	size_t size = bench_number(0);

	while (n--) {
		write_all(to[1], size);
		read_all(from[0], size);
	}
}

static void teardown(void)
{
	bench_reap(partner);
}

static uint64_t bytes(void)
{
	return 2 * bench_number(0);
}

int main(int argc, char **argv)
{
	static const struct bench_parameter parameters[] = {
		{ "size", BENCH_SIZE, "1 64 1k 4k 16k 64k", 1, sizeof(buffer), "1", true,
		  "bytes of a message" },
		{ 0 }
	};
	static const struct bench bench = {
		.summary = "round trip of a message between two processes over two pipes",
		.operation = "one round trip: two writes, two reads, two switches",
		.parameters = parameters,
		.parties = BENCH_TWO,
		.kernel_entries = 4,
		.setup = setup,
		.run = run,
		.teardown = teardown,
		.bytes = bytes,
	};
	return bench_main(argc, argv, &bench);
}
