/* SPDX-License-Identifier: MIT */
#include "trace/syscalls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/map.h"
#include "util/vec.h"

enum { NUMBERS = 600, NEW_NAMES_MAX = 2048, NAME_MAX_LENGTH = 63 };

/* One operating system whose calls have ids: those of its table, then names that traces bring. */
struct system {
	const struct os *os;
	size_t rows; /* of its table */
	struct names names;
	VEC(unsigned) ids;		 /* by number in names */
	uint16_t numbers[ABIS][NUMBERS]; /* -> id + 1 */
};

static VEC(struct system *) systems;		     /* Linux is the first */
static VEC(struct syscall) calls;		     /* by id */
static VEC(const struct syscall_variant *) variants; /* by id: the first of the call, or NULL */

/* x32 calls are those of x86-64 with this bit set. */
#define X32_BIT 0x40000000u

static const struct {
	const char *call;
	enum role role;
} roles[] = {
	{ "fork", ROLE_FORK },
	{ "vfork", ROLE_FORK },
	{ "clone", ROLE_FORK },
	{ "clone3", ROLE_FORK },
	{ "execve", ROLE_EXEC },
	{ "execveat", ROLE_EXEC },
	{ "fexecve", ROLE_EXEC },
	{ "restart_syscall", ROLE_RESTART },
	{ "rt_sigreturn", ROLE_SIGRETURN },
	{ "sigreturn", ROLE_SIGRETURN },
};

static uint8_t role_of(const char *name)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		if (!strcmp(roles[i].call, name))
			return (uint8_t)roles[i].role;
	return ROLE_NONE;
}

static const struct {
	const char *prefix;
	enum transfer way;
} transfers[] = {
	{ "read", TRANSFER_READS },
	{ "write", TRANSFER_WRITES },
	{ "recv", TRANSFER_READS },
	{ "send", TRANSFER_WRITES },
	{ "pread", TRANSFER_READS },
	{ "splice", TRANSFER_READS },
	{ "pwrite", TRANSFER_WRITES },
	/* The object of this operation is where the bytes go, that of the call where they are. */
	{ "io_uring_splice", TRANSFER_WRITES },
};

static uint8_t transfer_by(const char *name)
{
	const char operation[] = "io_uring_";
	size_t n = strlen(operation);

	for (size_t i = 0; i < sizeof(transfers) / sizeof(*transfers); i++)
		if (!strncmp(name, transfers[i].prefix, strlen(transfers[i].prefix)))
			return (uint8_t)transfers[i].way;
	return !strncmp(name, operation, n) ? transfer_by(name + n) : TRANSFER_NONE;
}

static unsigned add(struct system *s, struct syscall row)
{
	const struct syscall_variant *v = s->os->variants;
	size_t i = names_add(&s->names, row.name);

	row.name = s->names.v[i];
	row.os = s->os;
	/* A call that Linux lacks is added there as an unknown name, and takes the next id. */
	row.same =
	    s == systems.v[0] ? (unsigned)calls.n : syscall_by_name(row.as ? row.as : row.name);
	row.role = s == systems.v[0] ? role_of(row.name) : calls.v[row.same].role;
	row.transfer = transfer_by(row.name);
	while (v->call && strcmp(v->call, row.name))
		v++;
	vec_push(&s->ids, (unsigned)calls.n);
	vec_push(&calls, row);
	vec_push(&variants, v->call ? v : NULL);
	return (unsigned)calls.n - 1;
}

static struct system *load(const struct os *os)
{
	struct system *s = xcalloc(1, sizeof(*s));

	s->os = os;
	s->rows = os_calls(os);
	vec_push(&systems, s);
	for (size_t i = 0; i < s->rows; i++) {
		unsigned id = add(s, os->calls[i]);

		for (int abi = 0; abi < ABIS; abi++)
			if (calls.v[id].number[abi] >= 0)
				s->numbers[abi][calls.v[id].number[abi]] = (uint16_t)(id + 1);
	}
	return s;
}

static struct system *system_of(const struct os *os)
{
	if (!systems.n)
		load(&os_linux);
	for (size_t i = 0; i < systems.n; i++)
		if (systems.v[i]->os == os)
			return systems.v[i];
	return load(os);
}

static unsigned find(struct system *s, const char *name)
{
	size_t i = names_find(&s->names, name);

	if (i == SIZE_MAX && s->names.n + 1 >= s->rows + NEW_NAMES_MAX) {
		name = "other";
		i = names_find(&s->names, name);
	}
	if (i != SIZE_MAX)
		return s->ids.v[i];
	return add(s, (struct syscall){ .name = name, .number = { -1, -1, -1, -1 } });
}

