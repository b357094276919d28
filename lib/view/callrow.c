/* SPDX-License-Identifier: MIT */
#include "view/callrow.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/connections.h"
#include "trace/flags.h"
#include "trace/syscalls.h"
#include "util/number.h"
#include "util/xalloc.h"

/* ---- copies ---- */

enum { BLOCK = 64 << 10 /* bytes of rows, or one longer row */ };

struct callrow_block {
	size_t used, room; /* bytes */
	size_t rows;	   /* that were not freed */
	_Alignas(struct callrow) char memory[];
};

/* One that has become empty is kept, for mostly the next one is wanted when another is empty. */
static void give_back(struct callrow_pool *pool, struct callrow_block *b)
{
	if (pool->spare)
		free(b);
	else
		pool->spare = b;
}

static struct callrow_block *block_with_room(struct callrow_pool *pool, size_t size)
{
	struct callrow_block *b = pool->at;

	if (b && size <= b->room - b->used)
		return b;
	if (b && !b->rows)
		give_back(pool, b);
	b = pool->spare;
	pool->spare = NULL;
	if (!b || size > b->room) {
		const size_t room = size > BLOCK ? size : BLOCK;

		free(b);
		b = xmalloc(sizeof(*b) + room);
		b->room = room;
	}
	b->used = b->rows = 0;
	pool->at = b;
	return b;
}

struct callrow *callrow_new(struct callrow_pool *pool, const struct event *e,
			    const char *const texts[CALLROW_TEXTS])
{
	const size_t unit = _Alignof(struct callrow);
	const size_t args = 8 * strlen(syscall_get(e->call.id)->argument);
	size_t size = sizeof(struct callrow) + args, n[CALLROW_TEXTS];

	for (int i = 0; i < CALLROW_TEXTS; i++)
		size += n[i] = texts[i] && *texts[i] ? strlen(texts[i]) + 1 : 0;
	size = (size + unit - 1) / unit * unit;
	struct callrow_block *b = block_with_room(pool, size);
	struct callrow *r = (struct callrow *)(void *)(b->memory + b->used);
	b->used += size;
	b->rows++;
	/* One by one: an initializer would clear the row first. */
	r->block = b;
	r->process = 0;
	r->time = e->time;
	r->duration = e->call.duration;
	r->result = e->call.result;
	r->size = (uint32_t)size;
	r->pid = e->pid;
	r->tid = e->tid;
	r->call = e->call.id;
	r->flags = e->call.flags;
	r->kind = e->call.kind;
	memcpy(r->args, e->call.args, args);
	uint32_t at = (uint32_t)(sizeof(*r) + args);
	for (int i = 0; i < CALLROW_TEXTS; at += (uint32_t)n[i++]) {
		r->text[i] = n[i] ? at : 0;
		if (n[i])
			memcpy((char *)r + at, texts[i], n[i]);
	}
	return r;
}

void callrow_free(struct callrow_pool *pool, struct callrow *r)
{
	struct callrow_block *b = r->block;

	if (!--b->rows && b == pool->at)
		b->used = 0;
	else if (!b->rows)
		give_back(pool, b);
}

void callrow_pool_free(struct callrow_pool *pool)
{
	free(pool->at);
	free(pool->spare);
	*pool = (struct callrow_pool){ 0 };
}

/* ---- a call as text ---- */

/* Takes the name over. */
static void set_name(struct object_names *o, uint32_t object, char *name)
{
	uint64_t *at = map_at(&o->by_number, object);

	free((void *)(uintptr_t)*at);
	*at = (uintptr_t)name;
}

/* The addresses of a connection say more than what the recorder calls it, "socket:[inode]". */
static void name_connection(struct object_names *o, const struct event *e)
{
	char *name = connection_name(connection_kind(&o->datagrams, e->address.object), e);

	if (name)
		set_name(o, e->address.object, name);
}

void object_names_event(struct object_names *o, const struct event *e)
{
	if (e->type == EVENT_FD) {
		datagrams_learn(&o->datagrams, e);
		set_name(o, e->fd.object, xstrdup(e->fd.name ? e->fd.name : ""));
	} else if (e->type == EVENT_ADDRESS) {
		name_connection(o, e);
	}
}

void object_names_free(struct object_names *o)
{
	size_t at = 0;
	char *name;

	while ((name = map_next_pointer(&o->by_number, &at)))
		free(name);
	map_free(&o->by_number);
	map_free(&o->datagrams);
}

const char *object_names_find(const struct object_names *o, const struct event *e)
{
	return e->call.object ? map_pointer(&o->by_number, e->call.object) : NULL;
}

/* Puts "<name>", or else "<kind>", for the object that the call works on, if it is known. */
static void put_object(struct text *t, const struct object_names *o, const struct event *e)
{
	const char *name = object_names_find(o, e);

	if (!name || !*name)
		name = e->call.kind == FD_UNKNOWN ? NULL : fd_kind_name(e->call.kind);
	if (!name)
		return;
	text_put_n(t, "<", 1);
	text_put(t, name);
	text_put_n(t, ">", 1);
}

