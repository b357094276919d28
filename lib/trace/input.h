/* SPDX-License-Identifier: MIT */
/* input.h - the bytes of a file, a pipe or memory through one buffer that grows only on demand. */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum { INPUT_PAD = 256 }; /* bytes behind the buffered ones that may be read, not believed */

struct input {
	char *name; /* for messages */
	int fd;	    /* -1: nothing to read beyond the buffer */
	unsigned char *data;
	size_t start, end, cap; /* data[start] ... data[end - 1] are waiting */
	uint64_t offset;	/* of data[start] in the file */
	uint64_t total;		/* bytes of the file; 0: a pipe */
};

/* Opens path ("-": stdin).  0, or -1 and *e. */
int input_open(struct input *in, const char *path, struct error *e);
/* Takes a copy of data[n]. */
void input_memory(struct input *in, const void *data, size_t n, const char *name);
/*
 * Reads until n bytes are waiting or the file ends; those waiting may move.
 * 0 (see input_waiting for how many there are), or -1 and *e.
 */
int input_fill(struct input *in, size_t n, struct error *e);
/* Closes the file and returns the memory. */
void input_close(struct input *in);

static inline size_t input_waiting(const struct input *in)
{
	return in->end - in->start;
}

static inline unsigned char *input_at(const struct input *in)
{
	return in->data + in->start;
}

static inline void input_skip(struct input *in, size_t n)
{
	in->start += n;
	in->offset += n;
}

#endif
