/* SPDX-License-Identifier: MIT */
#include "record/sink.h"

#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "record/cgroup.h"
#include "record/program.h"
#include "trace/syscalls.h"
#include "util/monotonic.h"
#include "util/xalloc.h"

enum { NAME_SIZE = 4096 };

/* ---- descriptors ---- */

static enum fd_kind kind_of_socket(const char *path)
{
	char protocol[32] = "";
	enum fd_kind kind = FD_UNKNOWN;

	if (getxattr(path, "system.sockprotoname", protocol, sizeof(protocol) - 1) > 0)
		kind = fd_kind_of_link(protocol);
	return kind ? kind : FD_SOCKET;
}

static enum fd_kind kind_of_file(const char *path, const struct stat *st)
{
	return S_ISSOCK(st->st_mode) ? kind_of_socket(path)
				     : fd_kind_of_mode(st->st_mode, st->st_rdev);
}

/*
 * The kind of descriptor fd of thread tid, and its path or "pipe:[12345]" unless name is NULL.
 * FD_UNKNOWN and "" when it is not open or cannot be looked up.
 */
static enum fd_kind look_up(pid_t tid, int fd, char *name, size_t n)
{
	char path[64];
	struct stat st;

	if (name)
		*name = '\0';
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	if (stat(path, &st))
		return FD_UNKNOWN;
	if (!name)
		return kind_of_file(path, &st);
	ssize_t length = readlink(path, name, n - 1);
	name[length > 0 ? length : 0] = '\0';
	enum fd_kind kind = S_ISSOCK(st.st_mode) ? FD_UNKNOWN : fd_kind_of_link(name);
	return kind ? kind : kind_of_file(path, &st);
}

/* For fdtable.h: descriptors that the program inherited or received, and what a path really is. */
static void resolve(void *arg, uint32_t pid, int fd, enum fd_kind *kind, const char **name)
{
	struct sink *s = arg;
	const char *said = s->fd_name;
	enum fd_kind found;

	if (*kind == FD_DIRECTORY)
		return; /* opened with O_DIRECTORY */
	if (s->describe)
		found = s->describe(s->describe_arg, pid, fd, *name ? NULL : &said);
	else
		found = look_up(s->tid, fd, *name ? NULL : s->fd_name, NAME_SIZE);
	if (!found && !s->describe) /* a thread that has ended shared them with its process */
		found = look_up((pid_t)pid, fd, *name ? NULL : s->fd_name, NAME_SIZE);
	if (!found)
		return;
	*kind = found;
	if (!*name)
		*name = said;
	if (fd_kind_has_address(found))
		s->socket = fd;
}

/* ---- addresses ---- */

enum { PIDFD_OPEN = 434, PIDFD_GETFD = 438 }; /* on all machines; older headers lack them */

static void set_address(struct address *a, const struct sockaddr_storage *from)
{
	const struct sockaddr_in *v4 = (const void *)from;
	const struct sockaddr_in6 *v6 = (const void *)from;

	*a = (struct address){ 0 };
	if (from->ss_family == AF_INET) {
		a->length = 4;
		a->port = ntohs(v4->sin_port);
		memcpy(a->bytes, &v4->sin_addr, 4);
	} else if (from->ss_family == AF_INET6) {
		a->length = 16;
		a->port = ntohs(v6->sin6_port);
		memcpy(a->bytes, &v6->sin6_addr, 16);
	}
}

/* Asks a copy of the descriptor; Linux 5.6 and later. */
static bool locate(uint32_t pid, int fd, struct event *e)
{
	struct sockaddr_storage local = { 0 }, remote = { 0 };
	socklen_t nlocal = sizeof(local), nremote = sizeof(remote);
	int process = (int)syscall(PIDFD_OPEN, pid, 0);
	int copy = process < 0 ? -1 : (int)syscall(PIDFD_GETFD, process, fd, 0);
	bool found = copy >= 0 && !getsockname(copy, (struct sockaddr *)&local, &nlocal) &&
		     !getpeername(copy, (struct sockaddr *)&remote, &nremote);

	if (copy >= 0)
		close(copy);
	if (process >= 0)
		close(process);
	set_address(&e->address.local, &local);
	set_address(&e->address.remote, &remote);
	return found && e->address.remote.length;
}

