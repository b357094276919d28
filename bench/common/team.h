/* SPDX-License-Identifier: MIT */
/*
 * team.h - threads beside the measuring one, each on a CPU of its own, for the price of what the
 * threads of a process share: its address space, its locks.  They poll memory between the batches,
 * so that none has to be woken.  Errors end the program with status 1.
 */
#ifndef COMMON_TEAM_H
#define COMMON_TEAM_H

#include <stddef.h>
#include <stdint.h>

/* Why n threads and the measuring one cannot each have a CPU, or NULL. */
const char *team_reason(uint64_t n);
/* Starts n threads.  Until team_do they spin in user mode. */
void team_start(uint64_t n);
/* Returns when every thread runs. */
void team_gather(void);
/* Calls work(n) in all threads at once and returns when all have returned. */
void team_do(void (*work)(uint64_t n), uint64_t n);

#endif
