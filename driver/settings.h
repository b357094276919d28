/* SPDX-License-Identifier: MIT */
/* settings.h - how a suite is measured: its lines "set NAME VALUE" (docs/suite.5). */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct settings {
	double batch;			       /* seconds; 0: the programs' default */
	uint64_t batches;		       /* 0: the programs' default */
	uint64_t processes_min, processes_max; /* per entry */
	double precision;		       /* relative half-width of the interval to reach */
	double budget;			       /* seconds for the whole run; 0: no limit */
	double timeout;			       /* seconds for one process */
};

extern const struct settings settings_default;

/* Sets what words[0] names to words[1...n-1]; n > 0.  0, or -1 and *e saying what is accepted. */
int settings_set(struct settings *s, char *const *words, size_t n, struct error *e);

#endif
