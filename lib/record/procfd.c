/* SPDX-License-Identifier: MIT */
#include "record/procfd.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

/* How a link in /proc/PID/fd begins when the object is no file. */
static const struct {
	const char *begins;
	enum fd_kind kind;
} links[] = {
	{ "anon_inode:[eventpoll]", FD_EPOLL },
	{ "anon_inode:[eventfd", FD_EVENTFD },
	{ "anon_inode:[timerfd]", FD_TIMERFD },
	{ "anon_inode:[signalfd", FD_SIGNALFD },
	{ "anon_inode:inotify", FD_INOTIFY },
	{ "anon_inode:[pidfd]", FD_PIDFD },
	{ "pidfd:", FD_PIDFD },
	{ "anon_inode:[io_uring]", FD_IOURING },
	{ "anon_inode:", FD_ANON },
	{ "/memfd:", FD_MEMFD },
};

/* Names of socket protocols, as the kernel gives them. */
/* clang-format off */
static const struct { const char *begins; enum fd_kind kind; } protocols[] = {
	{ "TCP", FD_TCP }, { "UDP", FD_UDP }, { "UNIX", FD_UNIX }, { "NETLINK", FD_NETLINK },
};
/* clang-format on */

/* Major numbers of character devices that are terminals: see the kernel's devices.txt. */
static bool is_terminal(dev_t device)
{
	unsigned m = major(device);

	return m == 4 || (m == 5 && minor(device) != 2) || (m >= 136 && m <= 143) || m == 204 ||
	       m == 188 || m == 166 || m == 229;
}

static enum fd_kind kind_of_socket(const char *path)
{
	char protocol[32] = "";

	if (getxattr(path, "system.sockprotoname", protocol, sizeof(protocol) - 1) < 0)
		return FD_SOCKET;
	for (size_t i = 0; i < sizeof(protocols) / sizeof(*protocols); i++)
		if (!strncmp(protocol, protocols[i].begins, strlen(protocols[i].begins)))
			return protocols[i].kind;
	return FD_SOCKET;
}

static enum fd_kind kind_of_link(const char *name)
{
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		if (!strncmp(name, links[i].begins, strlen(links[i].begins)))
			return links[i].kind;
	return FD_UNKNOWN;
}

static enum fd_kind kind_of_file(const char *path, const struct stat *st)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFREG: return FD_FILE;
	case S_IFDIR: return FD_DIRECTORY;
	case S_IFIFO: return FD_PIPE;
	case S_IFCHR: return is_terminal(st->st_rdev) ? FD_TTY : FD_DEVICE;
	case S_IFBLK: return FD_DEVICE;
	case S_IFSOCK: return kind_of_socket(path);
	}
	return FD_ANON;
}

enum fd_kind procfd_look(pid_t tid, int fd, char *name, size_t n)
{
	char path[64];
	struct stat st;

	if (name)
		*name = '\0';
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	if (stat(path, &st))
		return FD_UNKNOWN;
	if (!name)
		return kind_of_file(path, &st);
	ssize_t length = readlink(path, name, n - 1);
	name[length > 0 ? length : 0] = '\0';
	enum fd_kind kind = kind_of_link(name);
	return kind ? kind : kind_of_file(path, &st);
}
