/* SPDX-License-Identifier: MIT */
#include "trace/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/hash.h"

enum {
	CPUS = 1 << 16,
	CLONE_IS_THREAD = 0x10000, /* flags of clone(2) */
	CLONE_SHARES_FILES = 0x400,
};

void kernel_init(struct kernel *k, enum abi abi)
{
	*k = (struct kernel){ .abi = abi };
	importer_init(&k->im, &os_linux, abi);
	k->im.calls.no_signals = true;
}

void kernel_set_abi(struct kernel *k, enum abi abi)
{
	k->abi = abi;
	fdtable_set_abi(k->im.fds, abi);
}

void kernel_free(struct kernel *k)
{
	importer_free(&k->im);
	vec_free(&k->cpus);
	map_free(&k->pids);
	map_free(&k->unborn);
	map_free(&k->comms);
	map_free(&k->files);
}

void kernel_end(struct kernel *k)
{
	if (k->unattributed)
		importer_lose(&k->im, LOST_UNMATCHED, k->unattributed, 0, k->now);
	if (k->unseen > k->seen) {
		struct event e = kernel_event(k, EVENT_COUNTER, 0);

		e.counter.name = loss_counter(LOST_SWITCHES);
		e.counter.value = (double)k->unseen;
		importer_emit(&k->im, &e);
	}
	importer_end(&k->im);
}

/* ---- threads ---- */

struct kernel_cpu *kernel_cpu(struct kernel *k, uint32_t cpu)
{
	if (cpu >= CPUS)
		cpu = 0;
	while (k->cpus.n <= cpu)
		vec_push(&k->cpus, (struct kernel_cpu){ 0 });
	return &k->cpus.v[cpu];
}

/* The process of a thread, which has the number of the thread unless it was set. */
static uint32_t pid_of(const struct kernel *k, uint32_t tid)
{
	const uint64_t *pid = map_find(&k->pids, tid);

	return pid ? (uint32_t)*pid : tid;
}

void kernel_set_pid(struct kernel *k, uint32_t tid, uint32_t pid)
{
	const uint64_t *maker = map_find(&k->unborn, tid);

	*map_at(&k->pids, tid) = pid;
	if (!maker)
		return;
	const struct pairing_thread parent = { .pid = (uint32_t)(*maker >> 32),
					       .tid = (uint32_t)*maker };
	map_remove(&k->unborn, tid);
	importer_fork(&k->im, &parent, pid, tid, false, k->now);
}

/* The thread for the functions of importer.h. */
static struct pairing_thread *thread_of(struct kernel *k, uint32_t tid)
{
	return importer_thread(&k->im, pid_of(k, tid), tid);
}

struct event kernel_event(const struct kernel *k, enum event_type type, uint32_t tid)
{
	return (struct event){ .type = type, .pid = pid_of(k, tid), .tid = tid, .time = k->now };
}

void kernel_name(struct kernel *k, uint32_t tid, const char *name, size_t n)
{
	const uint64_t hash = hash_bytes(name, n);

	if (!tid)
		return;
	uint64_t *known = map_at(&k->comms, tid);
	if (*known == hash)
		return;
	*known = hash;
	struct event e = kernel_event(k, EVENT_COMM, tid);
	e.comm.name = arena_copy(&k->im.arena, name, n);
	importer_emit(&k->im, &e);
}

void kernel_forget(struct kernel *k, uint32_t tid)
{
	map_remove(&k->pids, tid);
	map_remove(&k->comms, tid);
}

/* ---- the scheduler ---- */

/* The states of Linux, whose numbers are bits; a higher one says that it was preempted. */
static uint8_t state_of(int64_t state)
{
	return !(state & 0xff) ? STATE_RUNNABLE
	       : state & 1     ? STATE_SLEEPING
	       : state & 0x82  ? STATE_UNINTERRUPTIBLE /* 0x80: idle */
	       : state & 12    ? STATE_STOPPED
			       : STATE_DEAD;
}

void kernel_switch(struct kernel *k, uint32_t cpu, uint32_t prev, int64_t state, uint32_t next)
{
	struct kernel_cpu *c = kernel_cpu(k, cpu);

	c->known = true;
	c->tid = next;
	uint8_t left = state_of(state);
	bool preempted = left == STATE_RUNNABLE;
	/* Where switches to a CPU are missing, how long a thread waits for one is unknown. */
	if (prev && !(preempted && k->unseen > k->seen)) {
		struct event e = kernel_event(k, EVENT_SWITCH, prev);

		e.change.cpu = cpu;
		e.change.out = true;
		e.change.state = left;
		e.change.preempted = preempted;
		e.change.next = next;
		importer_emit(&k->im, &e);
		if (e.change.state == STATE_DEAD)
			kernel_forget(k, prev);
	}
	if (next) {
		struct event e = kernel_event(k, EVENT_SWITCH, next);

		e.change.cpu = cpu;
		importer_emit(&k->im, &e);
	}
}

