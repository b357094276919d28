/* SPDX-License-Identifier: MIT */
#include "trace/extents.h"

#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/vec.h"

struct open_file {
	size_t file;	   /* in extents.files, plus 1; 0: without a name */
	uint64_t position; /* of the next read or write without an offset */
	bool appends;	   /* and has a name */
	uint64_t end;	   /* behind the last byte that was written by way of this object */
	bool longer;	   /* than at the last sync */
	bool synced;	   /* by each write */
};

enum action { NONE, OPEN, READ, READ_AT, WRITE, WRITE_AT, SEEK, TRUNCATE, SYNC };

static const struct {
	const char *call;
	enum action action;
} actions[] = {
	{ "open", OPEN },	  { "openat", OPEN },	    { "openat2", OPEN },
	{ "read", READ },	  { "readv", READ },	    { "pread64", READ_AT },
	{ "preadv", READ_AT },	  { "preadv2", READ_AT },   { "write", WRITE },
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

static struct open_file *find(struct extents *x, uint32_t object)
{
	uint64_t *at = map_at(&x->objects, object);

	if (!*at)
		*at = (uintptr_t)xcalloc(1, sizeof(struct open_file));
	return (struct open_file *)(uintptr_t)*at;
}

/* The object is another file from now on. */
static void define(struct extents *x, const struct event *e)
{
	bool named = e->fd.name && *e->fd.name;

	if (e->fd.kind == FD_FILE || e->fd.kind == FD_MEMFD || map_find(&x->objects, e->fd.object))
		*find(x, e->fd.object) =
		    (struct open_file){ .file = named ? names_add(&x->files, e->fd.name) + 1 : 0 };
}

/* An access at that offset, or, unless it is given, where the file is. */
static bool move(struct extents *x, struct open_file *f, const struct event *e,
		 const uint64_t *offset, bool writes, struct extent *out)
{
	uint64_t bytes = (uint64_t)e->call.result, none = 0;
	uint64_t *end = f->file ? map_at(&x->ends, f->file) : &none;
	uint64_t from = writes && f->appends ? *end : offset ? *offset : f->position;

	if (from + bytes < from)
		return false;
	if (!offset)
		f->position = from + bytes;
	if (writes && from + bytes > *end)
		*end = from + bytes;
	bool appends = writes && bytes > 0 && from + bytes > f->end;
	f->longer |= appends && !f->synced;
	f->end = appends ? from + bytes : f->end;
	*out = (struct extent){ f->file - 1, from,    from + bytes,
				writes,	     appends, writes && bytes > 0 && f->synced };
	return bytes > 0;
}

bool extents_event(struct extents *x, const struct event *e, struct extent *out)
{
	if (e->type == EVENT_FD)
		define(x, e);
	if (!event_is_done(e) || !e->call.object ||
	    (e->call.kind != FD_FILE && e->call.kind != FD_MEMFD))
		return false;
	enum action action = action_of(syscall_same(e->call.id));
	if (!action)
		return false;
	struct open_file *f = find(x, e->call.object);
	const uint64_t *args = e->call.args;
	switch (action) {
	case OPEN:
		f->appends = f->file && syscall_opens(e, OPENS_APPENDING);
		f->synced = syscall_opens(e, OPENS_SYNCING);
		return false;
	case SEEK: f->position = (uint64_t)e->call.result; return false;
	case TRUNCATE:
		f->longer |= args[1] > f->end;
		f->end = args[1];
		return false;
	case SYNC:
		out->appends = f->longer;
		f->longer = false;
		return false;
	case READ: return move(x, f, e, NULL, false, out);
	case READ_AT: return move(x, f, e, &args[3], false, out);
	case WRITE: return move(x, f, e, NULL, true, out);
	default: return move(x, f, e, &args[3], true, out);
	}
}

unsigned extents_flags(struct extents *x, const struct event *e)
{
	struct extent out = { 0 };

	extents_event(x, e, &out);
	if (e->call.kind != FD_FILE)
		return 0;
	return (out.appends ? CALL_APPENDS : 0) | (out.synced ? CALL_SYNCED : 0);
}

void extents_free(struct extents *x)
{
	uint64_t object, file;

	for (size_t at = 0; map_next(&x->objects, &at, &object, &file);)
		free((struct open_file *)(uintptr_t)file);
	map_free(&x->objects);
	map_free(&x->ends);
	names_free(&x->files);
}
