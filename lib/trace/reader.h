/* SPDX-License-Identifier: MIT */
/*
 * reader.h - what a trace format gives source.h.  A new format is one file that defines a struct
 * format, a declaration here and a row in source.c.
 */
#ifndef READER_H
#define READER_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/event.h"
#include "trace/input.h"
#include "trace/source.h"

struct source {
	const struct format *format;
	void *reader; /* the format's own state */
	struct input in;
	struct source_info info;
	struct source_losses losses;
};

struct format {
	const char *name;
	/* True when data[n], the first bytes of a file, begins a trace of this format. */
	bool (*recognize)(const unsigned char *data, size_t n);
	/* Sets s->reader and s->info from the beginning of s->in.  0, or -1 and *e. */
	int (*open)(struct source *s, struct error *e);
	/* As source_next.  Counts torn bytes and bad lines; source.c counts what events tell. */
	int (*next)(struct source *s, struct event *out, struct error *e);
	void (*close)(struct source *s);
};

extern const struct format ktr_format, strace_format;

#endif
