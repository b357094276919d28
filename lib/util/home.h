/* SPDX-License-Identifier: MIT */
/*
 * home.h - finds the files that belong to a program, in the build tree or installed.
 *
 * 	char *path = home_find(HOME_CONF, "basis.conf", &e);
 *
 * The search starts at the directory of the running program, so that a copied tree works.  If set,
 * $OSVEC_LIBEXEC (benchmark programs) and $OSVEC_SHARE (a directory with conf/ and reference/) are
 * used instead.
 */
#ifndef UTIL_HOME_H
#define UTIL_HOME_H

#include "util/error.h"

enum home_room {
	HOME_BENCH,	/* benchmark programs */
	HOME_CONF,	/* suites, basis.conf, topologies */
	HOME_REFERENCE, /* OS vectors: NAME.json, or NAME/osvec.json in sources
			 */
};

/* Returns the path of an existing file, or of the directory if name is NULL; the caller frees.
 * Returns NULL and sets *e, which says where it searched, if there is none. */
char *home_find(enum home_room room, const char *name, struct error *e);

#endif
