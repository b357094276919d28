/* SPDX-License-Identifier: MIT */
/* flags.h - names the numbers that calls take for flags and commands. */
#ifndef TRACE_FLAGS_H
#define TRACE_FLAGS_H

#include <stdint.h>

#include "trace/os.h"

/*
 * Returns the names of what is passed to a call, by a program of that ABI, as the argument with
 * that number from 0: "O_RDWR|O_CREAT", with a number for what has no name.  Returns NULL if the
 * system has no names for this argument.  The text lives until the next call; one thread at a time
 * may call it.
 */
const char *flags_text(enum abi abi, unsigned call, unsigned argument, uint64_t value);

#endif
