/* SPDX-License-Identifier: MIT */
/* strace_scratch.h - memory for what lives as long as one line of a log; no allocation once it is warm. */
#ifndef STRACE_SCRATCH_H
#define STRACE_SCRATCH_H

#include <stddef.h>

/* Zeroed is valid and empty. */
struct scratch {
	char *block;
	size_t used, cap;
	struct {
		char **v;
		size_t n, cap;
	} extra; /* what did not fit into block */
	size_t extra_size;
};

/* n bytes that stay where they are until scratch_reset. */
char *scratch_take(struct scratch *s, size_t n);
/* A copy of the n bytes at p, with a NUL behind it. */
char *scratch_copy(struct scratch *s, const char *p, size_t n);
/* Forgets everything taken; keeps room for as much again. */
void scratch_reset(struct scratch *s);
/* Returns the memory; all that was taken is gone. */
void scratch_free(struct scratch *s);

#endif
