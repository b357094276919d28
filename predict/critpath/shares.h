/* SPDX-License-Identifier: MIT */
/* shares.h - the steps of a path, summed up by what they have in common. */
#ifndef SHARES_H
#define SHARES_H

#include "graph/path.h"

#define SHARE_UNKNOWN UINT64_MAX /* the key of what nobody knows */

struct share {
	uint64_t key;
	int64_t ns;
	uint64_t steps;
	const char *program, *state; /* NULL: several */
	uint32_t tid;		     /* 0: several */
	uint16_t state_number;	     /* of the first step */
};

/* Zeroed, but for graph, is valid and empty. */
struct shares {
	const struct graph *graph;
	struct share *v;
	size_t n, cap;
	uint64_t steps;
	int64_t unknown, guessed; /* ns */
	struct map by_key;
	unsigned by; /* see shares.c */
};

/* What is kept apart: "state" (of a program), "word" (of all), "program", "thread" or "all".
 * False: none of these. */
bool shares_by(struct shares *s, const char *word);
/* Adds a step: a path_take. */
void shares_take(void *shares, const struct path_step *step);
/* The longest first. */
void shares_sort(struct shares *s);
void shares_free(struct shares *s);

#endif
