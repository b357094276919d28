/* SPDX-License-Identifier: MIT */
/*
 * format.h - what a trace format provides for source.h, and what formats share.  A new format is a
 * folder in lib/trace/format that defines a struct format, a declaration here and a row in
 * source.c.
 */
#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/event.h"
#include "trace/source.h"
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

struct source {
	const struct format *format;
	void *reader; /* the format's own state */
	struct input in;
	struct source_info info;
	struct source_losses losses;
};

struct format {
	const char *name;
	bool directory; /* its traces are directories, so that n below is 0 */
	bool text;	/* its traces are text, without a NUL */
	/* Returns whether the file at path, whose first bytes are data[n], is such a trace. */
	bool (*recognize)(const char *path, const unsigned char *data, size_t n);
	/* Sets s->reader and s->info from the beginning of s->in.  Returns 0, or -1 and sets *e. */
	int (*open)(struct source *s, struct error *e);
	/* Does what source_next() says.  Counts damaged bytes and bad lines; source.c counts the
	 * losses that are events. */
	int (*next)(struct source *s, struct event *out, struct error *e);
	/* Frees s->reader. */
	void (*close)(struct source *s);
};

/* Counts n bytes at `offset` as damaged, and keeps the first place and its reason for messages. */
void source_count_torn(struct source_losses *losses, uint64_t offset, size_t n, const char *why);

/* Counts a line of text that cannot be understood, and keeps the first one and its reason. */
void source_count_bad_line(struct source_losses *losses, uint64_t line, const char *why);

/* One declaration for each row of source.c. */
extern const struct format ktr_format, strace_format, ktrace_format, ctf_format, perf_data_format,
    perf_text_format, kdump_format;

#endif
