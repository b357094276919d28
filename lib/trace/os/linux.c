/* SPDX-License-Identifier: MIT */
/* Linux: uses of calls that have costs of their own, and what calls do to descriptors. */
#include "trace/os/linux.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/fanotify.h>
#include <linux/futex.h>
#include <linux/memfd.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define ANY 0, 0
#define FLAG(x) (x), (x)
#define EQUALS(x) 0xffffffff, (x)
#define FUTEX(x) FUTEX_CMD_MASK & 0xff, (x)

/* clang-format off */
static const struct syscall_variant variants[] = {
	{ "clone", 0, FLAG(CLONE_THREAD), "thread" }, { "clone", 0, FLAG(CLONE_VFORK), "vfork" },
	{ "clone", 0, ANY, "process" },
	{ "clone3", 4, FLAG(CLONE_THREAD), "thread" }, { "clone3", 4, FLAG(CLONE_VFORK), "vfork" },
	{ "clone3", 4, ANY, "process" },
	{ "vfork", 0, ANY, "vfork" }, { "fork", 0, ANY, "process" },
	{ "open", 1, FLAG(O_CREAT), "create" }, { "openat", 2, FLAG(O_CREAT), "create" },
	{ "openat2", 4, FLAG(O_CREAT), "create" }, { "creat", 0, ANY, "create" },
	{ "fcntl", 1, EQUALS(F_GETLK), "lock" }, { "fcntl", 1, EQUALS(F_SETLK), "lock" },
	{ "fcntl", 1, EQUALS(F_SETLKW), "lock" }, { "fcntl", 1, EQUALS(F_OFD_GETLK), "lock" },
	{ "fcntl", 1, EQUALS(F_OFD_SETLK), "lock" }, { "fcntl", 1, EQUALS(F_OFD_SETLKW), "lock" },
	{ "fcntl", 1, EQUALS(F_DUPFD), "dup" }, { "fcntl", 1, EQUALS(F_DUPFD_CLOEXEC), "dup" },
	{ "flock", 1, FLAG(LOCK_UN), "unlock" },
	{ "futex", 1, FUTEX(FUTEX_WAIT), "wait" }, { "futex", 1, FUTEX(FUTEX_WAIT_BITSET), "wait" },
	{ "futex", 1, FUTEX(FUTEX_WAKE), "wake" }, { "futex", 1, FUTEX(FUTEX_WAKE_BITSET), "wake" },
	{ "futex", 1, FUTEX(FUTEX_WAKE_OP), "wake" },
	{ "futex", 1, FUTEX(FUTEX_REQUEUE), "requeue" },
	{ "futex", 1, FUTEX(FUTEX_CMP_REQUEUE), "requeue" },
	{ "futex", 1, FUTEX(FUTEX_LOCK_PI), "lock" }, { "futex", 1, FUTEX(FUTEX_LOCK_PI2), "lock" },
	{ "futex", 1, FUTEX(FUTEX_UNLOCK_PI), "unlock" },
	{ "mmap", 3, FLAG(MAP_ANONYMOUS), "anon" }, { "mmap", 3, ANY, "file" },
	{ "mmap2", 3, FLAG(MAP_ANONYMOUS), "anon" }, { "mmap2", 3, ANY, "file" },
	{ "madvise", 2, EQUALS(MADV_DONTNEED), "dontneed" },
	{ "madvise", 2, EQUALS(MADV_FREE), "free" },
	{ "brk", 0, UINT64_MAX, 0, "query" }, { "rt_sigaction", 1, UINT64_MAX, 0, "query" },
	{ "kill", 1, EQUALS(0), "probe" }, { "tkill", 1, EQUALS(0), "probe" },
	{ "tgkill", 2, EQUALS(0), "probe" },
	{ "epoll_ctl", 1, EQUALS(EPOLL_CTL_ADD), "add" },
	{ "epoll_ctl", 1, EQUALS(EPOLL_CTL_DEL), "delete" },
	{ "epoll_ctl", 1, EQUALS(EPOLL_CTL_MOD), "modify" },
	{ "epoll_wait", 3, EQUALS(0), "nowait" }, { "epoll_pwait", 3, EQUALS(0), "nowait" },
	{ "poll", 2, EQUALS(0), "nowait" }, { "wait4", 2, FLAG(WNOHANG), "nowait" },
	{ "waitid", 3, FLAG(WNOHANG), "nowait" }, { "newfstatat", 3, FLAG(AT_EMPTY_PATH), "fd" },
	{ "statx", 2, FLAG(AT_EMPTY_PATH), "fd" },
	{ "unlinkat", 2, FLAG(AT_REMOVEDIR), "directory" },
	{ "ioctl", 1, EQUALS(TCGETS), "tcgets" }, { "ioctl", 1, EQUALS(FIONBIO), "fionbio" },
	{ "ioctl", 1, EQUALS(FIONREAD), "fionread" },
	{ 0 },
};
/* clang-format on */

