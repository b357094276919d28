/* SPDX-License-Identifier: MIT */
/*
 * varint.h - integers in as few bytes as they need: seven bits a byte, lowest first, the top bit
 * set on all but the last.  Signed ones are folded first (0, -1, 1, -2, ...), so that small ones
 * of either sign are short.
 */
#ifndef VARINT_H
#define VARINT_H

#include <stdint.h>

enum { VARINT_MAX = 10 }; /* bytes of the longest */

/* Stores v at p; returns the byte behind it. */
static inline unsigned char *varint_put(unsigned char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	return p;
}

/* The integer at *p, which moves behind it; reads at most VARINT_MAX bytes whatever they are. */
static inline uint64_t varint_get(const unsigned char **p)
{
	uint64_t v = **p & 0x7f;

	for (unsigned shift = 7; *(*p)++ & 0x80 && shift < 70; shift += 7)
		v |= (uint64_t)(**p & 0x7f) << shift;
	return v;
}

static inline uint64_t varint_fold(uint64_t v)
{
	return v << 1 ^ -(v >> 63);
}

static inline uint64_t varint_unfold(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

#endif
