/* SPDX-License-Identifier: MIT */
/* Tests of the system call, variant and errno tables. */
#include "trace/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "../tap.h"

static void test_native_numbers(void)
{
	/* clang-format off */
#define CALL(x) { #x, SYS_##x }
	static const struct { const char *name; int number; } calls[] = {
		CALL(read), CALL(write), CALL(openat), CALL(close), CALL(mmap), CALL(clone), CALL(execve),
		CALL(exit_group), CALL(futex), CALL(recvmmsg), CALL(getrandom), CALL(preadv2), CALL(rseq),
		CALL(io_uring_setup), CALL(clone3), CALL(epoll_pwait2), CALL(restart_syscall), CALL(ppoll),
		CALL(sync_file_range), CALL(prlimit64),
	};
	/* clang-format on */
	enum abi abi = syscall_native_abi();

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		unsigned id = syscall_by_name(calls[i].name);

		ok(syscall_get(id)->number[abi] == calls[i].number &&
		       syscall_by_number(abi, (unsigned)calls[i].number) == id,
		   "%s has its number, and the number is %s", calls[i].name, calls[i].name);
	}
}

static void test_rows(void)
{
	unsigned bad_name = 0, bad_number = 0, bad_argument = 0;

	for (unsigned i = 0; i < os_calls(&os_linux); i++) {
		const struct syscall *row = &os_linux.calls[i];

		bad_name += syscall_by_name(row->name) != i;
		for (int abi = 0; abi < ABIS; abi++)
			bad_number +=
			    row->number[abi] >= 0 &&
			    syscall_by_number((enum abi)abi, (unsigned)row->number[abi]) != i;
		bad_argument += row->argument[strspn(row->argument, "ixfdspnobmgt")] != '\0';
	}
	cmp_int(bad_name, 0, "every name is there once");
	cmp_int(bad_number, 0, "no number is there twice in one ABI");
	cmp_int(bad_argument, 0, "every argument is of a kind in os.h");
}

static void test_abis(void)
{
	is_string(syscall_get(syscall_by_number(ABI_X86_64, 0))->name, "read", "x86-64 0 is read");
	is_string(syscall_get(syscall_by_number(ABI_ARM64, 63))->name, "read", "arm64 63 is read");
	is_string(syscall_get(syscall_by_number(ABI_I386, 3))->name, "read", "i386 3 is read");
	cmp_int(syscall_get(syscall_by_name("open"))->number[ABI_ARM64], -1, "arm64 has no open");
	is_string(syscall_get(syscall_by_number(ABI_X86_64, 0x40000001))->name, "write",
		  "an x32 number is the call of x86-64");
}

static void test_unknown(void)
{
	unsigned id = syscall_by_number(ABI_ARM64, 7001);

	is_string(syscall_get(id)->name, "syscall_7001", "a number without a name gets one");
	cmp_int(syscall_get(id)->number[ABI_ARM64], 7001, "and keeps the number");
	cmp_int(syscall_by_number(ABI_ARM64, 7001), id, "the second time it is the same");
	cmp_int(syscall_by_name("syscall_7001"), id, "by name too");
	id = syscall_by_number(ABIS, 5);
	is_string(syscall_get(id)->name, "foreign_5", "a number of an unknown ABI gets a name");
	cmp_int(syscall_by_number(ABIS, 5), id, "and keeps it");
	is_string(syscall_get(syscall_by_number(ABIS, 0xffffffff))->name, "foreign_4294967295",
		  "whatever it is");
	for (int abi = 0; abi < ABIS; abi++)
		cmp_int(syscall_get(id)->number[abi], -1, "it is in no ABI that is known");
	id = syscall_by_name_n("frobnicate(", 10);
	is_string(syscall_get(id)->name, "frobnicate", "an unknown name is added");
	cmp_int(syscall_get(id)->number[ABI_X86_64], -1, "without a number");
	ok(syscall_by_name("frob") != id && syscall_by_name("frobnicates") != id,
	   "neither its prefix nor a longer name is taken for it");

	unsigned last = 0;
	char name[32];
	for (int i = 0; i < 100003; i++) {
		snprintf(name, sizeof(name), "invented_%d", i);
		last = syscall_by_name(name);
	}
	ok(last < os_calls(&os_linux) + 2100, "invented names do not fill the memory");
	is_string(syscall_get(last)->name, "other", "they end as one call");
	is_string(syscall_get(syscall_by_name("write"))->name, "write", "known names stay known");
	is_string(syscall_get(syscall_by_number(ABI_I386, 0xffffffff))->name, "other",
		  "so do invented numbers");
}

