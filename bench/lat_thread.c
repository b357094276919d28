/* SPDX-License-Identifier: MIT */
/*
 * lat_thread - starts a thread that ends at once, and waits for its end.  With -P other the thread
 * moves itself to another CPU by its first call.
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "measure/bench.h"

static uint64_t started;
static cpu_set_t there; /* where threads run */

static void setup(void)
{
	cpu_set_t here;

	sched_getaffinity(0, sizeof(here), &here);
	bench_place_peer();
	sched_getaffinity(0, sizeof(there), &there);
	sched_setaffinity(0, sizeof(here), &here);
}

static void *count(void *unused)
{
	if (bench_is_apart() && sched_setaffinity(0, sizeof(there), &there))
		err(1, "sched_setaffinity");
	started++;
	return unused;
}

static void run(uint64_t n)
{
	while (n--) {
		pthread_t thread;

		errno = pthread_create(&thread, NULL, count, NULL);
		if (!errno)
			errno = pthread_join(thread, NULL);
		if (errno)
			err(1, "thread");
	}
}

static void prepare(uint64_t n)
{
	started = 0;
}

static const char *check(uint64_t n)
{
	return started == n ? NULL : "not every thread ran";
}

const struct bench bench = {
	.summary = "Starting a thread and waiting for its end.",
	.operation = "pthread_create and pthread_join",
	.parties = BENCH_TWO,
	.kernel_entries = 1,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
};
