/* SPDX-License-Identifier: MIT */
#include "view/breakdown.h"

#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"

/* ---- classes ---- */

/* Calls that belong to a class whatever object they work on. */
static const struct {
	const char *class, *calls;
} classes[] = {
	{ "memory",
	  "mmap munmap mremap mprotect brk madvise msync mlock munlock mincore shmat shmdt" },
	{ "process",
	  "fork vfork clone clone3 execve execveat exit exit_group wait4 waitid kill tkill "
	  "tgkill" },
	{ "lock", "futex futex_waitv semop semtimedop msgsnd msgrcv flock sched_yield" },
	{ "poll", "epoll_wait epoll_pwait epoll_pwait2 epoll_ctl poll ppoll select pselect6" },
	{ "file", "sync syncfs io_submit io_getevents" },
	{ "net", "socket bind listen" },
};

static const char *const of_kind[FD_KINDS] = {
	[FD_FILE] = "file",    [FD_DIRECTORY] = "file", [FD_PIPE] = "pipe",	[FD_UNIX] = "pipe",
	[FD_TCP] = "net",      [FD_UDP] = "net",	[FD_NETLINK] = "net",	[FD_SOCKET] = "net",
	[FD_EPOLL] = "poll",   [FD_EVENTFD] = "lock",	[FD_DEVICE] = "file",	[FD_MEMFD] = "file",
	[FD_INOTIFY] = "poll", [FD_TIMERFD] = "poll",	[FD_SIGNALFD] = "poll",
};