static const struct fd_rule fd_rules[] = {
	{ "open", FD_OPENS, FD_FILE, 1, O_CLOEXEC },
	{ "openat", FD_OPENS, FD_FILE, 2, O_CLOEXEC },
	{ "openat2", FD_OPENS, FD_FILE, 4, O_CLOEXEC },
	{ "creat", FD_OPENS, FD_FILE, FD_NEVER, 0 },
	{ "socket", FD_MAKES_SOCKET, FD_SOCKET, 1, O_CLOEXEC },
	{ "socketpair", FD_MAKES_PAIR, FD_UNIX, 1, O_CLOEXEC },
	{ "pipe", FD_MAKES_PAIR, FD_PIPE, FD_NEVER, 0 },
	{ "pipe2", FD_MAKES_PAIR, FD_PIPE, 1, O_CLOEXEC },
	{ "accept", FD_ACCEPTS, FD_SOCKET, FD_NEVER, 0 },
	{ "accept4", FD_ACCEPTS, FD_SOCKET, 3, O_CLOEXEC },
	{ "dup", FD_DUPLICATES, FD_UNKNOWN, FD_NEVER, 0 },
	{ "dup2", FD_DUPLICATES, FD_UNKNOWN, FD_NEVER, 0 },
	{ "dup3", FD_DUPLICATES, FD_UNKNOWN, 2, O_CLOEXEC },
	{ "fcntl", FD_CONTROLS, FD_UNKNOWN, FD_NEVER, 0 },
	{ "fcntl64", FD_CONTROLS, FD_UNKNOWN, FD_NEVER, 0 },
	{ "close", FD_CLOSES, FD_UNKNOWN, FD_NEVER, 0 },
	{ "close_range", FD_CLOSES_RANGE, FD_UNKNOWN, FD_NEVER, 0 },
	{ "ioctl", FD_SETS_CLOEXEC, FD_UNKNOWN, FD_NEVER, 0 },
	{ "unshare", FD_UNSHARES, FD_UNKNOWN, FD_NEVER, 0 },
	{ "epoll_create", FD_MAKES, FD_EPOLL, FD_NEVER, 0 },
	{ "epoll_create1", FD_MAKES, FD_EPOLL, 0, O_CLOEXEC },
	{ "eventfd", FD_MAKES, FD_EVENTFD, FD_NEVER, 0 },
	{ "eventfd2", FD_MAKES, FD_EVENTFD, 1, O_CLOEXEC },
	{ "timerfd_create", FD_MAKES, FD_TIMERFD, 1, O_CLOEXEC },
	{ "signalfd", FD_MAKES, FD_SIGNALFD, FD_NEVER, 0 },
	{ "signalfd4", FD_MAKES, FD_SIGNALFD, 3, O_CLOEXEC },
	{ "inotify_init", FD_MAKES, FD_INOTIFY, FD_NEVER, 0 },
	{ "inotify_init1", FD_MAKES, FD_INOTIFY, 0, O_CLOEXEC },
	{ "fanotify_init", FD_MAKES, FD_INOTIFY, 0, FAN_CLOEXEC },
	{ "memfd_create", FD_MAKES, FD_MEMFD, 1, MFD_CLOEXEC },
	{ "memfd_secret", FD_MAKES, FD_MEMFD, 0, O_CLOEXEC },
	{ "pidfd_open", FD_MAKES, FD_PIDFD, FD_ALWAYS, 0 },
	{ "io_uring_setup", FD_MAKES, FD_IOURING, FD_ALWAYS, 0 },
	{ "userfaultfd", FD_MAKES, FD_ANON, 0, O_CLOEXEC },
	{ "perf_event_open", FD_MAKES, FD_ANON, 4, PERF_FLAG_FD_CLOEXEC },
	{ "fsopen", FD_MAKES, FD_ANON, 1, FSOPEN_CLOEXEC },
	{ "fsmount", FD_MAKES, FD_DIRECTORY, 1, FSMOUNT_CLOEXEC },
	{ "landlock_create_ruleset", FD_MAKES, FD_ANON, FD_ALWAYS, 0 },
	{ "mq_open", FD_MAKES, FD_ANON, 1, O_CLOEXEC },
	{ "open_tree", FD_MAKES, FD_DIRECTORY, 2, O_CLOEXEC },
	{ "open_by_handle_at", FD_RECEIVES, FD_FILE, 2, O_CLOEXEC },
	{ "pidfd_getfd", FD_RECEIVES, FD_UNKNOWN, FD_ALWAYS, 0 },
	{ 0 },
};

