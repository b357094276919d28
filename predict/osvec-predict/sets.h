/* SPDX-License-Identifier: MIT */
/*
 * sets.h - which applications and machines a model was made with, and which it had never seen: a
 * table of
 *
 *	application	NAME	SET
 *	machine		NAME	SET
 *
 * where SET is development, held-out (what is not named), or sealed (not looked at until the model
 * was frozen).
 */
#ifndef OSVEC_PREDICT_SETS_H
#define OSVEC_PREDICT_SETS_H

#include <stddef.h>

#include "util/error.h"

enum set { SET_DEVELOPMENT, SET_HELD_OUT, SET_SEALED, SETS };

struct sets_row {
	char *name; /* "machine native" */
	enum set set;
};

/* Zeroed is valid and empty. */
struct sets {
	struct sets_row *v;
	size_t n, cap;
};

extern const char *const set_names[SETS];

/* Adds the rows of a file.  0, or -1 and *e with file and line. */
int sets_read(struct sets *s, const char *path, struct error *e);
/* The later one of the sets of an application and a machine: what either has never seen, both have
 * not. */
enum set sets_find(const struct sets *s, const char *application, const char *machine);
void sets_free(struct sets *s);

#endif
