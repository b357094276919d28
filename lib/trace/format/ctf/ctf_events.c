/* SPDX-License-Identifier: MIT */
/*
 * What the events of LTTng's kernel tracer mean.  Their names and fields are facts of lttng-modules
 * (instrumentation/events); traces of 2.5 and older have sys_NAME and exit_syscall.
 */
#include <string.h>

#include "trace/format/ctf/ctf.h"

static const char *const known_names[CTF_KNOWN] = {
	[CTF_RET] = "ret",
	[CTF_TID] = "tid",
	[CTF_VTID] = "vtid",
	[CTF_PID] = "pid",
	[CTF_VPID] = "vpid",
	[CTF_PPID] = "ppid",
	[CTF_NAME] = "name",
	[CTF_COMM] = "comm",
	[CTF_FILENAME] = "filename",
	[CTF_PATHNAME] = "pathname",
	[CTF_PREV_TID] = "prev_tid",
	[CTF_PREV_STATE] = "prev_state",
	[CTF_PREV_COMM] = "prev_comm",
	[CTF_NEXT_TID] = "next_tid",
	[CTF_NEXT_COMM] = "next_comm",
	[CTF_TARGET_CPU] = "target_cpu",
	[CTF_PARENT_TID] = "parent_tid",
	[CTF_PARENT_PID] = "parent_pid",
	[CTF_CHILD_TID] = "child_tid",
	[CTF_CHILD_PID] = "child_pid",
	[CTF_VEC] = "vec",
	[CTF_IRQ] = "irq",
	[CTF_FD] = "fd",
	[CTF_FILDES] = "fildes",
	[CTF_ARGS] = "args",
	[CTF_ID] = "id",
	[CTF_ADDRESS] = "address",
	[CTF_ERROR_CODE] = "error_code",
	[CTF_FILES] = "file_table_address",
};

int64_t ctf_time(const struct ctf *k, uint64_t ticks)
{
	const uint64_t second = 1000000000;

	if (k->m.frequency != second)
		ticks = ticks / k->m.frequency * second +
			(uint64_t)((double)(ticks % k->m.frequency) * 1e9 / (double)k->m.frequency);
	return (int64_t)(ticks & (UINT64_MAX >> 2));
}

/* ---- fields ---- */

const struct ctf_value *ctf_known_field(const struct ctf *k, const struct ctf_stream *s,
					enum ctf_known name)
{
	return ctf_field(s, k->name[name]);
}

int64_t ctf_number(const struct ctf *k, const struct ctf_stream *s, enum ctf_known name)
{
	const struct ctf_value *v = ctf_known_field(k, s, name);

	return v ? (int64_t)v->number : 0;
}

const char *ctf_text(struct ctf *k, const struct ctf_value *v)
{
	return v && v->text ? arena_copy(&k->kernel.im.arena, v->text, v->length) : NULL;
}

/* ---- threads ---- */

uint32_t ctf_tid_of(struct ctf *k, const struct ctf_stream *s)
{
	const struct ctf_value *v = ctf_context(s, k->name[CTF_TID]);
	const struct ctf_value *pid = ctf_context(s, k->name[CTF_PID]);

	if (!v) {
		v = ctf_context(s, k->name[CTF_VTID]);
		pid = ctf_context(s, k->name[CTF_VPID]);
	}
	if (!v) {
		const struct kernel_cpu *cpu = kernel_cpu(&k->kernel, s->packet.cpu);

		return cpu->known ? cpu->tid : 0;
	}
	if (pid)
		kernel_set_pid(&k->kernel, (uint32_t)v->number, (uint32_t)pid->number);
	return (uint32_t)v->number;
}

static uint32_t tid_in(const struct ctf *k, const struct ctf_stream *s, enum ctf_known name)
{
	return (uint32_t)ctf_number(k, s, name);
}

static void set_name(struct ctf *k, uint32_t tid, const struct ctf_value *v)
{
	if (v && v->text)
		kernel_name(&k->kernel, tid, v->text, v->length);
}

static void take_switch(struct ctf *k, const struct ctf_stream *s)
{
	uint32_t prev = tid_in(k, s, CTF_PREV_TID), next = tid_in(k, s, CTF_NEXT_TID);

	set_name(k, prev, ctf_known_field(k, s, CTF_PREV_COMM));
	set_name(k, next, ctf_known_field(k, s, CTF_NEXT_COMM));
	kernel_switch(&k->kernel, s->packet.cpu, prev, ctf_number(k, s, CTF_PREV_STATE), next);
}

