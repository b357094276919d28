/* SPDX-License-Identifier: MIT */
/* kind.h - what can stand behind a file descriptor, and how it is recognized. */
#ifndef FD_KIND_H
#define FD_KIND_H

#include <stdbool.h>
#include <sys/types.h>

/* What stands behind a file descriptor.  The numbers are in files (docs/ktr.5): add at the end. */
enum fd_kind {
	FD_UNKNOWN,
	FD_FILE,
	FD_DIRECTORY,
	FD_PIPE,
	FD_UNIX,
	FD_TCP,
	FD_UDP,
	FD_NETLINK,
	FD_SOCKET, /* of another family */
	FD_EPOLL,
	FD_EVENTFD,
	FD_TIMERFD,
	FD_SIGNALFD,
	FD_INOTIFY,
	FD_PIDFD,
	FD_IOURING,
	FD_TTY,
	FD_DEVICE,
	FD_ANON,
	FD_MEMFD,
	FD_KINDS
};

/* Returns the word for a kind in tables and in basis.conf: "file", "tcp", ... */
const char *fd_kind_name(enum fd_kind kind);
/* Returns the kind with that name, or -1 if there is none. */
int fd_kind_parse(const char *name);
/* Returns what a path most likely leads to, judging by its name; NULL counts as a file. */
enum fd_kind fd_kind_of_path(const char *path);
/* Returns the kind that the target of a link in /proc/PID/fd or the protocol of a socket names, or
 * FD_UNKNOWN if it is a path. */
enum fd_kind fd_kind_of_link(const char *name);
/* Returns the kind of a file with that st_mode and st_rdev, or FD_ANON if its mode has no type. */
enum fd_kind fd_kind_of_mode(mode_t mode, dev_t device);
/* Returns whether it is a kind of socket. */
bool fd_kind_is_socket(enum fd_kind kind);
/* Returns whether it is a kind of socket that may have a peer at an IP address. */
bool fd_kind_has_address(enum fd_kind kind);

#endif
