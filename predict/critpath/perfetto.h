/* SPDX-License-Identifier: MIT */
/* perfetto.h - writes a path for ui.perfetto.dev and chrome://tracing. */
#ifndef CRITPATH_PERFETTO_H
#define CRITPATH_PERFETTO_H

#include "graph/path.h"

/* Begins to write a path to stdout. */
void perfetto_begin(const struct graph *g);
/* Writes a step on the track of the path, and on that of its thread; to be used as a path_take. */
void perfetto_take(void *graph, const struct path_step *step);
/* Writes the end, after all steps. */
void perfetto_end(void);

#endif
