/* SPDX-License-Identifier: MIT */
/* ktr_format.h - the numbers of docs/ktr.5 that writer and reader share. */
#ifndef KTR_FORMAT_H
#define KTR_FORMAT_H

#include <stdint.h>

#define KTR_MAGIC \
	"\x89" \
	"ktr\r\n\x1a\n"

enum {
	KTR_VERSION = 1,
	KTR_HEADER = 80, /* bytes in front of the payload */
	KTR_PAYLOAD_MAX = 1 << 20,
	KTR_PAYLOAD_TARGET = 128 << 10, /* a block is written when it has reached this */
	KTR_STRING_MAX = 65535,		/* longer strings are cut by the writer */
};

/* Where the fields of a block header are; little-endian. */
enum {
	KTR_AT_MAGIC = 0,	    /* 8 bytes */
	KTR_AT_VERSION = 8,	    /* u16 */
	KTR_AT_HEADER_LENGTH = 10,  /* u16 */
	KTR_AT_PAYLOAD_LENGTH = 12, /* u32 */
	KTR_AT_PAYLOAD_CRC = 16,    /* u32 */
	KTR_AT_RECORDS = 20,	    /* u32 */
	KTR_AT_STREAM = 24,	    /* u32 */
	KTR_AT_ABI = 28,	    /* u8 */
	KTR_AT_CLOCK = 29,	    /* u8 */
	KTR_AT_FLAGS = 30,	    /* u16 */
	KTR_AT_SEQUENCE = 32,	    /* u64 */
	KTR_AT_TIME = 40,	    /* i64 */
	KTR_AT_RESERVED = 48,	    /* 8 bytes, 0 */
	KTR_AT_BOOT = 56,	    /* 16 bytes */
	KTR_AT_RESERVED_TOO = 72,   /* 4 bytes, 0 */
	KTR_AT_HEADER_CRC = 76,	    /* u32 of the bytes before it */
};

enum { KTR_FLAG_LAST = 1 }; /* the recorder ended the stream in order */

enum ktr_abi { KTR_ABI_X86_64 = 1, KTR_ABI_ARM64, KTR_ABI_I386 };

/* clang-format off */
enum ktr_record {
	KTR_INFO = 1, KTR_CALL, KTR_THREAD,
	KTR_SWITCH = 16, KTR_WAKE, KTR_FORK, KTR_EXEC, KTR_EXIT, KTR_FD, KTR_LOST, KTR_CLOCK,
	KTR_MARK, KTR_COUNTER, KTR_SIGNAL,
	KTR_SYSCALL = 0x80,	/* this bit, and the length in the other seven */
};
/* clang-format on */

enum { KTR_LONG = 0x7f }; /* a SYSCALL record of at least that length: the rest follows */

/* What a SYSCALL record holds beyond call, time and duration. */
enum {
	KTR_HAS_THREAD = 1 << 0,
	KTR_HAS_ARGS = 1 << 1,
	KTR_HAS_RESULT = 1 << 2,
	KTR_HAS_OBJECT = 1 << 3,
	KTR_HAS_FLAGS = 1 << 4,
	KTR_HAS_PATH = 1 << 5,
	KTR_HAS_TEXT = 1 << 6,
};

enum { KTR_INFO_TIME = 1, KTR_INFO_DURATION = 2, KTR_INFO_COST = 4 };

static inline void ktr_put(unsigned char *p, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

static inline uint64_t ktr_get(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

#endif
