/* SPDX-License-Identifier: MIT */
/* ktr_block.h - lays out the header of the blocks of a .ktr, as in docs/ktr.5, and finds the intact
 * blocks. */
#ifndef KTR_KTR_BLOCK_H
#define KTR_KTR_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"
#include "util/error.h"

#define KTR_MAGIC "\211ktr\r\n\032\n"

enum {
	KTR_VERSION = 1,
	KTR_HEADER = 80, /* bytes in front of the payload */
	KTR_PAYLOAD_MAX = 1 << 20,
	KTR_PAYLOAD_TARGET = 128 << 10, /* a block is written when it has reached this */
};

/* Where the fields of a block header are; little-endian; the others are 0. */
enum {
	KTR_AT_MAGIC = 0,	    /* 8 bytes */
	KTR_AT_VERSION = 8,	    /* u16 */
	KTR_AT_HEADER_LENGTH = 10,  /* u16 */
	KTR_AT_PAYLOAD_LENGTH = 12, /* u32 */
	KTR_AT_PAYLOAD_CRC = 16,    /* u32 */
	KTR_AT_RECORDS = 20,	    /* u32 */
	KTR_AT_STREAM = 24,	    /* u32 */
	KTR_AT_ABI = 28,	    /* u8: enum abi plus 1 */
	KTR_AT_CLOCK = 29,	    /* u8 */
	KTR_AT_FLAGS = 30,	    /* u16 */
	KTR_AT_SEQUENCE = 32,	    /* u64 */
	KTR_AT_TIME = 40,	    /* i64 */
	KTR_AT_OS = 48,		    /* u8 */
	KTR_AT_BOOT = 56,	    /* 16 bytes */
	KTR_AT_HEADER_CRC = 76,	    /* u32 of the bytes before it */
};

enum { KTR_FLAG_LAST = 1 }; /* the recorder ended the stream in order */

/* Stores the lowest bytes of v at p, little-endian. */
static inline void ktr_put(unsigned char *p, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

/* Returns the integer of so many bytes at p, little-endian. */
static inline uint64_t ktr_get(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

/* Returns the CRC of iSCSI (RFC 3720, polynomial 0x1edc6f41) of data[n]; that of "123456789" is
 * 0xe3069283. */
uint32_t crc32c(const void *data, size_t n);
/* Returns the same, computed without special instructions of the processor. */
uint32_t crc32c_portable(const void *data, size_t n);

/* Returns whether data[n] holds the header of a block; `recognize` of struct format. */
bool ktr_recognize(const char *path, const unsigned char *data, size_t n);

struct ktr_header {
	size_t length, payload; /* bytes */
	uint32_t payload_crc;
};

/* A zeroed struct is valid. */
struct ktr_block_finder {
	uint64_t distrust; /* offset up to which a damaged block claimed to reach */
};

/*
 * Moves s->in to the next intact block, all of which is in memory then, and counts the bytes that
 * it skips.  Returns 1, 0 at the end of the file, or -1 and sets *e.
 */
int ktr_find_block(struct source *s, struct ktr_block_finder *f, struct ktr_header *h,
		   struct error *e);

#endif
