/* SPDX-License-Identifier: MIT */
/* What tracepoints mean; their names and fields are those of the kernel's include/trace/events. */
#include <string.h>

#include "trace/format/perf/perf.h"
#include "trace/syscalls.h"

static const char *const fields[PERF_FIELDS] = {
	[PERF_ID] = "id",
	[PERF_RET] = "ret",
	[PERF_PREV_PID] = "prev_pid",
	[PERF_PREV_STATE] = "prev_state",
	[PERF_PREV_COMM] = "prev_comm",
	[PERF_NEXT_PID] = "next_pid",
	[PERF_NEXT_COMM] = "next_comm",
	[PERF_COMM] = "comm",
	[PERF_PID] = "pid",
	[PERF_TARGET_CPU] = "target_cpu",
	[PERF_PARENT_PID] = "parent_pid",
	[PERF_CHILD_PID] = "child_pid",
	[PERF_FILENAME] = "filename",
	[PERF_IRQ] = "irq",
	[PERF_VEC] = "vec",
	[PERF_ADDRESS] = "address",
	[PERF_ERROR_CODE] = "error_code",
};

enum perf_field perf_field_named(const char *name, size_t n)
{
	int i = 0;

	while (i < PERF_FIELDS && (strlen(fields[i]) != n || memcmp(fields[i], name, n)))
		i++;
	return (enum perf_field)i;
}

static int64_t number(const struct perf_sample *s, enum perf_field field)
{
	return s->has & 1u << field ? s->value[field].number : 0;
}

static uint32_t tid_in(const struct perf_sample *s, enum perf_field field)
{
	int64_t v = number(s, field);

	return v > 0 && v <= INT32_MAX ? (uint32_t)v : 0;
}

static void set_name(struct perf *p, uint32_t tid, const struct perf_sample *s,
		     enum perf_field field)
{
	if (s->has & 1u << field && s->value[field].text)
		kernel_name(&p->kernel, tid, s->value[field].text, s->value[field].n);
}

/* ---- calls ---- */

static unsigned call_of(const struct perf *p, const struct perf_sample *s)
{
	int64_t id = number(s, PERF_ID);

	if (s->meaning.call != UINT32_MAX)
		return s->meaning.call;
	return id >= 0 && id <= INT32_MAX ? syscall_by_number(p->abi, (unsigned)id) : UINT32_MAX;
}

static void take_entry(struct perf *p, const struct perf_sample *s)
{
	struct event e = { 0 };

	e.call.id = call_of(p, s);
	if (e.call.id == UINT32_MAX)
		return;
	set_name(p, s->tid, s, PERF_COMM); /* perf script tells it in each line */
	e.call.cpu = s->cpu + 1;
	memcpy(e.call.args, s->args, sizeof(s->args));
	kernel_enter(&p->kernel, s->tid, &e);
}

static void take_exit(struct perf *p, const struct perf_sample *s)
{
	const char *name = s->has & 1u << PERF_COMM ? s->value[PERF_COMM].text : NULL;

	kernel_leave(&p->kernel, s->tid, call_of(p, s), number(s, PERF_RET), NULL,
		     name ? arena_copy(&p->kernel.im.arena, name, s->value[PERF_COMM].n) : NULL);
}

/* ---- the scheduler ---- */

/*
 * A recording of some processes has no switches to them: they run again when they next pass a
 * tracepoint.
 */
static void take_run(struct perf *p, const struct perf_sample *s)
{
	const struct kernel_cpu *cpu = kernel_cpu(&p->kernel, s->cpu);

	if (p->sees_switches && s->tid && cpu->tid != s->tid)
		kernel_switch(&p->kernel, s->cpu, 0, 0, s->tid);
}

static void take_switch(struct perf *p, const struct perf_sample *s)
{
	uint32_t prev = tid_in(s, PERF_PREV_PID), next = tid_in(s, PERF_NEXT_PID);

	p->sees_switches = true;
	if (next && !map_find(&p->kernel.pids, next)) /* maybe not recorded */
		next = 0;
	set_name(p, prev, s, PERF_PREV_COMM);
	set_name(p, next, s, PERF_NEXT_COMM);
	kernel_switch(&p->kernel, s->cpu, prev, number(s, PERF_PREV_STATE), next);
}

static void wake(struct perf *p, const struct perf_sample *s, bool waking)
{
	uint32_t target = tid_in(s, PERF_PID);

	if (target)
		kernel_wake(&p->kernel, waking, s->context, s->cpu, s->tid, target,
			    s->has & 1u << PERF_TARGET_CPU ? number(s, PERF_TARGET_CPU) : -1);
}

static void take_waking(struct perf *p, const struct perf_sample *s)
{
	wake(p, s, true);
}

static void take_wakeup(struct perf *p, const struct perf_sample *s)
{
	wake(p, s, false);
}

