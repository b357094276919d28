// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The part of the recorder that runs in the kernel: one record for each call, at its end, and one
 * for each switch, wake-up, fork, exec, exit, signal, fault and request of the threads that are
 * followed.  When it aggregates, calls that are like an earlier one of the thread are only counted.
 *
 * A thread is followed when it has a state; its children inherit one.  Each CPU has its own ring
 * and writes without waking the reader, which looks every few milliseconds.
 */
#include <stdbool.h>

#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "kernel.bpf.h"
#include "../stream/records.h"

char terms[] SEC("license") = "Dual MIT/GPL";

enum { SEEN = 8, FILES = 1 << 16, KINDS = 1 << 16 };

/* What a descriptor is by: another file may get the memory of a closed one. */
struct identity {
	__u64 file, inode, number;
};

struct descriptor_key {
	__u64 files; /* the table, which threads share */
	__u32 fd;
	__u32 pid; /* another process may get the memory of its table */
};

/* In place of the kind of a regular file that can be written: what a call costs there depends on
 * those before. */
#define KIND_IS_WRITTEN (~0ull)

/* Of a thread that is followed. */
struct state {
	__u64 begin;   /* of the call that it is in */
	__u64 args[8]; /* six, and room for any index below eight */
	__u16 number, cpu;
	__u8 inside, compat;
	__u32 seen_fd[SEEN]; /* plus 1: descriptors described last, by their low bits */
	struct identity seen[SEEN];
	/* This and the following are for calls that are counted. */
	__u64 kinds[SEEN]; /* of these descriptors */
	__u64 since;	   /* as in record_kind */
	__u16 interrupted; /* number, plus 1, of a call that may be restarted */
	__u8 returned;	   /* the last call came back from a handler */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct state);
} states SEC(".maps");

/* The rings, each of the size that the recorder sets. */
struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct ring);
} rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, FILES);
	__type(key, struct descriptor_key);
	__type(value, struct identity);
} described SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

/* What runs on top of the thread of this CPU. */
struct context {
	__u64 softirq; /* when the running one began, if it does so on a thread that is followed */
	__u32 in_softirq, in_interrupt;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct context);
} contexts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, KINDS);
	__type(key, struct record_kind);
	__type(value, struct record_tally);
} tallies SEC(".maps");

const volatile struct record_shape shapes[RECORD_ABIS][RECORD_CALLS];
const volatile struct record_tally no_calls;

/* Set by the recorder when it starts. */
bool aggregates;

/* ---- records ---- */

static __always_inline __u64 *counter(__u32 which)
{
	return bpf_map_lookup_elem(&counters, &which);
}

static __always_inline void count(__u32 which)
{
	__u64 *n = counter(which);

	if (n)
		++*n;
}

/* Room for a record of task in the ring of this CPU; NULL, and it is counted, when it is full.
 * bytes must be a constant. */
static __always_inline void *begin_record(struct task_struct *task, __u16 type, __u64 time,
					  __u32 bytes)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u64 *lost = counter(COUNTER_LOST);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	struct record *r = ring ? bpf_ringbuf_reserve(ring, bytes, 0) : NULL;

	if (!lost)
		return r ? (bpf_ringbuf_discard(r, 0), NULL) : NULL;
	if (!r) {
		++*lost;
		return NULL;
	}
	r->time = time;
	r->pid = task->tgid;
	r->tid = task->pid;
	r->lost = *lost;
	r->type = type;
	r->cpu = cpu;
	return r;
}

static __always_inline void end_record(void *r)
{
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
}

static __always_inline struct state *state_of(struct task_struct *task)
{
	return bpf_task_storage_get(&states, task, NULL, 0);
}

/* ---- descriptors ---- */

/*
 * The descriptors of the thread that a program runs for.  Found once in each program: for each
 * place that follows a typed pointer the verifier searches all types of the kernel several times.
 */
struct open_files {
	struct files_struct *files;
	struct fdtable *table;
};

static __always_inline struct open_files files_of(struct task_struct *task)
{
	struct open_files o = { task->files, NULL };

	if (o.files)
		o.table = o.files->fdt;
	return o;
}

