/* SPDX-License-Identifier: MIT */
/*
 * Blocks are checked before they are used; a damaged place is skipped up to the next intact header
 * and its bytes are counted.
 */
#include "trace/format/ktr/ktr_block.h"

#include <string.h>

#include "trace/format/ktr/ktr.h"

/* True when n bytes at p begin with a header whose checksum matches. */
static bool parse_header(const unsigned char *p, size_t n, struct ktr_header *h)
{
	if (n < KTR_HEADER || memcmp(p, KTR_MAGIC, sizeof(KTR_MAGIC) - 1) ||
	    ktr_get(p + KTR_AT_HEADER_CRC, 4) != crc32c(p, KTR_AT_HEADER_CRC))
		return false;
	h->length = ktr_get(p + KTR_AT_HEADER_LENGTH, 2);
	h->payload = ktr_get(p + KTR_AT_PAYLOAD_LENGTH, 4);
	h->payload_crc = (uint32_t)ktr_get(p + KTR_AT_PAYLOAD_CRC, 4);
	return h->length >= KTR_HEADER && h->payload <= KTR_PAYLOAD_MAX;
}

/* The first intact header in data[n], or NULL. */
static const unsigned char *find_header(const unsigned char *data, size_t n)
{
	const unsigned char *p = data, *end = data + n;
	struct ktr_header h;

	while ((p = memmem(p, (size_t)(end - p), KTR_MAGIC, sizeof(KTR_MAGIC) - 1)) &&
	       !parse_header(p, (size_t)(end - p), &h))
		p++;
	return p;
}

bool ktr_recognize(const char *path, const unsigned char *data, size_t n)
{
	(void)path;
	return find_header(data, n) != NULL;
}

/* Skips n bytes as damaged. */
static void tear(struct source *s, size_t n, const char *why)
{
	source_count_torn(&s->losses, s->in.offset, n, why);
	input_skip(&s->in, n);
}

/* Skips to the next place where a header may be; at least one byte. */
static void resynchronize(struct source *s, const char *why)
{
	const unsigned char *p = input_at(&s->in);
	size_t n = input_waiting(&s->in);
	const unsigned char *next = memmem(p + 1, n - 1, KTR_MAGIC, sizeof(KTR_MAGIC) - 1);

	if (next)
		n = (size_t)(next - p);
	else if (n >= sizeof(KTR_MAGIC))
		n -= sizeof(KTR_MAGIC) - 2; /* the magic may begin in the bytes kept */
	tear(s, n, why);
}

/*
 * A payload with a wrong checksum was damaged in place, or its block was cut short and others
 * follow, which are searched for inside.  A second such payload within the first is skipped as a
 * whole, which bounds the work on a hostile file.
 */
static void skip_payload(struct source *s, struct ktr_block_finder *f, const struct ktr_header *h)
{
	size_t n = h->length + h->payload;
	const char *why = n > input_waiting(&s->in) ? "the file ends within a block"
						    : "a block's checksum does not match";

	if (n > input_waiting(&s->in))
		n = input_waiting(&s->in);
	if (s->in.offset < f->distrust) {
		tear(s, n, why);
	} else {
		f->distrust = s->in.offset + n;
		resynchronize(s, why);
	}
}

int ktr_find_block(struct source *s, struct ktr_block_finder *f, struct ktr_header *h,
		   struct error *e)
{
	for (;;) {
		if (input_fill(&s->in, KTR_HEADER, e) < 0)
			return -1;
		if (input_waiting(&s->in) == 0)
			return 0;
		if (!parse_header(input_at(&s->in), input_waiting(&s->in), h)) {
			resynchronize(s, "no block begins here");
			continue;
		}
		if (input_fill(&s->in, h->length + h->payload, e) < 0)
			return -1;
		if (input_waiting(&s->in) >= h->length + h->payload &&
		    crc32c(input_at(&s->in) + h->length, h->payload) == h->payload_crc)
			return 1;
		skip_payload(s, f, h);
	}
}
