/* SPDX-License-Identifier: MIT */
#include "trace/appends.h"

#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/vec.h"

struct file {
	uint64_t end;	   /* behind the last byte that was written */
	uint64_t position; /* of the next read or write without an offset */
	bool longer;	   /* than at the last sync */
};

enum action { NONE, READ, WRITE, WRITE_AT, SEEK, TRUNCATE, SYNC };

static const struct {
	const char *call;
	enum action action;
} actions[] = {
	{ "read", READ },	  { "readv", READ },	    { "write", WRITE },
	{ "writev", WRITE },	  { "pwrite64", WRITE_AT }, { "pwritev", WRITE_AT },
	{ "pwritev2", WRITE_AT }, { "lseek", SEEK },	    { "ftruncate", TRUNCATE },
	{ "fsync", SYNC },	  { "fdatasync", SYNC },
};

/* By id of the call; built once per process. */
static struct {
	enum action *v;
	size_t n, cap;
} table;

static enum action action_of(unsigned id)
{
	if (!table.n)
		for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
			unsigned known = syscall_by_name(actions[i].call);

			while (table.n <= known)
				vec_push(&table, NONE);
			table.v[known] = actions[i].action;
		}
	return id < table.n ? table.v[id] : NONE;
}

static struct file *find(struct appends *a, uint32_t object)
{
	uint64_t *at = map_at(&a->files, object);

	if (!*at)
		*at = (uintptr_t)xcalloc(1, sizeof(struct file));
	return (struct file *)(uintptr_t)*at;
}

static bool write_at(struct file *f, uint64_t offset, uint64_t bytes)
{
	bool appended = bytes && offset + bytes > f->end;

	if (appended) {
		f->end = offset + bytes;
		f->longer = true;
	}
	return appended;
}

static bool take_call(struct file *f, const struct event *e, enum action action)
{
	uint64_t bytes = (uint64_t)e->call.result;
	bool appended = false;

	switch (action) {
	case READ: f->position += bytes; break;
	case WRITE:
		appended = write_at(f, f->position, bytes);
		f->position += bytes;
		break;
	case WRITE_AT: appended = write_at(f, e->call.args[3], bytes); break;
	case SEEK: f->position = bytes; break;
	case TRUNCATE:
		f->longer |= e->call.args[1] > f->end;
		f->end = e->call.args[1];
		break;
	case SYNC:
		appended = f->longer;
		f->longer = false;
		break;
	case NONE: break;
	}
	return appended;
}

bool appends_event(struct appends *a, const struct event *e)
{
	/* The object number is reused for another file from here on. */
	if (e->type == EVENT_FD && map_find(&a->files, e->fd.object))
		*find(a, e->fd.object) = (struct file){ 0 };
	if (e->type != EVENT_SYSCALL || !e->call.object || e->call.kind != FD_FILE ||
	    (e->call.flags & (CALL_UNFINISHED | CALL_NO_RESULT | CALL_NO_ARGS | CALL_ORPHAN)) ||
	    event_failed(e))
		return false;
	enum action action = action_of(syscall_same(e->call.id));
	return action && take_call(find(a, e->call.object), e, action);
}

void appends_free(struct appends *a)
{
	uint64_t object, file;

	for (size_t at = 0; map_next(&a->files, &at, &object, &file);)
		free((struct file *)(uintptr_t)file);
	map_free(&a->files);
}
