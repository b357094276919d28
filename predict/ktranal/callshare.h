/* SPDX-License-Identifier: MIT */
/*
 * callshare.h - how much of a system call the clock tick takes for user time.
 *
 * The kernel leaves a call with interrupts off; a tick that is due then comes at the first
 * instruction of the program.  So of a program that makes nothing but calls a third may look like
 * user time, which is in the cost of the calls already.
 */
#ifndef CALLSHARE_H
#define CALLSHARE_H

/* Seconds of each call that look like user time here: of null calls, made for about so many seconds
 * of CPU time.  0 when that is too short to tell, or no process can be made. */
double callshare_measure(double seconds);

#endif
