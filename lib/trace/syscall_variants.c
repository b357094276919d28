/* SPDX-License-Identifier: MIT */
/* What makes one call cost something else than another of the same name. */
#include "trace/syscall_table.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define ANY 0, 0
#define FLAG(x) (x), (x)
#define EQUALS(x) 0xffffffff, (x)
#define FUTEX(x) FUTEX_CMD_MASK & 0xff, (x)
#define CREATES(call, argument) \
	{ \
		call, argument, FLAG(O_CREAT), "create" \
	}

const struct syscall_variant syscall_variants[] = {
	{ "clone", 0, FLAG(CLONE_THREAD), "thread" },
	{ "clone", 0, FLAG(CLONE_VFORK), "vfork" },
	{ "clone", 0, ANY, "process" },
	{ "clone3", 4, FLAG(CLONE_THREAD), "thread" },
	{ "clone3", 4, FLAG(CLONE_VFORK), "vfork" },
	{ "clone3", 4, ANY, "process" },
	{ "vfork", 0, ANY, "vfork" },
	{ "fork", 0, ANY, "process" },
	CREATES("open", 1),
	CREATES("openat", 2),
	CREATES("openat2", 4),
	{ "creat", 0, ANY, "create" },
	{ "fcntl", 1, EQUALS(F_GETLK), "lock" },
	{ "fcntl", 1, EQUALS(F_SETLK), "lock" },
	{ "fcntl", 1, EQUALS(F_SETLKW), "lock" },
	{ "fcntl", 1, EQUALS(F_OFD_GETLK), "lock" },
	{ "fcntl", 1, EQUALS(F_OFD_SETLK), "lock" },
	{ "fcntl", 1, EQUALS(F_OFD_SETLKW), "lock" },
	{ "fcntl", 1, EQUALS(F_DUPFD), "dup" },
	{ "fcntl", 1, EQUALS(F_DUPFD_CLOEXEC), "dup" },
	{ "flock", 1, FLAG(LOCK_UN), "unlock" },
	{ "futex", 1, FUTEX(FUTEX_WAIT), "wait" },
	{ "futex", 1, FUTEX(FUTEX_WAIT_BITSET), "wait" },
	{ "futex", 1, FUTEX(FUTEX_WAKE), "wake" },
	{ "futex", 1, FUTEX(FUTEX_WAKE_BITSET), "wake" },
	{ "futex", 1, FUTEX(FUTEX_WAKE_OP), "wake" },
	{ "futex", 1, FUTEX(FUTEX_REQUEUE), "requeue" },
	{ "futex", 1, FUTEX(FUTEX_CMP_REQUEUE), "requeue" },
	{ "futex", 1, FUTEX(FUTEX_LOCK_PI), "lock" },
	{ "futex", 1, FUTEX(FUTEX_LOCK_PI2), "lock" },
	{ "futex", 1, FUTEX(FUTEX_UNLOCK_PI), "unlock" },
	{ "mmap", 3, FLAG(MAP_ANONYMOUS), "anon" },
	{ "mmap", 3, ANY, "file" },
	{ "mmap2", 3, FLAG(MAP_ANONYMOUS), "anon" },
	{ "mmap2", 3, ANY, "file" },
	{ "madvise", 2, EQUALS(MADV_DONTNEED), "dontneed" },
	{ "madvise", 2, EQUALS(MADV_FREE), "free" },
	{ "brk", 0, UINT64_MAX, 0, "query" },
	{ "rt_sigaction", 1, UINT64_MAX, 0, "query" },
	{ "kill", 1, EQUALS(0), "probe" },
	{ "tkill", 1, EQUALS(0), "probe" },
	{ "tgkill", 2, EQUALS(0), "probe" },
	{ "epoll_ctl", 1, EQUALS(EPOLL_CTL_ADD), "add" },
	{ "epoll_ctl", 1, EQUALS(EPOLL_CTL_DEL), "delete" },
	{ "epoll_ctl", 1, EQUALS(EPOLL_CTL_MOD), "modify" },
	{ "epoll_wait", 3, EQUALS(0), "nowait" },
	{ "epoll_pwait", 3, EQUALS(0), "nowait" },
	{ "poll", 2, EQUALS(0), "nowait" },
	{ "wait4", 2, FLAG(WNOHANG), "nowait" },
	{ "waitid", 3, FLAG(WNOHANG), "nowait" },
	{ "newfstatat", 3, FLAG(AT_EMPTY_PATH), "fd" },
	{ "statx", 2, FLAG(AT_EMPTY_PATH), "fd" },
	{ "unlinkat", 2, FLAG(AT_REMOVEDIR), "directory" },
	{ "ioctl", 1, EQUALS(TCGETS), "tcgets" },
	{ "ioctl", 1, EQUALS(FIONBIO), "fionbio" },
	{ "ioctl", 1, EQUALS(FIONREAD), "fionread" },
};

const size_t syscall_variant_rows = sizeof(syscall_variants) / sizeof(*syscall_variants);