void kernel_wake(struct kernel *k, bool waking, enum wake_context context, uint32_t cpu,
		 uint32_t tid, uint32_t target, int64_t target_cpu)
{
	const struct kernel_cpu *c = kernel_cpu(k, cpu);
	struct event e = kernel_event(k, EVENT_WAKE, tid);

	if (!waking && k->sees_waking)
		return;
	k->sees_waking |= waking;
	e.wake.target = target;
	e.wake.context = (uint8_t)context;
	if (!context)
		e.wake.context = !c->depth			 ? tid ? WAKE_THREAD : WAKE_UNKNOWN
				 : c->handler[c->depth - 1].soft ? WAKE_SOFTIRQ
								 : WAKE_INTERRUPT;
	e.wake.cpu = (uint32_t)(target_cpu + 1);
	e.wake.from = cpu + 1;
	importer_emit(&k->im, &e);
}

void kernel_handler_begins(struct kernel *k, uint32_t cpu, bool soft, uint32_t number)
{
	struct kernel_cpu *c = kernel_cpu(k, cpu);

	if (c->depth == sizeof(c->handler) / sizeof(*c->handler))
		c->depth = 0; /* ends were lost */
	c->handler[c->depth].time = k->now;
	c->handler[c->depth].number = number;
	c->handler[c->depth].soft = soft;
	c->depth++;
}

void kernel_handler_ends(struct kernel *k, uint32_t cpu, bool soft)
{
	struct kernel_cpu *c = kernel_cpu(k, cpu);
	struct event e = kernel_event(k, EVENT_INTERRUPT, c->known ? c->tid : 0);

	if (!c->depth || c->handler[c->depth - 1].soft != soft)
		return;
	c->depth--;
	e.time = c->handler[c->depth].time;
	e.interrupt.soft = soft;
	e.interrupt.number = c->handler[c->depth].number;
	e.interrupt.cpu = cpu;
	e.interrupt.duration = k->now - e.time;
	importer_emit(&k->im, &e);
}

/* ---- processes ---- */

void kernel_fork(struct kernel *k, uint32_t parent, uint32_t child)
{
	struct pairing_thread *t = thread_of(k, parent);
	uint32_t pid = pid_of(k, child);
	bool shares = syscall_clone_flags(pairing_inside(t)) & CLONE_SHARES_FILES;

	k->sees_fork = true;
	importer_fork(&k->im, t, pid, child, shares && pid != t->pid, k->now);
}

/* Returns whether the arguments of a fork do not tell a thread from a process, as the flags of
 * clone3 in memory. */
static bool is_vague(const struct event *call)
{
	return !call || (!syscall_clone_flags(call) && *syscall_get(call->call.id)->argument);
}

/* Child `tid` of thread t, which made it by that call; NULL: an unknown one. */
static void make_child(struct kernel *k, const struct pairing_thread *t, const struct event *call,
		       uint32_t tid)
{
	uint64_t flags = syscall_clone_flags(call);
	bool thread = flags & CLONE_IS_THREAD;
	uint32_t pid = thread ? t->pid : tid;

	if (k->knows_pids && is_vague(call)) {
		*map_at(&k->unborn, tid) = (uint64_t)t->pid << 32 | t->tid;
		return;
	}
	kernel_set_pid(k, tid, pid);
	importer_fork(&k->im, t, pid, tid, !thread && flags & CLONE_SHARES_FILES, k->now);
}

void kernel_fork_of_call(struct kernel *k, uint32_t parent, uint32_t child)
{
	struct pairing_thread *t = thread_of(k, parent);

	k->sees_fork = true;
	make_child(k, t, pairing_inside(t), child);
}

void kernel_exec(struct kernel *k, uint32_t tid, const char *path)
{
	k->sees_exec = true;
	if (tid && pid_of(k, tid) == tid)
		importer_exec(&k->im, thread_of(k, tid), path ? path : "", k->now);
}

/* The wait(2) status of a process whose thread ends in exit_group(); -1: it is not known, as of one
 * that a signal ended. */
