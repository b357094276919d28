/* SPDX-License-Identifier: MIT */
/*
 * What tracepoints, and lines in trace_marker (osvec-mark(3)), mean.  Their names and fields are
 * those of the kernel's include/trace/events and of lttng-modules (instrumentation/events); LTTng
 * of 2.5 and older has sys_NAME and exit_syscall.
 */
#include "trace/tracepoint.h"

#include <string.h>

#include "trace/syscalls.h"
#include "util/number.h"

/* The names by tracer; ftrace has those of perf. */
static const char *const fields[FIELDS][2] = {
	[FIELD_ID] = { "id", "id" },
	[FIELD_RET] = { "ret", "ret" },
	[FIELD_PREV_TID] = { "prev_pid", "prev_tid" },
	[FIELD_PREV_STATE] = { "prev_state", "prev_state" },
	[FIELD_PREV_COMM] = { "prev_comm", "prev_comm" },
	[FIELD_NEXT_TID] = { "next_pid", "next_tid" },
	[FIELD_NEXT_COMM] = { "next_comm", "next_comm" },
	[FIELD_COMM] = { "comm", NULL },
	[FIELD_TARGET_COMM] = { NULL, "comm" },
	[FIELD_TID] = { NULL, "tid" },
	[FIELD_VTID] = { NULL, "vtid" },
	[FIELD_PID] = { "pid", "pid" },
	[FIELD_VPID] = { NULL, "vpid" },
	[FIELD_PPID] = { NULL, "ppid" },
	[FIELD_TARGET_CPU] = { "target_cpu", "target_cpu" },
	[FIELD_PARENT_TID] = { NULL, "parent_tid" },
	[FIELD_PARENT_PID] = { NULL, "parent_pid" },
	[FIELD_CHILD_TID] = { "child_pid", "child_tid" },
	[FIELD_CHILD_PID] = { NULL, "child_pid" },
	[FIELD_FILENAME] = { "filename", "filename" },
	[FIELD_NAME] = { NULL, "name" },
	[FIELD_IRQ] = { "irq", "irq" },
	[FIELD_VEC] = { "vec", "vec" },
	[FIELD_ADDRESS] = { "address", "address" },
	[FIELD_ERROR_CODE] = { "error_code", "error_code" },
	[FIELD_FD] = { NULL, "fd" },
	[FIELD_FILES] = { NULL, "file_table_address" },
	[FIELD_ARGS] = { NULL, "args" },
	[FIELD_FILDES] = { NULL, "fildes" },
	[FIELD_MESSAGE] = { NULL, NULL }, /* is all that ftrace prints */
};

enum field field_named(enum tracer tracer, const char *name, size_t n)
{
	int i = 0;

	for (; i < FIELDS; i++) {
		const char *known = fields[i][tracer == TRACER_LTTNG];

		if (known && *known == *name && !strncmp(known, name, n) && strlen(known) == n)
			break;
	}
	return (enum field)i;
}

static bool has(const struct tracepoint_hit *p, enum field field)
{
	return p->has & 1u << field;
}

static int64_t number(const struct tracepoint_hit *p, enum field field)
{
	return has(p, field) ? p->value[field].number : 0;
}

static uint32_t tid_in(const struct tracepoint_hit *p, enum field field)
{
	int64_t v = number(p, field);

	return v > 0 && v <= INT32_MAX ? (uint32_t)v : 0;
}

static const char *text(struct kernel *k, const struct tracepoint_hit *p, enum field field)
{
	return has(p, field) && p->value[field].text
		   ? arena_copy(&k->im.arena, p->value[field].text, p->value[field].n)
		   : NULL;
}

static void set_name(struct kernel *k, uint32_t tid, const struct tracepoint_hit *p,
		     enum field field)
{
	if (has(p, field) && p->value[field].text)
		kernel_name(k, tid, p->value[field].text, p->value[field].n);
}

/* ---- calls ---- */

