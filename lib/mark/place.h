/* SPDX-License-Identifier: MIT */
/* place.h - names places of a program for marks, in libraries that are loaded in front of it. */
#ifndef MARK_PLACE_H
#define MARK_PLACE_H

/* A call in the program. */
struct place {
	const void *address;	/* return address of the call */
	const char *in, *after; /* states: "lock /path/of/object+0x1234", and "after " that */
};

/* Returns the place of a call of that kind that returns to that address; NULL if there are too many
 * places.  Static.  Preserves errno, is async-signal-safe and takes no locks. */
const struct place *place_of(const char *call, const void *address);

#endif
