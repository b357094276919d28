/* SPDX-License-Identifier: MIT */
/* callshape.h - what a recorder has to read of a call: how many arguments, a path, memory; and what
 * calls have in common that need only be counted. */
#ifndef CALLSHAPE_H
#define CALLSHAPE_H

#include "record/stream/records.h"

/* The shape of a call of Linux by its id; of one without a name nothing is to be read.  Valid until
 * the program ends. */
const struct record_shape *callshape_get(unsigned id);

#endif
