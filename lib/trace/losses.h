/* SPDX-License-Identifier: MIT */
/* losses.h - why events can be missing in a trace, and the words for it. */
#ifndef TRACE_LOSSES_H
#define TRACE_LOSSES_H

#include <stdint.h>

/* Why events are missing.  The numbers are in files: add at the end. */
enum loss_class {
	LOST_UNKNOWN,
	LOST_RING_FULL,	     /* the recorder's buffer was full */
	LOST_UNREADABLE,     /* memory of the program that could not be read */
	LOST_UNTRACED_CHILD, /* a process that could not be followed (CLONE_UNTRACED) */
	LOST_UNMATCHED,	     /* entries or exits without their counterparts */
	LOST_UNSEEN,	     /* io_uring operations, which are not system calls */
	LOST_UNPARSED,	     /* lines or records that could not be understood */
	LOST_BLOCKS,	     /* missing or damaged blocks of the trace file */
	LOST_POLLED,	     /* operations of io_uring rings that the kernel polls */
	LOST_SWITCHES,	     /* ends of context switches that the kernel did not show */
	LOST_CLASSES
};

/* Returns what follows the number n of losses of a class in a text, as in "3 calls unfinished", or
 * NULL for a class that recorders do not count. */
const char *loss_text(enum loss_class class, uint64_t n);
/* Returns the name of the counter, of no process, that has their number at the end of a trace, or
 * NULL for such a class. */
const char *loss_counter(enum loss_class class);

#endif
