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
 * Tries the backends, or the one of that name; all: also those behind one that nothing could make
 * better.  The first such is used, else the first that works: NULL and errno of the last that was
 * tried.
 */
static struct backend_state *try(struct backend_state v[NBACKENDS], const char *name, bool all)
{
	struct backend_state *used = NULL;

	for (size_t i = 0; i < NBACKENDS; i++) {
		if (name && strcmp(name, backends[i]->name) != 0)
			continue;
		if (used && !*used->reason.text && !all)
			break;
		v[i].backend = backends[i];
		v[i].works = !backends[i]->probe(&v[i].reason);
		if (v[i].works && (!used || (*used->reason.text && !*v[i].reason.text)))
			used = &v[i];
	}
	if (used)
		used->used = true;
	return used;
}

size_t record_survey(struct backend_state **states)
{
	*states = xcalloc(NBACKENDS, sizeof(**states));
	try(*states, NULL, true);
	return NBACKENDS;
}

/* The one to use; NULL, *reason and errno.  *passed says why better ones were passed over. */
static const struct backend *choose(const char *name, struct error *passed, struct error *reason)
{
	struct backend_state v[NBACKENDS] = { 0 }, *used = try(v, name, false);
	char *reasons = xstrdup("");
	int why = errno;

	for (size_t i = 0; i < NBACKENDS && &v[i] != used; i++)
		if (v[i].backend)
			reasons = xappend(reasons, "%s%s", *reasons ? "; " : "", v[i].reason.text);
	error_set(used ? passed : reason, "%s", reasons);
	free(reasons);
	errno = why;
	return used ? used->backend : NULL;
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

int record_start(struct recording *r, int fd, const struct record_target *t, struct error *e)
{
	if (record_check(t, e))
		return -1;
	for (size_t i = 0; i < t->npids; i++)
		if (program_is_alive(t->pids[i], e))
			return -1;
	*r = (struct recording){ 0 };
	const char *wants = needs_bpf(t);
	r->backend = choose(wants ? bpf_backend.name : t->backend, &r->passed, e);
	if (!r->backend)
		return wants ? error_prefix(e, "only %s can %s", bpf_backend.name, wants) : -1;
	r->call_cost = r->backend->stops && !t->take_usage ? callcost_measure(r->backend) : 0;
	sink_begin(&r->sink, fd < 0 ? NULL : begin_trace(r, fd, t), t->take, t->take_arg);
	r->sink.take_usage = t->take_usage;
	if (!r->backend->start(r, t, e)) {
		record_flush(r); /* if we are killed soon, the file is a trace */
		return 0;
	}
	int why = errno;
	for (size_t i = 0; i < t->npids; i++) /* a dead one fails in several ways */
		if (program_is_alive(t->pids[i], NULL))
			error_set(e,
				  "process %d ended before it could be recorded (a command can be "
				  "recorded from its beginning)",
				  t->pids[i]);
	r->backend->release(r);
	sink_end(&r->sink);
	if (r->sink.writer)
		ktr_writer_free(r->sink.writer, NULL);
	errno = why;
	return -1;
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
