/* SPDX-License-Identifier: MIT */
/*
 * What records mean.  The file has the records of a thread in the order of their times, those of
 * different threads may be somewhat out of it.
 */
#include "trace/format/ktrace/ktrace.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/shell.h"

enum {
	FREEBSD_ABI = 0xff, /* of the flags in PROCCTOR: whose program it is */
	FREEBSD_LINUX = 3,
	FREEBSD_LP64 = 0x200,
};

/* ---- calls ---- */

/*
 * True if there is a register of padding in front of an offset, so that it has an even place on
 * every machine.
 */
static bool has_padding(const struct syscall *row)
{
	return row->os == &os_netbsd || !strncmp(row->name, "pad_", 4) ||
	       !strncmp(row->name, "freebsd6_", 9);
}

/* Registers to arguments; an offset takes two registers of 32 bits. */
static void fill_arguments(const struct ktrace_form *f, const struct ktrace_call *call,
			   const struct syscall *row, uint64_t *args)
{
	const char *argument = row->argument;
	unsigned next = 0;

	for (int i = 0; i < 6 && next < call->count; i++) {
		bool offset = *argument == ARG_OFFSET;
		unsigned size = call->size;

		argument += *argument != '\0';
		if (offset && has_padding(row))
			next++;
		if (offset && size == 4 && next + 1 < call->count)
			size = 8;
		if (next >= call->count)
			return;
		const unsigned char *p = call->registers + next * call->size;
		args[i] = ktrace_get(f, p, size);
		next += size / call->size;
	}
}

static unsigned call_of(const struct ktrace_process *p, const struct ktrace_record *r,
			unsigned number)
{
	return r->call ? syscall_of_name(p->os, r->call) : syscall_of_number(p->os, p->abi, number);
}

static void take_call(struct ktrace *k, const struct ktrace_record *r)
{
	struct ktrace_process *p = ktrace_process_of(k, r->pid);
	struct pairing_thread *t = ktrace_thread_of(k, p, r);
	struct event e = pairing_event(t, EVENT_SYSCALL, k->now);
	struct ktrace_call call;

	if (!ktrace_parse_call(&k->form, r, &call))
		return;
	e.call.id = call_of(p, r, call.number);
	e.call.cpu = r->cpu;
	const struct syscall *row = syscall_get(e.call.id);
	fill_arguments(&k->form, &call, row, e.call.args);
	importer_enter(&k->im, t, &e);
	p->arguments.n = 0;
	if (!syscall_never_returns(e.call.id))
		return;
	if (!strncmp(row->name, "exit", 4))
		ktrace_end_process(k, p, (int)(e.call.args[0] & 0xff) << 8);
	else
		importer_exit(&k->im, t, 0, k->now);
}

/* The value that a call returned, or minus its error; codes of the kernel as pairing.h wants them.
 */
static int64_t result_of(const struct ktrace *k, const struct ktrace_process *p,
			 const struct ktrace_record *r, int64_t values[2])
{
	enum { RESTARTED = -512 };
	const struct ktrace_form *f = &k->form;
	bool netbsd = f->layout->os == &os_netbsd;
	int error = (int)ktrace_get_signed(f, r->data + 4, 4);
	unsigned width = netbsd || r->n < 16 ? f->layout->word : 8;

	if (r->n - 8 < width)
		width = r->n >= 12 ? 4 : 0;
	values[0] = width ? ktrace_get_signed(f, r->data + 8, width) : 0;
	values[1] = netbsd && r->n >= 8 + 2 * width
			? ktrace_get_signed(f, r->data + 8 + width, width)
			: values[0];
	if (error == (netbsd ? -3 : -1))
		return RESTARTED;
	if (error < 0) /* EJUSTRETURN: registers were set already */
		return 0;
	if (error == 0) /* a value that looks like an error is none */
		return result_is_error(values[0]) ? (uint32_t)values[0] : values[0];
	if (p->os == f->layout->os)
		return error < 4096 ? -error : -4095;
	/* A program for Linux: the record has the error of the host. */
	const char *name = errno_name(f->layout->os, error);
	int number = name ? errno_number(p->os, name) : 0;
	return number ? -number : error < 4096 ? -error : -4095;
}

