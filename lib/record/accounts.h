/* SPDX-License-Identifier: MIT */
/* accounts.h - what processes use from one look to the next: that of a recording is its difference. */
#ifndef ACCOUNTS_H
#define ACCOUNTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "machine/usage.h"
#include "util/map.h"

/* Of processes that use something which is not told yet.  Zeroed it is empty. */
struct accounts {
	struct map places; /* process -> its place in v */
	struct account {
		pid_t pid;
		struct usage past;
		bool single; /* never made a process or a thread since its birth */
		bool ends;   /* left.cpu and ticks are those at its exit */
		struct usage left;
	} * v;
	size_t n, cap;
};

/* All that process pid uses from its birth on is to be told. */
void accounts_begin(struct accounts *a, pid_t pid);
/* What it has used so far is no concern of ours, unless it has an account. */
void accounts_open(struct accounts *a, pid_t pid);
/* Has process pid an account? */
bool accounts_has(const struct accounts *a, pid_t pid);
/* It makes a process or a thread. */
void accounts_grow(struct accounts *a, pid_t pid);
/*
 * True for a process that never made another: what wait4(2) says of its faults, children included, is its
 * own, and need not be looked for in /proc, which takes longer than all the rest.
 */
bool accounts_single(const struct accounts *a, pid_t pid);
/* It is about to exit, and can be settled with its faults when it is gone.  0, or -1: it cannot. */
int accounts_end(struct accounts *a, pid_t pid);
/*
 * What it has used since it was begun, opened or settled; without switches.  faults: all that a single
 * process has had, or NULL.  0, or -1 when that cannot be read or it has no account.
 */
int accounts_settle(struct accounts *a, pid_t pid, const struct faults *faults, struct usage *used);
/* Nothing more is to be told of it: it has ended, and its number may come again, or does not matter. */
void accounts_close(struct accounts *a, pid_t pid);
/* Closes all of them and returns their memory. */
void accounts_free(struct accounts *a);

#endif
