/* SPDX-License-Identifier: MIT */
/*
 * The backend for ordinary users: perf events on the tracepoints of system calls, which the threads
 * and their descendants write to a ring for each CPU.
 *
 * The threads do not stop, and the kernel says of a call its number, arguments and result, and
 * nothing of what they point to.
 */
#include <errno.h>
#include <stdlib.h>

#include "record/perf/watch.h"
#include "record/program.h"
#include "record/record.h"
#include "record/stream/stream.h"
#include "util/xalloc.h"

/* One recording. */
struct perf {
	struct watch watch;
	struct stream stream;
};

/* Nothing can be told from the records before it is known which are entries. */
static void learn(struct perf *p)
{
	for (size_t i = 0; i < p->stream.rings.n; i++)
		if (perf_ring_learn(&p->stream.rings.v[i], &p->watch.tracepoints))
			break;
}

static int follow(void *arg, pid_t tid, struct error *e)
{
	struct perf *p = arg;

	learn(p);
	if (program_is_narrow(tid)) {
		errno = ENOSYS;
		return error_set(
		    e, "perf: process %d runs a 32-bit program: its calls are not seen", tid);
	}
	return watch_thread(&p->watch, tid, &p->stream.rings, e);
}

static int follow_command(void *arg, pid_t tid, struct error *e)
{
	struct perf *p = arg;

	if (follow(p, tid, e))
		return -1;
	watch_calls(&p->watch);
	return 0;
}

static void release(struct recording *r)
{
	struct perf *p = r->state;

	stream_end(&p->stream);
	watch_free(&p->watch);
	free(p);
}

static int start(struct recording *r, const struct record_target *t, struct error *e)
{
	struct perf *p = r->state = xcalloc(1, sizeof(*p));
	int failed = watch_begin(&p->watch, e);

	follower_begin(&p->stream.follower, &r->sink, t->only, t->nonly, p->watch.cpus_possible);
	p->stream.follower.sees_switches = p->stream.follower.misses_begun = true;
	p->stream.follower.pairing.no_signals = true;
	if (!failed && t->path)
		failed = stream_launch(&p->stream, r, t, follow_command, p, e);
	for (size_t i = 0; i < t->npids && !failed; i++)
		failed = stream_attach(&p->stream, t->pids[i], follow, p, e);
	if (t->npids)
		watch_calls(&p->watch);
	return failed ? -1 : 0;
}

static int poll(struct recording *r, struct error *e)
{
	struct perf *p = r->state;

	learn(p);
	return stream_poll(&p->stream, r, e);
}

static void settle(struct recording *r, pairing_emit *take, void *arg)
{
	const struct perf *p = r->state;

	follower_show_open(&p->stream.follower, take, arg);
}

static void stop(struct recording *r)
{
	struct perf *p = r->state;

	watch_end(&p->watch);
	learn(p);
	stream_drain(&p->stream, true);
	uint64_t *lost = watch_lost(&p->watch);
	stream_end_losses(&p->stream, lost, 0);
	free(lost);
}

const struct backend perf_backend = {
	"perf",
	"paths and all else that calls point to, signals, wake-ups, faults, CPU time, operations "
	"of "
	"io_uring",
	false,
	watch_probe,
	start,
	poll,
	stop,
	release,
	settle,
};
