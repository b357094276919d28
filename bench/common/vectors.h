/* SPDX-License-Identifier: MIT */
/* vectors.h - passes over memory by the widest vector instructions of this CPU. */
#ifndef COMMON_VECTORS_H
#define COMMON_VECTORS_H

#include <stdint.h>

/* Sizes are multiples of 64 bytes; addresses need no alignment.  Every vector is loaded or stored
 * once in each of the passes: no compiler merges or drops them. */
struct vectors {
	const char *name; /* of the instructions: "AVX2" */
	/* The sum of the 64-bit words that all passes over p[size] read. */
	uint64_t (*sum)(const void *p, uint64_t size, uint64_t passes);
	/* Writes word to all words of p[size]. */
	void (*fill)(void *p, uint64_t size, uint64_t word, uint64_t passes);
	/* Copies from[size] to to[size]. */
	void (*copy)(void *to, const void *from, uint64_t size, uint64_t passes);
};

/* fill and copy by stores past the caches, of 16 bytes each, as they leave the CPU line by line
 * anyway; p and to are aligned to 64 bytes. */
extern const struct vectors vectors_nontemporal;
/* Why there are no such stores here, or NULL. */
const char *vectors_nontemporal_reason(void);

/* The widest that this CPU and its system support.  Adds the name to the flags of -J. */
const struct vectors *vectors_choose(void);

#endif
