/* SPDX-License-Identifier: MIT */
/* calls.h - for tests of views: calls that are events. */
#ifndef UNIT_CALLS_H
#define UNIT_CALLS_H

#include "trace/event.h"
#include "trace/syscalls.h"

/* By thread 11 of process 10. */
static inline struct event call(const char *name, int64_t time, int64_t duration, int64_t result)
{
	return (struct event){
		.type = EVENT_SYSCALL,
		.pid = 10,
		.tid = 11,
		.time = time,
		.call = { .id = syscall_by_name(name), .duration = duration, .result = result }
	};
}

#endif
