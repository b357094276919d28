// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Who runs, who wakes whom, and on top of what; counters of the CPUs are read now and then. */
#include "cpu_counters.bpf.h"

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

/* Whether a CPU has nothing to do, since it switched last. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 8192);
	__type(key, __u32);
	__type(value, __u32);
} idle_cpus SEC(".maps");

static __always_inline __u32 *idle_of(__u32 cpu)
{
	return bpf_map_lookup_elem(&idle_cpus, &cpu);
}

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
				       bool preempted, __u32 bits, __u64 now)
{
	struct record_switch *r = begin_record(task, RECORD_SWITCH, now, sizeof(*r));

	if (!r)
		return;
	r->next = next;
	r->out = out;
	r->preempted = preempted;
	r->state = out ? preempted ? 1 : state_word(bits) : 0;
	end_record(r);
}

/* The state of the thread that leaves is the fourth argument since Linux 5.18. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempted, struct task_struct *previous, struct task_struct *next,
	     unsigned int bits)
{
	enum { INTERRUPTIBLE = 1, UNINTERRUPTIBLE = 2 };
	__u32 pid = next->pid;
	__u64 now = bpf_ktime_get_ns();
	__u32 *idle = idle_of(bpf_get_smp_processor_id());

	if (idle)
		*idle = !pid;
	struct state *s = state_of(previous);
	if (s) {
		if (!preempted && bits & (INTERRUPTIBLE | UNINTERRUPTIBLE))
			note_place(s);
		count_switch(previous, pid, now);
		put_switch(previous, pid, true, preempted, bits, now);
	}
	s = state_of(next);
	if (s) {
		note_run(s, next, now);
		count_switch(NULL, pid, now);
		put_switch(next, pid, false, false, 0, now);
	}
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
	struct task_struct *task = bpf_get_current_task_btf();
	struct context *c = context();

	if (!c)
		return 0;
	struct state *s = c->in_interrupt ? NULL : state_of(task);
	const __u32 there = target->wake_cpu, *idle = idle_of(there);
	/* Where the target ran last: the scheduler may choose another CPU.  What a soft interrupt
	 * wakes counts for the thread below it, mostly by what that sends.  Kernel threads, which
	 * have no memory, do not count: who makes them work has that in its cost. */
	if (s && target->mm && idle && *idle && there != bpf_get_smp_processor_id())
		s->wakeups++;
	if (!state_of(target))
		return 0;
	if (takes_stacks && s)
		note_place(s);
	struct record_wake *r = begin_record(task, RECORD_WAKE, bpf_ktime_get_ns(), sizeof(*r));
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

/* The recorder runs it on each CPU, at the end of a turn. */
SEC("raw_tp")
int on_turn(void *context)
{
	struct task_struct *task = bpf_get_current_task_btf();

	read_counters(state_of(task) ? task : NULL, task->pid, 0);
	return 0;
}