static void wake(struct ctf *k, const struct ctf_stream *s, bool waking)
{
	const struct ctf_value *target = ctf_known_field(k, s, CTF_TID),
			       *on = ctf_known_field(k, s, CTF_TARGET_CPU);
	uint32_t tid = ctf_tid_of(k, s);

	if (!target)
		return;
	set_name(k, (uint32_t)target->number, ctf_known_field(k, s, CTF_COMM));
	kernel_wake(&k->kernel, waking, WAKE_UNKNOWN, s->packet.cpu, tid, (uint32_t)target->number,
		    on ? (int64_t)on->number : -1);
}

static void take_waking(struct ctf *k, const struct ctf_stream *s)
{
	wake(k, s, true);
}

static void take_wakeup(struct ctf *k, const struct ctf_stream *s)
{
	wake(k, s, false);
}

static void take_irq(struct ctf *k, const struct ctf_stream *s)
{
	kernel_handler_begins(&k->kernel, s->packet.cpu, false, tid_in(k, s, CTF_IRQ));
}

static void take_irq_end(struct ctf *k, const struct ctf_stream *s)
{
	kernel_handler_ends(&k->kernel, s->packet.cpu, false);
}

static void take_softirq(struct ctf *k, const struct ctf_stream *s)
{
	kernel_handler_begins(&k->kernel, s->packet.cpu, true, tid_in(k, s, CTF_VEC));
}

static void take_softirq_end(struct ctf *k, const struct ctf_stream *s)
{
	kernel_handler_ends(&k->kernel, s->packet.cpu, true);
}

static void take_fork(struct ctf *k, const struct ctf_stream *s)
{
	const struct ctf_value *pid = ctf_known_field(k, s, CTF_CHILD_PID);
	uint32_t parent = tid_in(k, s, CTF_PARENT_TID), child = tid_in(k, s, CTF_CHILD_TID),
		 parent_pid = tid_in(k, s, CTF_PARENT_PID);

	k->kernel.sees_fork = true;
	if (!child || !parent)
		return;
	if (parent_pid)
		kernel_set_pid(&k->kernel, parent, parent_pid);
	kernel_set_pid(&k->kernel, child, pid ? (uint32_t)pid->number : child);
	kernel_fork(&k->kernel, parent, child);
}

static void take_exec(struct ctf *k, const struct ctf_stream *s)
{
	uint32_t tid = tid_in(k, s, CTF_TID);

	kernel_exec(&k->kernel, tid ? tid : ctf_tid_of(k, s),
		    ctf_text(k, ctf_known_field(k, s, CTF_FILENAME)));
}

static void take_death(struct ctf *k, const struct ctf_stream *s)
{
	kernel_exit(&k->kernel, tid_in(k, s, CTF_TID));
}

static void take_free(struct ctf *k, const struct ctf_stream *s)
{
	kernel_forget(&k->kernel, tid_in(k, s, CTF_TID));
}

static void take_page_fault(struct ctf *k, const struct ctf_stream *s)
{
	kernel_fault(&k->kernel, ctf_tid_of(k, s), (uint64_t)ctf_number(k, s, CTF_ADDRESS),
		     ctf_number(k, s, CTF_ERROR_CODE) & 2);
}

/* ---- what was there when the trace began ---- */

static void take_process_state(struct ctf *k, const struct ctf_stream *s)
{
	uint32_t tid = (uint32_t)ctf_number(k, s, CTF_TID),
		 pid = (uint32_t)ctf_number(k, s, CTF_PID);
	const struct ctf_value *files = ctf_known_field(k, s, CTF_FILES);

	if (!tid)
		return;
	kernel_set_pid(&k->kernel, tid, pid ? pid : tid);
	if (files && !map_find(&k->files, files->number))
		*map_at(&k->files, files->number) = pid;
	set_name(k, tid, ctf_known_field(k, s, CTF_NAME));
	if (pid != tid)
		return;
	struct event e = kernel_event(&k->kernel, EVENT_ATTACH, tid);
	e.attach.parent = (uint32_t)ctf_number(k, s, CTF_PPID);
	importer_emit(&k->kernel.im, &e);
}

static void take_descriptor(struct ctf *k, const struct ctf_stream *s)
{
	const struct ctf_value *files = ctf_known_field(k, s, CTF_FILES),
			       *pid = ctf_known_field(k, s, CTF_PID);
	const uint64_t *owner = files ? map_find(&k->files, files->number)
				: pid ? &pid->number
				      : NULL;
	const char *name = ctf_text(k, ctf_known_field(k, s, CTF_FILENAME));
	int64_t fd = ctf_number(k, s, CTF_FD);

	if (!owner || !name || fd < 0 || fd > INT32_MAX)
		return;
	enum fd_kind kind = fd_kind_of_link(name);
	if (kind == FD_UNKNOWN)
		kind = *name == '/' ? fd_kind_of_path(name) : FD_ANON;
	fdtable_set(k->kernel.im.fds, (uint32_t)*owner, (int)fd, kind, name);
}

