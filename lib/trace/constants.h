/* SPDX-License-Identifier: MIT */
/* constants.h - the numbers behind the names that strace prints: O_CREAT, SIGINT, ENOENT, ... */
#ifndef CONSTANTS_H
#define CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of the n bytes at name on the machine this is built for; false when it is not known. */
bool constant_find(const char *name, size_t n, int64_t *value);

#endif
