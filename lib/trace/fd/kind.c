/* SPDX-License-Identifier: MIT */
#include "trace/fd/kind.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static const char *const kinds[FD_KINDS] = {
	[FD_UNKNOWN] = "unknown",   [FD_FILE] = "file",	      [FD_DIRECTORY] = "directory",
	[FD_PIPE] = "pipe",	    [FD_UNIX] = "unix",	      [FD_TCP] = "tcp",
	[FD_UDP] = "udp",	    [FD_NETLINK] = "netlink", [FD_SOCKET] = "socket",
	[FD_EPOLL] = "epoll",	    [FD_EVENTFD] = "eventfd", [FD_TIMERFD] = "timerfd",
	[FD_SIGNALFD] = "signalfd", [FD_INOTIFY] = "inotify", [FD_PIDFD] = "pidfd",
	[FD_IOURING] = "io_uring",  [FD_TTY] = "tty",	      [FD_DEVICE] = "device",
	[FD_ANON] = "anon",	    [FD_MEMFD] = "memfd",
};

const char *fd_kind_name(enum fd_kind kind)
{
	return (unsigned)kind < FD_KINDS ? kinds[kind] : kinds[FD_UNKNOWN];
}

int fd_kind_parse(const char *name)
{
	for (int i = 0; i < FD_KINDS; i++)
		if (!strcmp(kinds[i], name))
			return i;
	return -1;
}

enum fd_kind fd_kind_of_path(const char *path)
{
	static const char *const terminals[] = { "/dev/tty", "/dev/pts/", "/dev/console" };

	if (!path || strncmp(path, "/dev/", 5) || !strncmp(path, "/dev/shm/", 9))
		return FD_FILE;
	for (size_t i = 0; i < sizeof(terminals) / sizeof(*terminals); i++)
		if (!strncmp(path, terminals[i], strlen(terminals[i])))
			return FD_TTY;
	return FD_DEVICE;
}

enum fd_kind fd_kind_of_link(const char *name)
{
	/* clang-format off */
	static const struct {
		const char *begins;
		enum fd_kind kind;
	} links[] = {
		{ "pipe:", FD_PIPE }, { "socket:", FD_SOCKET }, { "TCP", FD_TCP }, { "UDP", FD_UDP },
		{ "UNIX", FD_UNIX }, { "NETLINK", FD_NETLINK }, { "RAW", FD_SOCKET }, { "PACKET", FD_SOCKET },
		{ "SCTP", FD_SOCKET }, { "PING", FD_SOCKET }, { "anon_inode:[eventpoll]", FD_EPOLL },
		{ "anon_inode:[eventfd", FD_EVENTFD }, { "anon_inode:[timerfd", FD_TIMERFD },
		{ "anon_inode:[signalfd", FD_SIGNALFD }, { "signalfd:", FD_SIGNALFD },
		{ "anon_inode:inotify", FD_INOTIFY }, { "anon_inode:[inotify", FD_INOTIFY },
		{ "anon_inode:[pidfd", FD_PIDFD }, { "pidfd:", FD_PIDFD }, { "pid:", FD_PIDFD },
		{ "anon_inode:[io_uring", FD_IOURING }, { "anon_inode:", FD_ANON }, { "/memfd:", FD_MEMFD },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		if (*name == *links[i].begins &&
		    !strncmp(name, links[i].begins, strlen(links[i].begins)))
			return links[i].kind;
	return FD_UNKNOWN;
}

bool fd_kind_is_socket(enum fd_kind kind)
{
	return kind == FD_UNIX || kind == FD_TCP || kind == FD_UDP || kind == FD_NETLINK ||
	       kind == FD_SOCKET;
}

bool fd_kind_has_address(enum fd_kind kind)
{
	return kind == FD_TCP || kind == FD_UDP;
}

/* Major numbers of character devices that are terminals: see the kernel's devices.txt. */
static bool is_terminal(dev_t device)
{
	unsigned m = major(device);

	return m == 4 || (m == 5 && minor(device) != 2) || (m >= 136 && m <= 143) || m == 204 ||
	       m == 188 || m == 166 || m == 229;
}

enum fd_kind fd_kind_of_mode(mode_t mode, dev_t device)
{
	switch (mode & S_IFMT) {
	case S_IFREG: return FD_FILE;
	case S_IFDIR: return FD_DIRECTORY;
	case S_IFIFO: return FD_PIPE;
	case S_IFCHR: return is_terminal(device) ? FD_TTY : FD_DEVICE;
	case S_IFBLK: return FD_DEVICE;
	case S_IFSOCK: return FD_SOCKET;
	}
	return FD_ANON;
}