static void take_irq(struct perf *p, const struct perf_sample *s)
{
	kernel_handler_begins(&p->kernel, s->cpu, false, (uint32_t)number(s, PERF_IRQ));
}

static void take_irq_end(struct perf *p, const struct perf_sample *s)
{
	kernel_handler_ends(&p->kernel, s->cpu, false);
}

static void take_softirq(struct perf *p, const struct perf_sample *s)
{
	kernel_handler_begins(&p->kernel, s->cpu, true, (uint32_t)number(s, PERF_VEC));
}

static void take_softirq_end(struct perf *p, const struct perf_sample *s)
{
	kernel_handler_ends(&p->kernel, s->cpu, true);
}

static void take_fault(struct perf *p, const struct perf_sample *s)
{
	enum { WRITE = 2 };

	kernel_fault(&p->kernel, s->tid, (uint64_t)number(s, PERF_ADDRESS),
		     number(s, PERF_ERROR_CODE) & WRITE);
}

/* ---- processes ---- */

/* perf's own records of births say more: whether the child is a process. */
static void take_fork(struct perf *p, const struct perf_sample *s)
{
	uint32_t child = tid_in(s, PERF_CHILD_PID);

	if (child && s->tid && !p->knows_births)
		kernel_fork_of_call(&p->kernel, s->tid, child);
}

static void take_exec(struct perf *p, const struct perf_sample *s)
{
	const char *path = s->has & 1u << PERF_FILENAME ? s->value[PERF_FILENAME].text : NULL;

	kernel_exec(&p->kernel, s->tid,
		    path ? arena_copy(&p->kernel.im.arena, path, s->value[PERF_FILENAME].n) : NULL);
}

static void take_death(struct perf *p, const struct perf_sample *s)
{
	p->sees_exits = true;
	kernel_exit(&p->kernel, s->tid);
}

/* ---- samples ---- */

static const struct {
	const char *name;
	bool begins; /* the name of a call follows */
	void (*take)(struct perf *p, const struct perf_sample *s);
} meanings[] = {
	{ "raw_syscalls:sys_enter", false, take_entry },
	{ "raw_syscalls:sys_exit", false, take_exit },
	{ "syscalls:sys_enter_", true, take_entry },
	{ "syscalls:sys_exit_", true, take_exit },
	{ "sched:sched_switch", false, take_switch },
	{ "sched:sched_waking", false, take_waking },
	{ "sched:sched_wakeup", false, take_wakeup },
	{ "sched:sched_wakeup_new", false, take_wakeup },
	{ "sched:sched_process_fork", false, take_fork },
	{ "sched:sched_process_exec", false, take_exec },
	{ "sched:sched_process_exit", false, take_death },
	{ "irq:irq_handler_entry", false, take_irq },
	{ "irq:irq_handler_exit", false, take_irq_end },
	{ "irq:softirq_entry", false, take_softirq },
	{ "irq:softirq_exit", false, take_softirq_end },
	{ "exceptions:page_fault_user", false, take_fault },
};

struct perf_meaning perf_meaning_of(const char *name)
{
	struct perf_meaning m = { 0, UINT32_MAX };

	for (unsigned i = 0; i < sizeof(meanings) / sizeof(*meanings); i++) {
		size_t n = strlen(meanings[i].name);

		if (meanings[i].begins ? strncmp(name, meanings[i].name, n)
				       : strcmp(name, meanings[i].name))
			continue;
		m.number = i + 1;
		if (meanings[i].begins)
			m.call = kernel_call_named(name + n);
		break;
	}
	return m;
}

enum abi perf_abi(const char *machine)
{
	return !strcmp(machine, "x86_64")    ? ABI_X86_64
	       : !strcmp(machine, "aarch64") ? ABI_ARM64
	       : machine[0] == 'i'	     ? ABI_I386
					     : ABI_OTHER;
}

void perf_go_to(struct perf *p, uint64_t time)
{
	time &= INT64_MAX;
	if (!time)
		return;
	if (!p->begun)
		p->origin = time;
	p->begun = true;
	p->kernel.now = (int64_t)(time - p->origin);
}

void perf_lose(struct perf *p, uint64_t count, uint64_t time)
{
	int64_t from = p->kernel.now;

	perf_go_to(p, time);
	importer_lose(&p->kernel.im, LOST_RING_FULL, count, from, p->kernel.now);
}

void perf_take(struct perf *p, const struct perf_sample *s)
{
	perf_go_to(p, s->time);
	if (s->tid && s->pid)
		kernel_set_pid(&p->kernel, s->tid, s->pid);
	else if (s->tid && !map_find(&p->kernel.pids, s->tid))
		kernel_set_pid(&p->kernel, s->tid, s->tid);
	take_run(p, s);
	meanings[s->meaning.number - 1].take(p, s);
}
