/* SPDX-License-Identifier: MIT */
#include "trace/format/ctf/ctf_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

enum {
	MAGIC = (int)0xc1fc1fc1,
	HEAD = 4096, /* bytes: enough for the headers of a packet */
	DEPTH = 64,
};

/* ---- fields ---- */

/* `size` bits at the bit `at`, up to 64; the data is padded. */
static uint64_t get_bits(const unsigned char *data, uint64_t at, unsigned size, bool big)
{
	const unsigned char *p = data + at / 8;
	unsigned shift = at % 8;

	if (shift + size > 64) { /* in two parts */
		unsigned first = 64 - shift;
		uint64_t a = get_bits(data, at, first, big);
		uint64_t b = get_bits(data, at + first, size - first, big);

		return big ? a << (size - first) | b : b << first | a;
	}
	uint64_t v = input_get(big != INPUT_IS_BIG, p, 8);
	v = big ? v << shift >> (64 - size) : v >> shift;
	return size < 64 ? v & (((uint64_t)1 << size) - 1) : v;
}

/* A clock's lower bits have gone on, perhaps around. */
static void set_clock(struct ctf_stream *s, uint64_t v, unsigned size)
{
	if (size < 64) {
		uint64_t span = (uint64_t)1 << size;
		uint64_t now = (s->now & ~(span - 1)) | v;

		v = now < s->now ? now + span : now;
	}
	s->now = v;
}

static bool align(struct ctf_stream *s, unsigned bits)
{
	s->at = (s->at + bits - 1) & ~(uint64_t)(bits - 1);
	return s->at <= s->limit;
}

/* The value of a field that a type refers to: the last one of that name. */
static const struct ctf_value *referred(const struct ctf_stream *s, unsigned name)
{
	for (size_t i = s->n; i-- > 0;)
		if (s->values[i].name == name)
			return &s->values[i];
	return NULL;
}

static struct ctf_value *add_value(struct ctf_stream *s, unsigned name, const struct ctf_type *t)
{
	static struct ctf_value beyond;
	struct ctf_value *v = s->n < CTF_VALUES ? &s->values[s->n++] : &beyond;

	*v = (struct ctf_value){ .name = name, .type = t };
	return v;
}

static bool read_field(struct ctf_stream *s, const struct ctf_type *t, unsigned name, int depth);

static bool read_number(struct ctf_stream *s, const struct ctf_type *t, unsigned name)
{
	if (s->at + t->size > s->limit)
		return false;
	uint64_t v = get_bits(s->data, s->at, t->size, t->big);
	s->at += t->size;
	if (t->is_clock)
		set_clock(s, v, t->size);
	add_value(s, name, t)->number = t->is_signed ? (uint64_t)input_signed(v, t->size) : v;
	return true;
}

static bool read_string(struct ctf_stream *s, const struct ctf_type *t, unsigned name)
{
	const char *p = (const char *)s->data + s->at / 8;
	const char *nul = memchr(p, '\0', (size_t)(s->limit / 8 - s->at / 8));
	struct ctf_value *v = add_value(s, name, t);

	if (!nul)
		return false;
	v->text = p;
	v->length = (size_t)(nul - p);
	s->at += 8 * (v->length + 1);
	return true;
}

static bool read_variant(struct ctf_stream *s, const struct ctf_type *t, unsigned name, int depth)
{
	const struct ctf_value *tag = referred(s, t->tag);

	if (!t->has_tag || !tag || tag->type->kind != CTF_ENUM)
		return false;
	for (size_t i = 0; i < tag->type->n; i++) {
		const struct ctf_member *label = &tag->type->members[i];

		if ((int64_t)tag->number < label->low || (int64_t)tag->number > label->high)
			continue;
		for (size_t j = 0; j < t->n; j++)
			if (t->members[j].name == label->name)
				return read_field(s, t->members[j].type, name, depth);
	}
	return false;
}

