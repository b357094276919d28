/* SPDX-License-Identifier: MIT */
/* settings.h - how a suite is measured: its lines "set NAME VALUE" (docs/suite.5). */
#ifndef DRIVER_SETTINGS_H
#define DRIVER_SETTINGS_H

#include <stdbool.h>

#include <jansson.h>

#include "json/json.h"
#include "util/error.h"

/* All are double, also those that count: one table reads, checks and writes them. */
struct settings {
	double batch;	      /* seconds; 0: the programs' default */
	double batches;	      /* 0: the programs' default */
	double processes_min; /* per entry */
	double processes_max;
	double precision; /* relative half-width of the interval to reach */
	double budget;	  /* seconds for the whole run; 0: no limit */
	double timeout;	  /* seconds for one process */
};

extern const struct settings settings_default;

/* Sets words[0] to the values words[1...n-1]; n > 0.  Returns 0, or -1 and *e, which says what the
 * setting accepts. */
int settings_set(struct settings *s, char *const *words, size_t n, struct error *e);
/* A new JSON object with all settings, for meta.json. */
json_t *settings_to_json(const struct settings *s);
/* Reads what settings_to_json wrote; errors are kept in f. */
void settings_from_json(struct settings *s, struct fields *f, const json_t *o);

#endif
