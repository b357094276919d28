/* SPDX-License-Identifier: MIT */
/* lock.h - one hbench at a time: two would measure each other. */
#ifndef LOCK_H
#define LOCK_H

#include "util/error.h"

/*
 * Takes the lock of this machine, /tmp/osvec-hbench.lock or $OSVEC_LOCK, until the program ends,
 * however it ends.  0; -1 and *e naming the process that holds it.
 */
int lock_take(struct error *e);

#endif
