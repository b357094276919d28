/* SPDX-License-Identifier: MIT */
/*
 * output.h - a .ktr that a command writes: it grows beside its place and takes it when it is whole;
 * into a device it goes at once.
 */
#ifndef KTRANAL_OUTPUT_H
#define KTRANAL_OUTPUT_H

#include "trace/format/ktr/ktr.h"
#include "view/reading.h"

struct output {
	const char *path; /* "-": standard output */
	char *temporary;  /* NULL: straight into fd */
	int fd;
	struct ktr_writer *writer;
	struct error error;
	bool failed;
};

/* Opens the file at path, which stays the caller's.  Returns 0, or -1 after a warning. */
int output_open(struct output *out, const char *path);
/* Begins the trace. */
void output_begin(struct output *out, const struct source_info *info);
/* Adds an event; a failure shows when it is closed. */
void output_write(struct output *out, const struct event *e);
/* Notes in the new trace the lines that could not be read, each of which may have been an event. */
void output_note_losses(struct output *out, const struct completeness *c);
/* Ends the trace, and puts the file in its place if `status` is 0 and all was written; drops it
 * otherwise.  Returns `status`, or -1 after a warning. */
int output_close(struct output *out, int status);

#endif
