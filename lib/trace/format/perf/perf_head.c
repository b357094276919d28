/* SPDX-License-Identifier: MIT */
/* What perf.data says about itself: attributes of events, and features behind the records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format/perf/perf_data.h"

enum {
	FEATURES_AT = 72,
	TRACING_DATA = 1,
	HOSTNAME = 3,
	RELEASE = 4,
	ARCH = 6,
	FEATURES = 256,
};

/* n bytes at that place of the file into fresh memory; NULL if it has not so many. */
static unsigned char *read_at(const struct source *s, uint64_t at, uint64_t n)
{
	const struct input *in = &s->in;

	if (n > PERF_FEATURE_MAX || (in->total && (at > in->total || n > in->total - at)))
		return NULL;
	unsigned char *out = xmalloc((size_t)n + 1);
	out[n] = '\0';
	if (at >= in->offset && at - in->offset <= input_waiting(in) &&
	    n <= input_waiting(in) - (at - in->offset)) {
		memcpy(out, in->data + in->start + (at - in->offset), (size_t)n);
		return out;
	}
	if (!n || (in->fd >= 0 && input_read_at(in->fd, out, (size_t)n, at) == (ssize_t)n))
		return out;
	free(out);
	return NULL;
}

/* A string behind its length. */
static void copy_string(const struct perf_data *d, char *out, size_t size, const unsigned char *p,
			size_t n)
{
	size_t length = n >= 4 ? (size_t)input_get(d->swapped, p, 4) : 0;

	if (n >= 4)
		snprintf(out, size, "%.*s", (int)(length < n - 4 ? length : n - 4),
			 (const char *)p + 4);
}

void perf_take_feature(struct perf_data *d, unsigned feature, const unsigned char *p, size_t n)
{
	char arch[16] = "";

	switch (feature) {
	case TRACING_DATA: perf_formats_parse(&d->formats, p, n); break;
	case HOSTNAME: copy_string(d, d->host, sizeof(d->host), p, n); break;
	case RELEASE: copy_string(d, d->kernel, sizeof(d->kernel), p, n); break;
	case ARCH:
		copy_string(d, arch, sizeof(arch), p, n);
		kernel_set_abi(&d->perf.kernel, perf_abi(arch));
		break;
	default: break;
	}
}

/* A feature is where the table behind the records says, in the order of the set bits. */
static void read_features(struct source *s, struct perf_data *d, const unsigned char *header,
			  uint64_t table)
{
	unsigned row = 0;
	uint64_t end = table;

	for (unsigned i = 0; i < FEATURES; i++) {
		uint64_t word = input_get(d->swapped, header + FEATURES_AT + i / 64 * 8, 8);

		if (!(word >> i % 64 & 1))
			continue;
		unsigned char *place = read_at(s, table + 16 * row++, 16);
		uint64_t n = place ? input_get(d->swapped, place + 8, 8) : 0;
		unsigned char *p = n ? read_at(s, input_get(d->swapped, place, 8), n) : NULL;
		if (p) {
			uint64_t behind = input_get(d->swapped, place, 8) + n;

			perf_take_feature(d, i, p, (size_t)n);
			end = behind > end ? behind : end;
		}
		free(p);
		free(place);
	}
	/* The last feature ends the file. */
	if (end > table && end < s->in.total)
		source_count_torn(&s->losses, end, (size_t)(s->in.total - end),
				  "the file should end here: is another one appended to it?");
}

static void read_attrs(const struct source *s, struct perf_data *d, const unsigned char *header)
{
	uint64_t each = input_get(d->swapped, header + 16, 8);
	uint64_t at = input_get(d->swapped, header + 24, 8),
		 bytes = input_get(d->swapped, header + 32, 8), left = s->in.total;

	for (; each >= 64 && each <= bytes && d->attrs.v.n < PERF_ATTRS_MAX;
	     bytes -= each, at += each) {
		unsigned char *p = read_at(s, at, each);

		if (!p)
			return;
		uint64_t n = input_get(d->swapped, p + each - 8, 8);
		/* All could name the same ones, but then those of other events are in no place. */
		n = n <= left ? n : 0;
		left -= n;
		unsigned char *ids =
		    n ? read_at(s, input_get(d->swapped, p + each - 16, 8), n) : NULL;
		perf_attrs_add(&d->attrs, p, (size_t)each - 16, ids, ids ? (size_t)(n / 8) : 0);
		free(ids);
		free(p);
	}
}

bool perf_survey(struct perf_data *d)
{
	bool any = false;

	for (size_t i = 0; i < d->attrs.v.n; i++) {
		const struct perf_attr *a = &d->attrs.v.v[i];
		const uint64_t *at = a->tracepoint ? map_find(&d->formats.number, a->config) : NULL;
		const struct perf_format *f = at ? &d->formats.v.v[*at - 1] : NULL;

		any |= f != NULL;
		d->perf.kernel.sees_switches |= f && f->switches;
		d->samples_execs |= f && f->execs;
		d->perf.kernel.sees_exits |= f && f->exits;
	}
	d->perf.kernel.sees_exec |= d->samples_execs;
	return any;
}

int perf_read_head(struct source *s, uint64_t *start, struct error *e)
{
	struct perf_data *d = s->reader;
	const unsigned char *header = input_at(&s->in);
	unsigned char copy[PERF_FILE_HEADER];

	if (input_waiting(&s->in) < PERF_FILE_HEADER)
		return error_set(e, "%s: ends within its header", s->in.name);
	memcpy(copy, header, PERF_FILE_HEADER);
	uint64_t at = input_get(d->swapped, copy + 40, 8), n = input_get(d->swapped, copy + 48, 8);
	if (!s->in.total)
		return error_set(e,
				 "%s: perf.data has the formats of its events at its end: name the "
				 "file, or record with perf record -o - | ...",
				 s->in.name);
	read_attrs(s, d, copy);
	read_features(s, d, copy, at + n);
	if (!d->formats.v.n && (!n || at + n > s->in.total))
		return error_set(
		    e,
		    "%s: lacks its end, where the formats of its events are: perf "
		    "record was killed, or the copy is incomplete (what perf record -o "
		    "- writes can be read as far as it goes)",
		    s->in.name);
	if (!perf_survey(d))
		return error_set(e,
				 "%s: has no system calls and no switches; record them with perf "
				 "record -e 'raw_syscalls:*,sched:*'",
				 s->in.name);
	if (at < PERF_FILE_HEADER || at > s->in.total)
		return error_set(e, "%s: its header is damaged", s->in.name);
	d->left = n;
	*start = at;
	return 0;
}
