/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/environment.h"
#include "record/callcost.h"
#include "record/program.h"
#include "util/file.h"
#include "util/shell.h"
#include "util/xalloc.h"

/* Best first. */
static const struct backend *const backends[] = { &bpf_backend, &perf_backend, &ptrace_backend };
enum { NBACKENDS = sizeof(backends) / sizeof(*backends) };

/*
 * Probes the backends, or the one of that name, that have not been probed; all: also those behind
 * one that nothing could make better.  Returns the first such that works, else the first that
 * works, or else NULL with errno of the last that was probed.
 */
static struct backend_state *choose(struct backend_state v[NBACKENDS], const char *name, bool all)
{
	struct backend_state *best = NULL;

	for (struct backend_state *s = v; s < v + NBACKENDS; s++) {
		const struct backend *b = backends[s - v];

		if (name && strcmp(name, b->name) != 0)
			continue;
		if (best && !*best->reason.text && !all)
			break;
		if (!s->backend) {
			s->backend = b;
			s->works = !b->probe(&s->reason);
		}
		if (s->works && (!best || (*best->reason.text && !*s->reason.text)))
			best = s;
	}
	return best;
}

size_t record_survey(struct backend_state **states)
{
	struct backend_state *best, *v = *states = xcalloc(NBACKENDS, sizeof(**states));

	while ((best = choose(v, NULL, true)) && !best->used) {
		struct error e = { 0 };

		callcost_measure(best->backend, &e); /* what passes its probe may fail to start */
		best->used = best->works = !*e.text;
		if (!best->works)
			best->reason = e;
	}
	return NBACKENDS;
}

/* Sets *e to the reasons of the backends before `used`, which may be NULL; preserves errno. */
static void list_reasons(const struct backend_state v[NBACKENDS], const struct backend_state *used,
			 struct error *e)
{
	char *reasons = xstrdup("");
	int why = errno;

	for (size_t i = 0; i < NBACKENDS && &v[i] != used; i++)
		if (v[i].backend)
			reasons = xappend(reasons, "%s%s", *reasons ? "; " : "", v[i].reason.text);
	error_set(e, "%s", reasons);
	free(reasons);
	errno = why;
}

/* Returns what of t only programs in the kernel can do, as the end of a message, or NULL. */
static const char *needs_bpf(const struct record_target *t)
{
	return t->cgroup      ? "record control groups or the whole system"
	       : t->aggregate ? "count calls"
	       : t->nevents   ? "read counters"
	       : t->stacks    ? "take stacks"
			      : NULL;
}

int record_check(const struct record_target *t, struct error *e)
{
	bool known = !t->backend;

	errno = EINVAL;
	for (size_t i = 0; i < NBACKENDS && !known; i++)
		known = !strcmp(t->backend, backends[i]->name);
	if (!known)
		return error_set(e, "'%s': no such backend (bpf, perf, ptrace)", t->backend);
	if (needs_bpf(t) && t->backend && strcmp(t->backend, bpf_backend.name) != 0)
		return error_set(e, "%s cannot %s, only %s can: leave out -b %s, and be root",
				 t->backend, needs_bpf(t), bpf_backend.name, t->backend);
	return 0;
}

static struct ktr_writer *begin_trace(struct recording *r, int fd, const struct record_target *t)
{
	struct environment env = { 0 };
	char *command = t->path	    ? shell_words((const char *const *)t->argv, -1)
			: t->cgroup ? xasprintf("cgroup %s", t->cgroup)
				    : program_command(t->pids[0]);

	environment_identify(&env);
	struct source_info info = {
		.recorder = r->backend->name,
		.host = environment_find(&env, "host.name"),
		.command = command,
		.kernel = environment_find(&env, "kernel.release"),
		.host_id = environment_find(&env, "host.identity"),
		.cpu = environment_find(&env, "cpu.model"),
		.os = &os_linux,
		.abi = syscall_native_abi(),
		.has_time = true,
		.has_duration = true,
		.clock = TRACE_CLOCK_MONOTONIC,
		.call_cost = r->call_cost,
		.aggregated = t->aggregate,
	};
	file_first_line("/proc/sys/kernel/random/boot_id", info.boot, sizeof(info.boot));
	struct ktr_writer *w = ktr_writer_new(fd, &info, &r->sink.unwritten);
	environment_free(&env);
	free(command);
	return w;
}

void record_flush(struct recording *r)
{
	struct sink *s = &r->sink;

	if (s->writer && !s->failed && ktr_flush(s->writer, &s->error))
		s->failed = true;
}

/* Returns 0, or -1 and sets *e and errno; then nothing is left of it, and nothing in fd unless it
 * was much. */
static int start(struct recording *r, const struct backend *b, int fd,
		 const struct record_target *t, struct error *e)
{
	*r = (struct recording){ .backend = b };
	r->call_cost = b->stops && !t->take_usage ? callcost_measure(b, NULL) : 0;
	sink_begin(&r->sink, fd < 0 ? NULL : begin_trace(r, fd, t), t->take, t->take_arg);
	r->sink.take_usage = t->take_usage;
	if (!b->start(r, t, e)) {
		record_flush(r); /* if we are killed soon, the file is a trace */
		return 0;
	}
	int why = errno;
	b->release(r);
	sink_end(&r->sink);
	if (r->sink.writer)
		ktr_writer_drop(r->sink.writer);
	errno = why;
	return -1;
}

/* Returns 0, or -1 and sets *e if one of the processes has ended, which lets a start fail in
 * several ways; preserves errno. */
static int check_alive(const struct record_target *t, struct error *e)
{
	int why = errno, failed = 0;

	for (size_t i = 0; i < t->npids && !failed; i++)
		if (program_is_alive(t->pids[i], NULL))
			failed = error_set(e,
					   "process %d ended before it could be recorded (a "
					   "command can be recorded from its beginning)",
					   t->pids[i]);
	errno = why;
	return failed;
}

int record_start(struct recording *r, int fd, const struct record_target *t, struct error *e)
{
	struct backend_state v[NBACKENDS] = { 0 }, *used;
	const char *wants = needs_bpf(t), *name = wants ? bpf_backend.name : t->backend;

	if (record_check(t, e))
		return -1;
	for (size_t i = 0; i < t->npids; i++)
		if (program_is_alive(t->pids[i], e))
			return -1;
	while ((used = choose(v, name, false))) {
		if (!start(r, used->backend, fd, t, &used->reason)) {
			list_reasons(v, used, &r->passed);
			return 0;
		}
		if (check_alive(t, e))
			return -1;
		if (name) { /* there is no other */
			*e = used->reason;
			return -1;
		}
		used->works = false;
	}
	list_reasons(v, NULL, e);
	return wants ? error_prefix(e, "only %s can %s", name, wants) : -1;
}

int record_poll(struct recording *r, struct error *e)
{
	r->paused = 0;
	return r->backend->poll(r, e);
}

void record_settle(struct recording *r, pairing_emit *take, void *arg)
{
	r->backend->settle(r, take, arg);
}

int record_end(struct recording *r, struct error *e)
{
	struct sink *s = &r->sink;

	r->backend->stop(r);
	r->backend->release(r);
	sink_end(s);
	/* What is buffered is worth a try: on a full disk it fails again. */
	if (s->writer && ktr_writer_free(s->writer, s->failed ? NULL : &s->error))
		s->failed = true;
	return s->failed ? error_set(e, "%s", s->error.text) : 0;
}