/* Reading through a pointer of a known type takes an instruction, a helper tens of them. */
extern void *bpf_rdonly_cast(const void *pointer, __u32 type) __ksym __weak;
const volatile bool has_casts;

#define CAST(type, pointer) ((type *)bpf_rdonly_cast((pointer), bpf_core_type_id_kernel(type)))

static __always_inline struct file *file_of(const struct open_files *o, __u32 fd)
{
	struct file *file = NULL;

	if (!o->table || fd >= o->table->max_fds)
		return NULL;
	if (has_casts) /* any struct that begins with a pointer will do */
		return (struct file *)CAST(struct list_head, o->table->fd + fd)->next;
	bpf_probe_read_kernel(&file, sizeof(file), o->table->fd + fd);
	return file;
}

static __always_inline bool same(const struct identity *a, const struct identity *b)
{
	return a->file == b->file && a->inode == b->inode && a->number == b->number;
}

static __always_inline struct identity identity_of(struct file *file)
{
	struct inode *inode;

	if (has_casts) {
		inode = CAST(struct file, file)->f_inode;
		return (struct identity){ (__u64)file, (__u64)inode, inode->i_ino };
	}
	inode = BPF_CORE_READ(file, f_inode);
	return (struct identity){ (__u64)file, (__u64)inode, BPF_CORE_READ(inode, i_ino) };
}

static __always_inline void describe_addresses(struct record_descriptor *r, struct sock *sk)
{
	enum { INET = 2, INET6 = 10 };
	struct sock_common *c = &sk->__sk_common;

	if (r->family != INET && r->family != INET6)
		return;
	r->local_port = BPF_CORE_READ(c, skc_num);
	r->remote_port = bpf_ntohs(BPF_CORE_READ(c, skc_dport));
	if (r->family == INET) {
		bpf_core_read(r->local, 4, &c->skc_rcv_saddr);
		bpf_core_read(r->remote, 4, &c->skc_daddr);
	} else if (bpf_core_field_exists(c->skc_v6_daddr)) {
		bpf_core_read(r->local, 16, &c->skc_v6_rcv_saddr);
		bpf_core_read(r->remote, 16, &c->skc_v6_daddr);
	}
}

static __always_inline void describe_socket(struct record_descriptor *r, struct file *file)
{
	struct socket *socket = BPF_CORE_READ(file, private_data);

	r->family = BPF_CORE_READ(socket, sk, __sk_common.skc_family);
	r->type = BPF_CORE_READ(socket, type);
	r->protocol = BPF_CORE_READ(socket, sk, sk_protocol);
	describe_addresses(r, BPF_CORE_READ(socket, sk));
}

/* Descriptors of the same kind are no reason to tell calls apart. */
static __always_inline __u64 kind_of(struct file *file, struct inode *inode)
{
	enum { FOR_WRITING = 2 };
	__u64 mode = BPF_CORE_READ(inode, i_mode) & 0170000, kind = mode << 32;

	if (!mode)
		return (__u64)BPF_CORE_READ(file, f_op);
	if (mode == 0100000 && BPF_CORE_READ(file, f_mode) & FOR_WRITING)
		return KIND_IS_WRITTEN;
	if (mode == 0140000) {
		struct socket *socket = BPF_CORE_READ(file, private_data);

		kind |= (__u64)BPF_CORE_READ(socket, sk, __sk_common.skc_family) << 48;
		kind |= (__u32)BPF_CORE_READ(socket, type) << 16;
		return kind | (__u16)BPF_CORE_READ(socket, sk, sk_protocol);
	}
	return kind | BPF_CORE_READ(inode, i_rdev);
}

static __always_inline void put_descriptor(struct task_struct *task, __u64 time, __u32 fd,
					   struct file *file, struct inode *inode, bool alone)
{
	struct record_descriptor *r = begin_record(task, RECORD_DESCRIPTOR, time, sizeof(*r));

