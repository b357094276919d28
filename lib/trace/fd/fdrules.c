/* SPDX-License-Identifier: MIT */
#include "trace/fd/fdrules.h"

#include <fcntl.h>
#include <linux/fanotify.h>
#include <linux/memfd.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

const struct fd_rule fd_rules[] = {
	{ "open", OPENS, FD_FILE, 1, O_CLOEXEC },
	{ "openat", OPENS, FD_FILE, 2, O_CLOEXEC },
	{ "openat2", OPENS, FD_FILE, 4, O_CLOEXEC },
	{ "creat", OPENS, FD_FILE, NEVER, 0 },
	{ "socket", SOCKET, FD_SOCKET, 1, O_CLOEXEC },
	{ "socketpair", PAIR, FD_UNIX, 1, O_CLOEXEC },
	{ "pipe", PAIR, FD_PIPE, NEVER, 0 },
	{ "pipe2", PAIR, FD_PIPE, 1, O_CLOEXEC },
	{ "accept", ACCEPTS, FD_SOCKET, NEVER, 0 },
	{ "accept4", ACCEPTS, FD_SOCKET, 3, O_CLOEXEC },
	{ "dup", DUPLICATES, FD_UNKNOWN, NEVER, 0 },
	{ "dup2", DUPLICATES, FD_UNKNOWN, NEVER, 0 },
	{ "dup3", DUPLICATES, FD_UNKNOWN, 2, O_CLOEXEC },
	{ "fcntl", CONTROLS, FD_UNKNOWN, NEVER, 0 },
	{ "fcntl64", CONTROLS, FD_UNKNOWN, NEVER, 0 },
	{ "close", CLOSES, FD_UNKNOWN, NEVER, 0 },
	{ "close_range", CLOSES_RANGE, FD_UNKNOWN, NEVER, 0 },
	{ "ioctl", SETS_CLOEXEC, FD_UNKNOWN, NEVER, 0 },
	{ "unshare", UNSHARES, FD_UNKNOWN, NEVER, 0 },
	{ "epoll_create", MAKES, FD_EPOLL, NEVER, 0 },
	{ "epoll_create1", MAKES, FD_EPOLL, 0, O_CLOEXEC },
	{ "eventfd", MAKES, FD_EVENTFD, NEVER, 0 },
	{ "eventfd2", MAKES, FD_EVENTFD, 1, O_CLOEXEC },
	{ "timerfd_create", MAKES, FD_TIMERFD, 1, O_CLOEXEC },
	{ "signalfd", MAKES, FD_SIGNALFD, NEVER, 0 },
	{ "signalfd4", MAKES, FD_SIGNALFD, 3, O_CLOEXEC },
	{ "inotify_init", MAKES, FD_INOTIFY, NEVER, 0 },
	{ "inotify_init1", MAKES, FD_INOTIFY, 0, O_CLOEXEC },
	{ "fanotify_init", MAKES, FD_INOTIFY, 0, FAN_CLOEXEC },
	{ "memfd_create", MAKES, FD_MEMFD, 1, MFD_CLOEXEC },
	{ "memfd_secret", MAKES, FD_MEMFD, 0, O_CLOEXEC },
	{ "pidfd_open", MAKES, FD_PIDFD, ALWAYS, 0 },
	{ "io_uring_setup", MAKES, FD_IOURING, ALWAYS, 0 },
	{ "userfaultfd", MAKES, FD_ANON, 0, O_CLOEXEC },
	{ "perf_event_open", MAKES, FD_ANON, 4, PERF_FLAG_FD_CLOEXEC },
	{ "fsopen", MAKES, FD_ANON, 1, FSOPEN_CLOEXEC },
	{ "fsmount", MAKES, FD_DIRECTORY, 1, FSMOUNT_CLOEXEC },
	{ "landlock_create_ruleset", MAKES, FD_ANON, ALWAYS, 0 },
	{ "mq_open", MAKES, FD_ANON, 1, O_CLOEXEC },
	{ "open_tree", MAKES, FD_DIRECTORY, 2, O_CLOEXEC },
	{ "open_by_handle_at", RECEIVES, FD_FILE, 2, O_CLOEXEC },
	{ "pidfd_getfd", RECEIVES, FD_UNKNOWN, ALWAYS, 0 },
};

const size_t fd_rule_rows = sizeof(fd_rules) / sizeof(*fd_rules);

/* clang-format off */
const struct fd_hint fd_hints[] = {
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
};
/* clang-format on */

const size_t fd_hint_rows = sizeof(fd_hints) / sizeof(*fd_hints);

enum fd_kind fd_kind_of_path(enum abi abi, const char *path, uint64_t flags)
{
	uint64_t directory = abi == ABI_ARM64 ? 040000 : 0200000, temporary = 020000000;
	static const char *const terminals[] = { "/dev/tty", "/dev/pts/", "/dev/console" };

	if (flags & temporary)
		return FD_FILE;
	if (flags & directory)
		return FD_DIRECTORY;
	if (!path || strncmp(path, "/dev/", 5) || !strncmp(path, "/dev/shm/", 9))
		return FD_FILE;
	for (size_t i = 0; i < sizeof(terminals) / sizeof(*terminals); i++)
		if (!strncmp(path, terminals[i], strlen(terminals[i])))
			return FD_TTY;
	return FD_DEVICE;
}

enum fd_kind fd_kind_of_socket(unsigned family, unsigned type, unsigned protocol)
{
	enum { TYPE_MASK = 15, MPTCP = 262, UDPLITE = 136 };
	bool inet = family == AF_INET || family == AF_INET6;

	type &= TYPE_MASK;
	if (family == AF_UNIX)
		return FD_UNIX;
	if (family == AF_NETLINK)
		return FD_NETLINK;
	if (inet && type == SOCK_STREAM &&
	    (protocol == 0 || protocol == IPPROTO_TCP || protocol == MPTCP))
		return FD_TCP;
	if (inet && type == SOCK_DGRAM &&
	    (protocol == 0 || protocol == IPPROTO_UDP || protocol == UDPLITE))
		return FD_UDP;
	return FD_SOCKET;
}

bool fd_kind_is_socket(enum fd_kind kind)
{
	return kind == FD_UNIX || kind == FD_TCP || kind == FD_UDP || kind == FD_NETLINK ||
	       kind == FD_SOCKET;
}