static unsigned call_of(const struct kernel *k, const struct tracepoint_hit *p)
{
	int64_t id = has(p, FIELD_ID) ? p->value[FIELD_ID].number : -1;

	if (p->meaning.call != UINT32_MAX)
		return p->meaning.call;
	return id >= 0 && id <= INT32_MAX ? syscall_by_number(k->abi, (unsigned)id) : UINT32_MAX;
}

static void take_entry(struct kernel *k, const struct tracepoint_hit *p)
{
	struct event e = { 0 };

	e.call.id = call_of(k, p);
	if (e.call.id == UINT32_MAX)
		return;
	set_name(k, p->tid, p, FIELD_COMM); /* perf script tells it in each line */
	e.call.cpu = p->cpu + 1;
	e.call.path = text(k, p, FIELD_FILENAME);
	memcpy(e.call.args, p->args, sizeof(p->args));
	kernel_enter(k, p->tid, &e);
}

static void take_exit(struct kernel *k, const struct tracepoint_hit *p)
{
	kernel_leave(k, p->tid, call_of(k, p), number(p, FIELD_RET),
		     number(p, FIELD_FILDES) >= 2 ? p->args : NULL, text(k, p, FIELD_COMM));
}

/* ---- the scheduler ---- */

static void take_switch(struct kernel *k, const struct tracepoint_hit *p)
{
	uint32_t prev = tid_in(p, FIELD_PREV_TID), next = tid_in(p, FIELD_NEXT_TID);

	k->sees_switches = true;
	++*(k->inferred ? &k->unseen : &k->seen);
	if (k->partial && next && !map_find(&k->pids, next))
		next = 0;
	set_name(k, prev, p, FIELD_PREV_COMM);
	set_name(k, next, p, FIELD_NEXT_COMM);
	kernel_switch(k, p->cpu, prev, number(p, FIELD_PREV_STATE), next);
}

/* With the flag, who wakes tells; else perhaps another one, later. */
static void take_wake(struct kernel *k, const struct tracepoint_hit *p)
{
	uint32_t target = tid_in(p, has(p, FIELD_TID) ? FIELD_TID : FIELD_PID);

	if (!target)
		return;
	set_name(k, target, p, FIELD_TARGET_COMM);
	kernel_wake(k, p->meaning.flag, p->context, p->cpu, p->tid, target,
		    has(p, FIELD_TARGET_CPU) ? number(p, FIELD_TARGET_CPU) : -1);
}

/* With the flag, a softirq. */
static void take_handler(struct kernel *k, const struct tracepoint_hit *p)
{
	bool soft = p->meaning.flag;

	kernel_handler_begins(k, p->cpu, soft, (uint32_t)number(p, soft ? FIELD_VEC : FIELD_IRQ));
}

static void take_handler_end(struct kernel *k, const struct tracepoint_hit *p)
{
	kernel_handler_ends(k, p->cpu, p->meaning.flag);
}

static void take_fault(struct kernel *k, const struct tracepoint_hit *p)
{
	kernel_fault(k, p->tid, (uint64_t)number(p, FIELD_ADDRESS),
		     (uint64_t)number(p, FIELD_ERROR_CODE));
}

/* ---- marks ---- */

/* A line in trace_marker, "osvec: VERB NAME [AMOUNT [TAG]]" or "osvec: VERB TAG".  Others are not
 * ours. */
