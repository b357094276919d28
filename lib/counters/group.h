/* SPDX-License-Identifier: MIT */
/*
 * group.h - events in as few groups as a CPU can count at once, of which one counts at a time.
 *
 * Which events fit together the kernel decides, which knows the constraints of the counters: an
 * event joins the first group that it is not refused in.
 */
#ifndef COUNTERS_GROUP_H
#define COUNTERS_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "counters/event.h"
#include "util/vec.h"

struct group_options {
	pid_t pid;	   /* 0: of this process and what it starts later */
	int cpu;	   /* plus 1: of whatever runs there, and not of pid; or 0 */
	size_t carriers;   /* so many of the first events are in every group */
	size_t most;	   /* events in a group; 0: what fits */
	bool user, kernel; /* count in this mode; neither: as the names of the events say */
};

/* Private: an event in a group, and what it had counted when that was last read. */
struct group_member {
	size_t event, group;
	int fd;
	uint64_t count, enabled, running;
};

/* Zeroed is valid and empty. */
struct groups {
	size_t n;
	VEC(struct group_member) members; /* private; of each group its leader first */
};

/* Opens n events by name, stopped, for that process and all threads and processes that it starts
 * later.  0, or -1 or EVENT_UNSUPPORTED and *e. */
int groups_open(struct groups *g, const char *const *names, size_t n, const struct group_options *o,
		struct error *e);
/*
 * Opens them for this process, to try whether each group is counted: where the watchdog of the
 * kernel or somebody else has taken a counter, it never is.  Then *o gets smaller groups.  0, or -1
 * or EVENT_UNSUPPORTED and *e.
 */
int groups_try(const char *const *names, size_t n, struct group_options *o, struct error *e);
/* Starts counting a group, while no other one counts, or stops it. */
void groups_enable(const struct groups *g, size_t group, bool on);

/* What a group counted since it was last read. */
struct group_slice {
	size_t n, *events;	 /* numbers of those counted */
	double *counts;		 /* of them, while they were counted */
	double enabled, running; /* ns in which it was to count, and did */
};

/* Reads a group, whether it counts or not.  The arrays are the caller's, with room for all events.
 */
void groups_read(struct groups *g, size_t group, struct group_slice *s);
/* The descriptor of the i-th event of a group, which leads it if i is 0, and its number if that is
 * asked for; -1: there is none. */
int groups_fd(const struct groups *g, size_t group, size_t i, size_t *event);
/* Stops counting and frees the groups. */
void groups_close(struct groups *g);

#endif
