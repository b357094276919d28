/* SPDX-License-Identifier: MIT */
#include "stats/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

enum {
	BITS = 5,
	BUCKETS = 1 << BITS, /* per octave */
};

/* Octave 0 holds 0 ... 31 as they are, octave k > 0 holds [32, 64) << (k - 1). */
static unsigned octave_of(uint64_t value)
{
	return value < BUCKETS ? 0 : 64 - BITS - (unsigned)__builtin_clzll(value);
}

/* Makes room for an octave outside the present range. */
static void extend(struct histogram *h, unsigned octave)
{
	unsigned low = h->octaves && h->low < octave ? h->low : octave;
	unsigned end =
	    h->octaves && h->low + h->octaves > octave + 1 ? h->low + h->octaves : octave + 1;
	uint64_t *counts = xcalloc((size_t)(end - low) * BUCKETS, sizeof(*counts));

	if (h->octaves)
		memcpy(counts + (size_t)(h->low - low) * BUCKETS, h->counts,
		       (size_t)h->octaves * BUCKETS * sizeof(*counts));
	free(h->counts);
	h->counts = counts;
	h->low = low;
	h->octaves = end - low;
}

void histogram_add(struct histogram *h, uint64_t value, uint64_t n)
{
	unsigned octave = octave_of(value);
	uint64_t bucket = (octave ? value >> (octave - 1) : value) & (BUCKETS - 1);

	if (octave - h->low >= h->octaves)
		extend(h, octave);
	h->counts[(octave - h->low) * BUCKETS + bucket] += n;
	h->n += n;
}

void histogram_merge(struct histogram *h, const struct histogram *from)
{
	if (!from->octaves)
		return;
	extend(h, from->low);
	extend(h, from->low + from->octaves - 1);
	for (size_t i = 0; i < (size_t)from->octaves * BUCKETS; i++)
		h->counts[(size_t)(from->low - h->low) * BUCKETS + i] += from->counts[i];
	h->n += from->n;
}

/* The middle of bucket i, counted from the first octave of the range. */
static double middle(const struct histogram *h, size_t i)
{
	unsigned octave = h->low + (unsigned)(i / BUCKETS);
	double bucket = (double)(i % BUCKETS);

	if (!octave)
		return bucket;
	/* The integers of the bucket are first ... first + width - 1. */
	double width = ldexp(1, (int)octave - 1);
	return (BUCKETS + bucket) * width + (width - 1) / 2;
}

double histogram_quantile(const struct histogram *h, double q)
{
	double rank = ceil(q * (double)h->n);
	uint64_t below = 0;

	if (!h->n)
		return NAN;
	if (rank < 1)
		rank = 1;
	for (size_t i = 0; i < (size_t)h->octaves * BUCKETS; i++) {
		below += h->counts[i];
		if ((double)below >= rank)
			return middle(h, i);
	}
	return NAN;
}

void histogram_free(struct histogram *h)
{
	free(h->counts);
	*h = (struct histogram){ 0 };
}
