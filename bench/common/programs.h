/* SPDX-License-Identifier: MIT */
/*
 * programs.h - programs that do nothing and exit with status 0, for benchmarks to run.  Errors end the
 * program with status 1.
 */
#ifndef PROGRAMS_H
#define PROGRAMS_H

enum program_kind {
	PROGRAM_STATIC,	 /* three instructions: made in the directory under test */
	PROGRAM_DYNAMIC, /* /bin/true, where it is linked to shared libraries */
};

/* The path of a program that was seen to work, or NULL and why there is none.  Valid until the
 * program ends. */
const char *program_trivial(enum program_kind kind, const char **reason);

#endif
