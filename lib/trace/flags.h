/* SPDX-License-Identifier: MIT */
/* flags.h - the numbers that calls take for flags and commands, as names. */
#ifndef FLAGS_H
#define FLAGS_H

#include <stdint.h>

/*
 * "O_RDWR|O_CREAT" of what a call takes as the argument of that number from 0; what has no name
 * stands there as a number.  NULL where the system has no names for it.  The text lives as long as
 * the process.  For one thread at a time.
 */
const char *flags_text(unsigned call, unsigned argument, uint64_t value);

#endif
