/* SPDX-License-Identifier: MIT */
/*
 * home.h - where a program finds the files it came with, in the build tree or installed.
 *
 *	char *path = home_find(HOME_CONF, "basis.conf", &e);
 *
 * Searched from the directory of the running program, so that a copied tree works where it lands;
 * $OSVEC_LIBEXEC (benchmark programs) and $OSVEC_SHARE (a directory with conf/ and reference/)
 * come first when they are set.
 */
#ifndef HOME_H
#define HOME_H

#include "util/error.h"

enum home_room {
	HOME_BENCH,	/* benchmark programs */
	HOME_CONF,	/* suites, basis.conf, pages */
	HOME_REFERENCE, /* OS vectors of platforms: NAME.json, NAME/osvec.json in a source tree */
};

/* The path of name (NULL: of the directory itself), which exists; the caller frees.  NULL and *e,
 * which says where it was searched. */
char *home_find(enum home_room room, const char *name, struct error *e);

#endif
