/* SPDX-License-Identifier: MIT */
/* remarks.h - what the reader of trials must know, each thing said once. */
#ifndef REMARKS_H
#define REMARKS_H

#include "trial.h"
#include "util/map.h"

/* Notes what each trial shows, and what it cannot.  What trials of several applications have to say goes
 * into common's notes; what both trials of an application have, into those of the first. */
void remarks_note(struct trials *all, const struct truth *truth, const struct intervals *intervals,
		  struct question *common);
/* Notes the applications of the truth that are not known: none of those given. */
void remarks_unknown(const struct truth *truth, const struct names *known, struct question *common);

#endif
