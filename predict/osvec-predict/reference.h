/* SPDX-License-Identifier: MIT */
/* reference.h - the machine that an application was recorded on. */
#ifndef OSVEC_PREDICT_REFERENCE_H
#define OSVEC_PREDICT_REFERENCE_H

#include "query.h"

/* Finds the reference of a query whose application and machines were read: the one given, which may
 * also be among the machines, or else the machine that the application names, or else one that it
 * can have been recorded on; those given first.  Notes say how sure that is; one that cannot be
 * told from another ends the program. */
void reference_find(struct query *q);
/* Whether machine i comes from the same file as an earlier one, or from a copy. */
bool reference_is_repeated(const struct machines *m, size_t i);

#endif