	if (!r)
		return;
	__builtin_memset((char *)r + sizeof(r->head), 0, sizeof(*r) - sizeof(r->head));
	r->fd = fd;
	r->alone = alone;
	r->mode = BPF_CORE_READ(inode, i_mode);
	r->inode = BPF_CORE_READ(inode, i_ino);
	r->device = BPF_CORE_READ(inode, i_rdev);
	if ((r->mode & 0170000) == 0140000)
		describe_socket(r, file);
	else if (!(r->mode & 0170000))
		bpf_probe_read_kernel_str(r->name, sizeof(r->name),
					  BPF_CORE_READ(file, f_path.dentry, d_name.name));
	end_record(r);
}

/* Says what fd is unless that was said before (again: even then), and returns its kind if it
 * aggregates.  alone: perhaps no record of the call follows. */
static __always_inline __u64 describe(struct task_struct *task, const struct open_files *o,
				      struct state *s, __u64 time, __u64 number, bool alone,
				      bool again)
{
	__u32 fd = number, slot = fd % SEEN;
	struct file *file = file_of(o, fd);

	if (!file)
		return 0;
	struct identity now = identity_of(file);
	if (!again && s->seen_fd[slot] == fd + 1 && same(&s->seen[slot], &now))
		return s->kinds[slot];
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	__u64 kind = aggregates ? kind_of(file, inode) : 0;
	s->seen_fd[slot] = fd + 1;
	s->seen[slot] = now;
	s->kinds[slot] = kind;
	struct descriptor_key key = { (__u64)o->files, fd, task->tgid };
	struct identity *known = bpf_map_lookup_elem(&described, &key);
	if (!again && known && same(known, &now))
		return kind;
	bpf_map_update_elem(&described, &key, &now, BPF_ANY);
	put_descriptor(task, time, fd, file, inode, alone);
	return kind;
}

/* ---- system calls ---- */

static __always_inline bool is_compat(struct task_struct *task)
{
#ifdef __TARGET_ARCH_x86
	return task->thread_info.status & 2; /* TS_COMPAT */
#else
	return false;
#endif
}

static __always_inline void read_args(struct state *s, struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	if (s->compat) {
		s->args[0] = (__u32)regs->bx;
		s->args[1] = (__u32)regs->cx;
		s->args[2] = (__u32)regs->dx;
		s->args[3] = (__u32)regs->si;
		s->args[4] = (__u32)regs->di;
		s->args[5] = (__u32)regs->bp;
		return;
	}
	s->args[0] = regs->di;
	s->args[1] = regs->si;
	s->args[2] = regs->dx;
	s->args[3] = regs->r10;
	s->args[4] = regs->r8;
	s->args[5] = regs->r9;
#elif defined(__TARGET_ARCH_arm64)
	for (int i = 0; i < 6; i++)
		s->args[i] = regs->regs[i];
#endif
}

static __always_inline const volatile struct record_shape *shape_of(const struct state *s)
{
	return &shapes[s->compat & 1][s->number & (RECORD_CALLS - 1)];
}

static __always_inline __u64 arg(const struct state *s, __u32 i)
{
	return s->args[i & 7];
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct state *s = state_of(task);

	if (!s)
		return 0;
	s->compat = is_compat(task);
	s->number = number;
	s->cpu = bpf_get_smp_processor_id();
	read_args(s, regs);
	const volatile struct record_shape *shape = shape_of(s);
	if (shape->early && shape->first_fd < 6) {
		struct open_files o = files_of(task);

		describe(task, &o, s, bpf_ktime_get_ns(), arg(s, shape->first_fd), false, false);
	}
	s->inside = 1;
	s->begin = bpf_ktime_get_ns();
	return 0;
}

static __always_inline void fill_call(struct record_call *c, const struct state *s, long result,
				      __u32 flags, __u32 args)
{
	c->begin = s->begin;
	c->result = result;
	c->number = s->number;
	c->cpu = s->cpu;
	c->flags = flags | (s->compat ? CALL_IS_COMPAT : 0);
	__builtin_memcpy(c->args, s->args, args * sizeof(*c->args));
}

