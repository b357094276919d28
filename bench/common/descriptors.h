/* SPDX-License-Identifier: MIT */
/*
 * descriptors.h - many descriptors to watch, one of them readable: what lat_epoll and lat_poll
 * share.  Part of the front end of a benchmark program: what fails ends it with status 1.
 */
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>

/* Raises the limit of open files (RLIMIT_NOFILE) as far as n descriptors need it; why they cannot
 * be had, or NULL. */
const char *descriptors_reason(uint64_t n);
/* n descriptors of eventfd(2), of which the last is readable, now and always.  The caller frees the
 * array; the program's end closes them. */
int *descriptors_new(size_t n);

#endif
