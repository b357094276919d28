/* SPDX-License-Identifier: MIT */
#include "record/stream/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "record/program.h"
#include "util/monotonic.h"

/* Between two looks at the rings.  Each takes a CPU from somebody: 500 of them a second took a
 * fifth of the CPU time of a server which shared one with us, so that there are fewer where little
 * can be missed. */
static const long least_pause = 2000000, most_pause = 20000000;
static const double little = 0.02; /* of a ring */

int stream_launch(struct stream *s, struct recording *r, const struct record_target *t,
		  stream_follow *follow, void *arg, struct error *e)
{
	if (child_start(&s->child, t->path, t->argv, e))
		return -1;
	if (follow(arg, s->child.pid, e)) {
		int why = errno;

		child_close(&s->child);
		waitpid(s->child.pid, NULL, 0);
		s->child.pid = 0;
		errno = why;
		return -1;
	}
	r->command = s->child.pid;
	follower_launch(&s->follower, s->child.pid);
	child_release(&s->child);
	return 0;
}

/* Follows the threads of process pid that are not followed yet; of the others, the record of their
 * birth has been read.  Returns how many it found, and stores how many are followed now. */
static int follow_new(struct stream *s, pid_t pid, stream_follow *follow, void *arg, int *all,
		      struct error *e)
{
	pid_t *tids;
	int n = program_threads(pid, &tids), fresh = 0;

	*all = 0;
	for (int i = 0; i < n && fresh >= 0; i++) {
		stream_drain(s, true); /* what others do meanwhile must not fill the rings */
		bool known = follower_knows(&s->follower, pid, tids[i]);

		if (!known && follow(arg, tids[i], e)) {
			fresh = errno == ESRCH ? fresh : -1; /* it has ended */
			continue;
		}
		if (!known)
			follower_attach(&s->follower, pid, tids[i]);
		fresh += !known;
		++*all;
	}
	int why = errno;
	free(tids);
	errno = why;
	return fresh;
}

int stream_attach(struct stream *s, pid_t pid, stream_follow *follow, void *arg, struct error *e)
{
	pid_t process, parent;
	int fresh, all;

	if (!program_parent(pid, &process, &parent))
		pid = process;
	do
		fresh = follow_new(s, pid, follow, arg, &all, e);
	while (fresh > 0);
	if (fresh < 0 || all)
		return fresh;
	errno = ESRCH;
	return error_set(e, "process %d: there is no such process", pid);
}

bool stream_drain(struct stream *s, bool all)
{
	enum { MOST = 1 << 16 }; /* records until the caller has a turn */
	const struct record *record;
	size_t n = 0;

	rings_look(&s->rings, all);
	for (; (all || n < MOST) && (record = rings_next(&s->rings)); n++) {
		follower_handle(&s->follower, record);
		rings_done(&s->rings);
	}
	return n > 0;
}

static void watch_command(struct recording *r)
{
	int status;

	if (!r->command || r->ended || waitpid(r->command, &status, WNOHANG | WUNTRACED) <= 0)
		return;
	if (WIFSTOPPED(status)) {
		r->paused = WSTOPSIG(status);
		return;
	}
	r->ended = true;
	r->status = status;
}

/* The pause after this one. */
static long next_pause(const struct stream *s, long pause)
{
	if (!s->rare || rings_fill(&s->rings) > little)
		return least_pause;
	return 2 * pause < most_pause ? 2 * pause : most_pause;
}

int stream_poll(struct stream *s, struct recording *r, struct error *e)
{
	enum { IDLE = 64 };
	const long pause = s->pause ? s->pause : least_pause;

	if (s->empty || rings_fill(&s->rings) < 0.125)
		nanosleep(&(struct timespec){ .tv_nsec = pause }, NULL);
	s->pause = next_pause(s, pause);
	watch_command(r);
	s->empty = !stream_drain(s, false);
	if (!s->empty)
		return 1;
	if (r->ended && s->follower.launching && child_failed(&s->child, e)) {
		r->unstarted = true;
		return -1;
	}
	/* A record of a death may be lost, or come before that of the birth. */
	if (++s->idle % IDLE == 0)
		follower_bury(&s->follower);
	return follower_alive(&s->follower) || (r->command && !r->ended);
}

void stream_end_losses(struct stream *s, const uint64_t *lost, uint64_t calls)
{
	struct sink *sink = s->follower.sink;
	int64_t now = monotonic_ns() - sink->start, from = now;
	uint64_t sum = 0;

	/* They are missing since the CPUs that lost them were last heard of; others may have been
	 * idle for long. */
	for (size_t i = 0; i < s->follower.ncpus; i++) {
		uint64_t heard = s->follower.cpus[i].time;

		sum += lost[i];
		if (heard && lost[i] > s->follower.cpus[i].lost &&
		    follower_time(&s->follower, heard) < from)
			from = follower_time(&s->follower, heard);
	}
	if (sum > sink->losses[LOST_RING_FULL])
		sink_store_lost(sink, sum - sink->losses[LOST_RING_FULL], from, now);
	if (calls > s->follower.calls)
		sink->losses[LOST_UNKNOWN] += calls - s->follower.calls;
}

void stream_end(struct stream *s)
{
	follower_end(&s->follower);
	rings_close(&s->rings);
	if (s->child.pid)
		child_close(&s->child);
}
