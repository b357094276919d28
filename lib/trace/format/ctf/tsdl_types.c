/* SPDX-License-Identifier: MIT */
#include "trace/format/ctf/tsdl.h"

#include <stdio.h>
#include <string.h>

enum {
	DEPTH = 32,
	MEMBERS = 4096,
	SIZE_MAX_BITS = 64,
	ALIGN_MAX = 1 << 15,
};

unsigned ctf_name(struct ctf_metadata *m, const char *name)
{
	return (unsigned)names_add(&m->names, name + strspn(name, "_"));
}

static struct ctf_type *new_type(struct tsdl *p, enum ctf_kind kind)
{
	struct ctf_type *t = (struct ctf_type *)(void *)arena_take(&p->m->arena, sizeof(*t));

	*t = (struct ctf_type){ .kind = kind, .align = 1, .big = p->m->big };
	return t;
}

void tsdl_define(struct tsdl *p, const char *name, const struct ctf_type *t)
{
	size_t i = names_add(&p->m->aliases, name);

	while (p->m->types.n <= i)
		vec_push(&p->m->types, NULL);
	p->m->types.v[i] = t;
}

static const struct ctf_type *tsdl_lookup(struct tsdl *p, const char *name)
{
	size_t i = names_find(&p->m->aliases, name);

	if (i != SIZE_MAX && p->m->types.v[i])
		return p->m->types.v[i];
	tsdl_fail(p, "a type has no meaning");
	return NULL;
}

static bool is_power_of_two(uint64_t v)
{
	return v && !(v & (v - 1));
}

static void set_attribute(struct tsdl *p, struct ctf_type *t, const char *key)
{
	if (!strcmp(key, "size") || !strcmp(key, "align") || strstr(key, "_dig")) {
		uint64_t v = (uint64_t)tsdl_number(p);

		if (!strcmp(key, "align"))
			t->align = is_power_of_two(v) && v <= ALIGN_MAX ? (unsigned)v : 0;
		else
			t->size += v <= SIZE_MAX_BITS ? (unsigned)v : SIZE_MAX_BITS + 1;
		return;
	}
	if (!strcmp(key, "signed"))
		t->is_signed = tsdl_at(p, "true") || tsdl_at(p, "TRUE") || tsdl_at(p, "1");
	else if (!strcmp(key, "encoding"))
		t->is_text = tsdl_at(p, "UTF8") || tsdl_at(p, "utf8") || tsdl_at(p, "ASCII") ||
			     tsdl_at(p, "ascii");
	else if (!strcmp(key, "byte_order"))
		t->big = tsdl_at(p, "be") || tsdl_at(p, "network") ||
			 (p->m->big && tsdl_at(p, "native"));
	else if (!strcmp(key, "map"))
		t->is_clock = tsdl_at(p, "clock");
	while (!tsdl_at(p, ";") && !tsdl_at(p, "}") && !tsdl_at_end(p))
		tsdl_advance(p);
}

/* The attributes of a number or string in braces. */
static struct ctf_type *parse_attributes(struct tsdl *p, enum ctf_kind kind)
{
	struct ctf_type *t = new_type(p, kind);
	char key[TSDL_NAME];

	t->align = 0;
	if (kind == CTF_STRING && !tsdl_at(p, "{")) {
		t->align = 8;
		return t;
	}
	tsdl_expect(p, "{");
	while (!tsdl_at(p, "}") && !tsdl_at_end(p)) {
		strcpy(key, p->token);
		tsdl_advance(p);
		tsdl_expect(p, "=");
		set_attribute(p, t, key);
		tsdl_accept(p, ";");
	}
	tsdl_expect(p, "}");
	if (!t->align)
		t->align = t->size % 8 && kind != CTF_STRING ? 1 : 8;
	if (kind != CTF_STRING && (!t->size || t->size > SIZE_MAX_BITS))
		tsdl_fail(p, "a number has no size from 1 to 64");
	return t;
}

