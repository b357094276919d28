/* SPDX-License-Identifier: MIT */
/* callshape.h - tells a recorder what to read of a call (how many arguments, a path, memory) and
 * what calls that need only be counted have in common. */
#ifndef RECORD_CALLSHAPE_H
#define RECORD_CALLSHAPE_H

#include "record/stream/records.h"

/* Returns the shape of a call of Linux by its id (see syscalls.h), valid until the program ends.
 * Nothing is read of a call without a name. */
const struct record_shape *callshape_get(unsigned id);

#endif
