/* SPDX-License-Identifier: MIT */
#include "trace/exists.h"

#include <string.h>

#include "trace/syscalls.h"
#include "util/hash.h"

static bool removes(const struct event *e)
{
	const char *name = syscall_get(syscall_same(e->call.id))->name;

	return !strncmp(name, "unlink", 6) || !strncmp(name, "rename", 6) || !strcmp(name, "rmdir");
}

bool exists_event(struct exists *x, const struct event *e)
{
	if (!event_is_done(e) || !e->call.path)
		return false;
	const uint64_t path = hash_bytes(e->call.path, strlen(e->call.path));
	if (removes(e)) {
		map_remove(&x->paths, path);
		return false;
	}
	uint64_t *known = map_at(&x->paths, path);
	const bool was = *known;
	*known = 1;
	/* It would make the file, and leave the bytes of one that is there. */
	return was && e->call.object && syscall_opens(e, OPENS_CREATING) &&
	       !syscall_opens(e, OPENS_CUTTING);
}

void exists_free(struct exists *x)
{
	map_free(&x->paths);
}
