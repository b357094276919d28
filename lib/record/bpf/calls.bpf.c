// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* System calls and operations of io_uring: one record for each, at its end.  When the recorder
 * aggregates, calls that are like an earlier one of the thread are only counted. */
#include "cpu_counters.bpf.h"
#include "descriptors.bpf.h"

char terms[] SEC("license") = "Dual MIT/GPL";

enum { KINDS = 1 << 16 };

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, KINDS);
	__type(key, struct record_kind);
	__type(value, struct record_tally);
} tallies SEC(".maps");

const volatile struct record_shape shapes[RECORD_ABIS][RECORD_CALLS];
const volatile struct record_tally no_calls;

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
	count_call(task);
	s->compat = is_compat(task);
	s->number = record_number(number);
	s->cpu = bpf_get_smp_processor_id();
	read_args(s, regs);
	const volatile struct record_shape *shape = shape_of(s);
	if (shape->early && shape->first_fd < 6) {
		struct open_files o = files_of(task);

		describe(task, &o, s, bpf_ktime_get_ns(), arg(s, shape->first_fd), false, false);
	}
	s->waited = 0;
	s->inside = 1;
	s->begin = bpf_ktime_get_ns();
	return 0;
}

/* The memory is there: the thread has just used it.  What follows the page may not be. */
static __always_inline void put_stack(struct task_struct *task, struct pt_regs *regs, __u64 now)
{
	struct record_stack *r = begin_record(task, RECORD_STACK, now, sizeof(*r));
	struct mm_struct *mm = task->mm;

	if (!r)
		return;
#if defined(__TARGET_ARCH_x86)
	r->at = regs->ip;
	r->frame_pointer = regs->bp;
	r->link = 0;
#elif defined(__TARGET_ARCH_arm64)
	r->at = regs->pc;
	r->frame_pointer = regs->regs[29];
	r->link = regs->regs[30];
#endif
	r->stack_pointer = regs->sp;
	r->space = (struct record_space){ 0 };
	if (mm)
		r->space = (struct record_space){ mm->start_code, mm->end_code, mm->start_stack };
	r->unused = 0;
	r->bytes = sizeof(r->stack);
	if (bpf_probe_read_user(r->stack, sizeof(r->stack), (void *)r->stack_pointer)) {
		__u32 rest = -r->stack_pointer & (RECORD_TOP - 1);

		r->bytes = bpf_probe_read_user(r->stack, rest, (void *)r->stack_pointer) ? 0 : rest;
	}
	end_record(r);
}

/* What a call passes through memory goes where event.h wants it. */
static __always_inline __u32 read_memory(struct state *s, const volatile struct record_shape *shape,
					 long result)
{
	__u64 address, flags = 0;
	int fds[2] = { -1, -1 };

	if (!shape->memory)
		return 0;
	address = arg(s, shape->pointer);
	if (shape->memory != RECORD_DESCRIPTORS) {
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

/* Of the many calls with few arguments: shorter records take less time to write. */
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
	count_call(task);
	s->inside = 0;
	count(COUNTER_CALLS);
	if (s->waited && !s->compat)
		put_stack(task, regs, now);
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
