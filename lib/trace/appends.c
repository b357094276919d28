/* SPDX-License-Identifier: MIT */
#include "trace/appends.h"

#include <stdlib.h>

#include "trace/syscalls.h"
#include "util/xalloc.h"

struct file {
	uint64_t end; /* behind the last byte that was written */
	bool longer;  /* than at the last sync */
};

static struct file *find(struct appends *a, uint32_t object)
{
	uint64_t *at = map_at(&a->files, object);

	if (!*at)
		*at = (uintptr_t)xcalloc(1, sizeof(struct file));
	return (struct file *)(uintptr_t)*at;
}

enum other { TRUNCATE, FSYNC, FDATASYNC, OTHERS };

/* Which call other than a read or write it is; OTHERS: none that matters. */
static enum other other_of(const struct event *e)
{
	static const char *const names[OTHERS] = { "ftruncate", "fsync", "fdatasync" };
	static unsigned ids[OTHERS];
	int i = 0;

	if (!ids[OTHERS - 1])
		for (int n = 0; n < OTHERS; n++)
			ids[n] = syscall_by_name(names[n]);
	while (i < OTHERS && syscall_same(e->call.id) != ids[i])
		i++;
	return (enum other)i;
}

static bool take_other(struct file *f, const struct event *e, enum other other)
{
	bool longer = f->longer;

	if (other == TRUNCATE) {
		f->longer |= e->call.args[1] > f->end;
		f->end = e->call.args[1];
		return false;
	}
	f->longer = false;
	return longer;
}

bool appends_event(struct appends *a, const struct event *e)
{
	struct extent x;
	bool moved = extents_event(&a->extents, e, &x);

	/* The object number is reused for another file from here on. */
	if (e->type == EVENT_FD && map_find(&a->files, e->fd.object))
		*find(a, e->fd.object) = (struct file){ 0 };
	if (!event_is_done(e) || !e->call.object || e->call.kind != FD_FILE)
		return false;
	enum other other = moved ? OTHERS : other_of(e);
	if (other != OTHERS)
		return take_other(find(a, e->call.object), e, other);
	if (!moved || !x.writes)
		return false;
	struct file *f = find(a, e->call.object);
	if (x.until <= f->end)
		return false;
	f->end = x.until;
	f->longer = true;
	return true;
}

void appends_free(struct appends *a)
{
	uint64_t object, file;

	for (size_t at = 0; map_next(&a->files, &at, &object, &file);)
		free((struct file *)(uintptr_t)file);
	map_free(&a->files);
	extents_free(&a->extents);
}
