/* SPDX-License-Identifier: MIT */
/* workload_formats.h - readers of other tools' files, for workload_file.c. */
#ifndef WORKLOAD_FORMATS_H
#define WORKLOAD_FORMATS_H

#include "network/workload.h"

/* A GOAL schedule, which begins with num_ranks; text is changed.  NULL and *e. */
struct workload *workload_parse_goal(char *text, const char *name, struct error *e);

#endif
