/* SPDX-License-Identifier: MIT */
/* lock.h - one hbench at a time: two would measure each other. */
#ifndef DRIVER_LOCK_H
#define DRIVER_LOCK_H

#include "util/error.h"

/* Takes the lock of this machine, /tmp/osvec-hbench.lock or $OSVEC_LOCK, until the program ends.
 * 0; 1 and *e naming the process that holds it; -1 and *e: no lock can be had. */
int lock_machine(struct error *e);

#endif
