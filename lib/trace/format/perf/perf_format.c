/* SPDX-License-Identifier: MIT */
/*
 * The feature TRACING_DATA: the formats of tracepoints, as the kernel has them in
 * /sys/kernel/tracing/events/SYSTEM/NAME/format.
 */
#include "trace/format/perf/perf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMON = 8, /* bytes in front of the fields of each tracepoint */ ARGS = 6 };

/* ---- one format ---- */

/* The number behind `key`, which is at *p or behind it in the same line; 0 without it. */
static unsigned attribute(const char *p, const char *end, const char *key)
{
	const char *at = memmem(p, (size_t)(end - p), key, strlen(key));

	return at ? (unsigned)strtoul(at + strlen(key), NULL, 10) & 0xffff : 0;
}

static void add_place(struct perf_format *f, struct perf_place place)
{
	if (f->n < sizeof(f->places) / sizeof(*f->places))
		f->places[f->n++] = place;
}

static bool is_number(unsigned bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* "field:TYPE NAME[LENGTH];	offset:N;	size:N;	signed:N;", without the "field:". */
static void parse_field(struct perf_format *f, const char *p, const char *end, bool entry)
{
	const char *stop = memchr(p, ';', (size_t)(end - p));

	if (!stop)
		return;
	const char *bracket = memchr(p, '[', (size_t)(stop - p)), *last = stop;
	bool array = bracket && stop[-1] == ']';
	if (array)
		for (last = stop; last > p && *last != '['; last--)
			;
	const char *name = last;
	while (name > p && name[-1] != ' ' && name[-1] != '*')
		name--;
	size_t n = (size_t)(last - name);
	struct perf_place place = {
		.at = (uint16_t)attribute(stop, end, "offset:"),
		.bytes = (uint16_t)attribute(stop, end, "size:"),
		.is_signed = attribute(stop, end, "signed:"),
		.is_text = bracket && memmem(p, (size_t)(stop - p), "char", 4),
		.elsewhere = memmem(p, (size_t)(stop - p), "__data_loc", 10) != NULL,
	};
	if (place.at < COMMON)
		return;
	place.field = n == 12 && !memcmp(name, "__syscall_nr", n)
			  ? FIELD_ID
			  : (uint8_t)field_named(TRACER_PERF, name, n);
	bool known = place.field != FIELDS;
	if (entry && place.field != FIELD_ID && !place.elsewhere) {
		unsigned count = array && n == 4 && !memcmp(name, "args", 4) ? ARGS : 1;

		place.field = FIELDS;
		place.is_text = false;
		place.bytes = (uint16_t)(place.bytes / count);
		for (unsigned i = 0; i < count; i++, place.at = (uint16_t)(place.at + place.bytes))
			if (place.bytes == 4 || place.bytes == 8)
				add_place(f, place);
	} else if (known && (!entry || place.field == FIELD_ID)) {
		place.is_text = place.is_text && place.field != FIELD_ID;
		if (place.is_text ? !place.elsewhere || place.bytes == 4 : is_number(place.bytes))
			add_place(f, place);
	}
}

/* The format in text[n], of a tracepoint of that system. */
static void parse_format(struct perf_formats *fs, const char *system, const char *text, size_t n)
{
	const char *end = text + n, *line = text, *next;
	struct perf_format f = { 0 };
	char name[128] = "", whole[256];
	uint64_t id = 0;

	for (; line < end; line = next + 1) {
		next = memchr(line, '\n', (size_t)(end - line));
		if (!next)
			return; /* every format ends with a line without fields */
		size_t length = (size_t)(next - line);
		if (length > 6 && !memcmp(line, "name: ", 6)) {
			snprintf(name, sizeof(name), "%.*s", (int)length - 6, line + 6);
			snprintf(whole, sizeof(whole), "%s:%s", system, name);
			f.meaning = meaning_of(TRACER_PERF, whole);
			if (!f.meaning.take)
				return;
		} else if (length > 4 && !memcmp(line, "ID: ", 4)) {
			id = strtoul(line + 4, NULL, 10);
		} else if (length > 7 && !memcmp(line, "\tfield:", 7)) {
			parse_field(&f, line + 7, next, f.meaning.entry);
		} else if (length > 10 && !memcmp(line, "print fmt:", 10)) {
			break;
		}
	}
	if (!f.meaning.take || id > UINT16_MAX || map_find(&fs->number, id))
		return;
	f.switches = !strcmp(name, "sched_switch");
	f.execs = !strcmp(name, "sched_process_exec");
	f.exits = !strcmp(name, "sched_process_exit");
	vec_push(&fs->v, f);
	*map_at(&fs->number, id) = fs->v.n;
}

/* ---- all of them ---- */

/* Where the parser is; p is NULL behind the end of what there is. */
struct cursor {
	const unsigned char *p, *end;
	bool swapped;
};

static const unsigned char *take(struct cursor *c, uint64_t n)
{
	const unsigned char *p = c->p;

	if (!p || n > (uint64_t)(c->end - p)) {
		c->p = NULL;
		return NULL;
	}
	c->p = p + n;
	return p;
}

static uint64_t take_number(struct cursor *c, unsigned bytes)
{
	const unsigned char *p = take(c, bytes);

	return p ? input_get(c->swapped, p, bytes) : 0;
}

/* A string with its NUL; "" at the end. */
static const char *take_string(struct cursor *c)
{
	const unsigned char *p = c->p, *nul = p ? memchr(p, '\0', (size_t)(c->end - p)) : NULL;

	c->p = nul ? nul + 1 : NULL;
	return nul ? (const char *)p : "";
}

static void take_formats(struct perf_formats *f, struct cursor *c, const char *system)
{
	for (uint64_t n = take_number(c, 4); n && c->p; n--) {
		uint64_t bytes = take_number(c, 8);
		const unsigned char *text = take(c, bytes);

		if (text)
			parse_format(f, system, (const char *)text, (size_t)bytes);
	}
}

void perf_formats_parse(struct perf_formats *f, const unsigned char *data, size_t n)
{
	static const unsigned char magic[] = {
		0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'
	};
	enum { AFTER_VERSION = 1 + 1 + 4 }; /* order of bytes, bytes of a long, of a page */
	struct cursor c = { data, data + n, f->swapped };
	const unsigned char *p = take(&c, sizeof(magic));

	if (!p || memcmp(p, magic, sizeof(magic)))
		return;
	take_string(&c);
	take(&c, AFTER_VERSION);
	for (int i = 0; i < 2; i++) { /* header_page, header_event */
		take_string(&c);
		take(&c, take_number(&c, 8));
	}
	take_formats(f, &c, "ftrace");
	for (uint64_t systems = take_number(&c, 4); systems && c.p; systems--) {
		const char *system = take_string(&c);

		take_formats(f, &c, system);
	}
}

void perf_formats_free(struct perf_formats *f)
{
	map_free(&f->number);
	vec_free(&f->v);
}

/* ---- samples ---- */

static enum wake_context context_of(unsigned char flags)
{
	enum { HARDIRQ = 8, SOFTIRQ = 16 };

	return flags & HARDIRQ ? WAKE_INTERRUPT : flags & SOFTIRQ ? WAKE_SOFTIRQ : WAKE_THREAD;
}

static void read_text(const struct perf_formats *f, const struct perf_place *place,
		      const unsigned char *raw, size_t n, struct tracepoint_hit *out)
{
	size_t at = place->at, bytes = place->bytes;

	if (place->elsewhere) {
		uint64_t where = input_get(f->swapped, raw + at, 4);

		at = where & 0xffff;
		bytes = where >> 16;
	}
	if (at > n || bytes > n - at)
		return;
	out->has |= 1u << place->field;
	out->value[place->field].text = (const char *)raw + at;
	out->value[place->field].n = strnlen((const char *)raw + at, bytes);
}

static int64_t read_number(const struct perf_formats *f, const struct perf_place *place,
			   const unsigned char *raw)
{
	uint64_t v = input_get(f->swapped, raw + place->at, place->bytes);

	return place->is_signed ? input_signed(v, 8u * place->bytes) : (int64_t)v;
}

bool perf_formats_read(const struct perf_formats *f, const unsigned char *raw, size_t n,
		       struct tracepoint_hit *out)
{
	const uint64_t *number =
	    n >= COMMON ? map_find(&f->number, input_get(f->swapped, raw, 2)) : NULL;
	unsigned args = 0;

	if (!number)
		return false;
	const struct perf_format *format = &f->v.v[*number - 1];
	out->meaning = format->meaning;
	out->context = context_of(raw[2]);
	out->has = 0;
	memset(out->args, 0, sizeof(out->args));
	for (unsigned i = 0; i < format->n; i++) {
		const struct perf_place *place = &format->places[i];

		if (place->at > n || place->bytes > n - place->at)
			continue;
		if (place->is_text) {
			read_text(f, place, raw, n, out);
		} else if (place->field < FIELDS) {
			out->has |= 1u << place->field;
			out->value[place->field].text = NULL;
			out->value[place->field].number = read_number(f, place, raw);
		} else if (args < ARGS) {
			out->args[args++] = (uint64_t)read_number(f, place, raw);
		}
	}
	return true;
}
