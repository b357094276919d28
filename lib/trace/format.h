/* SPDX-License-Identifier: MIT */
/*
 * format.h - what a trace format provides for source.h, and what it counts.  A new format is a
 * folder in lib/trace/format that defines a struct format, a declaration here and a row in
 * source.c.
 */
#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/input.h"
#include "trace/source.h"
#include "util/error.h"

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
