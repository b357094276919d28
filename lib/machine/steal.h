/* SPDX-License-Identifier: MIT */
/* steal.h - CPU time that the hypervisor gave to others. */
#ifndef STEAL_H
#define STEAL_H

/* Seconds stolen from this CPU (-1: from all of them) since boot, in steps of a clock tick; 0 when
 * the kernel does not tell. */
double steal_seconds(int cpu);

#endif