static void test_variant(void)
{
	/* clang-format off */
	static const struct {
		const char *call;
		int argument;
		uint64_t value;
		const char *variant, *what;
	} rows[] = {
		{ "clone", 0, CLONE_VM | CLONE_THREAD, "thread", "clone of a thread" },
		{ "clone", 0, CLONE_VM | CLONE_VFORK | 17, "vfork", "clone as vfork" },
		{ "clone", 0, 17, "process", "clone as fork" },
		{ "clone3", 4, CLONE_THREAD, "thread", "clone3 of a thread" },
		{ "openat", 2, O_CREAT | O_RDWR, "create", "openat that creates" },
		{ "openat", 2, O_RDWR, NULL, "openat that does not" },
		{ "fcntl", 1, F_SETLKW, "lock", "fcntl that locks" },
		{ "fcntl", 1, F_GETFD, NULL, "fcntl that does not" },
		{ "futex", 1, FUTEX_WAIT_PRIVATE, "wait", "private futex wait" },
		{ "futex", 1, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, "wait", "futex wait until a wall-clock time" },
		{ "futex", 1, FUTEX_WAKE, "wake", "futex wake" },
		{ "mmap", 3, MAP_PRIVATE | MAP_ANONYMOUS, "anon", "anonymous mmap" },
		{ "mmap", 3, MAP_SHARED, "file", "mmap of a file" },
		{ "kill", 1, 0, "probe", "kill that sends no signal" },
		{ "tgkill", 2, 0, "probe", "tgkill that sends no signal" },
		{ "kill", 1, 15, NULL, "kill that sends a signal" },
		{ "read", 0, 0, NULL, "read has no variants" },
		{ "invented_1", 0, 0, NULL, "an unknown call has none" },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct event e = { .type = EVENT_SYSCALL,
				   .call.id = syscall_by_name(rows[i].call) };

		e.call.args[rows[i].argument] = rows[i].value;
		is_string(syscall_variant(&e), rows[i].variant, "%s", rows[i].what);
	}
}

static void test_errno(void)
{
	const struct os *os = &os_linux;
	unsigned wrong = 0;

	is_string(errno_name(os, 2), "ENOENT", "2 is ENOENT");
	is_string(errno_name(os, 512), "ERESTARTSYS", "512 is ERESTARTSYS");
	ok(!errno_name(os, 0) && !errno_name(os, -1) && !errno_name(os, 400) &&
	       !errno_name(os, 100000),
	   "numbers that are no errors have no names");
	cmp_int(errno_number(os, "EAGAIN"), EAGAIN, "EAGAIN");
	cmp_int(errno_number(os, "EWOULDBLOCK"), EAGAIN, "EWOULDBLOCK is EAGAIN");
	cmp_int(errno_number(os, "ENOTSUP"), EOPNOTSUPP, "ENOTSUP is EOPNOTSUPP");
	cmp_int(errno_number(os, "EWHATEVER"), 0, "an unknown one is 0");
	for (int i = 1; i < 600; i++)
		wrong += errno_name(os, i) && errno_number(os, errno_name(os, i)) != i;
	cmp_int(wrong, 0, "each number comes back from its name");
}

/* A second system, with some numbers of FreeBSD. */
static const struct syscall small_calls[] = {
	{ .name = "read", .number = { 3, 3, 3 }, .argument = "fpn" },
	{ .name = "exit", .number = { 1, 1, 1 }, .returns = RETURNS_NOTHING },
	{ .name = "pdfork", .number = { 518, 518, 518 }, .returns = RETURNS_PID },
	{ 0 },
};
static const struct constant small_errnos[] = { { "EAGAIN", 35 }, { "EDEADLK", 11 }, { 0 } };
static const struct constant small_constants[] = { { "O_CREAT", 0x200 }, { 0 } };
static const struct syscall_variant no_variants[] = { { 0 } };
static const struct os small = {
	.name = "small",
	.number = 99,
	.calls = small_calls,
	.variants = no_variants,
	.errnos = small_errnos,
	.constants = small_constants,
};