static void take_message(struct kernel *k, const struct tracepoint_hit *p)
{
	static const struct {
		const char *word;
		enum mark_verb verb;
		bool named;
	} verbs[] = {
		{ "state", MARK_STATE, true },	       { "enqueue", MARK_ENQUEUE, true },
		{ "dequeue", MARK_DEQUEUE, true },     { "wait-empty", MARK_WAIT_EMPTY, true },
		{ "wait-full", MARK_WAIT_FULL, true }, { "peek", MARK_PEEK, true },
		{ "reserve", MARK_RESERVE, true },     { "capacity", MARK_CAPACITY, true },
		{ "identify", MARK_IDENTIFY, false },  { "link", MARK_LINK, false },
	};
	static const char sign[] = "osvec:";
	struct event e = kernel_event(k, EVENT_MARK, p->tid);
	char *at, *words[5], *rest = NULL;

	if (!has(p, FIELD_MESSAGE))
		return;
	at = arena_copy(&k->im.arena, p->value[FIELD_MESSAGE].text, p->value[FIELD_MESSAGE].n);
	at = strstr(at, sign);
	set_name(k, p->tid, p, FIELD_COMM);
	if (!at)
		return;

	for (int i = 0; i < 5; i++)
		words[i] = strtok_r(i ? NULL : at + sizeof(sign) - 1, " \t", &rest);
	for (size_t i = 0; words[0] && i < sizeof(verbs) / sizeof(*verbs); i++) {
		bool named = verbs[i].named;
		const char *amount = named ? words[2] : NULL, *tag = words[named ? 3 : 1];

		if (strcmp(verbs[i].word, words[0]) || !words[1] || words[named ? 4 : 2] ||
		    (amount && !number_parse_u64(amount, &e.mark.amount)) ||
		    (tag && !number_parse_u64(tag, &e.mark.tag)))
			continue;
		e.mark.verb = verbs[i].verb;
		e.mark.name = named ? words[1] : "";
		e.mark.amount = amount ? e.mark.amount : 1;
		importer_emit(&k->im, &e);
		return;
	}
	k->bad_marks++;
}

/* ---- processes ---- */

/* perf does not tell whether the child is a process, except in its own records of births. */
static void take_fork(struct kernel *k, const struct tracepoint_hit *p)
{
	uint32_t parent = has(p, FIELD_PARENT_TID) ? tid_in(p, FIELD_PARENT_TID) : p->tid,
		 child = tid_in(p, FIELD_CHILD_TID), parent_pid = tid_in(p, FIELD_PARENT_PID);

	if (!child || !parent || k->knows_births)
		return;
	if (!has(p, FIELD_CHILD_PID)) {
		kernel_fork_of_call(k, parent, child);
		return;
	}
	if (parent_pid)
		kernel_set_pid(k, parent, parent_pid);
	kernel_set_pid(k, child, tid_in(p, FIELD_CHILD_PID));
	kernel_fork(k, parent, child);
}

static uint32_t who(const struct tracepoint_hit *p)
{
	uint32_t tid = tid_in(p, FIELD_TID);

	return tid ? tid : p->tid;
}

static void take_exec(struct kernel *k, const struct tracepoint_hit *p)
{
	kernel_exec(k, who(p), text(k, p, FIELD_FILENAME));
}

static void take_death(struct kernel *k, const struct tracepoint_hit *p)
{
	k->sees_exits = true;
	kernel_exit(k, who(p));
}

static void take_free(struct kernel *k, const struct tracepoint_hit *p)
{
	kernel_forget(k, tid_in(p, FIELD_TID));
}

/* ---- what was there when the trace began ---- */

static void take_process_state(struct kernel *k, const struct tracepoint_hit *p)
{
	uint32_t tid = tid_in(p, FIELD_TID), pid = tid_in(p, FIELD_PID);
	uint64_t files = (uint64_t)number(p, FIELD_FILES);

	if (!tid)
		return;
	kernel_set_pid(k, tid, pid ? pid : tid);
	if (has(p, FIELD_FILES) && !map_find(&k->files, files))
		*map_at(&k->files, files) = pid;
	set_name(k, tid, p, FIELD_NAME);
	if (pid != tid)
		return;
	struct event e = kernel_event(k, EVENT_ATTACH, tid);
	e.attach.parent = tid_in(p, FIELD_PPID);
	importer_emit(&k->im, &e);
}