static bool read_array(struct ctf_stream *s, const struct ctf_type *t, unsigned name, int depth)
{
	const struct ctf_value *tag = t->has_tag ? referred(s, t->tag) : NULL;
	const struct ctf_type *element = t->element;
	uint64_t n = tag ? tag->number : t->length, i = 0;

	if ((t->has_tag && !tag) || n > s->limit)
		return false;
	struct ctf_value *v = add_value(s, name, t);
	v->number = n;
	if (t->is_text) {
		if (s->at + 8 * n > s->limit)
			return false;
		v->text = (const char *)s->data + s->at / 8;
		v->length = strnlen(v->text, n);
		s->at += 8 * n;
		return true;
	}
	for (; i < n && i < CTF_ELEMENTS; i++)
		if (!read_field(s, element, UINT32_MAX, depth))
			return false;
	if (i < n && (element->kind == CTF_INTEGER || element->kind == CTF_ENUM)) {
		unsigned stride = (element->size + element->align - 1) & ~(element->align - 1);

		s->at += (n - i) * stride;
		return s->at <= s->limit;
	}
	for (size_t kept = s->n; i < n; i++, s->n = kept)
		if (!read_field(s, element, UINT32_MAX, depth))
			return false;
	return true;
}

/* False if the field does not fit into the packet, or its type into what was read before. */
static bool read_field(struct ctf_stream *s, const struct ctf_type *t, unsigned name, int depth)
{
	if (!align(s, t->align) || depth > DEPTH || !s->budget--)
		return false;
	switch (t->kind) {
	case CTF_INTEGER:
	case CTF_ENUM: return read_number(s, t, name);
	case CTF_STRING: return read_string(s, t, name);
	case CTF_VARIANT: return read_variant(s, t, name, depth + 1);
	case CTF_ARRAY: return read_array(s, t, name, depth + 1);
	case CTF_STRUCT: break;
	}
	for (size_t i = 0; i < t->n; i++)
		if (!read_field(s, t->members[i].type, t->members[i].name, depth + 1))
			return false;
	return true;
}

static bool read_part(struct ctf_stream *s, const struct ctf_type *t)
{
	return !t || read_field(s, t, UINT32_MAX, 0);
}

/* ---- packets ---- */

static const struct ctf_value *value_named(const struct ctf_stream *s, const char *name)
{
	size_t i = names_find(&s->m->names, name);

	return i == SIZE_MAX ? NULL : referred(s, (unsigned)i);
}

static uint64_t number_named(const struct ctf_stream *s, const char *name)
{
	const struct ctf_value *v = value_named(s, name);

	return v ? v->number : 0;
}

/* Reads n bytes of the packet into s->data.  How many there are, or -1 and *e. */
static ssize_t fill(struct ctf_stream *s, size_t n, struct error *e)
{
	if (n + INPUT_PAD > s->cap) {
		s->cap = n + INPUT_PAD;
		s->data = xreallocarray(s->data, s->cap, 1);
	}
	ssize_t have = input_read_at(s->fd, s->data, n, s->offset);
	if (have < 0)
		return error_set(e, "%s: %s", s->file, strerror(errno));
	memset(s->data + have, 0, INPUT_PAD);
	return have;
}

/* Reads the headers of the packet whose first bytes are in s->data.  NULL, or why that cannot be.
 */
static const char *read_headers(struct ctf_stream *s, size_t have)
{
	static const char none[] = "no packet begins here";
	const char *cut = have < HEAD ? "the file ends within the head of a packet" : none;
	const struct ctf_metadata *m = s->m;

	s->at = 0;
	s->limit = 8 * have;
	s->budget = 1000;
	s->n = 0;
	bool whole = read_part(s, m->packet_header);
	const struct ctf_value *v = value_named(s, "magic");
	if (v ? v->number != (uint32_t)MAGIC : !whole)
		return none;
	if (!whole)
		return cut;
	s->class = ctf_stream_class(m, number_named(s, "stream_id"));
	s->n = 0;
	if (!s->class)
		return none;
	return read_part(s, s->class->packet_context) ? NULL : cut;
}

