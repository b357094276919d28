/* SPDX-License-Identifier: MIT */
/*
 * meta.h - meta.json: what was measured, how, where and when, enough to go on with a run that was
 * cut short (docs/results.5).
 */
#ifndef DRIVER_META_H
#define DRIVER_META_H

#include <jansson.h>

#include "outcome.h"
#include "results.h"
#include "suite.h"
#include "util/error.h"

/* A description of the run that begins now, "status": "running". */
json_t *meta_new(const struct results *r, const struct suite *s, const struct plan *plan,
		 char *const *argv);
/* The run has come to an end: "complete", "budget" or "interrupted". */
void meta_end(json_t *meta, const char *status);
/* The run goes on. */
void meta_resume(json_t *meta);

/* The address of the peer on another machine that a described run measured with, or NULL.  The
 * caller frees. */
char *meta_peer(const json_t *meta);
/* The suite of a described run, with its settings and its choice of entries.  NULL and *e. */
struct suite *meta_suite(const json_t *meta, struct error *e);
/* How a described run ran programs, into a zeroed plan.  -1 and *e also when the machine's kernel
 * or a program is not the one it began with. */
int meta_plan(const json_t *meta, struct plan *plan, struct error *e);

#endif
