/* SPDX-License-Identifier: MIT */
#include "record/accounts.h"

#include "util/vec.h"

static struct account *find(const struct accounts *a, pid_t pid)
{
	const uint64_t *place = map_find(&a->places, (uint64_t)pid);

	return place ? &a->v[*place] : NULL;
}

bool accounts_has(const struct accounts *a, pid_t pid)
{
	return find(a, pid) != NULL;
}

static void add(struct accounts *a, struct account account)
{
	*map_at(&a->places, (uint64_t)account.pid) = a->n;
	vec_push(a, account);
}

void accounts_begin(struct accounts *a, pid_t pid)
{
	if (!accounts_has(a, pid))
		add(a, (struct account){ .pid = pid, .single = true });
}

void accounts_open(struct accounts *a, pid_t pid)
{
	struct usage past;

	if (accounts_has(a, pid))
		return;
	usage_read_without_switches(pid, &past, NULL); /* if not now, then not later */
	add(a, (struct account){ .pid = pid, .past = past });
}

void accounts_grow(struct accounts *a, pid_t pid)
{
	struct account *account = find(a, pid);

	if (account)
		account->single = false;
}

bool accounts_single(const struct accounts *a, pid_t pid)
{
	const struct account *account = find(a, pid);

	return account && account->single;
}

int accounts_end(struct accounts *a, pid_t pid)
{
	struct account *account = find(a, pid);

	if (!account || !account->single || usage_read_times(pid, &account->left, NULL))
		return -1;
	account->ends = true;
	return 0;
}

/* All that it has used until now, or its exit. */
static int read_all(const struct account *account, const struct faults *faults, struct usage *u)
{
	if (!faults || !account->single)
		return usage_read_without_switches(account->pid, u, NULL);
	if (account->ends)
		*u = account->left;
	else if (usage_read_times(account->pid, u, NULL))
		return -1;
	u->minor_faults = faults->minor;
	u->major_faults = faults->major;
	return 0;
}

int accounts_settle(struct accounts *a, pid_t pid, const struct faults *faults, struct usage *used)
{
	struct account *account = find(a, pid);
	struct usage now;

	if (!account || read_all(account, faults, &now))
		return -1;
	*used = now;
	usage_subtract(used, &account->past);
	account->past = now;
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
