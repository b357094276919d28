// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Births, programs, deaths, signals, and who is followed. */
#include "followed.bpf.h"

/* Whether a thread has ended when it leaves its CPU for the last time, and what it used is final.
 */
bool ends_late;

/*
 * Of this thread, which runs, alone: what others that have just ended used may not be in the sum of
 * the process yet.  The kernel adds up the CPU time at a switch and at each tick only.
 */
static __always_inline void read_usage(struct record_usage *u, struct task_struct *task,
				       const struct state *s, __u64 now)
{
	enum { LONGEST_TICK = 10000000 };
	__u64 since = now - s->behind - task->se.exec_start;

	u->runtime = task->se.sum_exec_runtime;
	if (s->behind && since < LONGEST_TICK)
		u->runtime += since;
	u->voluntary = task->nvcsw;
	u->involuntary = task->nivcsw;
	u->user = task->utime;
	u->system = task->stime;
	u->minor_faults = task->min_flt;
	u->major_faults = task->maj_flt;
	u->wakeups = s->wakeups;
}

/* The number of the control group whose processes are followed; 0: none. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} group SEC(".maps");

/* Whether a group of the unified hierarchy is that one or below it. */
static __always_inline bool is_in_group(struct cgroup *g)
{
	enum { DEPTH = 32 };
	__u32 zero = 0;
	__u64 *wanted = bpf_map_lookup_elem(&group, &zero);

	if (!wanted || !*wanted)
		return false;
	for (int i = 0; i < DEPTH && g; i++) {
		struct cgroup_subsys_state *parent = BPF_CORE_READ(g, self.parent);

		if (BPF_CORE_READ(g, kn, id) == *wanted)
			return true;
		g = parent ? BPF_CORE_READ(parent, cgroup) : NULL;
	}
	return false;
}

/* The first thread of a process has come into the group.  Others it may have are not followed. */
static __always_inline void join(struct task_struct *task)
{
	__u64 *missed = counter(COUNTER_STATE);

	if (state_of(task))
		return;
	struct state *s = bpf_task_storage_get(&states, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!s) {
		count(COUNTER_STATE);
		return;
	}
	s->since = bpf_ktime_get_ns();
	if (missed)
		*missed += BPF_CORE_READ(task, signal, nr_threads) - 1;
	struct record *r = begin_record(task, RECORD_JOIN, bpf_ktime_get_ns(), sizeof(*r));
	if (r)
		end_record(r);
}

SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(on_join, struct cgroup *to, const char *path, struct task_struct *task)
{
	if (!BPF_CORE_READ(to, root, hierarchy_id) && is_in_group(to))
		join(task);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	struct state *s = state_of(parent);

	if (!s) {
		if (is_in_group(BPF_CORE_READ(child, cgroups, dfl_cgrp)))
			join(child);
		return 0;
	}
	s = bpf_task_storage_get(&states, child, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!s) {
		count(COUNTER_STATE);
		return 0;
	}
	s->since = bpf_ktime_get_ns();
	struct record_fork *r = begin_record(parent, RECORD_FORK, bpf_ktime_get_ns(), sizeof(*r));
	if (!r)
		return 0;
	r->child_pid = child->tgid;
	r->child_tid = child->pid;
	r->shares_files = child->files == parent->files;
	end_record(r);
	return 0;
}

/* The execve is a call of the program that made it, whose memory is gone. */
static __always_inline void put_execve(struct task_struct *task, struct state *s, __u64 now,
				       int former, struct linux_binprm *program)
{
	struct record_path *r = begin_record(task, RECORD_CALL, now, sizeof(*r));

	s->inside = 0;
	count(COUNTER_CALLS);
	if (!r)
		return;
	fill_call(&r->call, s, former, CALL_HAS_PATH | CALL_IS_EXEC, 6);
	bpf_probe_read_kernel_str(r->path, sizeof(r->path), program->filename);
	end_record(r);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int former, struct linux_binprm *program)
{
	struct state *s = state_of(task);

	if (!s)
		return 0;
	__u64 now = bpf_ktime_get_ns();
	bool told = s->inside; /* by its call, which thread made it */
	if (told)
		put_execve(task, s, now, former, program);
	s->since = now;
	s->interrupted = s->returned = 0;
	__builtin_memset(s->seen_fd, 0, sizeof(s->seen_fd));
	struct record_exec *r = begin_record(task, RECORD_EXEC, now, sizeof(*r));
	if (!r)
		return 0;
	read_usage(&r->usage, task, s, now);
	r->former = told ? task->tgid : former;
	r->foreign = 0;
	bpf_probe_read_kernel_str(r->name, sizeof(r->name),
				  BPF_CORE_READ(task, mm, exe_file, f_path.dentry, d_name.name));
	struct mm_struct *mm = task->mm;
	__u64 start = mm ? mm->arg_start : 0, bytes = mm ? mm->arg_end - start : 0;
	r->bytes = bytes;
	if (bytes > sizeof(r->args))
		bytes = sizeof(r->args);
	if (bytes && bpf_probe_read_user(r->args, bytes, (void *)start))
		r->bytes = 0;
	end_record(r);
	return 0;
}