/* What a call passes through memory goes where event.h wants it. */
static __always_inline __u32 read_memory(struct state *s, const volatile struct record_shape *shape,
					 long result)
{
	__u64 address, flags = 0;
	int fds[2] = { -1, -1 };

	if (!shape->memory)
		return 0;
	address = arg(s, shape->memory - 1);
	if (!shape->memory_fds) {
		if (bpf_probe_read_user(&flags, sizeof(flags), (void *)address + shape->offset))
			return CALL_LACKS_MEMORY;
		s->args[4] = flags;
		return 0;
	}
	if (result < 0)
		return 0;
	if (bpf_probe_read_user(fds, sizeof(fds), (void *)address))
		return CALL_LACKS_MEMORY;
	s->args[4] = (__s64)fds[0];
	s->args[5] = (__s64)fds[1];
	return 0;
}

/* The kernel has just read the path, so that it is in memory, unless the address was bad. */
static __always_inline void put_path_call(struct task_struct *task, struct state *s, __u64 now,
					  long result, __u32 flags, __u64 address)
{
	struct record_path *r = begin_record(task, RECORD_CALL, now, sizeof(*r));

	if (!r)
		return;
	fill_call(&r->call, s, result, flags, 6);
	long n = bpf_probe_read_user_str(r->path, sizeof(r->path), (void *)address);
	if (n < (long)sizeof(r->path)) {
		r->call.flags |= n > 0 ? CALL_HAS_PATH : CALL_LACKS_MEMORY;
		end_record(r);
		return;
	}
	bpf_ringbuf_discard(r, BPF_RB_NO_WAKEUP);
	struct record_long_path *l = begin_record(task, RECORD_CALL, now, sizeof(*l));
	if (!l)
		return;
	fill_call(&l->call, s, result, flags | CALL_HAS_PATH, 6);
	bpf_probe_read_user_str(l->path, sizeof(l->path), (void *)address);
	end_record(l);
}

static __always_inline void put_call(struct task_struct *task, struct state *s, __u64 now,
				     long result, __u32 flags)
{
	struct record_call *r = begin_record(task, RECORD_CALL, now, sizeof(*r));

	if (!r)
		return;
	fill_call(r, s, result, flags, 6);
	end_record(r);
}

/* The same for the many calls with few arguments: shorter records take less time to write. */
static __always_inline void put_short_call(struct task_struct *task, struct state *s, __u64 now,
					   long result)
{
	struct record_call *r = begin_record(task, RECORD_CALL, now, RECORD_SHORT);

	if (!r)
		return;
	fill_call(r, s, result, 0, RECORD_FEW_ARGS);
	end_record(r);
}

/* ---- calls that are only counted ---- */

/*
 * Whether a call is, or may be, a piece of one that a signal interrupted: the reader puts these
 * together (pairing.h), so it needs each of them, and the returns from handlers in between.
 */
static __always_inline bool is_piece(struct state *s, const volatile struct record_shape *shape,
				     long result)
{
	bool piece = s->interrupted || s->returned;

	s->returned = shape->returns;
	if (result <= -512 && result >= -516) { /* ERESTARTSYS ... ERESTART_RESTARTBLOCK */
		s->interrupted = s->number + 1;
		return true;
	}
	if (s->interrupted == s->number + 1 || shape->restarts)
		s->interrupted = 0;
	return piece;
}

/* The first of a kind is a record.  When there is no room for more kinds each of them is. */
static __always_inline void put_first(struct task_struct *task, struct state *s, __u64 now,
				      long result, struct record_kind *kind)
{
	struct record_first *r = begin_record(task, RECORD_FIRST, now, sizeof(*r));

	if (!r)
		return;
	fill_call(&r->call, s, result, 0, 6);
	r->kind = *kind;
	if (bpf_map_update_elem(&tallies, kind, (const void *)&no_calls, BPF_NOEXIST))
		r->call.head.type = RECORD_CALL;
	end_record(r);
}

