/* SPDX-License-Identifier: MIT */
/* flags.h - the numbers that calls take for flags and commands, as names. */
#ifndef FLAGS_H
#define FLAGS_H

#include <stdint.h>

#include "trace/os.h"

/*
 * "O_RDWR|O_CREAT" of what a call of a program of that ABI takes as the argument of that number
 * from 0; what has no name stands there as a number.  NULL where the system has no names for it.
 * The text lives until the next call.  For one thread at a time.
 */
const char *flags_text(enum abi abi, unsigned call, unsigned argument, uint64_t value);

#endif