static __always_inline int put_death(struct task_struct *task, struct state *s, __u64 now)
{
	if (s->inside) {
		count(COUNTER_CALLS);
		put_call(task, s, now, 0, CALL_IS_OPEN);
		s->inside = 0;
	}
	struct record_exit *r = begin_record(task, RECORD_EXIT, now, sizeof(*r));
	if (!r)
		return 0;
	read_usage(&r->usage, task, s, now);
	r->usage.voluntary -= ends_late; /* this last switch */
	r->status = task->exit_code;
	r->last = ends_late ? LAST_IS_UNKNOWN : !task->signal->live.counter;
	end_record(r);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_death, struct task_struct *task)
{
	struct state *s = state_of(task);

	return s && !ends_late ? put_death(task, s, bpf_ktime_get_ns()) : 0;
}

/* In place of on_switch, where switches have no records. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_run, bool preempted, struct task_struct *previous, struct task_struct *next,
	     unsigned int bits)
{
	enum { DEAD = 128 };
	__u64 now = bpf_ktime_get_ns();
	struct state *s = state_of(next);

	if (s)
		note_run(s, next, now);
	if (ends_late && bits & DEAD && (s = state_of(previous)))
		put_death(previous, s, now);
	return 0;
}

SEC("tp_btf/signal_deliver")
int BPF_PROG(on_signal, int number, void *info, struct k_sigaction *action)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!state_of(task))
		return 0;
	struct record_signal *r = begin_record(task, RECORD_SIGNAL, bpf_ktime_get_ns(), sizeof(*r));
	if (!r)
		return 0;
	r->number = number;
	r->handled = (__u64)action->sa.sa_handler > 1;
	end_record(r);
	return 0;
}

/* ---- threads that run already ---- */

/* Processes to follow from now on: the iterator gives their threads a state. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 16);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

/* Writes to the reader of the iterator what the dead threads of these processes used. */
static __always_inline void write_past(struct bpf_iter__task *it, struct task_struct *task)
{
	struct signal_struct *dead = task->signal;
	struct record_exit past = { .head = { .pid = task->tgid, .tid = task->pid } };

	past.usage.runtime = dead->sum_sched_runtime;
	past.usage.user = dead->utime;
	past.usage.system = dead->stime;
	past.usage.minor_faults = dead->min_flt;
	past.usage.major_faults = dead->maj_flt;
	bpf_seq_write(it->meta->seq, &past, sizeof(past));
}

/* The call that a thread sleeps in, which is followed from now on. */
static __always_inline void note_call(struct state *s, struct task_struct *task)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
#if defined(__TARGET_ARCH_x86)
	long number = regs->orig_ax;
#elif defined(__TARGET_ARCH_arm64)
	long number = regs->syscallno;
#endif

	if (task->on_cpu || number < 0)
		return;
	s->compat = is_compat(task);
	s->number = number;
	s->cpu = task->wake_cpu;
	read_args(s, regs);
	s->inside = 1;
	note_place(s);
	s->begin = bpf_ktime_get_ns();
}

SEC("iter/task")
int follow(struct bpf_iter__task *it)
{
	struct task_struct *task = it->task;

	if (!task)
		return 0;
	__u32 pid = task->tgid;
	if (!bpf_map_lookup_elem(&targets, &pid))
		return 0;
	struct state *s = bpf_task_storage_get(&states, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (s)
		note_call(s, task);
	else
		count(COUNTER_STATE);
	if (task->pid == task->tgid)
		write_past(it, task);
	return 0;
}

/* Writes how often each thread that is alive woke others, which /proc does not know, to the reader
 * of the iterator. */
SEC("iter/task")
int show_wakeups(struct bpf_iter__task *it)
{
	struct task_struct *task = it->task;
	struct state *s = task ? state_of(task) : NULL;

	if (s && s->wakeups) {
		struct record_exit alive = { .head = { .pid = task->tgid, .tid = task->pid } };

		alive.usage.wakeups = s->wakeups;
		bpf_seq_write(it->meta->seq, &alive, sizeof(alive));
	}
	return 0;
}

/* Set by the recorder at the end. */
bool lets_go;

/* Writes the calls that have not ended to the reader of the iterator. */
SEC("iter/task")
int show_open(struct bpf_iter__task *it)
{
	struct task_struct *task = it->task;
	struct state *s = task ? state_of(task) : NULL;

	if (!s)
		return 0;
	if (s->inside) {
		struct record_call c = { .head = { .time = s->begin,
						   .pid = task->tgid,
						   .tid = task->pid,
						   .type = RECORD_CALL } };

		fill_call(&c, s, 0, CALL_IS_OPEN, 6);
		bpf_seq_write(it->meta->seq, &c, sizeof(c));
	}
	if (lets_go)
		bpf_task_storage_delete(&states, task);
	return 0;
}
