/* SPDX-License-Identifier: MIT */
/*
 * ring.h - processes in a ring of pipes that pass a token; each sums an array when it has it.
 *
 * A part of benchmark programs, like bench.h: failures end the program.  One ring per process.
 */
#ifndef RING_H
#define RING_H

#include <stddef.h>
#include <stdint.h>

enum ring_arrays {
	RING_SHARED,  /* all sum the same memory: it stays in the cache */
	RING_PRIVATE, /* each sums memory of its own: they push each other out of the cache */
};

/* Starts processes - 1 peers, all with an array of so many bytes. */
void ring_start(size_t processes, size_t bytes, enum ring_arrays arrays);
/* Passes the token on so many times; a multiple of the processes, so that it comes home. */
void ring_pass(uint64_t hops);
/* The same pipe calls and sums in this process alone: what a hop costs besides the switch. */
void ring_pass_alone(uint64_t hops);
/* NULL when every process has had the token its share of the hops that ring_pass was last told. */
const char *ring_check(uint64_t hops);

#endif