/* ---- events ---- */

static const struct {
	const char *name;
	bool begins; /* the name of a call follows */
	void (*take)(struct ctf *k, const struct ctf_stream *s);
} meanings[] = {
	{ "syscall_entry_", true, ctf_take_entry },
	{ "syscall_exit_", true, ctf_take_exit },
	{ "compat_syscall_entry_", true, ctf_take_entry },
	{ "compat_syscall_exit_", true, ctf_take_exit },
	{ "exit_syscall", false, ctf_take_exit },
	{ "sys_", true, ctf_take_entry },
	{ "compat_sys_", true, ctf_take_entry },
	{ "sched_switch", false, take_switch },
	{ "sched_waking", false, take_waking },
	{ "sched_wakeup", false, take_wakeup },
	{ "sched_wakeup_new", false, take_wakeup },
	{ "sched_process_fork", false, take_fork },
	{ "sched_process_exec", false, take_exec },
	{ "sched_process_exit", false, take_death },
	{ "sched_process_free", false, take_free },
	{ "irq_handler_entry", false, take_irq },
	{ "irq_handler_exit", false, take_irq_end },
	{ "irq_softirq_entry", false, take_softirq },
	{ "irq_softirq_exit", false, take_softirq_end },
	{ "softirq_entry", false, take_softirq },
	{ "softirq_exit", false, take_softirq_end },
	{ "x86_exceptions_page_fault_user", false, take_page_fault },
	{ "lttng_statedump_process_state", false, take_process_state },
	{ "lttng_statedump_file_descriptor", false, take_descriptor },
};

enum { MEANINGS = sizeof(meanings) / sizeof(*meanings) };

void ctf_begin(struct ctf *k)
{
	for (int i = 0; i < CTF_KNOWN; i++)
		k->name[i] = ctf_name(&k->m, known_names[i]);
	for (size_t i = 0; i < k->m.events.n; i++) {
		struct ctf_event_class *c = &k->m.events.v[i];

		c->call = UINT32_MAX;
		for (unsigned j = 0; j < MEANINGS && !c->meaning; j++) {
			size_t n = strlen(meanings[j].name);

			if (meanings[j].begins ? strncmp(c->name, meanings[j].name, n)
					       : strcmp(c->name, meanings[j].name))
				continue;
			c->meaning = j + 1;
			if (meanings[j].begins)
				c->call = kernel_call_named(c->name + n);
		}
	}
}

static void begin_clock(struct ctf *k, uint64_t ns)
{
	struct event e = { .type = EVENT_CLOCK };

	k->begun = true;
	k->origin = ns;
	e.clock.realtime = (int64_t)((uint64_t)ctf_time(k, k->m.offset) +
				     k->m.offset_seconds % (1u << 31) * 1000000000u + ns);
	importer_emit(&k->kernel.im, &e);
}

void ctf_take(struct ctf *k, struct ctf_stream *s)
{
	uint64_t ns = (uint64_t)ctf_time(k, s->now);

	if (!k->begun)
		begin_clock(k, ns);
	k->kernel.now = (int64_t)(ns - k->origin);
	if (s->event->meaning)
		meanings[s->event->meaning - 1].take(k, s);
}

void ctf_take_packet(struct ctf *k, const struct ctf_stream *s)
{
	const struct ctf_packet *p = &s->packet, *before = &s->before;
	int64_t origin = k->begun ? (int64_t)k->origin : ctf_time(k, p->begin),
		from = ctf_time(k, s->packets > 1 ? before->end : p->begin) - origin,
		until = ctf_time(k, p->end) - origin;

	if (s->packets > 1 && p->has_sequence && p->sequence != before->sequence + 1)
		importer_lose(&k->kernel.im, LOST_BLOCKS, 0, from, until);
	/* The total counts from the beginning of the recording, where the first packet has the
	 * number 0. */
	bool from_start = s->packets == 1 && p->has_sequence && p->sequence == 0;
	if ((s->packets > 1 || from_start) && p->discarded > before->discarded)
		importer_lose(&k->kernel.im, LOST_RING_FULL, p->discarded - before->discarded, from,
			      until);
}
