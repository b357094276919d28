/* SPDX-License-Identifier: MIT */
#include "record/stream/calls.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "record/callshape.h"
#include "trace/syscalls.h"
#include "util/monotonic.h"

/* Calls that mean more to the follower than others. */
static struct {
	unsigned close, io_uring_enter, mmap;
} ids;

void calls_prepare(void)
{
	ids.close = syscall_by_name("close");
	ids.mmap = syscall_by_name("mmap");
	ids.io_uring_enter = syscall_by_name("io_uring_enter");
}

static unsigned id_of(const struct record_call *r)
{
	enum abi abi = r->flags & CALL_IS_COMPAT ? ABI_I386 : syscall_native_abi();

	return syscall_by_number(abi, r->number);
}

bool calls_is_execve(const struct record_call *r)
{
	return syscall_role(id_of(r)) == ROLE_EXEC;
}

void calls_count_losses(struct follower *v, const struct event *e, bool unreadable, bool polled)
{
	if (unreadable && e->call.result != -EFAULT)
		v->sink->losses[LOST_UNREADABLE]++;
	if (e->call.id == ids.io_uring_enter && e->call.result > 0 && !v->sees_operations)
		v->sink->losses[LOST_UNSEEN] += (uint64_t)e->call.result;
	if (polled && e->call.result >= 0)
		v->sink->losses[LOST_POLLED]++;
}

void calls_store_counted(struct follower *v, const struct record *head, uint32_t tid)
{
	v->calls += tallies_store(&v->tallies, tid, follower_time(v, head->time));
}

/* The thread `former` made an execve and goes on under the number of its process. */
static void take_over(struct follower *v, const struct record *head, uint32_t former)
{
	struct pairing_thread *t = pairing_find(&v->pairing, former);
	struct event exit = follower_event(v, head, EVENT_EXIT);

	if (former == head->tid || !t || t->pid != head->pid)
		return;
	calls_store_counted(v, head, former);
	map_remove(&v->running, former);
	exit.tid = former;
	map_remove(&v->leaders, head->pid);
	pairing_exec(&v->pairing, t, head->tid);
	sink_store(v->sink, &exit);
}

/* The call that a record is about, as far as it is known at its entry. */
static struct event call_of(const struct follower *v, const struct record_call *r)
{
	struct event e = follower_event(v, &r->head, EVENT_SYSCALL);

	e.time = follower_time(v, r->begin);
	e.call.id = id_of(r);
	e.call.cpu = r->cpu + 1u;
	memcpy(e.call.args, r->args, callshape_get(e.call.id)->args * sizeof(*r->args));
	return e;
}

/* True: *e is the call, which was stored. */
static bool take_call(struct follower *v, const struct record *head, struct event *e)
{
	const struct record_call *r = (const void *)head;
	const uint64_t key[2] = { r->args[0], r->args[1] };

	if (r->flags & CALL_IS_EXEC) {
		take_over(v, head, (uint32_t)r->result);
		calls_store_counted(v, head, head->tid); /* the execve is the last */
	}
	struct pairing_thread *t = follower_thread(v, head);
	if (!t)
		return false;
	*e = call_of(v, r);
	const struct record_shape *shape = callshape_get(e->call.id);
	if (shape->memory && shape->memory != RECORD_RING)
		memcpy(&e->call.args[4], &r->args[4], 2 * sizeof(*r->args));
	if (r->flags & CALL_HAS_PATH)
		e->call.path = ((const struct record_path *)r)->path;
	if (e->call.id == ids.close)
		sink_see_descriptor(v->sink, (pid_t)e->pid, (pid_t)e->tid, (int)r->args[0]);
	if (v->stacks && e->call.id == ids.mmap && r->args[2] & PROT_EXEC)
		stacks_forget(v->stacks, (pid_t)e->pid);
	if (r->flags & CALL_IS_OPEN) {
		pairing_enter(&v->pairing, t, e, key);
		return false;
	}
	e->call.result = r->flags & CALL_IS_EXEC ? 0 : r->result;
	e->call.duration = (int64_t)(head->time - r->begin);
	calls_count_losses(v, e, r->flags & CALL_LACKS_MEMORY,
			   shape->memory == RECORD_RING &&
			       r->args[4] & 2 /* IORING_SETUP_SQPOLL */);
	if (!pairing_whole(&v->pairing, t, e, key))
		return false;
	sink_store(v->sink, e);
	return true;
}

