/* SPDX-License-Identifier: MIT */
/* ktr_block.h - finds the sound blocks of a .ktr, whatever lies between them. */
#ifndef KTR_BLOCK_H
#define KTR_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "trace/reader.h"
#include "util/error.h"

struct ktr_header {
	size_t length, payload; /* bytes */
	uint32_t payload_crc;
};

/* Zeroed is valid. */
struct ktr_block_finder {
	uint64_t distrust; /* offset up to which a damaged block claimed to reach */
};

/*
 * Moves s->in to the next sound block, all of which is then in memory, and counts what it skips.
 * 1, 0 at the end of the file, or -1 and *e.
 */
int ktr_find_block(struct source *s, struct ktr_block_finder *f, struct ktr_header *h,
		   struct error *e);
/* Counts n bytes at offset as damaged; the first place is kept with its reason. */
void ktr_count_torn(struct source_losses *losses, uint64_t offset, size_t n, const char *why);

#endif
