/* SPDX-License-Identifier: MIT */
/* shares.h - sums up the steps of a path by state, process, resource and so on. */
#ifndef CRITPATH_SHARES_H
#define CRITPATH_SHARES_H

#include "graph/path.h"

#define SHARE_UNKNOWN UINT64_MAX /* key of the time that the trace does not explain */

struct share {
	uint64_t key;
	int64_t ns;
	uint64_t steps;
	const char *program, *state, *resource; /* NULL: several */
	uint32_t pid, tid;			/* 0: several */
};

/* Valid and empty if all members except `graph` are zero. */
struct shares {
	const struct graph *graph;
	struct share *v;
	size_t n, cap;
	uint64_t steps;
	int64_t unknown, guessed; /* ns */
	/* How often the path goes over to another thread, and how often by a guess. */
	uint64_t changes, guessed_changes;
	uint32_t thread; /* of the last step */
	struct map by_key;
	unsigned by; /* of these bits */
};
enum { BY_WORD = 1, BY_PROGRAM = 2, BY_THREAD = 4, BY_PROCESS = 8, BY_RESOURCE = 16 };

/* Sets what steps are summed up by: "state" (of a program), "word" (of a state, all programs),
 * "program", "process" (which has the program that it was last on the path), "thread", "resource"
 * ("cpu", or what is waited for) or "all" (state and thread).  Returns false for any other word. */
bool shares_by(struct shares *s, const char *word);
/* Adds a step; to be used as a path_take. */
void shares_take(void *shares, const struct path_step *step);
/* Sorts by time, the longest first. */
void shares_sort(struct shares *s);
/* Frees the steps; `graph` stays the caller's. */
void shares_free(struct shares *s);

#endif