/* The process that a fork has made and no record told of yet. */
static void take_birth(struct ktrace *k, struct pairing_thread *t, const struct event *call,
		       int64_t child)
{
	if (child <= 0 || child >= KTRACE_FRESH_TIDS || map_find(&k->processes, (uint32_t)child) ||
	    syscall_get(call->call.id)->returns != RETURNS_PID)
		return;
	ktrace_born(k, (uint32_t)child, t, call);
}

static void take_exec(struct ktrace *k, struct ktrace_process *p, struct pairing_thread *t,
		      const char *path)
{
	char *command = p->arguments.n ? shell_strings(p->arguments.v, p->arguments.n)
				       : xstrdup(path ? path : p->comm);

	importer_exec(&k->im, t, command, k->now);
	free(command);
	p->arguments.n = 0;
}

/* A trace begins inside of the call that starts it. */
static bool is_begin(const struct ktrace *k, const struct pairing_thread *t, unsigned id)
{
	return syscall_same(id) == k->ktrace && !t->inside;
}

static void take_return(struct ktrace *k, const struct ktrace_record *r)
{
	struct ktrace_process *p = ktrace_process_of(k, r->pid);
	struct pairing_thread *t = ktrace_thread_of(k, p, r);
	unsigned bytes = k->form.layout->os == &os_openbsd ? 4 : 2;
	unsigned number = (unsigned)ktrace_get(&k->form, r->data, bytes);
	unsigned id = call_of(p, r, number);
	struct event *inside = pairing_inside(t);
	int64_t values[2], result = result_of(k, p, r, values);
	bool fork = syscall_role(id) == ROLE_FORK, failed = result_is_error(result);

	if (is_begin(k, t, id))
		return;
	if (!inside || inside->call.id != id) {
		importer_leave(&k->im, t, id, result, k->now);
		return;
	}
	struct event call = *inside;
	char *path = inside->call.path ? xstrdup(inside->call.path) : NULL;
	if (!strcmp(syscall_get(id)->name, "pipe") && !failed) {
		inside->call.args[4] = (uint64_t)values[0];
		inside->call.args[5] = (uint64_t)values[1];
	}
	importer_leave(&k->im, t, id, result, k->now);
	if (!failed && fork)
		take_birth(k, t, &call, result);
	else if (!failed && syscall_role(id) == ROLE_EXEC)
		take_exec(k, p, t, path);
	else if (!failed && syscall_same(id) == k->wait4 && result > 0 &&
		 result < KTRACE_FRESH_TIDS && (p = map_pointer(&k->processes, (uint32_t)result)))
		ktrace_end_process(k, p, p->signal); /* its end left no record */
	free(path);
}

/* ---- what happens within calls ---- */

static struct pairing_thread *known_thread(struct ktrace *k, const struct ktrace_record *r)
{
	struct ktrace_process *p = map_pointer(&k->processes, r->pid);

	return p ? pairing_find(&k->im.calls, ktrace_tid_of(k, p, r->tid)) : NULL;
}

static void take_path(struct ktrace *k, const struct ktrace_record *r)
{
	struct pairing_thread *t = known_thread(k, r);
	const struct event *inside = t ? pairing_inside(t) : NULL;

	/* The first is the argument; others are what the call needed besides, as an interpreter. */
	if (!inside || inside->call.path)
		return;
	char *path = strndup((const char *)r->data, r->n);
	if (path)
		pairing_set_path(t, path);
	free(path);
}