static void take_descriptor(struct kernel *k, const struct tracepoint_hit *p)
{
	const uint64_t pid = (uint64_t)number(p, FIELD_PID),
		       *owner = has(p, FIELD_FILES)
				    ? map_find(&k->files, (uint64_t)number(p, FIELD_FILES))
				: has(p, FIELD_PID) ? &pid
						    : NULL;
	const char *name = text(k, p, FIELD_FILENAME);
	int64_t fd = number(p, FIELD_FD);

	if (!owner || !name || fd < 0 || fd > INT32_MAX)
		return;
	enum fd_kind kind = fd_kind_of_link(name);
	if (kind == FD_UNKNOWN)
		kind = *name == '/' ? fd_kind_of_path(name) : FD_ANON;
	fdtable_set(k->im.fds, (uint32_t)*owner, (int)fd, kind, name);
}

/* ---- all of them ---- */

static const struct {
	const char *name[2]; /* of perf, of LTTng; behind a last _ follows the name of a call */
	void (*take)(struct kernel *k, const struct tracepoint_hit *p);
	bool flag;
} meanings[] = {
	{ { "raw_syscalls:sys_enter", "syscall_entry_" }, take_entry, false },
	{ { "raw_syscalls:sys_exit", "syscall_exit_" }, take_exit, false },
	{ { "syscalls:sys_enter_", "compat_syscall_entry_" }, take_entry, false },
	{ { "syscalls:sys_exit_", "compat_syscall_exit_" }, take_exit, false },
	{ { NULL, "exit_syscall" }, take_exit, false },
	{ { NULL, "sys_" }, take_entry, false },
	{ { NULL, "compat_sys_" }, take_entry, false },
	{ { "sched:sched_switch", "sched_switch" }, take_switch, false },
	{ { "sched:sched_waking", "sched_waking" }, take_wake, true },
	{ { "sched:sched_wakeup", "sched_wakeup" }, take_wake, false },
	{ { "sched:sched_wakeup_new", "sched_wakeup_new" }, take_wake, false },
	{ { "sched:sched_process_fork", "sched_process_fork" }, take_fork, false },
	{ { "sched:sched_process_exec", "sched_process_exec" }, take_exec, false },
	{ { "sched:sched_process_exit", "sched_process_exit" }, take_death, false },
	{ { NULL, "sched_process_free" }, take_free, false },
	{ { "irq:irq_handler_entry", "irq_handler_entry" }, take_handler, false },
	{ { "irq:irq_handler_exit", "irq_handler_exit" }, take_handler_end, false },
	{ { "irq:softirq_entry", "irq_softirq_entry" }, take_handler, true },
	{ { "irq:softirq_exit", "irq_softirq_exit" }, take_handler_end, true },
	{ { NULL, "softirq_entry" }, take_handler, true },
	{ { NULL, "softirq_exit" }, take_handler_end, true },
	{ { "ftrace:tracing_mark_write", NULL }, take_message, false },
	{ { "ftrace:print", NULL }, take_message, false }, /* in the words of trace-cmd */
	{ { "exceptions:page_fault_user", "x86_exceptions_page_fault_user" }, take_fault, false },
	{ { NULL, "lttng_statedump_process_state" }, take_process_state, false },
	{ { NULL, "lttng_statedump_file_descriptor" }, take_descriptor, false },
};

struct meaning meaning_of(enum tracer tracer, const char *name)
{
	for (unsigned i = 0; i < sizeof(meanings) / sizeof(*meanings); i++) {
		const char *known = meanings[i].name[tracer == TRACER_LTTNG];
		if (known && tracer == TRACER_FTRACE)
			known = strchr(known, ':') + 1;
		size_t n = known ? strlen(known) : 0;
		bool begins = n && known[n - 1] == '_';

		if (n && !(begins ? strncmp(name, known, n) : strcmp(name, known)))
			return (struct meaning){ meanings[i].take,
						 begins ? kernel_call_named(name + n) : UINT32_MAX,
						 meanings[i].take == take_entry, meanings[i].flag };
	}
	return (struct meaning){ .call = UINT32_MAX };
}
