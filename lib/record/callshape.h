/* SPDX-License-Identifier: MIT */
/*
 * callshape.h - what a recorder has to read of a call: how many arguments, a path, memory; and what
 * calls have in common that need only be counted.
 */
#ifndef CALLSHAPE_H
#define CALLSHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is to be read from memory; event.h says where it goes. */
struct callshape_memory {
	const char *call;
	uint8_t pointer; /* the argument that points to it */
	uint8_t offset;	 /* from there */
	enum {
		CALLSHAPE_FLAGS,       /* 64 bits, into argument 4 */
		CALLSHAPE_DESCRIPTORS, /* when it has returned: two numbers, into 4 and 5 */
		CALLSHAPE_RING,	       /* the flags of a new io_uring, for the recorder alone */
	} what;
};

struct callshape {
	uint8_t n;			       /* arguments */
	int8_t path;			       /* the first that is a path; -1: none */
	const struct callshape_memory *memory; /* or NULL */

	bool counted;	       /* nothing depends on its order among others */
	int8_t size;	       /* the argument that is its size; or below */
	uint8_t which;	       /* the argument that distinguishes its variants (syscalls.h), by */
	uint64_t variant_bits; /* these bits; 0: it has none */
	bool is_zero;	       /* ... of which matters only whether one is set */
};

/* In place of the number of an argument. */
enum { CALLSHAPE_RESULT = -1, CALLSHAPE_NO_SIZE = -2 };

/* The shape of a call of Linux by its id; NULL: a call without a name, of which nothing is known.
 * Valid until the program ends. */
const struct callshape *callshape_get(unsigned id);

#endif
