/* SPDX-License-Identifier: MIT */
/* places.h - translates the addresses in marks of libosvec-sites, and in stacks, into functions and
 * source lines. */
#ifndef CEA_PLACES_H
#define CEA_PLACES_H

/* Returns "lock hold app.c:42" for a state "lock /path/of/app+0x1234", "lock app+0x1234" if the
 * line is not known, and any other state unchanged.  The caller frees. */
char *place_name(const char *state);
/* Returns "fetch app.c:42 < main app.c:7" for the frames of a stack as in event.h: the innermost
 * ones that are not in the C library and the like.  The caller frees. */
char *place_stack(const char *frames);
/* Returns the text of the source line of such a state, or NULL if it cannot be read or is not that
 * of the trace; the caller frees. */
char *place_source(const char *state);
/* Sets the trace: lines are not taken from programs that are newer than it. */
void places_begin(const char *trace);
/* Returns a warning that says why some places are addresses, or NULL if there are none. */
const char *places_missing(void);
/* Frees everything. */
void places_free(void);

#endif
