/* SPDX-License-Identifier: MIT */
#include "view/arguments.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/xalloc.h"

void object_names_event(struct object_names *o, const struct event *e)
{
	if (e->type != EVENT_FD)
		return;
	uint64_t *at = map_at(&o->by_number, e->fd.object);
	free((char *)(uintptr_t)*at);
	*at = (uintptr_t)xstrdup(e->fd.name ? e->fd.name : fd_kind_name(e->fd.kind));
}

void object_names_free(struct object_names *o)
{
	size_t at = 0;
	uint64_t number, name;

	while (map_next(&o->by_number, &at, &number, &name))
		free((char *)(uintptr_t)name);
	map_free(&o->by_number);
}

/* "<name>" of the object that the call works on, or "". */
static void print_object(FILE *f, const struct object_names *o, const struct event *e)
{
	const uint64_t *at = e->call.object ? map_find(&o->by_number, e->call.object) : NULL;

	if (at)
		fprintf(f, "<%s>", (const char *)(uintptr_t)*at);
	else if (e->call.kind != FD_UNKNOWN)
		fprintf(f, "<%s>", fd_kind_name(e->call.kind));
}

static void print_argument(FILE *f, enum argument kind, uint64_t v)
{
	switch (kind) {
	case ARG_DIRFD:
		if ((int32_t)v == AT_FDCWD) {
			fputs("AT_FDCWD", f);
			break;
		}
		/* fall through */
	case ARG_FD:
	case ARG_INT:
	case ARG_PID:
	case ARG_SIGNAL: fprintf(f, "%" PRId32, (int32_t)v); break;
	case ARG_SIZE:
	case ARG_OFFSET: fprintf(f, "%" PRId64, (int64_t)v); break;
	case ARG_PATH:
	case ARG_POINTER: fputs(v ? "..." : "NULL", f); break;
	case ARG_MODE: fprintf(f, "%#" PRIo64, v); break;
	default: fprintf(f, "%#" PRIx64, v); break;
	}
}

static void print_arguments(FILE *f, const struct object_names *o, const struct event *e)
{
	const struct syscall *call = syscall_get(e->call.id);
	const char *path = e->call.path;
	bool described = false;

	for (size_t i = 0; i < 6 && call->argument[i] != ARG_NONE; i++) {
		enum argument kind = call->argument[i];

		if (i)
			fputs(", ", f);
		if (kind == ARG_PATH && path) {
			fprintf(f, "\"%s\"", path);
			path = NULL;
			continue;
		}
		print_argument(f, kind, e->call.args[i]);
		if (kind == ARG_FD && !described) {
			print_object(f, o, e);
			described = true;
		}
	}
}

char *arguments_format(const struct object_names *o, const struct event *call)
{
	char *text;
	size_t n;

	if (call->call.text)
		return xstrdup(call->call.text);
	if (call->call.flags & (CALL_NO_ARGS | CALL_ORPHAN))
		return xstrdup("...");
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return xstrdup("...");
	print_arguments(f, o, call);
	if (fclose(f) == 0)
		return text;
	free(text);
	return xstrdup("...");
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
		snprintf(out, RESULT_MAX, "%" PRId64, result);
	}
	return out;
}
