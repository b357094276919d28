/* SPDX-License-Identifier: MIT */
#include "record/callcost.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/record.h"
#include "trace/syscalls.h"
#include "util/monotonic.h"
#include "util/vec.h"

enum { REST = 1000 /* us between rounds */, TOTAL = CALLCOST_ROUNDS * CALLCOST_CALLS };

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The least of the medians of the rounds, each of which is sorted. */
static int64_t least_median(int64_t v[TOTAL])
{
	int64_t least = INT64_MAX;

	for (int64_t *round = v; round < v + TOTAL; round += CALLCOST_CALLS) {
		qsort(round, CALLCOST_CALLS, sizeof(*v), compare);
		if (round[CALLCOST_CALLS / 2] < least)
			least = round[CALLCOST_CALLS / 2];
	}
	return least;
}

static void make_calls(int64_t durations[TOTAL], useconds_t rest)
{
	for (int i = 0; i < TOTAL; i++) {
		if (i && i % CALLCOST_CALLS == 0 && rest)
			usleep(rest);
		int64_t start = monotonic_ns();
		syscall(SYS_getppid);
		durations[i] = monotonic_ns() - start;
	}
}

struct durations {
	unsigned call; /* whose they are */
	int64_t *v;
	size_t n, cap;
};

static void keep_duration(void *arg, const struct event *e)
{
	struct durations *d = arg;

	if (e->type == EVENT_SYSCALL && e->call.id == d->call)
		vec_push(d, e->call.duration);
}

/* Records the child, which begins when the peer is told. */
static void record(const struct backend *b, pid_t child, int peer, struct durations *found,
		   struct error *e)
{
	struct recording r = { .backend = b };
	const struct record_target t = { .pids = &child, .npids = 1 };

	sink_begin(&r.sink, NULL, keep_duration, found);
	if (!b->start(&r, &t, e)) {
		send(peer, "", 1, MSG_NOSIGNAL);
		while (b->poll(&r, NULL) > 0)
			;
		b->stop(&r);
	}
	b->release(&r);
	sink_end(&r.sink);
}

static uint64_t measure(const struct backend *b, pid_t child, int peer, struct error *e)
{
	struct durations found = { .call = syscall_by_name("getppid") };
	int64_t untraced[TOTAL], cost = 0;

	make_calls(untraced, 0);
	record(b, child, peer, &found, e);
	if (found.n == TOTAL)
		cost = least_median(found.v) - least_median(untraced);
	vec_free(&found);
	return cost > 0 ? (uint64_t)cost : 0;
}

uint64_t callcost_measure(const struct backend *b, struct error *e)
{
	int64_t durations[TOTAL];
	uint64_t cost = 0;
	int ends[2];
	char go;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return 0;
	pid_t child = fork();
	if (!child) {
		close(ends[0]);
		if (read(ends[1], &go, 1) == 1)
			make_calls(durations, REST);
		_exit(0);
	}
	close(ends[1]);
	if (child > 0)
		cost = measure(b, child, ends[0], e);
	close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		; /* the backend may have waited for it already */
	return cost;
}
