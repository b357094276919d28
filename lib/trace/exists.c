/* SPDX-License-Identifier: MIT */
#include "trace/exists.h"

#include <string.h>

#include "trace/flags.h"
#include "trace/syscalls.h"
#include "util/hash.h"

static bool removes(const struct event *e)
{
	const char *name = syscall_get(syscall_same(e->call.id))->name;

	return !strncmp(name, "unlink", 6) || !strncmp(name, "rename", 6) || !strcmp(name, "rmdir");
}

/* Whether the call would make the file, and leave the bytes of one that is there. */
static bool opens_or_creates(const struct event *e)
{
	const char *variant = syscall_variant(e);

	if (!variant || strcmp(variant, "create"))
		return false;
	for (unsigned i = 0; i < 3; i++) {
		const char *text = flags_text(e->call.id, i, e->call.args[i]);

		if (text && strstr(text, "O_CREAT"))
			return !strstr(text, "O_TRUNC");
	}
	return false;
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
	return was && e->call.object && opens_or_creates(e);
}

void exists_free(struct exists *x)
{
	map_free(&x->paths);
}
