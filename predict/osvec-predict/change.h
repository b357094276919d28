/* SPDX-License-Identifier: MIT */
/* change.h - other costs for entries of a machine: some times as much, or those of another machine.
 */
#ifndef OSVEC_PREDICT_CHANGE_H
#define OSVEC_PREDICT_CHANGE_H

#include "query.h"

/* Other costs for the entries that a pattern matches. */
struct change {
	const char *option, *value; /* as given */
	char *pattern;
	double factor;	      /* times this, */
	struct osvec *from;   /* or, unless NULL, what they cost there, */
	bool only_if_cheaper; /* if that is less */
};

/* Whether it is a factor of the application's user time. */
bool change_is_user(const struct change *c);
/* Whether an entry is what a change is about: a pattern, or a word of the name of its group
 * ("sockets"), which is a noun. */
bool change_is_of(const struct change *c, const char *entry);
/* Adds to v the entries that c is about and only the other machine has measured, which would be
 * borrowed and scaled otherwise.  To be called for all changes before the first is made. */
void change_add_missing(const struct change *c, struct osvec *v);
/*
 * Makes the change in v, but what a factor changes of calls, which is one of q's charges;
 * `unscaled` is v without factors, for what calls cost more inside programs: what another machine's
 * entries cost more there comes along.  Ends the program where there is no such entry, and adds a
 * note to q where some are missing.
 */
void change_make(const struct change *c, struct query *q, struct osvec *v, struct osvec *unscaled);

#endif