void calls_whole(struct follower *v, const struct record *head)
{
	struct event e;

	take_call(v, head, &e);
}

void calls_first(struct follower *v, const struct record *head)
{
	const struct record_first *r = (const void *)head;
	struct event e;
	bool wanted = take_call(v, head, &e);

	tallies_add(&v->tallies, &r->kind, wanted ? &e : NULL);
}

void calls_entry(struct follower *v, const struct record *head)
{
	const struct record_call *r = (const void *)head;
	const uint64_t key[2] = { r->args[0], r->args[1] };
	struct pairing_thread *t = follower_thread(v, head);
	struct event e = call_of(v, r);

	if (!t)
		return;
	if (syscall_role(e.call.id) != ROLE_SIGRETURN) {
		pairing_enter(&v->pairing, t, &e, key);
		return;
	}
	/* The kernel says no number at its exit, if it shows that at all. */
	e.call.flags = CALL_NO_DURATION | CALL_NO_RESULT;
	e.call.duration = -1;
	pairing_whole(&v->pairing, t, &e, key);
	sink_store(v->sink, &e);
}

void calls_begun(struct follower *v, const struct record *head)
{
	const struct record_call *r = (const void *)head;
	const struct record_shape *shape = callshape_get(id_of(r));
	const unsigned char fds[] = { shape->first_fd, shape->second };

	for (size_t i = 0; i < sizeof(fds); i++)
		if (fds[i] != RECORD_NO_ARG)
			sink_look_up(v->sink, (pid_t)head->pid, (pid_t)head->tid,
				     (int)r->args[fds[i]]);
	if (v->misses_begun)
		calls_entry(v, head);
}

bool calls_open(const struct follower *v, const struct record_call *r, struct event *e)
{
	*e = call_of(v, r);
	e->call.flags |= CALL_UNFINISHED;
	e->call.duration = follower_time(v, (uint64_t)monotonic_ns()) - e->time;
	return follower_wants(v, (pid_t)e->pid) && (pid_t)e->pid != v->launching;
}

/* The call that the thread is inside of is over: stores it.  Nothing has read its memory. */
static void end_call(struct follower *v, struct pairing_thread *t, int64_t result, int64_t time)
{
	struct event *e = pairing_exit(&v->pairing, t, result, time);

	if (!e)
		return;
	const struct record_shape *shape = callshape_get(e->call.id);
	calls_count_losses(v, e,
			   shape->memory || (shape->path != RECORD_NO_ARG &&
					     e->call.args[shape->path] && !e->call.path),
			   false);
	sink_store(v->sink, e);
}

void calls_return(struct follower *v, const struct record *head)
{
	const struct record_call *r = (const void *)head;
	struct pairing_thread *t = follower_thread(v, head);
	const struct event *inside = t ? pairing_inside(t) : NULL;

	/* Of a call whose entry was lost, or was before the recording, nothing is said. */
	if (inside && inside->call.id == id_of(r))
		end_call(v, t, r->result, follower_time(v, head->time));
}

void calls_operation(struct follower *v, const struct record *head)
{
	const struct record_uring *r = (const void *)head;
	struct event e = follower_event(v, head, EVENT_URING);

	if (!follower_thread(v, head))
		return;
	e.time = follower_time(v, r->begin);
	e.uring.complete = !r->open;
	e.uring.request = r->request;
	e.uring.opcode = r->opcode;
	e.uring.result = r->result;
	e.uring.duration = r->open ? -1 : (int64_t)(head->time - r->begin);
	bool has_fd = *syscall_get(syscall_of_uring(&e).call.id)->argument;
	e.uring.fd = has_fd ? r->fd : -1;
	sink_store_operation(v->sink, &e, r->ring);
}

void calls_end_execve(struct follower *v, const struct record *head, uint32_t former)
{
	struct pairing_thread *t;

	for (size_t at = 0; !former && (t = pairing_next(&v->pairing, &at));) {
		const struct event *inside = t->pid == head->pid ? pairing_inside(t) : NULL;

		if (inside && syscall_role(inside->call.id) == ROLE_EXEC)
			former = t->tid;
	}
	take_over(v, head, former);
	t = pairing_find(&v->pairing, head->tid);
	if (former && t)
		end_call(v, t, 0, follower_time(v, head->time));
}