static const char *listed_class(const char *call)
{
	size_t n = strlen(call);

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		for (const char *at = classes[i].calls; (at = strstr(at, call)); at += n)
			if ((at == classes[i].calls || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
				return classes[i].class;
	return NULL;
}

static size_t class_of_call(struct breakdown *b, const struct event *e)
{
	const struct syscall *call = syscall_get(e->call.id);
	const char *name = b->names ? call->name : NULL;

	while (b->of_call.n <= e->call.id)
		vec_push(&b->of_call, 0);
	size_t *known = &b->of_call.v[e->call.id];
	if (!*known) {
		name = name ? name : listed_class(syscall_get(call->same)->name);
		*known = name ? names_add(&b->classes, name) + 1 : SIZE_MAX;
	}
	if (*known != SIZE_MAX)
		return *known - 1;
	name = of_kind[e->call.kind % FD_KINDS];
	if (!name)
		name = strchr(call->argument, ARG_PATH) ? "file" : "other";
	return names_add(&b->classes, name);
}

static size_t class_of(struct breakdown *b, const struct idle_piece *p)
{
	static const char *const first[] = { "user", "waiting", "runnable", "other" };

	while (b->classes.n < sizeof(first) / sizeof(*first))
		names_add(&b->classes, first[b->classes.n]);
	switch (p->activity) {
	case RUNS_USER: return BREAKDOWN_USER;
	case RUNNABLE: return BREAKDOWN_RUNNABLE;
	case RUNS_CALL: return p->call ? class_of_call(b, p->call) : BREAKDOWN_USER;
	default: return BREAKDOWN_WAITING;
	}
}

/* ---- units ---- */

static size_t unit_of(struct breakdown *b, const struct idle_piece *p)
{
	struct breakdown_unit unit = { .process = SIZE_MAX };
	uint64_t key = 0;

	if (b->by == BREAKDOWN_CPU) {
		key = unit.id = p->cpu - 1;
	} else if (b->by != BREAKDOWN_ALL) {
		unit.process = p->thread->process;
		unit.id = b->by == BREAKDOWN_THREAD ? p->thread->tid : p->thread->pid;
		key = (uint64_t)unit.process << 32 | unit.id;
	}
	uint64_t *at = map_at(&b->unit_numbers, key);
	if (!*at) {
		vec_push(&b->units, unit);
		*at = b->units.n;
	}
	return *at - 1;
}

/* ---- intervals ---- */

enum { CLASS_BITS = 10, UNIT_BITS = 22 };

static uint64_t cell_key(int64_t interval, size_t unit, size_t class)
{
	return (uint64_t)(uint32_t)interval << 32 | (uint64_t)unit << CLASS_BITS | class;
}

static int64_t interval_of(int64_t time, int64_t interval)
{
	return time / interval - (time % interval < 0);
}

/* Increases the length of the intervals to the next of 1, 2, 10, 20, 100, ...: each is a multiple
 * of the previous one. */
static void grow(struct breakdown *b)
{
	struct map former = b->cells;
	int64_t digit = b->interval;
	uint64_t key, ns;

	while (digit % 10 == 0)
		digit /= 10;
	int64_t factor = digit == 1 ? 2 : 5;
	b->interval *= factor;
	b->first = interval_of(b->first, factor);
	b->last = interval_of(b->last, factor);
	b->cells = (struct map){ 0 };
	for (size_t at = 0; map_next(&former, &at, &key, &ns);) {
		int64_t interval = interval_of((int32_t)(key >> 32), factor);

		*map_at(&b->cells, (uint64_t)(uint32_t)interval << 32 | (uint32_t)key) += ns;
	}
	map_free(&former);
}

/* Makes room for the intervals of a piece.  Returns false if there would be too many. */
static bool reach(struct breakdown *b, int64_t from, int64_t to)
{
	if (!b->begun) {
		b->grows = b->interval == 0;
		b->interval = b->grows ? 1000 : b->interval;
		b->first = b->last = interval_of(from, b->interval);
		b->from = from;
		b->to = to;
		b->begun = true;
	}
	for (;;) {
		int64_t a = interval_of(from, b->interval), z = interval_of(to - 1, b->interval);
		int64_t first = a < b->first ? a : b->first, last = z > b->last ? z : b->last;

		bool fits = first >= INT32_MIN && last <= INT32_MAX;

		if (fits && last - first < (b->grows ? BREAKDOWN_INTERVALS : BREAKDOWN_MOST)) {
			b->first = first;
			b->last = last;
			return true;
		}
		if (!b->grows)
			return false;
		grow(b);
	}
}

void breakdown_take(void *arg, const struct idle_piece *p)
{
	struct breakdown *b = arg;
	int64_t from = p->from;

	if (b->too_fine || (b->wants && !b->wants(p)))
		return;
	size_t class = class_of(b, p);
	if (b->by == BREAKDOWN_CPU && !p->cpu)
		return;
	size_t unit = unit_of(b, p);
	if (class >> CLASS_BITS)
		class = BREAKDOWN_OTHER;
	if (unit >> UNIT_BITS)
		return;
	b->too_fine = !reach(b, p->from, p->to);
	b->from = p->from < b->from ? p->from : b->from;
	b->to = p->to > b->to ? p->to : b->to;
	if (p->cpu)
		*map_at(&b->cpus, p->cpu) = 1;
	while (!b->too_fine && from < p->to) {
		int64_t interval = interval_of(from, b->interval);
		int64_t end = (interval + 1) * b->interval;

		end = end < p->to ? end : p->to;
		*map_at(&b->cells, cell_key(interval, unit, class)) += (uint64_t)(end - from);
		from = end;
	}
}

int64_t breakdown_length(const struct breakdown *b, int64_t interval)
{
	int64_t from = interval * b->interval, to = from + b->interval;

	from = from > b->from ? from : b->from;
	to = to < b->to ? to : b->to;
	return to > from ? to - from : 0;
}

int64_t breakdown_ns(const struct breakdown *b, int64_t interval, size_t unit, size_t class)
{
	const uint64_t *at = map_find(&b->cells, cell_key(interval, unit, class));

	return at ? (int64_t)*at : 0;
}

bool breakdown_next(const struct breakdown *b, size_t *at, struct breakdown_cell *out)
{
	uint64_t key, ns;

	if (!map_next(&b->cells, at, &key, &ns))
		return false;
	*out = (struct breakdown_cell){ .interval = (int32_t)(key >> 32),
					.unit = (uint32_t)key >> CLASS_BITS,
					.class = key & ((1 << CLASS_BITS) - 1),
					.ns = (int64_t)ns };
	return true;
}

void breakdown_free(struct breakdown *b)
{
	names_free(&b->classes);
	vec_free(&b->units);
	vec_free(&b->of_call);
	map_free(&b->unit_numbers);
	map_free(&b->cells);
	map_free(&b->cpus);
}
