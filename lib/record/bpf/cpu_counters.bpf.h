// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cpu_counters.bpf.h - reads, in the kernel, what the counters of a CPU counted for the thread that
 * ran on it since they were last read.
 *
 * The counters count whatever runs on their CPU.  They are read at each switch from or to a thread
 * that is followed, when the recorder says so, and at the ends of calls if that was asked for.
 */
#ifndef BPF_CPU_COUNTERS_BPF_H
#define BPF_CPU_COUNTERS_BPF_H

#include "followed.bpf.h"

/* The events of CPU c are at c * RECORD_EVENTS; the recorder sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, RECORD_EVENTS);
	__type(key, __u32);
	__type(value, __u32);
} events SEC(".maps") __weak;

/* What the counters of a CPU showed when they were last read. */
struct shown {
	__u64 time;
	__u32 tid;  /* the thread that runs since then */
	__u32 busy; /* they are being read, and an interrupt must not read them, too */
	struct bpf_perf_event_value counters[RECORD_EVENTS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct shown);
} shown SEC(".maps") __weak;

/* How many counters count at present, from first_event on; 0: none. */
__u32 first_event __weak, counting_events __weak;
/* Whether the counters are read at the ends of calls, too. */
bool counts_calls __weak;

static __always_inline void put_count(struct task_struct *task, const struct shown *s, __u64 now,
				      __u32 event, __u64 count, __u64 running)
{
	struct record_count *r = begin_record(task, RECORD_COUNT, now, sizeof(*r));

	if (!r)
		return;
	r->since = s->time;
	r->count = count;
	r->running = running;
	r->event = event;
	r->unused = 0;
	end_record(r);
}

/*
 * Reads the counters of this CPU.  task: the thread that ran until now, NULL if it is not followed;
 * next: the thread that runs from now on; now: the time, or 0 where an interrupt may read the
 * counters during this function.  What was counted is dropped if a switch was not seen, since
 * another thread may have run.
 */
static __noinline int read_counters(struct task_struct *task, __u32 next, __u64 now)
{
	__u32 zero = 0, cpu = bpf_get_smp_processor_id();
	struct shown *s = bpf_map_lookup_elem(&shown, &zero);

	if (!s || s->busy || s->time == now)
		return 0;
	s->busy = 1;
	if (!now)
		now = bpf_ktime_get_ns();
	bool known = task && s->tid == task->pid;
	for (__u32 i = 0; i < RECORD_EVENTS && i < counting_events; i++) {
		__u32 event = (first_event + i) & (RECORD_EVENTS - 1);
		struct bpf_perf_event_value value;

		if (bpf_perf_event_read_value(&events, cpu * RECORD_EVENTS + event, &value,
					      sizeof(value)))
			continue;
		struct bpf_perf_event_value *last = &s->counters[event];
		__u64 running = value.running - last->running;
		if (task && known && running)
			put_count(task, s, now, event, value.counter - last->counter, running);
		*last = value;
	}
	s->time = now;
	s->tid = next;
	s->busy = 0;
	return 0;
}

/* Counts for a thread that leaves its CPU, NULL: one that is not followed, to the next one. */
static __always_inline void count_switch(struct task_struct *task, __u32 next, __u64 now)
{
	if (counting_events)
		read_counters(task, next, now);
}

/* Counts for the thread of this CPU, which begins or ends a call. */
static __always_inline void count_call(struct task_struct *task)
{
	if (counts_calls && counting_events)
		read_counters(task, task->pid, 0);
}

#endif
