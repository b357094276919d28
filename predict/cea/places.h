/* SPDX-License-Identifier: MIT */
/* places.h - where in a program a thread was, from the marks of libosvec-sites. */
#ifndef PLACES_H
#define PLACES_H

/*
 * "lock hold app.c:42" of a state "lock /path/of/app+0x1234"; "lock app+0x1234" where nothing says
 * which line that is; any other state as it is.  The caller frees.
 */
char *place_name(const char *state);
/* Programs that have changed since that trace was written say nothing about its lines. */
void places_begin(const char *trace);
/* Why a place was an address: words for a warning, or NULL if none was. */
const char *places_missing(void);
/* Returns the memory. */
void places_free(void);

#endif
