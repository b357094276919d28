// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * followed.bpf.h - knows, in the kernel, which threads are followed, and writes the records about
 * them.
 *
 * A thread is followed if it has a state; its children inherit one.  Each CPU has its own ring, and
 * writes to it without waking the reader, which looks every few milliseconds.  All programs are
 * parts of one object, in which the weak symbols of this file exist once.
 */
#ifndef BPF_FOLLOWED_BPF_H
#define BPF_FOLLOWED_BPF_H

#include <stdbool.h>

#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "kernel.bpf.h"
#include "../stream/records.h"

enum { SEEN = 8, FILES = 1 << 16 };

/* What tells a file from others.  Its address is not enough, as another file may get the memory of
 * a closed one.  Pipes differ in the number of their inode, and files that share an inode in their
 * functions. */
struct identity {
	__u64 file, functions, number;
};

/* The state of a thread that is followed. */
struct state {
	__u64 behind; /* our clock minus that of se.exec_start when it last got a CPU; 0: unknown */
	__u64 begin;  /* of the call that it is in */
	__u64 args[8]; /* six, and room for any index below eight */
	__u16 number, cpu;
	__u8 inside, compat;
	__u8 waited;	     /* in this call, or woke somebody */
	__u64 wakeups;	     /* as in record_usage */
	__u32 seen_fd[SEEN]; /* the descriptors told of last, plus 1, by their lowest bits */
	struct identity seen[SEEN];
	/* This and the following are for calls that are counted. */
	__u64 kinds[SEEN]; /* of these descriptors */
	__u64 since;	   /* as in record_kind */
	__u16 interrupted; /* number, plus 1, of a call that may be restarted */
	__u8 returned;	   /* the last call returned from a handler */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct state);
} states SEC(".maps") __weak;

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
} rings SEC(".maps") __weak;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps") __weak;

/* Whether calls that are alike are counted; the recorder sets it when it starts. */
bool aggregates __weak;
/* Whether the stacks of calls that waited or woke somebody are taken; likewise. */
bool takes_stacks __weak;

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

/* Returns room for a record of task in the ring of this CPU.  If the ring is full, counts the loss
 * and returns NULL.  `bytes` must be a constant. */
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

/* The call that the thread is in is one of which the place is wanted. */
static __always_inline void note_place(struct state *s)
{
	if (takes_stacks && s->inside)
		s->waited = 1;
}

/* Notes that a thread gets a CPU now, when what the kernel knows of its CPU time begins. */
static __always_inline void note_run(struct state *s, struct task_struct *task, __u64 now)
{
	s->behind = now - task->se.exec_start;
}

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

static __always_inline void put_call(struct task_struct *task, struct state *s, __u64 now,
				     long result, __u32 flags)
{
	struct record_call *r = begin_record(task, RECORD_CALL, now, sizeof(*r));

	if (!r)
		return;
	fill_call(r, s, result, flags, 6);
	end_record(r);
}

#endif
