/* SPDX-License-Identifier: MIT */
/* input.h - the bytes and lines of a trace, and the numbers in them, for the readers of formats. */
#ifndef TRACE_INPUT_H
#define TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "util/error.h"

enum {
	INPUT_PAD = 256,      /* bytes after the buffered ones that may be read, but mean nothing */
	INPUT_LINE = 1 << 20, /* bytes of the longest line */
};

/*
 * The bytes of a file, a pipe or memory through a buffer that grows only on demand.  A format may
 * read the file itself instead: at any place with pread(2) if it is seekable, the files of a
 * directory with openat(2).
 */
struct input {
	char *name; /* the path, or what messages call it */
	int fd;	    /* -1: nothing to read beyond the buffer */
	bool is_directory, seekable;
	unsigned char *data;
	size_t start, end, cap; /* data[start] ... data[end - 1] are waiting */
	uint64_t offset;	/* of data[start] in the file */
	uint64_t total;		/* bytes of the file; 0: a pipe */
};

/* Opens path ("-": standard input).  Returns 0, or -1 and sets *e.  Close it with input_close(). */
int input_open(struct input *in, const char *path, struct error *e);
/* Makes *in a copy of data[n]; `name` stands for it in messages. */
void input_memory(struct input *in, const void *data, size_t n, const char *name);
/*
 * Reads until n bytes are waiting or the file ends; those waiting may move in memory.  Returns 0,
 * also if fewer than n are waiting (see input_waiting()), or -1 and sets *e.
 */
int input_fill(struct input *in, size_t n, struct error *e);
/*
 * Takes the next line out of the input and stores where it is and how long; a NUL stands in place
 * of its newline and of a CR before that.  Of a line longer than INPUT_LINE only the beginning is
 * stored. Returns 1, 0 at the end, or -1 and sets *e.
 */
int input_line(struct input *in, char **line, size_t *n, struct error *e);
/* Closes the file and frees everything. */
void input_close(struct input *in);

/* Returns how many bytes are waiting. */
static inline size_t input_waiting(const struct input *in)
{
	return in->end - in->start;
}

/* Returns where the waiting bytes are. */
static inline unsigned char *input_at(const struct input *in)
{
	return in->data + in->start;
}

/* Takes n of the waiting bytes out of the input. */
static inline void input_skip(struct input *in, size_t n)
{
	in->start += n;
	in->offset += n;
}

enum { INPUT_IS_BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ }; /* the order of this machine */

/* Returns the integer of 1, 2, 4 or 8 bytes at p, in the byte order of this machine or, if
 * `swapped`, the other one. */
static inline uint64_t input_get(bool swapped, const unsigned char *p, unsigned bytes)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (bytes) {
	case 1: return *p;
	case 2: memcpy(&two, p, 2); return swapped ? __builtin_bswap16(two) : two;
	case 4: memcpy(&four, p, 4); return swapped ? __builtin_bswap32(four) : four;
	default: memcpy(&eight, p, 8); return swapped ? __builtin_bswap64(eight) : eight;
	}
}

/* Returns the lowest bits of v, 1 to 64, as a signed number. */
static inline int64_t input_signed(uint64_t v, unsigned bits)
{
	return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

/* Reads n bytes at offset `at` of a file.  Returns how many there were, or -1 and sets errno. */
ssize_t input_read_at(int fd, void *out, size_t n, uint64_t at);

/* ---- text ---- */

/* Stores ".123456" at p as nanoseconds, 0 if there is no point.  Returns what follows. */
const char *input_fraction(const char *p, int64_t *ns);
/*
 * Stores "12" or "12.345678" seconds at p as nanoseconds and returns what follows.  Returns NULL if
 * there is no number or it is beyond 136 years, so that two such times and a difference of two more
 * can be added.
 */
const char *input_seconds(const char *p, int64_t *ns);
/* Returns the number at p, which is decimal or, after 0x, hexadecimal, and may have a '-' in front;
 * 0 if there is none. */
int64_t input_number(const char *p);
/* Returns the last word between p and *end and stores its length in *n.  *end moves in front of the
 * word and the blanks before it. */
const char *input_last_word(const char *p, const char **end, size_t *n);

#endif
