/* SPDX-License-Identifier: MIT */
#include "trace/accounts.h"

#include "util/vec.h"

bool accounts_has(const struct accounts *a, pid_t pid)
{
	return map_find(&a->places, (uint64_t)pid) != NULL;
}

static void add(struct accounts *a, pid_t pid, const struct usage *past)
{
	*map_at(&a->places, (uint64_t)pid) = a->n;
	vec_push(a, (struct account){ pid, *past });
}

void accounts_begin(struct accounts *a, pid_t pid)
{
	const struct usage nothing = { 0 };

	if (!accounts_has(a, pid))
		add(a, pid, &nothing);
}

void accounts_open(struct accounts *a, pid_t pid)
{
	struct usage past;

	if (accounts_has(a, pid))
		return;
	usage_read_without_switches(pid, &past, NULL); /* if not now, then not later */
	add(a, pid, &past);
}

int accounts_settle(struct accounts *a, pid_t pid, struct usage *used)
{
	const uint64_t *place = map_find(&a->places, (uint64_t)pid);
	struct usage now;

	if (!place || usage_read_without_switches(pid, &now, NULL))
		return -1;
	*used = now;
	usage_subtract(used, &a->v[*place].past);
	a->v[*place].past = now;
	return 0;
}

void accounts_close(struct accounts *a, pid_t pid)
{
	uint64_t *found = map_find(&a->places, (uint64_t)pid);

	if (!found)
		return;
	uint64_t place = *found;
	map_remove(&a->places, (uint64_t)pid);
	a->v[place] = a->v[--a->n];
	if (place < a->n)
		*map_at(&a->places, (uint64_t)a->v[place].pid) = place;
}

void accounts_free(struct accounts *a)
{
	map_free(&a->places);
	vec_free(a);
}
