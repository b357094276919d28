/* SPDX-License-Identifier: MIT */
/* The records of perf_event_open(2), whose layout the sample_type of their event gives. */
#include "trace/format/perf/perf.h"

#include <string.h>

enum { TRACEPOINT = PERF_TYPE_TRACEPOINT, STAMPS_ALL = 18 /* bit of sample_id_all */ };

/* The bits of the kernel's flags begin at the other end on machines of the other order. */
static bool has_flag(const struct perf_attrs *a, uint64_t flags, unsigned bit)
{
	bool big = INPUT_IS_BIG != a->swapped;

	return flags >> (big ? 63 - bit : bit) & 1;
}

static unsigned words(uint64_t type, uint64_t bits)
{
	return (unsigned)__builtin_popcountll(type & bits);
}

void perf_attrs_add(struct perf_attrs *a, const unsigned char *p, size_t n,
		    const unsigned char *ids, size_t nids)
{
	enum { NEEDED = 48 };

	if (n < NEEDED)
		return;
	struct perf_attr attr = {
		.tracepoint = input_get(a->swapped, p, 4) == TRACEPOINT,
		.config = input_get(a->swapped, p + 8, 8),
		.type = input_get(a->swapped, p + 24, 8),
		.read = input_get(a->swapped, p + 32, 8),
		.stamps_all = has_flag(a, input_get(a->swapped, p + 40, 8), STAMPS_ALL),
	};
	attr.before =
	    8 * words(attr.type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	attr.behind =
	    8 * words(attr.type, PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				     PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
	vec_push(&a->v, attr);
	a->differ |= attr.type != a->v.v[0].type || attr.stamps_all != a->v.v[0].stamps_all;
	for (size_t i = 0; i < nids; i++)
		*map_at(&a->ids, input_get(a->swapped, ids + 8 * i, 8)) = a->v.n;
}

void perf_attrs_free(struct perf_attrs *a)
{
	map_free(&a->ids);
	vec_free(&a->v);
}

/* ---- records ---- */

/* The event that a record is of; with several kinds perf puts the id first in a sample, else last.
 */
static const struct perf_attr *attr_of(const struct perf_attrs *a, bool sample,
				       const unsigned char *p, size_t size)
{
	if (a->differ && a->v.v[0].type & PERF_SAMPLE_IDENTIFIER && size >= PERF_HEADER + 8) {
		const unsigned char *id = sample ? p + PERF_HEADER : p + size - 8;
		const uint64_t *at = map_find(&a->ids, input_get(a->swapped, id, 8));

		if (at)
			return &a->v.v[*at - 1];
	}
	return a->v.v;
}

/* What is in front of p is taken out of the n bytes there are; false: there is less. */
static bool skip(const unsigned char **p, size_t *n, uint64_t bytes)
{
	if (bytes > *n)
		return false;
	*p += bytes;
	*n -= (size_t)bytes;
	return true;
}

/* The values of counters. */
static bool skip_read(const struct perf_attrs *a, uint64_t format, const unsigned char **p,
		      size_t *n)
{
	unsigned times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING),
		 each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & 1 << 4 /* LOST, Linux 6.0 */);

	if (!(format & PERF_FORMAT_GROUP))
		return skip(p, n, 8 * (each + times));
	uint64_t counters = *n >= 8 ? input_get(a->swapped, *p, 8) : 0;
	return skip(p, n, 8 * (1 + times)) && counters <= *n / 8 && skip(p, n, 8 * each * counters);
}

/* Takes what samples and stamps have in words of 8 bytes, in the order of perf_event_open(2). */
static bool parse_words(const struct perf_attrs *a, uint64_t type, const unsigned char **p,
			size_t *n, struct perf_record *r)
{
	static const uint64_t order[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,	  PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME,	PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID,	PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		const unsigned char *word = *p;

		if (!(type & order[i]))
			continue;
		if (!skip(p, n, 8))
			return false;
		if (order[i] == PERF_SAMPLE_TID) {
			r->pid = (uint32_t)input_get(a->swapped, word, 4);
			r->tid = (uint32_t)input_get(a->swapped, word + 4, 4);
		} else if (order[i] == PERF_SAMPLE_TIME) {
			r->time = input_get(a->swapped, word, 8);
		} else if (order[i] == PERF_SAMPLE_CPU) {
			r->cpu = (uint32_t)input_get(a->swapped, word, 4);
		}
	}
	return true;
}

static bool parse_sample(const struct perf_attrs *a, const struct perf_attr *attr,
			 struct perf_record *r)
{
	const unsigned char *p = r->body;
	size_t n = r->n;
	uint64_t type = attr->type;

	if (!parse_words(a, type, &p, &n, r) ||
	    (type & PERF_SAMPLE_READ && !skip_read(a, attr->read, &p, &n)))
		return false;
	if (type & PERF_SAMPLE_CALLCHAIN) {
		uint64_t depth = n >= 8 ? input_get(a->swapped, p, 8) : 0;

		if (!skip(&p, &n, 8) || depth > n / 8 || !skip(&p, &n, 8 * depth))
			return false;
	}
	if (type & PERF_SAMPLE_RAW) {
		r->raw_n = n >= 4 ? (size_t)input_get(a->swapped, p, 4) : 0;
		if (!skip(&p, &n, 4) || r->raw_n > n)
			return false;
		r->raw = p;
	}
	return true;
}

/* What sample_id_all puts at the end of all other records. */
static bool parse_stamp(const struct perf_attrs *a, const struct perf_attr *attr,
			struct perf_record *r)
{
	const uint64_t type = attr->type, stamped = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						    PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
						    PERF_SAMPLE_CPU;
	size_t bytes = attr->behind + (type & PERF_SAMPLE_TID ? 8 : 0);

	if (!attr->stamps_all)
		return true;
	if (bytes > r->n)
		return false;
	const unsigned char *p = r->body + r->n - bytes;
	size_t left = bytes;
	parse_words(a, type & stamped, &p, &left, r);
	r->n -= bytes;
	return true;
}

uint64_t perf_time(const struct perf_attrs *a, const unsigned char *p, size_t size)
{
	bool sample = input_get(a->swapped, p, 4) == PERF_RECORD_SAMPLE;
	const struct perf_attr *attr = a->v.n ? attr_of(a, sample, p, size) : NULL;

	if (!attr || !(attr->type & PERF_SAMPLE_TIME) || (!sample && !attr->stamps_all))
		return 0;
	size_t at = sample ? PERF_HEADER + attr->before : size - attr->behind;
	return at >= PERF_HEADER && at <= size - 8 ? input_get(a->swapped, p + at, 8) : 0;
}

bool perf_parse(const struct perf_attrs *a, const unsigned char *p, size_t size,
		struct perf_record *out)
{
	*out = (struct perf_record){
		.type = (unsigned)input_get(a->swapped, p, 4),
		.misc = (unsigned)input_get(a->swapped, p + 4, 2),
		.body = p + PERF_HEADER,
		.n = size - PERF_HEADER,
	};
	if (!a->v.n)
		return false;
	const struct perf_attr *attr = attr_of(a, out->type == PERF_RECORD_SAMPLE, p, size);
	return out->type == PERF_RECORD_SAMPLE ? parse_sample(a, attr, out)
					       : parse_stamp(a, attr, out);
}