static __always_inline void tally_call(struct task_struct *task, struct state *s,
				       const volatile struct record_shape *shape, __u64 now,
				       long result, __u64 descriptor)
{
	__u64 ns = now - s->begin, size = 0, variant = arg(s, shape->which) & shape->variant_bits;
	struct record_kind kind = {
		.since = s->since,
		.kind = descriptor,
		.variant = shape->is_zero ? !!variant : variant,
		.tid = task->pid,
		.number = s->number,
		.compat = s->compat,
		.error = result < 0 && result >= -4095 ? -result : 0,
	};

	if (shape->size == RECORD_RESULT)
		size = kind.error ? 0 : result;
	else if (shape->size < 6)
		size = arg(s, shape->size);
	kind.size = size ? record_log2(size) + 1 : 0;
	struct record_tally *t = bpf_map_lookup_elem(&tallies, &kind);
	if (!t) {
		put_first(task, s, now, result, &kind);
		return;
	}
	__u32 time = record_time(ns) & (RECORD_TIMES - 1);
	t->size += size;
	t->times[time].calls++;
	t->times[time].ns += ns;
	if (!t->least || ns < t->least)
		t->least = ns;
	if (ns > t->most)
		t->most = ns;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct state *s = state_of(task);

	if (!s || !s->inside)
		return 0;
	struct open_files o = files_of(task);
	__u64 now = bpf_ktime_get_ns();
	s->inside = 0;
	count(COUNTER_CALLS);
	const volatile struct record_shape *shape = shape_of(s);
	bool counted = aggregates && shape->counted;
	__u64 kind = 0;
	bool connected = shape->connects && (!result || result == -115 /* EINPROGRESS */);
	if (!shape->early && shape->first_fd < 6)
		kind = describe(task, &o, s, now, arg(s, shape->first_fd), counted, connected);
	if (shape->second < 6)
		describe(task, &o, s, now, arg(s, shape->second), counted, false);
	if (shape->makes_fd && result >= 0)
		describe(task, &o, s, now, result, false, false);
	if (aggregates && !is_piece(s, shape, result) && counted && kind != KIND_IS_WRITTEN) {
		tally_call(task, s, shape, now, result, kind);
		return 0;
	}
	__u32 flags = read_memory(s, shape, result);
	if (shape->path < 6 && arg(s, shape->path))
		put_path_call(task, s, now, result, flags, arg(s, shape->path));
	else if (shape->args > RECORD_FEW_ARGS || shape->memory)
		put_call(task, s, now, result, flags);
	else
		put_short_call(task, s, now, result);
	return 0;
}

/* ---- processes ---- */

/* Of this thread alone: what others that have just ended used may not be in the sum of the process
 * yet. */
