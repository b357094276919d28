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

struct callrow *callrow_new(const struct event *e, uint64_t sequence,
			    const char *const texts[CALLROW_TEXTS])
{
	size_t size = sizeof(struct callrow), n[CALLROW_TEXTS];

	for (int i = 0; i < CALLROW_TEXTS; i++)
		size += n[i] = texts[i] ? strlen(texts[i]) + 1 : 1;
	struct callrow *r = xmalloc(size);
	*r = (struct callrow){
		.size = (uint32_t)size,
		.pid = e->pid,
		.tid = e->tid,
		.call = e->call.id,
		.flags = e->call.flags,
		.kind = e->call.kind,
		.time = e->time,
		.duration = e->call.duration,
		.result = e->call.result,
		.sequence = sequence,
	};
	memcpy(r->args, e->call.args, sizeof(r->args));
	char *to = r->text;
	for (int i = 0; i < CALLROW_TEXTS; to += n[i++])
		memcpy(to, texts[i] ? texts[i] : "", n[i]);
	return r;
}

const char *callrow_text(const struct callrow *r, enum callrow_text which)
{
	const char *text = r->text;

	for (; which; which--)
		text += strlen(text) + 1;
	return *text ? text : NULL;
}

/* ---- a call as text ---- */

struct object_name {
	enum fd_kind kind;
	char text[]; /* may be empty */
};

static void set_name(struct object_names *o, uint32_t object, enum fd_kind kind, const char *text)
{
	uint64_t *at = map_at(&o->by_number, object);
	struct object_name *name = xmalloc(sizeof(*name) + strlen(text) + 1);

	name->kind = kind;
	strcpy(name->text, text);
	free((void *)(uintptr_t)*at);
	*at = (uintptr_t)name;
}

/* The addresses of a connection say more than what the recorder calls it, "socket:[inode]". */
static void name_connection(struct object_names *o, const struct event *e)
{
	const struct object_name *old = map_pointer(&o->by_number, e->address.object);
	enum fd_kind kind = old && old->kind == FD_UDP ? FD_UDP : FD_TCP;
	char *text = connection_name(kind, e);

	if (text)
		set_name(o, e->address.object, kind, text);
	free(text);
}

void object_names_event(struct object_names *o, const struct event *e)
{
	if (e->type == EVENT_FD)
		set_name(o, e->fd.object, e->fd.kind, e->fd.name ? e->fd.name : "");
	else if (e->type == EVENT_ADDRESS)
		name_connection(o, e);
}

void object_names_free(struct object_names *o)
{
	size_t at = 0;
	struct object_name *name;

	while ((name = map_next_pointer(&o->by_number, &at)))
		free(name);
	map_free(&o->by_number);
}

const char *object_names_find(const struct object_names *o, const struct event *e)
{
	const struct object_name *name =
	    e->call.object ? map_pointer(&o->by_number, e->call.object) : NULL;

	return name ? name->text : NULL;
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
	} else if (result < 0 && result >= -4095) {
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
	return returned(r) && r->result < 0 && r->result >= -4095;
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

/* Whether an argument is a C int, in the lower half of a register. */
static bool is_int(char argument)
{
	return argument && strchr("fditg", argument);
}

void callrow_put_argument(const struct callrow *r, struct table *t, unsigned argument)
{
	const char *arguments = syscall_get(r->call)->argument;
	uint64_t v = r->args[argument];

	if (argument >= strlen(arguments) || !has_arguments(r))
		table_text(t, NULL);
	else if (is_int(arguments[argument]))
		table_integer(t, (int32_t)v);
	else if (arguments[argument] == ARG_SIZE || arguments[argument] == ARG_OFFSET)
		table_integer(t, (int64_t)v);
	else
		table_count(t, v);
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
