/* SPDX-License-Identifier: MIT */
/* notes.h - the notes of validate. */
#ifndef NOTES_H
#define NOTES_H

#include "trial.h"
#include "util/map.h"

/* Adds to common's notes what each trial shows and what it cannot show, and takes the notes of the
 * trials: each text once, with the trials that it is about unless it is about all. */
void notes_add(struct trials *all, const struct measured *measured,
	       const struct intervals *intervals, struct query *common);
/* Notes the measured applications that are not known, as none of those given. */
void notes_add_unknown(const struct measured *measured, const struct names *known,
		       struct query *common);

#endif
