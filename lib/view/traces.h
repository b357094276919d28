/* SPDX-License-Identifier: MIT */
/* traces.h - reads a trace from one end to the other, with progress, and keeps account of losses. */
#ifndef TRACES_H
#define TRACES_H

#include "view/completeness.h"
#include "trace/source.h"

/* Who gets the events. */
struct trace_taker {
	void (*begin)(void *arg,
		      const struct source_info *info); /* before the first; may be NULL */
	void (*take)(void *arg, const struct event *e);
	void *arg;
	bool prints; /* rows appear while it reads: a progress bar would cut through them */
};

/* 0, or -1 after a warning: what came before a trace broke off has been taken. */
int trace_read(const char *path, const struct trace_taker *taker, struct completeness *c);

#endif