static __always_inline void read_usage(struct record_usage *u, struct task_struct *task)
{
	u->runtime = task->se.sum_exec_runtime;
	u->user = task->utime;
	u->system = task->stime;
	u->minor_faults = task->min_flt;
	u->major_faults = task->maj_flt;
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
	if (s->inside)
		put_execve(task, s, now, former, program);
	s->since = now;
	s->interrupted = s->returned = 0;
	struct record_exec *r = begin_record(task, RECORD_EXEC, now, sizeof(*r));
	if (!r)
		return 0;
	read_usage(&r->usage, task);
	r->foreign = 0;
	bpf_probe_read_kernel_str(r->name, sizeof(r->name),
				  BPF_CORE_READ(task, mm, exe_file, f_path.dentry, d_name.name));
	struct mm_struct *mm = task->mm;
	__u64 start = mm ? mm->arg_start : 0, bytes = mm ? mm->arg_end - start : 0;
	if (bytes > sizeof(r->args))
		bytes = sizeof(r->args);
	r->bytes = bytes;
	if (bytes && bpf_probe_read_user(r->args, bytes, (void *)start))
		r->bytes = 0;
	end_record(r);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_death, struct task_struct *task)
{
	struct state *s = state_of(task);

	if (!s)
		return 0;
	__u64 now = bpf_ktime_get_ns();
	if (s->inside) {
		count(COUNTER_CALLS);
		put_call(task, s, now, 0, CALL_IS_OPEN);
		s->inside = 0;
	}
	struct record_exit *r = begin_record(task, RECORD_EXIT, now, sizeof(*r));
	if (!r)
		return 0;
	read_usage(&r->usage, task);
	r->status = task->exit_code;
	r->last = !task->signal->live.counter;
	end_record(r);
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

/* ---- scheduling ---- */

/* enum thread_state of event.h; the bits of the kernel's state have been the same since 4.14. */
static __always_inline __u8 state_word(__u32 bits)
{
	if (!bits)
		return 1;
	if (bits & 1)
		return 2;
	if (bits & 2)
		return 3;
	if (bits & (4 | 8))
		return 4;
	return bits & (16 | 32 | 128) ? 5 : 0;
}

static __always_inline void put_switch(struct task_struct *task, __u32 next, bool out,
				       bool preempted, __u32 bits)
{
	struct record_switch *r = begin_record(task, RECORD_SWITCH, bpf_ktime_get_ns(), sizeof(*r));

	if (!r)
		return;
	r->next = next;
	r->out = out;
	r->preempted = preempted;
	r->state = out ? preempted ? 1 : state_word(bits) : 0;
	end_record(r);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempted, struct task_struct *previous, struct task_struct *next,
	     unsigned int bits)
{
	__u32 pid = next->pid;

	if (state_of(previous))
		put_switch(previous, pid, true, preempted, bits);
	if (state_of(next))
		put_switch(next, pid, false, false, 0);
	return 0;
}

static __always_inline struct context *context(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&contexts, &zero);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_wake, struct task_struct *target)
{
	struct context *c = context();

	if (!c || !state_of(target))
		return 0;
	struct record_wake *r =
	    begin_record(bpf_get_current_task_btf(), RECORD_WAKE, bpf_ktime_get_ns(), sizeof(*r));
	if (!r)
		return 0;
	r->target = target->pid;
	r->context = c->in_interrupt ? WAKE_IS_INTERRUPT
		     : c->in_softirq ? WAKE_IS_SOFTIRQ
				     : WAKE_IS_THREAD;
	end_record(r);
	return 0;
}

/*
 * A handler is not interrupted by another one.  So nothing is counted, and a beginning or an end
 * that was not seen does not matter for longer than to the next one.  Programs are attached in the
 * order in which they stand here: ends first, as a beginning alone would last.
 */
static __always_inline int note_interrupt(bool begins)
{
	struct context *c = context();

	if (c)
		c->in_interrupt = begins;
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_interrupt_end)
{
	return note_interrupt(false);
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_interrupt)
{
	return note_interrupt(true);
}

/* Only x86 has these; there the timer is no handler. */
SEC("tp_btf/local_timer_exit")
int BPF_PROG(on_timer_end)
{
	return note_interrupt(false);
}

SEC("tp_btf/local_timer_entry")
int BPF_PROG(on_timer)
{
	return note_interrupt(true);
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_end, unsigned int number)
{
	struct context *c = context();

	if (!c)
		return 0;
	c->in_softirq = 0;
	if (!c->softirq)
		return 0;
	struct record_softirq *r = begin_record(bpf_get_current_task_btf(), RECORD_SOFTIRQ,
						bpf_ktime_get_ns(), sizeof(*r));
	if (!r)
		return 0;
	r->begin = c->softirq;
	r->number = number;
	end_record(r);
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq, unsigned int number)
{
	struct context *c = context();

	if (!c)
		return 0;
	c->in_softirq = 1;
	c->softirq = state_of(bpf_get_current_task_btf()) ? bpf_ktime_get_ns() : 0;
	return 0;
}

/* ---- faults and requests ---- */

SEC("tp_btf/page_fault_user")
int BPF_PROG(on_fault, unsigned long address, struct pt_regs *regs, unsigned long code)
{
	enum { WRITE = 2 };
	struct task_struct *task = bpf_get_current_task_btf();

	if (!state_of(task))
		return 0;
	struct record_fault *r = begin_record(task, RECORD_FAULT, bpf_ktime_get_ns(), sizeof(*r));
	if (!r)
		return 0;
	r->address = address;
	r->write = !!(code & WRITE);
	end_record(r);
	return 0;
}