static void take_argument(struct ktrace *k, const struct ktrace_record *r)
{
	enum { ARGUMENTS_MAX = 1 << 16 };
	struct ktrace_process *p = map_pointer(&k->processes, r->pid);
	size_t n = r->n;

	if (!p || p->arguments.n + n > ARGUMENTS_MAX)
		return;
	while (n && !r->data[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		vec_push(&p->arguments, (char)r->data[i]);
	vec_push(&p->arguments, '\0');
}

/* A descriptor of a process at its execve, by NetBSD's DTYPE_ numbers. */
static void take_descriptor(struct ktrace *k, const struct ktrace_record *r)
{
	static const enum fd_kind kinds[] = { [2] = FD_SOCKET, FD_PIPE, FD_EPOLL };
	enum fd_kind known;

	if (r->n < 8)
		return;
	int fd = (int)ktrace_get(&k->form, r->data, 4);
	uint64_t type = ktrace_get(&k->form, r->data + 4, 4);
	if (type < sizeof(kinds) / sizeof(*kinds) && kinds[type] && fd >= 0 &&
	    (!fdtable_find(k->im.fds, r->pid, fd, &known) || known == FD_UNKNOWN))
		fdtable_set(k->im.fds, r->pid, fd, kinds[type], NULL);
}

static void take_signal(struct ktrace *k, const struct ktrace_record *r)
{
	struct pairing_thread *t = known_thread(k, r);
	struct ktrace_process *p = map_pointer(&k->processes, r->pid);
	unsigned word = k->form.layout->word;

	if (!t || r->n < 2 * word)
		return;
	struct event e = pairing_event(t, EVENT_SIGNAL, k->now);
	e.signal.signal = (int)ktrace_get(&k->form, r->data, 4);
	uint64_t handler = ktrace_get(&k->form, r->data + word, word);
	if (handler == (uintptr_t)SIG_DFL)
		p->signal = e.signal.signal & 0x7f;
	else /* ignored ones are not recorded */
		pairing_signal(t);
	importer_emit(&k->im, &e);
}

static void take_switch(struct ktrace *k, const struct ktrace_record *r)
{
	struct pairing_thread *t = known_thread(k, r);

	if (!t || r->n < 8)
		return;
	struct event e = pairing_event(t, EVENT_SWITCH, k->now);
	e.change.cpu = r->cpu ? r->cpu - 1 : 0;
	e.change.out = ktrace_get(&k->form, r->data, 4) != 0;
	e.change.preempted = e.change.out && ktrace_get(&k->form, r->data + 4, 4) != 0;
	if (e.change.out)
		e.change.state = e.change.preempted ? STATE_RUNNABLE : STATE_SLEEPING;
	importer_emit(&k->im, &e);
}

static void take_fault(struct ktrace *k, const struct ktrace_record *r)
{
	enum { WRITE = 2, EXECUTE = 4 }; /* VM_PROT_* */
	struct pairing_thread *t = known_thread(k, r);
	unsigned word = k->form.layout->word;

	if (!t || r->n < word + 4)
		return;
	struct event e = pairing_event(t, EVENT_FAULT, k->now);
	e.fault.address = ktrace_get(&k->form, r->data, word);
	uint64_t access = ktrace_get(&k->form, r->data + word, 4);
	e.fault.write = access & WRITE;
	/* A write may be one to a page that is there. */
	e.fault.kind = access & EXECUTE ? FAULT_EXECUTE
		       : e.fault.write	? FAULT_UNKNOWN
					: FAULT_READ;
	importer_emit(&k->im, &e);
}

/* The calls that a process makes: of Linux, or of the system itself. */
static void set_system(struct ktrace *k, const struct ktrace_record *r, bool linux, bool narrow)
{
	struct ktrace_process *p = ktrace_process_of(k, r->pid);

	p->os = linux ? &os_linux : k->form.layout->os;
	p->abi = !linux ? ABI_OTHER : narrow ? ABI_I386 : ABI_X86_64;
}

/* As NetBSD says it. */
static void take_emulation(struct ktrace *k, const struct ktrace_record *r)
{
	bool narrow = r->n > 5 && !memcmp(r->data, "linux32", r->n < 7 ? r->n : 7);

	set_system(k, r, r->n >= 5 && !memcmp(r->data, "linux", 5),
		   narrow || k->form.layout->word == 4);
}

/* As FreeBSD says it. */
static void take_process(struct ktrace *k, const struct ktrace_record *r)
{
	uint64_t flags = r->n >= 4 ? ktrace_get(&k->form, r->data, 4) : 0;

	set_system(k, r, (flags & FREEBSD_ABI) == FREEBSD_LINUX, !(flags & FREEBSD_LP64));
}

static void take_death(struct ktrace *k, const struct ktrace_record *r)
{
	struct ktrace_process *p = map_pointer(&k->processes, r->pid);

	if (p)
		ktrace_end_process(k, p, p->signal);
}

/* A program's name changes with execve, or because the process says so. */
static void take_name(struct ktrace *k, const struct ktrace_record *r)
{
	struct ktrace_process *p = map_pointer(&k->processes, r->pid);

	if (!p || !strcmp(p->comm, r->comm))
		return;
	memcpy(p->comm, r->comm, sizeof(p->comm));
	struct event e = { .type = EVENT_COMM, .pid = p->pid, .tid = p->pid, .time = k->now };
	e.comm.name = arena_copy(&k->im.arena, p->comm, strlen(p->comm));
	importer_emit(&k->im, &e);
}

/* ---- records ---- */

typedef void take(struct ktrace *k, const struct ktrace_record *r);

/* What each type means, where systems differ. */
static const struct {
	const struct os *os; /* NULL: all */
	unsigned type;
	take *take;
} takers[] = {
	{ NULL, KTRACE_SYSCALL, take_call },
	{ NULL, KTRACE_SYSRET, take_return },
	{ NULL, KTRACE_NAMEI, take_path },
	{ NULL, KTRACE_PSIG, take_signal },
	{ NULL, KTRACE_CSW, take_switch },
	{ &os_netbsd, KTRACE_EMUL, take_emulation },
	{ &os_netbsd, KTRACE_EXEC_ARG, take_argument },
	{ &os_netbsd, KTRACE_EXEC_FD, take_descriptor },
	{ &os_openbsd, KTRACE_EXEC_ARG, take_argument },
	{ &os_freebsd, KTRACE_PROCCTOR, take_process },
	{ &os_freebsd, KTRACE_PROCDTOR, take_death },
	{ &os_freebsd, KTRACE_FAULT, take_fault },
};

void ktrace_take(struct ktrace *k, const struct ktrace_record *r)
{
	if (r->begins)
		return;
	/* NetBSD gives the time of its first record after that of the next one. */
	bool early = r->type == KTRACE_EMUL && k->form.layout->os == &os_netbsd;
	if (!k->begun && !early) {
		struct event e = { .type = EVENT_CLOCK, .pid = r->pid, .tid = r->pid };

		k->begun = true;
		k->origin = e.clock.realtime = r->time;
		importer_emit(&k->im, &e);
	}
	if (r->dropped)
		importer_lose(&k->im, LOST_RING_FULL, 0, k->now, r->time - k->origin);
	k->now = k->begun ? r->time - k->origin : 0;
	for (size_t i = 0; i < sizeof(takers) / sizeof(*takers); i++)
		if (takers[i].type == r->type &&
		    (!takers[i].os || takers[i].os == k->form.layout->os)) {
			takers[i].take(k, r);
			break;
		}
	take_name(k, r);
}

void ktrace_begin(struct ktrace *k)
{
	importer_init(&k->im, k->form.layout->os, ABI_OTHER);
	k->wait4 = syscall_by_name("wait4");
	k->ktrace = syscall_by_name("ktrace");
}

void ktrace_restart(struct ktrace *k)
{
	struct importer *im = &k->im;

	importer_end(im);
	ktrace_free_processes(k);
	pairing_free(&im->calls);
	fdtable_free(im->fds);
	pairing_init(&im->calls, im->calls.emit, im);
	im->fds = fdtable_new(k->form.layout->os, ABI_OTHER, NULL, NULL);
}

void ktrace_free(struct ktrace *k)
{
	ktrace_free_processes(k);
	importer_free(&k->im);
	free(k->command);
}
