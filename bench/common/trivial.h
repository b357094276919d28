/* SPDX-License-Identifier: MIT */
/*
 * trivial.h - programs that do nothing and end with status 0, for benchmarks to run.
 * Part of the front end of a benchmark program: what fails ends it with status 1.
 */
#ifndef TRIVIAL_H
#define TRIVIAL_H

enum trivial_kind {
	TRIVIAL_STATIC,	 /* three instructions: made in the directory under test */
	TRIVIAL_DYNAMIC, /* /bin/true, where it is linked to shared libraries */
};

/* The path of a program that was seen to work, or NULL and why there is none.  Valid until the
 * program ends. */
const char *trivial_program(enum trivial_kind kind, const char **reason);

#endif