struct members {
	struct ctf_member *v;
	size_t n, cap;
};

/* Gives them to the type, and frees them. */
static void set_members(struct tsdl *p, struct ctf_type *t, struct members *members)
{
	size_t bytes = members->n * sizeof(*members->v);

	t->n = members->n;
	t->members = (struct ctf_member *)(void *)arena_take(&p->m->arena, bytes + 1);
	if (bytes)
		memcpy(t->members, members->v, bytes);
	vec_free(members);
}

const struct ctf_type *tsdl_parse_lengths(struct tsdl *p, const struct ctf_type *t)
{
	while (t && tsdl_accept(p, "[")) {
		struct ctf_type *array = new_type(p, CTF_ARRAY);

		array->element = t;
		array->align = t->align;
		array->is_text =
		    t->is_text && t->kind == CTF_INTEGER && t->size == 8 && t->align == 8;
		array->has_tag = p->is_word;
		if (p->is_word) {
			/* Of a path such as "stream.event.context.length" the last word counts. */
			do {
				array->tag = ctf_name(p->m, p->token);
				tsdl_advance(p);
			} while (tsdl_accept(p, "."));
		} else {
			array->length = (uint64_t)tsdl_number(p);
		}
		tsdl_expect(p, "]");
		t = array;
		if (++p->depth > DEPTH)
			tsdl_fail(p, "types are nested too deep");
	}
	return t;
}

/* The members of a structure or variant in braces. */
static void parse_members(struct tsdl *p, struct ctf_type *t)
{
	struct members members = { 0 };
	char name[TSDL_NAME] = "";

	tsdl_expect(p, "{");
	while (!tsdl_at(p, "}") && !tsdl_at_end(p)) {
		unsigned depth = p->depth;
		const struct ctf_type *type = tsdl_parse_type(p, name);

		do {
			if (!*name && p->is_word) {
				strcpy(name, p->token);
				tsdl_advance(p);
			}
			struct ctf_member member = { .name = ctf_name(p->m, name) };
			member.type = tsdl_parse_lengths(p, type);
			vec_push(&members, member);
			*name = '\0';
		} while (tsdl_accept(p, ","));
		p->depth = depth;
		tsdl_expect(p, ";");
		if (members.n > MEMBERS)
			tsdl_fail(p, "a type has too many members");
	}
	tsdl_expect(p, "}");
	set_members(p, t, &members);
}

static unsigned parse_align(struct tsdl *p)
{
	uint64_t v = 1;

	if (tsdl_accept(p, "align")) {
		tsdl_expect(p, "(");
		v = (uint64_t)tsdl_number(p);
		tsdl_expect(p, ")");
		if (!is_power_of_two(v) || v > ALIGN_MAX)
			tsdl_fail(p, "an alignment is no power of 2");
	}
	return (unsigned)v;
}

/* The name that may follow such a word, with it, or "". */
static void parse_tag(struct tsdl *p, const char *kind, char name[TSDL_NAME + 8])
{
	*name = '\0';
	if (!p->is_word)
		return;
	snprintf(name, TSDL_NAME + 8, "%s %s", kind, p->token);
	tsdl_advance(p);
}

static const struct ctf_type *parse_struct(struct tsdl *p)
{
	char name[TSDL_NAME + 8];

	parse_tag(p, "struct", name);
	if (!tsdl_at(p, "{"))
		return tsdl_lookup(p, name);
	struct ctf_type *t = new_type(p, CTF_STRUCT);
	parse_members(p, t);
	t->align = parse_align(p);
	for (size_t i = 0; i < t->n && !p->failed; i++)
		if (t->members[i].type->align > t->align)
			t->align = t->members[i].type->align;
	if (*name)
		tsdl_define(p, name, t);
	return t;
}

