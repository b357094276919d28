/* SPDX-License-Identifier: MIT */
/*
 * lat_wake - what it costs to wake a process that sleeps on another CPU: FUTEX_WAKE, or a write to
 * an eventfd or pipe that it reads.  Only the caller's time counts: if the other CPU is idle, that
 * of an interrupt to it as well.  One operation to a batch, as it has to fall asleep again.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/memory.h"

enum { FUTEX, EVENTFD, PIPE };

static struct shared {
	_Atomic uint32_t calls, answers;
} * shared;

static int from, to, status;

static const struct bench_parameter parameters[] = { { "what", BENCH_CHOICE, "futex eventfd pipe",
						       .help =
							   "what the sleeping process waits for" },
						     { 0 } };

static void wait_once(uint32_t seen)
{
	uint64_t value;

	if (bench_choice(0) != FUTEX && read(from, &value, sizeof(value)) != sizeof(value))
		err(1, "read");
	while (bench_choice(0) == FUTEX && atomic_load(&shared->calls) == seen)
		if (syscall(SYS_futex, &shared->calls, FUTEX_WAIT, seen, NULL, NULL, 0) &&
		    errno != EAGAIN && errno != EINTR)
			err(1, "futex");
}

static void open_way(void)
{
	int ends[2];

	shared = memory_shared(sizeof(*shared));
	if (bench_choice(0) == EVENTFD && (from = to = eventfd(0, 0)) < 0)
		err(1, "eventfd");
	if (bench_choice(0) == PIPE) {
		if (pipe(ends))
			err(1, "pipe");
		from = ends[0];
		to = ends[1];
	}
}

static void setup(void)
{
	char path[64];

	open_way();
	int peer = bench_fork();
	while (!peer) {
		wait_once(atomic_load(&shared->answers));
		atomic_fetch_add(&shared->answers, 1);
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", peer);
	status = open(path, O_RDONLY);
	if (status < 0)
		err(1, "%s", path);
}

/* "PID (NAME) STATE ..." */
static bool is_asleep(void)
{
	char text[64];
	ssize_t got = pread(status, text, sizeof(text) - 1, 0);

	if (got <= 0)
		err(1, "/proc/PID/stat");
	text[got] = '\0';
	const char *end = strrchr(text, ')');
	return end && end[1] == ' ' && end[2] == 'S';
}

static void prepare(uint64_t n)
{
	while (atomic_load(&shared->answers) != atomic_load(&shared->calls) || !is_asleep())
		bench_relax();
}

static void run(uint64_t n)
{
	static const uint64_t one = 1;

	while (n--) {
		atomic_fetch_add(&shared->calls, 1);
		if (bench_choice(0) == FUTEX) {
			if (syscall(SYS_futex, &shared->calls, FUTEX_WAKE, 1, NULL, NULL, 0) != 1)
				errx(1, "the futex woke nobody");
		} else if (write(to, &one, sizeof(one)) != sizeof(one)) {
			err(1, "write");
		}
	}
}

static uint64_t limit(void)
{
	return 1;
}

const struct bench bench = {
	.summary = "Waking a process that sleeps on another CPU: the time of the caller.",
	.operation = "one call that wakes",
	.parameters = parameters,
	.parties = BENCH_APART,
	.kernel_entries = 1,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.limit = limit,
};
