/* SPDX-License-Identifier: MIT */
/* tracepoints: the search for their numbers does not take what counts nanoseconds for calls. */
#include "record/perf/tracepoints.c"

#include "../tap.h"

#include <stdlib.h>

/* An event of this process that counts what its scheduler accounts. */
static int open_software(uint64_t config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.disabled = true,
		.exclude_kernel = true,
	};

	return tracepoint_open(&attr, 0, -1, -1);
}

int main(void)
{
	struct error e;
	struct tracepoints t;
	const int in_kernel = tracepoints_allowed(&e);

	if (in_kernel < 0) {
		skip(e.text, 1);
		return done_testing();
	}
	int clock = open_software(PERF_COUNT_SW_TASK_CLOCK),
	    dummy = open_software(PERF_COUNT_SW_DUMMY);
	ok(clock >= 0 && !is_of_calls(clock), "nanoseconds are no calls");
	ok(dummy >= 0 && !is_of_calls(dummy), "nor is nothing");
	close(clock);
	close(dummy);
	if (in_kernel && ok(!tracepoints_find(&t, true, &e), "those of all calls are found")) {
		cmp_int(t.ids.n, 2, "two");
		cmp_int(abs(t.ids.v[1] - t.ids.v[0]), 1, "which are neighbours");
		tracepoints_free(&t, NULL, 0);
	}
	return done_testing();
}
