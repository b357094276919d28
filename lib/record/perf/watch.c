/* SPDX-License-Identifier: MIT */
#include "record/perf/watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "record/child.h"
#include "util/file.h"

enum {
	CALLS = 360, /* of a kernel, about */
	/* Rings for each CPU where there are many events: when a thread ends, the kernel wakes all
	 * events of a ring up for each of them. */
	GROUPS = 4,
	SPARE = 64, /* files for all else */
	RING_LEAST = 1 << 16,
	RECORD_MOST = 1 << 16,
};

/* ---- what there is ---- */

/* Lists the CPUs that are online, from a text such as "0-3,8".  Returns 0, or -1 and sets *e. */
static int list_cpus(struct watch *w, struct error *e)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	char line[4096], *at = file_first_line(path, line, sizeof(line));

	while (at && *at) {
		long first = strtol(at, &at, 10),
		     last = *at == '-' ? strtol(at + 1, &at, 10) : first;

		for (; first <= last; first++)
			vec_push(&w->cpus, (int)first);
		at += *at == ',';
	}
	if (!w->cpus.n) {
		errno = ENOENT;
		return error_set(e, "perf: no CPUs in %s: is /sys mounted?", path);
	}
	w->cpus_possible = (size_t)w->cpus.v[w->cpus.n - 1] + 1;
	return 0;
}

/* Raises the limit of open files for the search of tracepoints and one more thread. */
static int allow_files(const struct watch *w, struct error *e)
{
	size_t of_thread = (w->in_kernel ? 4 : 2 * (CALLS + GROUPS)) * w->cpus.n;

	return files_allow(SPARE + 2 * CALLS + w->fds.n + of_thread, "perf", e);
}

int watch_probe(struct error *e)
{
	struct watch w = { 0 };
	int allowed = tracepoints_allowed(e);

	if (allowed < 0)
		return -1;
	w.in_kernel = allowed;
	int failed = list_cpus(&w, e) || allow_files(&w, e) || tracepoints_probe(allowed, e),
	    why = errno;
	if (!failed && !allowed)
		error_set(e, "perf: each new thread costs tens of milliseconds, none with "
			     "kernel.perf_event_paranoid=1 or CAP_PERFMON");
	vec_free(&w.cpus);
	errno = why;
	return failed ? -1 : 0;
}

int watch_begin(struct watch *w, struct error *e)
{
	int allowed = tracepoints_allowed(e);

	if (allowed < 0)
		return -1;
	w->in_kernel = allowed;
	if (list_cpus(w, e) || allow_files(w, e) || tracepoints_find(&w->tracepoints, allowed, e))
		return -1;
	w->nrings = w->cpus.n * (allowed ? 1 : GROUPS);
	w->readers = xcalloc(w->nrings, sizeof(*w->readers));
	w->lost = xcalloc(w->cpus.n, sizeof(*w->lost));
	return 0;
}

/* ---- events ---- */

static int failed_to_open(struct error *e, pid_t tid)
{
	int why = errno;

	if (why == EACCES || why == EPERM)
		error_set(e, "perf: thread %d: not permitted (another user's?)", tid);
	else
		error_set(e, "perf: thread %d: %s%s", tid, strerror(why),
			  why == EMFILE ? " (ulimit -Hn)" : "");
	errno = why == EACCES ? EPERM : why;
	return -1;
}

/* An event that counts nothing: those of switches, births, programs and deaths have no
 * tracepoint. */
static struct perf_event_attr attr_of_nothing(const struct watch *w)
{
	struct perf_event_attr attr = tracepoint_attr(0, w->in_kernel);

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	return attr;
}

static int open_event(struct watch *w, struct perf_event_attr attr, pid_t tid, size_t cpu,
		      int leader)
{
	attr.inherit = true;
	int fd = tracepoint_open(&attr, tid, w->cpus.v[cpu], leader);

	if (fd >= 0)
		vec_push(&w->fds, fd);
	if (fd >= 0 && leader < 0)
		vec_push(&w->leaders, fd);
	return fd;
}

/* Gives the first events, one for each ring, their rings, as large as the limits allow. */
static int open_rings(struct watch *w, struct rings *rings, struct error *e)
{
	size_t n = w->nrings, bytes = rings_size(n);

	while (rings_open(rings, &perf_ring, w->fds.v, n, bytes)) {
		if (bytes <= RING_LEAST)
			return error_set(e,
					 "perf: no memory for the rings: %s (ulimit -l, "
					 "kernel.perf_event_mlock_kb)",
					 strerror(errno));
		bytes /= 2;
	}
	for (size_t i = 0; i < n; i++) {
		w->readers[i].tracepoints = &w->tracepoints;
		w->readers[i].cpu = (unsigned short)w->cpus.v[i % w->cpus.n];
		w->readers[i].lost = &w->lost[i % w->cpus.n];
		w->readers[i].copy = xmalloc(RECORD_MOST);
		rings->v[i].arg = &w->readers[i];
	}
	return 0;
}