static void put_prefixed(struct text *t, const char *prefix, uint64_t v, unsigned base)
{
	if (v)
		text_put(t, prefix);
	text_put_number(t, v, base);
}

static void put_argument(struct text *t, enum argument kind, uint64_t v)
{
	switch (kind) {
	case ARG_DIRFD:
		if ((int32_t)v == AT_FDCWD) {
			text_put(t, "AT_FDCWD");
			break;
		}
		/* fall through */
	case ARG_FD:
	case ARG_INT:
	case ARG_PID:
	case ARG_SIGNAL: text_put_signed(t, (int32_t)v); break;
	case ARG_SIZE:
	case ARG_OFFSET: text_put_signed(t, (int64_t)v); break;
	case ARG_PATH:
	case ARG_POINTER: text_put(t, v ? "..." : "NULL"); break;
	case ARG_MODE: put_prefixed(t, "0", v, 8); break;
	default: put_prefixed(t, "0x", v, 16); break;
	}
}

void arguments_put(struct text *t, const struct object_names *o, enum abi abi,
		   const struct event *e)
{
	const struct syscall *call = syscall_get(e->call.id);
	const char *path = e->call.path;
	bool described = false;

	if (e->call.text || e->call.flags & (CALL_NO_ARGS | CALL_ORPHAN)) {
		text_put(t, e->call.text ? e->call.text : "...");
		return;
	}
	for (size_t i = 0; i < 6 && call->argument[i] != ARG_NONE; i++) {
		enum argument kind = call->argument[i];

		if (i)
			text_put_n(t, ", ", 2);
		if (kind == ARG_PATH && path) {
			text_put_n(t, "\"", 1);
			text_put(t, path);
			text_put_n(t, "\"", 1);
			path = NULL;
			continue;
		}
		const char *flags = flags_text(abi, e->call.id, (unsigned)i, e->call.args[i]);
		if (flags)
			text_put(t, flags);
		else
			put_argument(t, kind, e->call.args[i]);
		if (kind == ARG_FD && !described) {
			put_object(t, o, e);
			described = true;
		}
	}
}

const char *result_format(char out[RESULT_MAX], unsigned call, unsigned flags, int64_t result)
{
	if (flags & (CALL_UNFINISHED | CALL_NO_RESULT)) {
		strcpy(out, "?");
	} else if (result_is_error(result)) {
		const char *name = errno_name(syscall_get(call)->os, (int)-result);

		if (name)
			snprintf(out, RESULT_MAX, "-1 %s", name);
		else
			snprintf(out, RESULT_MAX, "-1 (errno %d)", (int)-result);
	} else if (syscall_get(call)->returns == RETURNS_POINTER) {
		snprintf(out, RESULT_MAX, "%#" PRIx64, (uint64_t)result);
	} else {
		return number_format_fixed(out, result, 0);
	}
	return out;
}

/* ---- cells of a table ---- */

void callrow_put_start(const struct callrow *r, struct table *t)
{
	if (r->flags & CALL_NO_TIME)
		table_text(t, NULL);
	else
		table_time(t, r->time, 1000000000, 6);
}

void callrow_put_duration(const struct callrow *r, struct table *t)
{
	if (r->duration < 0)
		table_text(t, NULL);
	else
		table_time(t, r->duration, 1000, 2);
}

static bool returned(const struct callrow *r)
{
	return !(r->flags & (CALL_UNFINISHED | CALL_NO_RESULT));
}

static bool failed(const struct callrow *r)
{
	return returned(r) && result_is_error(r->result);
}

void callrow_put_result(const struct callrow *r, struct table *t, enum table_format format)
{
	char text[RESULT_MAX];

	if (format == TABLE_TEXT)
		table_text(t, result_format(text, r->call, r->flags, r->result));
	else if (returned(r))
		table_integer(t, failed(r) ? -1 : r->result);
	else
		table_text(t, NULL);
}

static bool has_arguments(const struct callrow *r)
{
	return !(r->flags & (CALL_NO_ARGS | CALL_ORPHAN));
}

void callrow_put_argument(const struct callrow *r, struct table *t, unsigned argument)
{
	switch (has_arguments(r) ? syscall_get(r->call)->argument[argument] : ARG_NONE) {
	case ARG_NONE: table_text(t, NULL); break;
	case ARG_FD:
	case ARG_DIRFD:
	case ARG_INT:
	case ARG_PID:
	case ARG_SIGNAL: table_integer(t, (int32_t)r->args[argument]); break;
	case ARG_SIZE:
	case ARG_OFFSET: table_integer(t, (int64_t)r->args[argument]); break;
	default: table_count(t, r->args[argument]); break;
	}
}

void callrow_put_descriptor(const struct callrow *r, struct table *t)
{
	const char *arguments = syscall_get(r->call)->argument, *fd = strchr(arguments, ARG_FD);

	if (fd && has_arguments(r))
		table_integer(t, (int32_t)r->args[fd - arguments]);
	else
		table_text(t, NULL);
}

void callrow_put_error(const struct callrow *r, struct table *t)
{
	table_text(t, failed(r) ? errno_name(syscall_get(r->call)->os, (int)-r->result) : NULL);
}
