/* SPDX-License-Identifier: MIT */
#include "record/ptrace/tracer.h"

#include <elf.h>
#include <errno.h>
#include <linux/audit.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "record/callshape.h"

static enum abi abi_of(uint32_t arch)
{
	switch (arch) {
	case AUDIT_ARCH_X86_64: return ABI_X86_64;
	case AUDIT_ARCH_AARCH64: return ABI_ARM64;
	case AUDIT_ARCH_I386: return ABI_I386;
	}
	return ABIS;
}

static int read_info(pid_t tid, struct callstop *c)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) < 0)
		return -1;
	c->ip = info.instruction_pointer;
	c->sp = info.stack_pointer;
	c->begins = info.op == PTRACE_SYSCALL_INFO_ENTRY;
	if (c->begins) {
		c->abi = abi_of(info.arch);
		c->number = (uint32_t)info.entry.nr;
		memcpy(c->args, info.entry.args, sizeof(c->args));
		return 1;
	}
	c->result = info.exit.rval;
	return info.op == PTRACE_SYSCALL_INFO_EXIT;
}

#if defined(__x86_64__)

enum { USER32_CS = 0x23 }; /* code segment of 32-bit programs */

/* User-mode Linux has no PTRACE_GETREGSET. */
static int get_registers(pid_t tid, struct user_regs_struct *u)
{
	return (int)ptrace(PTRACE_GETREGS, tid, NULL, u);
}

static void decode(const struct user_regs_struct *u, struct callstop *c)
{
	const uint64_t wide[6] = { u->rdi, u->rsi, u->rdx, u->r10, u->r8, u->r9 };
	const uint64_t narrow[6] = { (uint32_t)u->rbx, (uint32_t)u->rcx, (uint32_t)u->rdx,
				     (uint32_t)u->rsi, (uint32_t)u->rdi, (uint32_t)u->rbp };
	bool is32 = u->cs == USER32_CS;

	c->abi = is32 ? ABI_I386 : ABI_X86_64;
	c->number = (uint32_t)u->orig_rax;
	memcpy(c->args, is32 ? narrow : wide, sizeof(c->args));
	c->result = is32 ? (int32_t)u->rax : (int64_t)u->rax;
	c->ip = u->rip;
	c->sp = u->rsp;
}

#elif defined(__aarch64__)

static int get_registers(pid_t tid, struct user_regs_struct *u)
{
	struct iovec v = { u, sizeof(*u) };

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &v))
		return -1;
	if (v.iov_len == sizeof(*u))
		return 0;
	errno = ENOSYS; /* a 32-bit program */
	return -1;
}

static void decode(const struct user_regs_struct *u, struct callstop *c)
{
	c->abi = ABI_ARM64;
	c->number = (uint32_t)u->regs[8];
	memcpy(c->args, u->regs, sizeof(c->args));
	c->result = (int64_t)u->regs[0];
	c->ip = u->pc;
	c->sp = u->sp;
}

#endif

/* The registers do not show whether the call begins or ends. */
static int read_registers(pid_t tid, bool inside, struct callstop *c)
{
#if defined(__x86_64__) || defined(__aarch64__)
	struct user_regs_struct u;

	if (get_registers(tid, &u))
		return -1;
	decode(&u, c);
	c->begins = !inside;
	return 1;
#else
	(void)tid, (void)inside, (void)c;
	errno = ENOSYS;
	return -1;
#endif
}

int callstop_read(pid_t tid, bool inside, struct callstop *c)
{
	static bool info_is_missing;

	if (!info_is_missing) {
		int got = read_info(tid, c);

		if (got >= 0 || errno == ESRCH)
			return got;
		info_is_missing = true;
	}
	return read_registers(tid, inside, c);
}

/* ---- memory of a traced process ---- */

enum {
	PAGE = 4096,	  /* the smallest page: memory may end at a multiple of it */
	FIRST_READ = 256, /* most strings are shorter */
};

bool peek(pid_t tid, uint64_t address, void *out, size_t n)
{
	struct iovec to = { out, n }, from = { (void *)(uintptr_t)address, n };

	return process_vm_readv(tid, &to, 1, &from, 1, 0) == (ssize_t)n;
}

/* The string at address, cut at n - 1 bytes; false when there is none. */
static bool peek_string(pid_t tid, uint64_t address, char *out, size_t n)
{
	size_t done = 0;

	while (done < n - 1) {
		/* One read never crosses a page: it would fail when only the second is missing. */
		size_t part = PAGE - (address + done) % PAGE;
		size_t most = done ? n - 1 - done : FIRST_READ < n - 1 ? FIRST_READ : n - 1;

		if (part > most)
			part = most;
		if (!peek(tid, address + done, out + done, part))
			return false;
		if (memchr(out + done, '\0', part))
			return true;
		done += part;
	}
	out[done] = '\0';
	return true;
}

/* ---- arguments ---- */

void callargs_begin(pid_t tid, const uint64_t args[6], struct event *e,
		    char path[CALLARGS_PATH_SIZE])
{
	const struct record_shape *shape = callshape_get(e->call.id);

	memcpy(e->call.args, args, shape->args * sizeof(*args));
	if (shape->path != RECORD_NO_ARG &&
	    peek_string(tid, args[shape->path], path, CALLARGS_PATH_SIZE))
		e->call.path = path;
	if (shape->memory == RECORD_FLAGS)
		peek(tid, args[shape->pointer], &e->call.args[4], sizeof(*args));
}

bool callargs_end(pid_t tid, struct event *e)
{
	const struct record_shape *shape = callshape_get(e->call.id);
	int fds[2] = { -1, -1 };
	bool complete = true;

	/* A call with a bad address fails with EFAULT: then nothing is missing. */
	if (shape->path != RECORD_NO_ARG && !e->call.path && e->call.args[shape->path])
		complete = e->call.result == -EFAULT;
	if (shape->memory != RECORD_DESCRIPTORS || event_failed(e))
		return complete;
	complete = peek(tid, e->call.args[shape->pointer], fds, sizeof(fds));
	e->call.args[4] = (uint64_t)(int64_t)fds[0];
	e->call.args[5] = (uint64_t)(int64_t)fds[1];
	return complete;
}
