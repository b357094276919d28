/* SPDX-License-Identifier: MIT */
/*
 * machines.h - the OS vectors that a command line names.
 *
 * An operand is the file of a vector, a directory, or the name of a reference platform.  A
 * directory stands for the osvec.json in it or, when there is none, for those up to two directories
 * below and for the *.json files in it; of several vectors of one machine the newest counts.
 */
#ifndef VECTOR_MACHINES_H
#define VECTOR_MACHINES_H

#include <stddef.h>

#include "util/error.h"
#include "vector/osvec.h"

struct machine {
	struct osvec *vector;
	char *label; /* its name; "name#2" when it is the second of that name */
};

/* Zeroed is valid and empty. */
struct machines {
	struct machine *v;
	size_t n, cap;
};

/* Reads the machines that paths[n] stand for, or the reference platforms and ./results when n is 0.
 * 0, or -1 and *e. */
int machines_read(struct machines *m, const char *const *paths, size_t n, struct error *e);
/* The vector of the one machine that path stands for; NULL and *e. */
struct osvec *machines_read_one(const char *path, struct error *e);
/* The path of the reference platform of that name.  The caller frees; NULL: there is none, or it is
 * the name of a file. */
char *machines_find_reference(const char *name);
/* Returns the memory. */
void machines_free(struct machines *m);

#endif
