/* SPDX-License-Identifier: MIT */
/* tracepoints: the search for their numbers, beside a thread that the same CPU goes to and from. */
#include "../tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "machine/cpus.h"
#include "record/perf/tracepoints.h"

enum { SEARCHES = 4, NAP = 5000 /* ns */ };

static atomic_bool ended;

/* Wakes up again and again, at which the kernel charges the other thread with its time: to a
 * tracepoint that counts nanoseconds. */
static void *disturb(void *arg)
{
	while (!ended)
		nanosleep(&(struct timespec){ .tv_nsec = NAP }, NULL);
	return arg;
}

int main(void)
{
	struct error e;
	int allowed[CPU_SETSIZE];
	const int in_kernel = tracepoints_allowed(&e);
	pthread_t thread;

	if (in_kernel < 1) {
		skip(in_kernel < 0 ? e.text : "ordinary users open those of calls alone", 1);
		return done_testing();
	}
	cpus_allowed(allowed);
	cpus_pin(allowed[0], NULL);
	pthread_create(&thread, NULL, disturb, NULL);
	for (int i = 0; i < SEARCHES; i++) {
		struct tracepoints t;

		if (tracepoints_find(&t, true, &e)) {
			diag(e.text);
			ok(false, "found");
			continue;
		}
		cmp_int(t.ids.n, 2, "two tracepoints");
		cmp_int(t.ids.v[0] > t.ids.v[1] ? t.ids.v[0] - t.ids.v[1] : t.ids.v[1] - t.ids.v[0],
			1, "which are neighbours: entry and exit of any call");
		tracepoints_free(&t, NULL, 0);
	}
	ended = true;
	pthread_join(thread, NULL);
	return done_testing();
}