static __always_inline int put_block(struct request *request, bool complete, __u32 bytes)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct record_block *r;

	/* A completion comes in an interrupt, on top of any thread. */
	if (!complete && !state_of(task))
		return 0;
	r = begin_record(task, RECORD_BLOCK, bpf_ktime_get_ns(), sizeof(*r));
	if (!r)
		return 0;
	__u32 device = request->part ? request->part->bd_dev : 0;
	r->device = (__u64)(device >> 20) << 32 | (device & 0xfffff);
	r->sector = request->__sector;
	r->bytes = bytes;
	r->complete = complete;
	r->write = request->cmd_flags & 1; /* REQ_OP_WRITE is odd, as are all that write */
	end_record(r);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_issue, struct request *request)
{
	return put_block(request, false, request->__data_len);
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_complete, struct request *request, int error, unsigned int bytes)
{
	return put_block(request, true, bytes);
}

/* ---- operations of io_uring ---- */

/* That have been submitted, by the address of the request, which serves for others later: one that
 * completes without an entry in the ring is forgotten then. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, FILES);
	__type(key, __u64);
	__type(value, struct record_uring);
} operations SEC(".maps");

/* What the tracepoint of a completion has: the entry, or before Linux 6.12 its members. */
const volatile bool completion_has_entry;

SEC("tp_btf/io_uring_submit_req")
int BPF_PROG(on_operation, struct io_kiocb *request)
{
	enum { REGISTERED = 1 };
	struct task_struct *task = bpf_get_current_task_btf();
	struct state *s = state_of(task);
	struct record_uring r = { .fd = -1, .ring = -1 };
	__u64 key = (__u64)request;

	if (!s)
		return 0;
	r.head.pid = task->tgid;
	r.head.tid = task->pid;
	r.begin = bpf_ktime_get_ns();
	r.request = BPF_CORE_READ(request, cqe.user_data);
	r.opcode = BPF_CORE_READ(request, opcode);
	if (s->inside)
		r.ring = s->args[0];
	if (!(BPF_CORE_READ(request, flags) & REGISTERED)) {
		struct open_files o = files_of(task);

		r.fd = BPF_CORE_READ(request, cqe.fd);
		describe(task, &o, s, r.begin, r.fd, true, false);
	}
	bpf_map_update_elem(&operations, &key, &r, BPF_ANY);
	return 0;
}

SEC("tp_btf/io_uring_complete")
int on_completion(__u64 *argument)
{
	enum { MORE = 2 }; /* of several */
	struct {
		__u64 request;
		__s32 result;
		__u32 flags;
	} entry = { 0 };
	__u64 key = argument[1];
	struct record_uring *o = bpf_map_lookup_elem(&operations, &key);

	if (!o)
		return 0;
	if (completion_has_entry) {
		bpf_probe_read_kernel(&entry, sizeof(entry), (void *)argument[2]);
	} else {
		entry.result = argument[3];
		entry.flags = argument[4];
	}
	__u64 now = bpf_ktime_get_ns();
	struct record_uring *r =
	    begin_record(bpf_get_current_task_btf(), RECORD_URING, now, sizeof(*r));
	if (r) {
		r->head.pid = o->head.pid;
		r->head.tid = o->head.tid;
		r->begin = o->begin;
		r->request = o->request;
		r->fd = o->fd;
		r->ring = o->ring;
		r->result = entry.result;
		r->opcode = o->opcode;
		r->open = 0;
		end_record(r);
	}
	if (entry.flags & MORE)
		o->begin = now;
	else
		bpf_map_delete_elem(&operations, &key);
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

SEC("iter/task")
int follow(struct bpf_iter__task *it)
{
	struct task_struct *task = it->task;

	if (!task)
		return 0;
	__u32 pid = task->tgid;
	if (!bpf_map_lookup_elem(&targets, &pid))
		return 0;
	if (!bpf_task_storage_get(&states, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE))
		count(COUNTER_STATE);
	if (task->pid == task->tgid)
		write_past(it, task);
	return 0;
}

/* At the end: writes the calls that have not ended to the reader of the iterator, and lets go of
 * all threads. */
SEC("iter/task")
int finish(struct bpf_iter__task *it)
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
	bpf_task_storage_delete(&states, task);
	return 0;
}
