/* SPDX-License-Identifier: MIT */
/* callshare.h - how much of a system call looks like user time. */
#ifndef KTRANAL_CALLSHARE_H
#define KTRANAL_CALLSHARE_H

/*
 * Seconds of a system call that the clock tick charges as user time, measured with null calls for
 * about that many seconds of CPU time; 0 when that is too short, or no process can be created.
 *
 * The kernel leaves a call with interrupts off, so that a tick that is due comes at the first
 * instruction of the program.  A third of a program that only makes calls may look like user time,
 * although it is part of the cost of the calls.
 */
double callshare_measure(double seconds);

#endif