/* clang-format off */
static const struct fd_hint fd_hints[] = {
	{ "epoll_ctl", FD_EPOLL }, { "epoll_wait", FD_EPOLL }, { "epoll_pwait", FD_EPOLL },
	{ "epoll_pwait2", FD_EPOLL }, { "timerfd_settime", FD_TIMERFD },
	{ "timerfd_gettime", FD_TIMERFD }, { "inotify_add_watch", FD_INOTIFY },
	{ "inotify_rm_watch", FD_INOTIFY }, { "io_uring_enter", FD_IOURING },
	{ "getdents", FD_DIRECTORY }, { "getdents64", FD_DIRECTORY }, { "lseek", FD_FILE },
	{ "pread64", FD_FILE }, { "pwrite64", FD_FILE }, { "ftruncate", FD_FILE },
	{ "fallocate", FD_FILE }, { "getsockname", FD_SOCKET }, { "getpeername", FD_SOCKET },
	{ "getsockopt", FD_SOCKET }, { "setsockopt", FD_SOCKET }, { "sendto", FD_SOCKET },
	{ "recvfrom", FD_SOCKET }, { "sendmsg", FD_SOCKET }, { "recvmsg", FD_SOCKET },
	{ "listen", FD_SOCKET }, { "accept", FD_SOCKET }, { "accept4", FD_SOCKET },
	{ 0 },
};
/* clang-format on */

/* O_DIRECTORY, O_NOFOLLOW, O_DIRECT and O_LARGEFILE: arch/arm64/include/uapi/asm/fcntl.h. */
static const uint64_t o_by_abi[][ABIS] = {
	{ [ABI_X86_64] = 0200000, [ABI_ARM64] = 040000, [ABI_I386] = 0200000 },
	{ [ABI_X86_64] = 0400000, [ABI_ARM64] = 0100000, [ABI_I386] = 0400000 },
	{ [ABI_X86_64] = 040000, [ABI_ARM64] = 0200000, [ABI_I386] = 040000 },
	{ [ABI_X86_64] = 0100000, [ABI_ARM64] = 0400000, [ABI_I386] = 0100000 },
	{ 0 },
};

const struct os os_linux = {
	.name = "Linux",
	.number = 1,
	.calls = linux_calls,
	.variants = variants,
	.errnos = linux_errnos,
	.constants = linux_constants,
	.flags = linux_flags,
	.fd_rules = fd_rules,
	.fd_hints = fd_hints,
	.o_by_abi = o_by_abi,
	.o_tmpfile = 020000000,
	.opens = { 02000, 0100, 01000, 010000 },
	.f_dupfd = F_DUPFD,
	.f_dupfd_cloexec = F_DUPFD_CLOEXEC,
	.f_setfd = F_SETFD,
	.fioclex = FIOCLEX,
	.fionclex = FIONCLEX,
	.close_range_unshare = CLOSE_RANGE_UNSHARE,
	.close_range_cloexec = CLOSE_RANGE_CLOEXEC,
	.unshare_files = CLONE_FILES,
	.af_unix = AF_UNIX,
	.af_inet = AF_INET,
	.af_inet6 = AF_INET6,
	.af_netlink = AF_NETLINK,
	.socket_type_mask = 15,
};