static const struct ctf_type *parse_variant(struct tsdl *p)
{
	char name[TSDL_NAME + 8];
	struct ctf_type *t = new_type(p, CTF_VARIANT);

	parse_tag(p, "variant", name);
	if (tsdl_accept(p, "<")) {
		do {
			t->tag = ctf_name(p->m, p->token);
			tsdl_advance(p);
		} while (tsdl_accept(p, "."));
		t->has_tag = true;
		tsdl_expect(p, ">");
	}
	if (tsdl_at(p, "{")) {
		parse_members(p, t);
		if (*name)
			tsdl_define(p, name, t);
		return t;
	}
	const struct ctf_type *named = tsdl_lookup(p, name);
	if (!named)
		return NULL;
	t->members = named->members;
	t->n = named->n;
	return t;
}

/* "compact = 0 ... 30, extended = 31" */
static void parse_enumerators(struct tsdl *p, struct ctf_type *t)
{
	struct members members = { 0 };
	int64_t next = 0;

	tsdl_expect(p, "{");
	while (!tsdl_at(p, "}") && !tsdl_at_end(p)) {
		struct ctf_member member = { .name = ctf_name(p->m, p->token) };

		tsdl_advance(p);
		member.low = tsdl_accept(p, "=") ? tsdl_number(p) : next;
		member.high = tsdl_accept(p, "...") ? tsdl_number(p) : member.low;
		next = (int64_t)((uint64_t)member.high + 1);
		vec_push(&members, member);
		tsdl_accept(p, ",");
	}
	tsdl_expect(p, "}");
	set_members(p, t, &members);
}

static const struct ctf_type *parse_enum(struct tsdl *p)
{
	char name[TSDL_NAME + 8];
	const struct ctf_type *base = NULL;

	parse_tag(p, "enum", name);
	if (tsdl_accept(p, ":")) {
		base = tsdl_parse_type(p, NULL);
	} else if (!tsdl_at(p, "{")) {
		return tsdl_lookup(p, name);
	} else {
		base = tsdl_lookup(p, "int");
	}
	struct ctf_type *t = new_type(p, CTF_ENUM);
	if (base && base->kind == CTF_INTEGER) {
		*t = *base;
		t->kind = CTF_ENUM;
	} else {
		tsdl_fail(p, "an enumeration is of no integers");
	}
	parse_enumerators(p, t);
	if (*name)
		tsdl_define(p, name, t);
	return t;
}

/* A name of one or more words; the last one is the declarator, unless that is NULL. */
static const struct ctf_type *parse_alias(struct tsdl *p, char *declarator)
{
	char name[TSDL_NAME] = "", word[TSDL_NAME] = "";

	while (p->is_word && !p->failed) {
		strcpy(word, p->token);
		tsdl_advance(p);
		if (!declarator || p->is_word)
			snprintf(name + strlen(name), sizeof(name) - strlen(name), "%s%s",
				 *name ? " " : "", word);
	}
	if (declarator)
		strcpy(declarator, word);
	return tsdl_lookup(p, name);
}

const struct ctf_type *tsdl_parse_type(struct tsdl *p, char *declarator)
{
	const struct ctf_type *t;

	if (++p->depth > DEPTH) {
		tsdl_fail(p, "types are nested too deep");
		return NULL;
	}
	if (declarator)
		*declarator = '\0';
	if (tsdl_accept(p, "integer") || tsdl_accept(p, "floating_point"))
		t = parse_attributes(p, CTF_INTEGER);
	else if (tsdl_accept(p, "string"))
		t = parse_attributes(p, CTF_STRING);
	else if (tsdl_accept(p, "struct"))
		t = parse_struct(p);
	else if (tsdl_accept(p, "variant"))
		t = parse_variant(p);
	else if (tsdl_accept(p, "enum"))
		t = parse_enum(p);
	else
		t = parse_alias(p, declarator);
	p->depth--;
	return p->failed ? NULL : t;
}
