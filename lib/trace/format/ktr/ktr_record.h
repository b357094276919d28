/* SPDX-License-Identifier: MIT */
/*
 * ktr_record.h - lays out the records in a block, as in docs/ktr.5: integers, strings, and the
 * fields of all events other than calls, as one table for writer and reader.
 *
 * Integers take as few bytes as they need: seven bits a byte, lowest first, the top bit set on all
 * but the last.  Signed ones are folded first (0, -1, 1, -2, ...), so that small ones of either
 * sign are short.
 */
#ifndef KTR_KTR_RECORD_H
#define KTR_KTR_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

enum {
	VARINT_MAX = 10,	/* bytes of the longest integer */
	KTR_STRING_MAX = 65535, /* longer strings are cut by the writer */
};

/* Record types; that of an event other than a call or counter is KTR_EVENT plus its type in
 * event.h. */
enum {
	KTR_INFO = 1,
	KTR_CALL,
	KTR_THREAD,
	KTR_NAME,
	KTR_COUNTER, /* these two have a number for a name, unlike the events of the table */
	KTR_STACK,
	KTR_EVENT = 14,
	KTR_SYSCALL = 0x80, /* this bit; the other seven bits have the length */
};

enum {
	KTR_LONG = 0x7f
}; /* a SYSCALL record is at least that long; the rest of the length follows */

/* What a SYSCALL record holds beyond call, time and duration. */
enum {
	KTR_HAS_THREAD = 1 << 0,
	KTR_HAS_ARGS = 1 << 1,
	KTR_HAS_RESULT = 1 << 2,
	KTR_HAS_OBJECT = 1 << 3,
	KTR_HAS_FLAGS = 1 << 4,
	KTR_HAS_PATH = 1 << 5,
	KTR_HAS_TEXT = 1 << 6,
	KTR_HAS_CPU = 1 << 7,
};

enum { KTR_INFO_TIME = 1, KTR_INFO_DURATION = 2, KTR_INFO_COST = 4, KTR_INFO_AGGREGATED = 8 };

/* Stores v at p.  Returns where it ends. */
static inline unsigned char *varint_put(unsigned char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	return p;
}

/* Returns the integer at *p, which moves past it, by at most VARINT_MAX bytes whatever they are. */
static inline uint64_t varint_get(const unsigned char **p)
{
	uint64_t v = **p & 0x7f;

	for (unsigned shift = 7; *(*p)++ & 0x80 && shift < 70; shift += 7)
		v |= (uint64_t)(**p & 0x7f) << shift;
	return v;
}

/* Folds a signed number, so that it is small if the number is near 0. */
static inline uint64_t varint_fold(uint64_t v)
{
	return v << 1 ^ -(v >> 63);
}

/* Unfolds it. */
static inline uint64_t varint_unfold(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

/* Returns the length of the body of the record at *p, which moves to the body. */
static inline uint64_t ktr_get_length(const unsigned char **p)
{
	unsigned tag = *(*p)++;
	uint64_t length = tag & KTR_SYSCALL ? tag & ~KTR_SYSCALL : varint_get(p);

	return tag == (KTR_SYSCALL | KTR_LONG) ? length + varint_get(p) : length;
}

/* Stores the fields of an event other than a call at *p, which moves past them.  Returns false if
 * the type is unknown. */
bool ktr_put_fields(unsigned char **p, const struct event *event);
/*
 * Reads the fields of an event of that type from the bytes between *p and end; those that the
 * record lacks are 0 or "".  Strings stay where they are.  Returns false if the type is unknown or
 * a string goes beyond end.  Numbers may move *p past end by less than INPUT_PAD, which the caller
 * checks.
 */
bool ktr_get_fields(const unsigned char **p, const unsigned char *end, unsigned type,
		    struct event *out);
/*
 * Stores a value that is nearly always a count: 0 to 2^53 as an integer that is one more, all else
 * as 0 and 8 bytes.  Returns where it ends.
 */
unsigned char *ktr_put_value(unsigned char *p, double value);
/* Returns the value at *p, which moves past it, by at most VARINT_MAX + 8 bytes whatever they are.
 */
double ktr_get_value(const unsigned char **p);
/* Stores a string, cut at KTR_STRING_MAX.  Returns where it ends. */
unsigned char *ktr_put_string(unsigned char *p, const char *s);
/* Returns the string at *p, which moves past it, or NULL if it goes beyond end. */
const char *ktr_get_string(const unsigned char **p, const unsigned char *end);

#endif