/* The first events, which the rings belong to. */
static int open_first(struct watch *w, pid_t tid)
{
	for (size_t i = 0; i < w->nrings; i++) {
		struct perf_event_attr attr = attr_of_nothing(w);

		attr.task = attr.comm = attr.comm_exec = attr.context_switch = i < w->cpus.n;
		if (open_event(w, attr, tid, i % w->cpus.n, -1) < 0)
			return -1;
	}
	return 0;
}

/* A thread that runs makes calls meanwhile.  So that none of them seems unfinished, the events of
 * each ring are a group, which watch_calls() lets begin at once. */
static int open_calls(struct watch *w, pid_t tid)
{
	const struct tracepoints *t = &w->tracepoints;
	struct perf_event_attr attr = attr_of_nothing(w);
	size_t leaders = w->fds.n;

	attr.disabled = true; /* until watch_calls() */
	for (size_t ring = 0; ring < w->nrings; ring++)
		if (open_event(w, attr, tid, ring % w->cpus.n, -1) < 0)
			return -1;
	for (size_t i = 0; i < t->ids.n; i++)
		for (size_t cpu = 0; cpu < w->cpus.n; cpu++) {
			size_t ring = (cpu + i / 2 * w->cpus.n) % w->nrings;

			attr = tracepoint_attr(t->ids.v[i], w->in_kernel);
			int fd = open_event(w, attr, tid, cpu, w->fds.v[leaders + ring]);
			if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, w->fds.v[ring]))
				return -1;
		}
	return 0;
}

/*
 * At a switch between a thread and its child the kernel exchanges their events where the child
 * inherited all.  A group is refused (EINVAL) once its leader is the child's, so the thread has an
 * event that is not inherited while its groups are opened.
 */
static int open_own(const struct watch *w, pid_t tid)
{
	struct perf_event_attr attr = attr_of_nothing(w);

	return tracepoint_open(&attr, tid, -1, -1);
}

/* Opens the thread's events, of which *keep are to stay open even if it fails. */
static int open_thread(struct watch *w, pid_t tid, struct rings *rings, size_t *keep,
		       struct error *e)
{
	size_t first = w->fds.n;

	if (open_first(w, tid))
		return failed_to_open(e, tid);
	if (!first) {
		if (open_rings(w, rings, e))
			return -1;
		*keep = w->nrings;
	}
	for (size_t i = 0; first && i < w->nrings; i++)
		if (ioctl(w->fds.v[first + i], PERF_EVENT_IOC_SET_OUTPUT, w->fds.v[i]))
			return failed_to_open(e, tid);
	return open_calls(w, tid) ? failed_to_open(e, tid) : 0;
}

int watch_thread(struct watch *w, pid_t tid, struct rings *rings, struct error *e)
{
	size_t keep = w->fds.n;

	if (allow_files(w, e))
		return -1;
	int own = open_own(w, tid);
	int failed = own < 0 ? failed_to_open(e, tid) : open_thread(w, tid, rings, &keep, e);
	int why = errno;
	if (own >= 0)
		close(own);
	for (; failed && w->fds.n > keep; w->fds.n--) { /* it may have ended, and others go on */
		int fd = w->fds.v[w->fds.n - 1];

		w->leaders.n -= w->leaders.v[w->leaders.n - 1] == fd;
		close(fd);
	}
	errno = why;
	return failed;
}

void watch_calls(const struct watch *w)
{
	for (size_t i = 0; i < w->leaders.n; i++)
		ioctl(w->leaders.v[i], PERF_EVENT_IOC_ENABLE, 0);
}

void watch_end(struct watch *w)
{
	for (size_t i = 0; i < w->leaders.n; i++)
		ioctl(w->leaders.v[i], PERF_EVENT_IOC_DISABLE, 0);
}

uint64_t *watch_lost(const struct watch *w)
{
	uint64_t *lost = xcalloc(w->cpus_possible, sizeof(*lost)), n;

	/* Events are opened for one CPU after the other. */
	for (size_t i = 0; i < w->fds.n; i++)
		if (read(w->fds.v[i], &n, sizeof(n)) == sizeof(n))
			lost[w->cpus.v[i % w->cpus.n]] += n;
	for (size_t i = 0; i < w->nrings; i++) {
		uint64_t *left = &lost[w->readers[i].cpu];

		*left -= w->readers[i].samples < *left ? w->readers[i].samples : *left;
	}
	return lost;
}

void watch_free(struct watch *w)
{
	for (size_t i = 0; w->readers && i < w->nrings; i++)
		free(w->readers[i].copy);
	free(w->readers);
	free(w->lost);
	tracepoints_free(&w->tracepoints, w->fds.v, w->fds.n);
	vec_free(&w->fds);
	vec_free(&w->leaders);
	vec_free(&w->cpus);
}