void sink_see_descriptor(struct sink *s, pid_t pid, pid_t tid, int fd)
{
	enum fd_kind kind = FD_UNKNOWN;
	const char *name = s->fd_name;

	if (fd < 0 || fdtable_find(s->fds, (uint32_t)pid, fd, &kind))
		return;
	if (s->describe)
		kind = s->describe(s->describe_arg, (uint32_t)pid, fd, &name);
	else
		kind = look_up(tid, fd, s->fd_name, NAME_SIZE);
	if (kind)
		fdtable_set(s->fds, (uint32_t)pid, fd, kind, name);
}

void sink_look_up(struct sink *s, pid_t pid, pid_t tid, int fd)
{
	enum fd_kind kind = look_up(tid, fd, s->fd_name, NAME_SIZE);

	if (kind)
		fdtable_set(s->fds, (uint32_t)pid, fd, kind, s->fd_name);
}

/* ---- events ---- */

static void write_event(struct sink *s, const struct event *e)
{
	if (s->failed)
		return;
	if (!s->writer)
		s->take(s->take_arg, e);
	else if (ktr_write(s->writer, e, &s->error))
		s->failed = true;
}

/* The addresses of a socket that has just been connected or accepted, or that the program came
 * with. */
static void store_address(struct sink *s, const struct event *call)
{
	struct event e = {
		.type = EVENT_ADDRESS, .pid = call->pid, .tid = call->tid, .time = call->time
	};
	const struct syscall *c;
	enum fd_kind kind;

	if (call->call.id == s->connect &&
	    (!call->call.result || call->call.result == -EINPROGRESS))
		s->socket = (int)call->call.args[0];
	if (s->socket < 0)
		return;
	/* Of another new descriptor the number may be that of a later socket when it is looked up.
	 */
	c = syscall_get(call->call.id);
	if (c->returns == RETURNS_FD && strncmp(c->name, "accept", 6) != 0)
		return;
	e.address.object = fdtable_find(s->fds, call->pid, s->socket, &kind);
	if (!e.address.object || !fd_kind_has_address(kind))
		return;
	if (s->describe ? s->locate(s->describe_arg, call->pid, s->socket, &e)
			: locate(call->pid, s->socket, &e))
		write_event(s, &e);
}

/* Stores the control group of a process, unless it is the one that is known. */
static void store_group(struct sink *s, const struct event *exec)
{
	struct event e = {
		.type = EVENT_CGROUP, .pid = exec->pid, .tid = exec->tid, .time = exec->time
	};
	char *path = cgroup_of((pid_t)exec->pid);
	size_t number = path ? names_add(&s->group_names, path) + 1 : 0;
	uint64_t *known = number ? map_at(&s->groups, exec->pid) : NULL;

	if (known && *known != number) {
		*known = number;
		e.cgroup.path = path;
		write_event(s, &e);
	}
	free(path);
}

/* A program is looked at when it starts, as service managers move processes before that. */
static void follow_group(struct sink *s, const struct event *e)
{
	const uint64_t *parent = map_find(&s->groups, e->pid);

	if (!s->writer)
		return; /* whoever takes the events needs no groups */
	if (e->type == EVENT_EXEC) {
		store_group(s, e);
	} else if (e->type == EVENT_FORK && e->fork.child_pid != e->pid && parent) {
		uint64_t number = *parent;

		*map_at(&s->groups, e->fork.child_pid) = number;
	} else if (e->type == EVENT_EXIT && e->exit.last) {
		map_remove(&s->groups, e->pid);
	}
}

/* After a failure as well: all of these are missing. */
static void count_calls(struct sink *s, uint64_t n)
{
	s->calls += n;
	s->unwritten += s->failed ? n : 0;
}

void sink_store(struct sink *s, struct event *e)
{
	bool call = e->type == EVENT_SYSCALL;
	struct event fd;

	if (call && e->call.flags & CALL_UNFINISHED)
		s->losses[LOST_UNMATCHED] += !s->failed;
	else if (call && !syscall_never_returns(e->call.id))
		count_calls(s, 1);
	if (s->failed)
		return;
	s->tid = (pid_t)e->tid;
	s->socket = -1;
	fdtable_event(s->fds, e);
	while (fdtable_next(s->fds, &fd))
		write_event(s, &fd);
	if (call)
		store_address(s, e);
	write_event(s, e);
	follow_group(s, e);
}