static int status_of(struct pairing_thread *t)
{
	const struct event *call = pairing_inside(t);
	int status;

	return call && syscall_ends_process(call, &status) ? status : -1;
}

void kernel_exit(struct kernel *k, uint32_t tid)
{
	if (!tid)
		return;
	struct pairing_thread *t = thread_of(k, tid);
	importer_exit(&k->im, t, status_of(t), k->now);
	if (!k->sees_switches) /* else it leaves its CPU yet */
		kernel_forget(k, tid);
}

void kernel_fault(struct kernel *k, uint32_t tid, uint64_t address, uint64_t code)
{
	struct event e = kernel_event(k, EVENT_FAULT, tid);

	if (!tid)
		return;
	fault_set_x86(&e, address, code);
	/* The codes of other processors have other bits. */
	if (k->abi != ABI_X86_64 && k->abi != ABI_I386)
		e.fault.kind = FAULT_UNKNOWN;
	importer_emit(&k->im, &e);
}

/* ---- calls ---- */

/* Names of functions that are not those of their calls. */
static const char *const renamed[][2] = {
	{ "newstat", "stat" },
	{ "newfstat", "fstat" },
	{ "newlstat", "lstat" },
	{ "newuname", "uname" },
	{ "sendfile64", "sendfile" },
	{ "umount", "umount2" },
	{ "sysctl", "_sysctl" },
	{ "mmap_pgoff", "mmap2" },
	{ "sigprocmask", "rt_sigprocmask" },
	{ "fadvise64_64", "fadvise64" },
};

unsigned kernel_call_named(const char *name)
{
	if (!strcmp(name, "unknown"))
		return UINT32_MAX;
	for (size_t i = 0; i < sizeof(renamed) / sizeof(*renamed); i++)
		if (!strcmp(name, renamed[i][0]))
			name = renamed[i][1];
	return syscall_by_name(name);
}

void kernel_enter(struct kernel *k, uint32_t tid, struct event *e)
{
	if (!tid) {
		k->unattributed++;
		return;
	}
	e->type = EVENT_SYSCALL;
	e->pid = pid_of(k, tid);
	e->tid = tid;
	e->time = k->now;
	/* Registers that are no arguments may hold anything. */
	size_t n = strlen(syscall_get(e->call.id)->argument);
	memset(e->call.args + n, 0, (6 - n) * sizeof(*e->call.args));
	importer_enter(&k->im, thread_of(k, tid), e);
}

/* A child whose birth no other event told. */
static void take_clone(struct kernel *k, const struct pairing_thread *t, const struct event *call,
		       int64_t child)
{
	if (!k->sees_fork && child > 0 && child <= INT32_MAX)
		make_child(k, t, call, (uint32_t)child);
}

/* The child of vfork runs before the call returns, so that nothing told whose child it is. */
static void attach_child(struct kernel *k, const struct pairing_thread *t, const struct event *call,
			 int64_t child)
{
	struct event e = kernel_event(k, EVENT_ATTACH, (uint32_t)child);

	if (k->sees_fork || child <= 0 || child > INT32_MAX || e.pid == t->pid ||
	    syscall_clone_flags(call) & CLONE_IS_THREAD || !pairing_find(&k->im.calls, e.tid))
		return;
	e.attach.parent = t->pid;
	importer_emit(&k->im, &e);
}

void kernel_leave(struct kernel *k, uint32_t tid, unsigned id, int64_t result,
		  const uint64_t pair[2], const char *program)
{
	if (!tid) {
		k->unattributed++;
		return;
	}
	struct pairing_thread *t = thread_of(k, tid);
	struct event *inside = pairing_inside(t);
	if (id == UINT32_MAX)
		id = inside ? inside->call.id : syscall_by_name("unknown");
	bool own = inside && inside->call.id == id;
	enum role role = own ? syscall_role(id) : ROLE_NONE;
	bool fork = role == ROLE_FORK, exec = role == ROLE_EXEC && !k->sees_exec && result == 0;
	struct event call = own ? *inside : (struct event){ 0 };
	char *path = exec && call.call.path ? xstrdup(call.call.path) : NULL;
	if (own && pair)
		memcpy(&inside->call.args[4], pair, 2 * sizeof(*pair));
	if (fork)
		attach_child(k, t, &call, result);
	importer_leave(&k->im, t, id, result, k->now);
	if (fork)
		take_clone(k, t, &call, result);
	else if (exec)
		importer_exec(&k->im, t, path ? path : program ? program : "", k->now);
	free(path);
}
