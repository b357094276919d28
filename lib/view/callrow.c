/* SPDX-License-Identifier: MIT */
#include "view/callrow.h"

#include <math.h>
#include <string.h>

#include "view/arguments.h"
#include "trace/syscalls.h"
#include "util/xalloc.h"

struct callrow *callrow_new(const struct event *e, uint64_t sequence, const char *program,
			    const char *arguments)
{
	size_t np = strlen(program) + 1, na = strlen(arguments) + 1;
	size_t size = sizeof(struct callrow) + np + na;
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
	memcpy(r->text, program, np);
	memcpy(r->text + np, arguments, na);
	return r;
}

const char *callrow_program(const struct callrow *r)
{
	return r->text;
}

const char *callrow_arguments(const struct callrow *r)
{
	return r->text + strlen(r->text) + 1;
}

/* Not as a double: shown with nine digits it would lose nanoseconds. */
static void put_integer(struct table *t, bool known, int64_t v)
{
	if (known && v >= 0)
		table_count(t, (uint64_t)v);
	else
		table_number(t, known ? (double)v : NAN, "%.0f");
}

void callrow_put_start(const struct callrow *r, struct table *t, enum table_format format)
{
	bool known = !(r->flags & CALL_NO_TIME);

	if (format == TABLE_TEXT)
		table_number(t, known ? (double)r->time * 1e-9 : NAN, "%.6f");
	else
		put_integer(t, known, r->time);
}

void callrow_put_duration(const struct callrow *r, struct table *t, enum table_format format)
{
	bool known = r->duration >= 0;

	if (format == TABLE_TEXT)
		table_number(t, known ? (double)r->duration * 1e-3 : NAN, "%.2f");
	else
		put_integer(t, known, r->duration);
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
	else
		put_integer(t, returned(r), failed(r) ? -1 : r->result);
}

void callrow_put_error(const struct callrow *r, struct table *t)
{
	table_text(t, failed(r) ? errno_name(syscall_get(r->call)->os, (int)-r->result) : NULL);
}