void sink_store_counted(struct sink *s, const struct event *e)
{
	count_calls(s, event_calls(e));
	write_event(s, e);
}

void sink_store_operation(struct sink *s, struct event *e, int ring)
{
	enum fd_kind unused;

	e->uring.object = ring < 0 ? 0 : fdtable_find(s->fds, e->pid, ring, &unused);
	e->uring.file =
	    e->uring.fd < 0 ? 0 : fdtable_find(s->fds, e->pid, e->uring.fd, &e->uring.kind);
	sink_store(s, e);
}

void sink_store_usage(struct sink *s, pid_t pid, int64_t time, const struct usage *u)
{
	if (s->take_usage) {
		s->take_usage(s->take_arg, pid, time, u);
		return;
	}
	double user = u ? u->cpu * usage_user_share(u, 1) : 0;
	const struct {
		const char *name;
		double value;
	} counters[] = {
		{ "user", user },
		{ "system", u ? u->cpu - user : 0 },
		{ "minor_faults", u ? (double)u->minor_faults : 0 },
		{ "major_faults", u ? (double)u->major_faults : 0 },
		{ "wakeups", u ? (double)u->wakeups : 0 },
	};

	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		struct event e = { .type = EVENT_COUNTER, .pid = (uint32_t)pid, .time = time };

		e.tid = e.pid;
		e.counter.name = counters[i].name;
		e.counter.value = u ? counters[i].value : NAN;
		sink_store(s, &e);
	}
}

void sink_store_lost(struct sink *s, uint64_t n, int64_t from, int64_t until)
{
	struct event e = { .type = EVENT_LOST, .time = from };

	e.lost.count = n;
	e.lost.class = LOST_RING_FULL;
	e.lost.until = until;
	s->losses[LOST_RING_FULL] += n;
	sink_store(s, &e);
}

void sink_store_running(struct sink *s, pid_t pid, pid_t tid, int64_t time)
{
	struct event e = { .type = EVENT_FORK, .pid = (uint32_t)pid, .time = time };
	char *command = pid == tid ? program_command(pid) : NULL;

	e.tid = e.pid;
	if (command) {
		e.type = EVENT_EXEC;
		e.exec.command = command;
	} else {
		e.fork.child_pid = (uint32_t)pid;
		e.fork.child_tid = (uint32_t)tid;
	}
	sink_store(s, &e);
	free(command);
}

/* What the wall clock shows at this moment of the trace. */
static void store_clock(struct sink *s)
{
	struct event e = { .type = EVENT_CLOCK, .time = monotonic_ns() - s->start };
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	e.clock.realtime = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	sink_store(s, &e);
}

void sink_begin(struct sink *s, struct ktr_writer *w, sink_take *take, void *arg)
{
	*s = (struct sink){ .writer = w, .take = take, .take_arg = arg, .start = monotonic_ns() };
	s->fds = fdtable_new(&os_linux, syscall_native_abi(), resolve, s);
	s->fd_name = xmalloc(NAME_SIZE);
	s->connect = syscall_by_name("connect");
	store_clock(s);
}

static void store_losses(struct sink *s)
{
	struct event lost = { .type = EVENT_LOST, .time = monotonic_ns() - s->start };
	struct event counter = { .type = EVENT_COUNTER, .time = lost.time };

	lost.lost.until = lost.time;
	lost.lost.class = LOST_UNTRACED_CHILD;
	if (s->losses[LOST_UNTRACED_CHILD]) /* the number of their calls is unknown */
		sink_store(s, &lost);
	for (int i = 0; i < LOST_CLASSES; i++) {
		counter.counter.name = loss_counter(i);
		counter.counter.value = (double)s->losses[i];
		if (s->losses[i])
			sink_store(s, &counter);
	}
}

void sink_end(struct sink *s)
{
	store_losses(s);
	store_clock(s);
	fdtable_free(s->fds);
	names_free(&s->group_names);
	map_free(&s->groups);
	free(s->fd_name);
}
