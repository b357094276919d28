/* SPDX-License-Identifier: MIT */
/* lat_thread - starts a thread that ends at once, and waits for its end. */
#include <err.h>
#include <errno.h>
#include <pthread.h>

#include "measure/bench.h"

static uint64_t started;

static void *count(void *unused)
{
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
	.kernel_entries = 1,
	.prepare = prepare,
	.run = run,
	.check = check,
};
