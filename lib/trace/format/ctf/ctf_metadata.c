/* SPDX-License-Identifier: MIT */
/*
 * A parser of TSDL by recursive descent.  Blocks and attributes that it does not know are skipped.
 */
#include "trace/format/ctf/tsdl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void parse_typealias(struct tsdl *p)
{
	const struct ctf_type *t = tsdl_parse_type(p, NULL);
	char name[TSDL_NAME] = "";

	tsdl_expect(p, ":=");
	for (; p->is_word && !p->failed; tsdl_advance(p))
		snprintf(name + strlen(name), sizeof(name) - strlen(name), "%s%s", *name ? " " : "",
			 p->token);
	tsdl_define(p, name, t);
	tsdl_expect(p, ";");
}

/* Takes the value of "key = value;" in such a block. */
static void set_value(struct tsdl *p, const char *block, const char *key)
{
	struct ctf_metadata *m = p->m;
	const struct {
		const char *block, *key;
		uint64_t *number;
		char *text;
		size_t size;
	} places[] = {
		{ "clock", "freq", .number = &m->frequency },
		{ "clock", "offset", .number = &m->offset },
		{ "clock", "offset_s", .number = &m->offset_seconds },
		{ "clock", "uuid", .text = m->clock_uuid, .size = sizeof(m->clock_uuid) },
		{ "clock", "name", .text = m->clock_name, .size = sizeof(m->clock_name) },
		{ "env", "hostname", .text = m->hostname, .size = sizeof(m->hostname) },
		{ "env", "kernel_release", .text = m->kernel, .size = sizeof(m->kernel) },
		{ "env", "tracer_name", .text = m->tracer, .size = sizeof(m->tracer) },
	};

	if (!strcmp(block, "trace") && !strcmp(key, "byte_order"))
		m->big = tsdl_at(p, "be") || tsdl_at(p, "network");
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (strcmp(places[i].block, block) || strcmp(places[i].key, key))
			continue;
		else if (places[i].number)
			*places[i].number = strtoull(p->token, NULL, 0);
		else
			snprintf(places[i].text, places[i].size, "%s", p->token);
}

/* Where a block of that name keeps the type of that key; NULL: nowhere. */
static const struct ctf_type **place_of(struct tsdl *p, const char *block, const char *key,
					struct ctf_stream_class *stream,
					struct ctf_event_class *event)
{
	const struct {
		const char *block, *key;
		const struct ctf_type **place;
	} places[] = {
		{ "trace", "packet.header", &p->m->packet_header },
		{ "stream", "packet.context", &stream->packet_context },
		{ "stream", "event.header", &stream->header },
		{ "stream", "event.context", &stream->context },
		{ "event", "context", &event->context },
		{ "event", "fields", &event->fields },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!strcmp(places[i].block, block) && !strcmp(places[i].key, key))
			return places[i].place;
	return NULL;
}

static void add_event(struct ctf_metadata *m, const struct ctf_event_class *event)
{
	vec_push(&m->events, *event);
	*map_at(&m->by_id, event->stream << 32 | (event->id & UINT32_MAX)) = m->events.n;
}

static void parse_block(struct tsdl *p, const char *block)
{
	struct ctf_stream_class stream = { 0 };
	struct ctf_event_class event = { .name = "" };

	tsdl_expect(p, "{");
	while (!tsdl_at(p, "}") && !tsdl_at_end(p)) {
		char key[TSDL_NAME] = "";

		for (; !tsdl_at(p, "=") && !tsdl_at(p, ":=") && !tsdl_at(p, ";") &&
		       !tsdl_at(p, "}") && !tsdl_at_end(p);
		     tsdl_advance(p))
			snprintf(key + strlen(key), sizeof(key) - strlen(key), "%s", p->token);
		const struct ctf_type **place = place_of(p, block, key, &stream, &event);
		if (tsdl_accept(p, ":=")) {
			const struct ctf_type *t = tsdl_parse_type(p, NULL);

			if (place)
				*place = t;
			tsdl_expect(p, ";");
			continue;
		}
		tsdl_accept(p, "=");
		set_value(p, block, key);
		if (!strcmp(key, "name"))
			event.name = arena_copy(&p->m->arena, p->token, strlen(p->token));
		else if (!strcmp(key, "id"))
			event.id = stream.id = strtoull(p->token, NULL, 0);
		else if (!strcmp(key, "stream_id"))
			event.stream = strtoull(p->token, NULL, 0);
		tsdl_skip_statement(p);
	}
	tsdl_expect(p, "}");
	tsdl_expect(p, ";");
	if (p->failed)
		return;
	if (!strcmp(block, "stream"))
		vec_push(&p->m->streams, stream);
	else if (!strcmp(block, "event"))
		add_event(p->m, &event);
}

static void parse_top(struct tsdl *p)
{
	static const char *const blocks[] = { "trace", "env", "clock", "stream", "event" };

	if (tsdl_accept(p, "typealias")) {
		parse_typealias(p);
		return;
	}
	for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
		if (tsdl_accept(p, blocks[i])) {
			parse_block(p, blocks[i]);
			return;
		}
	if (tsdl_at(p, "struct") || tsdl_at(p, "variant") || tsdl_at(p, "enum")) {
		tsdl_parse_type(p, NULL);
		tsdl_expect(p, ";");
	} else if (tsdl_accept(p, "typedef")) {
		char name[TSDL_NAME] = "";
		const struct ctf_type *t = tsdl_parse_type(p, name);

		if (!*name && p->is_word) {
			strcpy(name, p->token);
			tsdl_advance(p);
		}
		tsdl_define(p, name, tsdl_parse_lengths(p, t));
		tsdl_expect(p, ";");
	} else {
		tsdl_advance(p);
		tsdl_skip_statement(p);
		tsdl_accept(p, ";");
	}
}

int ctf_metadata_parse(struct ctf_metadata *m, const char *text, size_t n, const char *name,
		       struct error *e)
{
	struct tsdl p = { .m = m, .p = text, .start = text, .name = name, .e = e };

	m->frequency = 1000000000;
	m->id = ctf_name(m, "id");
	if (memchr(text, '\0', n))
		return error_set(e, "%s: metadata: has a NUL", name);
	/* The order of bytes holds for types in front of it too. */
	const char *trace = strstr(text, "trace {");
	const char *order = trace ? strstr(trace, "byte_order") : NULL;
	if (order) {
		order += strcspn(order, "=;");
		order += strspn(order, "= \t");
		m->big = !strncmp(order, "be", 2) || !strncmp(order, "network", 7);
	}
	tsdl_advance(&p);
	while (!tsdl_at_end(&p)) {
		p.depth = 0;
		parse_top(&p);
	}
	if (!p.failed && !m->streams.n)
		return error_set(e, "%s: metadata: describes no stream", name);
	if (!m->frequency)
		m->frequency = 1000000000;
	return p.failed ? -1 : 0;
}

void ctf_metadata_free(struct ctf_metadata *m)
{
	arena_free(&m->arena);
	names_free(&m->names);
	names_free(&m->aliases);
	vec_free(&m->types);
	vec_free(&m->streams);
	vec_free(&m->events);
	map_free(&m->by_id);
}