static void damaged(const struct ctf_stream *s, struct source_losses *losses, uint64_t offset,
		    uint64_t n, const char *why)
{
	char *reason = xasprintf("%s: %s", s->file, why);

	source_count_torn(losses, offset, (size_t)n, reason);
	free(reason);
}

/* What the headers say becomes the packet at hand. */
static void take_headers(struct ctf_stream *s)
{
	s->before = s->packet;
	s->packet = (struct ctf_packet){
		.begin = number_named(s, "timestamp_begin"),
		.end = number_named(s, "timestamp_end"),
		.discarded = number_named(s, "events_discarded"),
		.sequence = number_named(s, "packet_seq_num"),
		.has_sequence = value_named(s, "packet_seq_num"),
		.cpu = (uint32_t)number_named(s, "cpu_id"),
	};
	s->now = s->packet.begin;
}

/*
 * Reads the packet at s->offset.  1; 0 if there is none any more; -1 and *e.
 */
static int read_packet(struct ctf_stream *s, struct source_losses *losses, struct error *e)
{
	uint64_t rest = s->size - s->offset;
	ssize_t have = fill(s, rest < HEAD ? (size_t)rest : HEAD, e);

	s->at = 0;
	if (have < 0)
		return -1;
	if (!have)
		return 0;
	const char *why = read_headers(s, (size_t)have);
	if (why) {
		damaged(s, losses, s->offset, rest, why);
		s->length = rest;
		return 0;
	}
	uint64_t headers = s->at, packet = number_named(s, "packet_size"),
		 content = number_named(s, "content_size");
	if (!packet) /* the only packet of the file */
		packet = 8 * rest;
	if (!content || content > packet)
		content = packet;
	s->length = packet / 8;
	if (packet % 8 || packet <= headers || content < headers || s->length > CTF_PACKET_MAX) {
		damaged(s, losses, s->offset, rest, "a packet has no possible size");
		s->length = rest;
		return 0;
	}
	take_headers(s);
	if (s->length > rest) {
		damaged(s, losses, s->size, 0, "the file ends within a packet");
		s->length = rest;
	}
	have = fill(s, (size_t)s->length, e);
	if (have < 0)
		return -1;
	s->at = headers;
	s->limit = content < 8 * (uint64_t)have ? content : 8 * (uint64_t)have;
	s->budget = 1000 + 2 * s->limit;
	return 1;
}

static const struct ctf_event_class *class_of(const struct ctf_stream *s, uint64_t id)
{
	const struct ctf_metadata *m = s->m;
	uint64_t *i = map_find(&m->by_id, s->class->id << 32 | (id & UINT32_MAX));

	return i ? &m->events.v[*i - 1] : NULL;
}

/* The event at s->at.  False if it is damaged. */
static bool read_event(struct ctf_stream *s)
{
	uint64_t from = s->at;

	s->n = 0;
	if (!read_part(s, s->class->header))
		return false;
	const struct ctf_value *id = referred(s, s->m->id);
	s->event = class_of(s, id ? id->number : 0);
	s->context = s->n;
	if (!s->event || !read_part(s, s->class->context) || !read_part(s, s->event->context))
		return false;
	s->own = s->n;
	return read_part(s, s->event->fields) && s->at > from;
}

int ctf_stream_next(struct ctf_stream *s, struct source_losses *losses, struct error *e)
{
	if (s->at < s->limit) {
		uint64_t from = s->at;

		if (read_event(s))
			return CTF_EVENT;
		damaged(s, losses, s->offset + from / 8, (s->limit - from + 7) / 8,
			"an event cannot be read");
		s->at = s->limit;
	}
	s->offset += s->length;
	s->length = 0;
	if (s->offset >= s->size)
		return CTF_END;
	int got = read_packet(s, losses, e);
	if (got <= 0) {
		s->offset = s->size;
		s->at = s->limit = 0;
		return got;
	}
	s->packets++;
	return CTF_PACKET;
}
