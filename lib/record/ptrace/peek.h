/* SPDX-License-Identifier: MIT */
/* peek.h - the memory of a traced process. */
#ifndef PEEK_H
#define PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* All n bytes at address of stopped thread tid; false when they are not there. */
bool peek(pid_t tid, uint64_t address, void *out, size_t n);
/* As many of them as there are before memory ends; returns how many. */
size_t peek_some(pid_t tid, uint64_t address, void *out, size_t n);
/* The string at address, cut at n - 1 bytes; false when there is none. */
bool peek_string(pid_t tid, uint64_t address, char *out, size_t n);

#endif
