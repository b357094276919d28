/* SPDX-License-Identifier: MIT */
/* Tests of flags and commands in arguments of calls, by name. */
#include "trace/flags.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#include "trace/syscalls.h"

#include "../tap.h"

/* What flags_text() says of an argument; "": nothing. */
static const char *flags(const char *name, unsigned argument, uint64_t value)
{
	const char *text = flags_text(syscall_native_abi(), syscall_by_name(name), argument, value);

	return text ? text : "";
}

static void test_flags(void)
{
	is_string(flags("open", 1, O_CLOEXEC | O_NOCTTY), "O_RDONLY|O_NOCTTY|O_CLOEXEC",
		  "how a file is opened is named where it is 0");
	is_string(flags("openat", 2, O_TMPFILE | O_RDWR), "O_RDWR|O_TMPFILE",
		  "a name of several bits stands for all of them");
	is_string(flags("mprotect", 2, 0), "PROT_NONE", "no flag, which has a name");
	is_string(flags("dup3", 2, 0), "0", "no flag, which has none");
	is_string(flags("mmap", 3, MAP_SHARED_VALIDATE | 0x40000000),
		  "MAP_SHARED_VALIDATE|0x40000000", "a number in some bits, an unknown flag");
	is_string(flags("clone", 0, 0x01200000 | SIGCHLD),
		  "SIGCHLD|CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID", "the signal of a clone");
	is_string(flags("kill", 1, 0), "0", "no signal");
	is_string(flags("rt_sigprocmask", 0, 0), "SIG_BLOCK", "a command");
	is_string(flags("fcntl", 1, 0), "F_DUPFD", "names of one letter that others end with");
	if (syscall_native_abi() == ABI_X86_64) {
		is_string(flags_text(ABI_ARM64, syscall_by_name("openat"), 2, 0200001),
			  "O_WRONLY|O_DIRECT", "O_DIRECT of arm64");
		is_string(flags_text(ABI_ARM64, syscall_by_name("openat"), 2, 02140000),
			  "O_RDONLY|O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC",
			  "its O_DIRECTORY and O_NOFOLLOW");
	}
	for (uint64_t i = 0; i < 5000; i++) /* more than are kept */
		flags("ioctl", 1, 1000000 + i);
	is_string(flags("ioctl", 1, 1000000), "0xf4240", "a number that was forgotten");
	is_string(flags("access", 1, 4), "R_OK", "and those themselves");
	is_string(flags("lseek", 2, 77), "0x4d", "an unknown command");
	is_string(flags("futex", 1, 9 | 128 | 256),
		  "FUTEX_WAIT_BITSET|FUTEX_PRIVATE_FLAG|"
		  "FUTEX_CLOCK_REALTIME",
		  "a command with flags");
	is_string(flags("read", 2, 1), "", "a number that has no names");
	is_string(flags("openat", 2, (uint64_t)1 << 40), "", "more than 32 bits");
}

int main(void)
{
	test_flags();
	return done_testing();
}