static void test_second_system(void)
{
	unsigned id = syscall_of_number(&small, ABI_X86_64, 3),
		 linux_read = syscall_by_name("read");
	int64_t value = 0;

	ok(id != linux_read && syscall_get(id)->os == &small, "its calls have ids of their own");
	is_string(syscall_get(id)->name, "read", "its call 3 is read");
	cmp_int(syscall_same(id), linux_read, "which is what Linux calls read");
	is_string(syscall_get(syscall_by_number(ABI_X86_64, 3))->name, "close",
		  "call 3 of Linux is still close");
	unsigned pdfork = syscall_of_name(&small, "pdfork");
	is_string(syscall_get(syscall_same(pdfork))->name, "pdfork", "a call that Linux lacks");
	ok(syscall_get(syscall_same(pdfork))->number[ABI_X86_64] == -1, "has no number there");
	is_string(syscall_get(syscall_of_number(&small, ABI_ARM64, 0))->name, "syscall_0",
		  "a number without a row does not become a call of Linux");
	is_string(errno_name(&small, 35), "EAGAIN", "35 is its EAGAIN");
	is_string(errno_name(&os_linux, 35), "EDEADLK", "and EDEADLK of Linux");
	ok(!errno_name(&small, 2), "an error without a row has no name, not that of Linux");
	ok(syscall_errno_is(id, -35, EAGAIN) && !syscall_errno_is(id, -11, EAGAIN) &&
	       syscall_errno_is(linux_read, -EAGAIN, EAGAIN),
	   "rules for EAGAIN hold for both");
	ok(os_constant(&small, "O_CREAT", 7, &value) && value == 0x200, "O_CREAT is its own");
	ok(!os_constant(&small, "O_RDWR", 6, &value), "flags of Linux are unknown to it");
	ok(os_constant(&os_linux, "O_CREAT", 7, &value) && value == O_CREAT,
	   "and stay as they are");
	cmp_int(syscall_get(syscall_of_name(&small, "exit"))->returns, RETURNS_NOTHING,
		"its exit never returns");
	ok(os_by_number(os_linux.number) == &os_linux && !os_by_number(99),
	   "only systems in the list can be named in files");
}

static void test_fd_kind(void)
{
	unsigned wrong = 0;

	for (int i = 0; i < FD_KINDS; i++)
		wrong += fd_kind_parse(fd_kind_name((enum fd_kind)i)) != i;
	cmp_int(wrong, 0, "each kind comes back from its name");
	cmp_int(fd_kind_parse("tpc"), -1, "an unknown name is refused");
	is_string(fd_kind_name((enum fd_kind)99), "unknown", "a kind out of range is unknown");
}

static void test_bsd(void)
{
	/* The same call in each, and a call that has other numbers, and what Linux calls it. */
	static const struct {
		const struct os *os;
		unsigned stat, lstat, eagain, enotsup;
	} bsd[] = {
		{ &os_freebsd, 188, 190, 35, 45 },
		{ &os_netbsd, 439, 441, 35, 86 },
		{ &os_openbsd, 38, 40, 35, 91 },
		{ &os_macos, 188, 190, 35, 45 },
	};

	for (size_t i = 0; i < sizeof(bsd) / sizeof(*bsd); i++) {
		const struct os *os = bsd[i].os;
		unsigned wrong = 0, number;

		for (const struct syscall *row = os->calls; row->name; row++) {
			number = (unsigned)row->number[ABI_OTHER];
			wrong += row->number[ABI_OTHER] >= 0 &&
				 syscall_of_number(os, ABI_OTHER, number) !=
				     syscall_of_name(os, row->name);
		}
		cmp_int(wrong, 0, "%s: no number stands for two calls", os->name);
		for (const struct constant *c = os->errnos; c->name; c++)
			wrong += errno_number(os, c->name) != c->value;
		cmp_int(wrong, 0, "%s: no error stands for two numbers", os->name);
		cmp_int(syscall_same(syscall_of_number(os, ABI_OTHER, bsd[i].stat)),
			syscall_by_name("stat"), "stat");
		cmp_int(syscall_same(syscall_of_number(os, ABI_OTHER, bsd[i].lstat)),
			syscall_by_name("lstat"), "lstat");
		cmp_int(syscall_same(syscall_of_name(os, "sigaction")),
			syscall_by_name("rt_sigaction"), "a call of another name");
		cmp_int(errno_number(os, "EAGAIN"), bsd[i].eagain, "EAGAIN");
		cmp_int(errno_number(os, "ENOTSUP"), bsd[i].enotsup, "ENOTSUP");
		ok(os_by_number(os->number) == os, "files can name it");
	}
}

static void test_operations(void)
{
	static const struct {
		uint32_t opcode;
		const char *name;
	} cases[] = {
		{ IORING_OP_NOP, "io_uring_nop" },
		{ IORING_OP_FSYNC, "io_uring_fsync" },
		{ IORING_OP_READ, "io_uring_read" },
		{ IORING_OP_RECV, "io_uring_recv" },
		{ IORING_OP_SPLICE, "io_uring_splice" },
		{ IORING_OP_UNLINKAT, "io_uring_unlinkat" },
		{ IORING_OP_LINKAT, "io_uring_linkat" },
		{ 200, "io_uring_op_200" },
		{ UINT32_MAX, "io_uring_op_4294967295" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct event e = { .type = EVENT_URING,
					 .uring = { .opcode = cases[i].opcode } };

		is_string(syscall_get(syscall_of_uring(&e).call.id)->name, cases[i].name,
			  "operation %u", cases[i].opcode);
	}
}

int main(void)
{
	test_native_numbers();
	test_rows();
	test_operations();
	test_abis();
	test_second_system();
	test_unknown(); /* leaves no room for further names */
	test_variant();
	test_errno();
	test_fd_kind();
	test_bsd();
	return done_testing();
}