unsigned syscall_of_name(const struct os *os, const char *name)
{
	return find(system_of(os), name);
}

unsigned syscall_by_name_n(const char *name, size_t n)
{
	char copy[NAME_MAX_LENGTH + 1];

	if (n > NAME_MAX_LENGTH)
		n = NAME_MAX_LENGTH;
	memcpy(copy, name, n);
	copy[n] = '\0';
	return syscall_by_name(copy);
}

unsigned syscall_of_number(const struct os *os, enum abi abi, unsigned number)
{
	struct system *s = system_of(os);
	char name[32];

	if (abi >= ABIS) {
		snprintf(name, sizeof(name), "foreign_%u", number);
		return find(s, name);
	}
	if (os == &os_linux && abi == ABI_X86_64 && number & X32_BIT && (number & ~X32_BIT) < 512)
		number &= ~X32_BIT;
	if (number < NUMBERS && s->numbers[abi][number])
		return s->numbers[abi][number] - 1u;
	snprintf(name, sizeof(name), "syscall_%u", number);
	unsigned id = find(s, name);
	if (!strcmp(calls.v[id].name, name))
		calls.v[id].number[abi] = (int)number;
	if (number < NUMBERS)
		s->numbers[abi][number] = (uint16_t)(id + 1);
	return id;
}

/* "io_uring_read" of IORING_OP_READ. */
static unsigned id_of_operation(uint32_t opcode)
{
	const unsigned first = syscall_by_name("io_uring_nop"),
		       last = syscall_by_name("io_uring_pipe");
	char name[32];

	if (opcode <= last - first)
		return first + opcode;
	snprintf(name, sizeof(name), "io_uring_op_%u", opcode);
	return syscall_by_name(name);
}

struct event syscall_of_uring(const struct event *e)
{
	struct event call = {
		.type = EVENT_SYSCALL, .pid = e->pid, .tid = e->tid, .time = e->time
	};

	call.call.id = id_of_operation(e->uring.opcode);
	call.call.flags = e->uring.complete ? 0 : CALL_UNFINISHED;
	call.call.duration = e->uring.duration;
	call.call.result = e->uring.result;
	call.call.args[0] = (uint64_t)e->uring.fd;
	call.call.kind = e->uring.kind;
	call.call.object = e->uring.file;
	return call;
}

const struct syscall *syscall_get(unsigned id)
{
	if (!calls.n)
		load(&os_linux);
	return &calls.v[id];
}

enum abi syscall_native_abi(void)
{
#if defined(__aarch64__)
	return ABI_ARM64;
#elif defined(__i386__)
	return ABI_I386;
#else
	return ABI_X86_64;
#endif
}

uint64_t syscall_clone_flags(const struct event *call)
{
	const struct syscall *row = call ? syscall_get(call->call.id) : NULL;

	if (!row || row->role != ROLE_FORK || row->os != &os_linux)
		return 0;
	return call->call.args[row->argument[0] == ARG_FLAGS ? 0 : 4];
}

bool syscall_ends_process(const struct event *e, int *status)
{
	if (e->call.id != syscall_by_name("exit_group"))
		return false;
	*status = e->call.flags & CALL_NO_ARGS ? -1 : (int)(e->call.args[0] & 0xff) << 8;
	return true;
}

bool syscall_opens(const struct event *call, enum opens also)
{
	const struct syscall *row = syscall_get(call->call.id);

	for (const struct fd_rule *r = row->os->fd_rules; r->call; r++)
		if (r->action == FD_OPENS && r->cloexec >= 0 && !strcmp(r->call, row->name))
			return call->call.args[r->cloexec] & row->os->opens[also];
	return false;
}

bool syscall_is_known(unsigned id)
{
	return id < os_calls(&os_linux);
}

bool syscall_errno_is(unsigned id, int64_t result, int number)
{
	const struct os *os = syscall_get(id)->os;

	if (os == &os_linux)
		return -result == number;
	const char *name = errno_name(os, (int)-result);
	return name && errno_number(&os_linux, name) == number;
}

const char *syscall_variant(const struct event *e)
{
	const struct syscall_variant *v = e->call.id < variants.n ? variants.v[e->call.id] : NULL;

	for (const char *call = v ? v->call : NULL; v && v->call && !strcmp(v->call, call); v++)
		if ((e->call.args[v->argument] & v->mask) == v->value)
			return v->word;
	return NULL;
}
