/* SPDX-License-Identifier: MIT */
/* accounts.h - what processes use from one look to the next: that of a recording is its difference. */
#ifndef ACCOUNTS_H
#define ACCOUNTS_H

#include <sys/types.h>

#include "trace/usage.h"
#include "util/map.h"

/* Of processes that have used something by now.  Zeroed it is empty. */
struct accounts {
	struct map places;	/* process -> its place in v */
	struct account {
		pid_t pid;
		struct usage past;
	} *v;
	size_t n, cap;
};

/* What process pid has used so far is no concern of ours. */
void accounts_open(struct accounts *a, pid_t pid);
/*
 * What it has used since it was opened or settled, or since its birth; without switches.  0, or -1
 * when that cannot be read.
 */
int accounts_settle(struct accounts *a, pid_t pid, struct usage *used);
/* It has ended: its number may come again. */
void accounts_close(struct accounts *a, pid_t pid);
void accounts_free(struct accounts *a);

#endif
