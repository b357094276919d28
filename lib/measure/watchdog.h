/* SPDX-License-Identifier: MIT */
/*
 * watchdog.h - ends the process when a batch does not end: a datagram was lost, or a peer killed.
 *
 * A timeout of each call would do that too, but the kernel would have to set a timer in each.
 */
#ifndef MEASURE_WATCHDOG_H
#define MEASURE_WATCHDOG_H

/* From now on ends the program by exit(1), with a message, when watchdog_reset() is not called for
 * this many seconds, three times in a row; the time that the process is stopped counts once. */
void watchdog_start(double seconds);
/* A batch has ended. */
void watchdog_reset(void);

#endif
