/* SPDX-License-Identifier: MIT */
#include "listener.h"

#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

bool listener_bind(int fd, struct sockaddr_storage *address, socklen_t *length)
{
	struct sockaddr_in *ip = (struct sockaddr_in *)address;
	struct sockaddr_un *local = (struct sockaddr_un *)address;
	char name[32];

	memset(address, 0, sizeof(*address));
	*length = sizeof(*address);
	if (getsockname(fd, (struct sockaddr *)address, length))
		return false;
	if (address->ss_family == AF_UNIX) {
		*length =
		    (socklen_t)snprintf(name, sizeof(name), "osvec-%ld-%d", (long)getpid(), fd);
		memcpy(local->sun_path + 1, name, *length);
		*length += offsetof(struct sockaddr_un, sun_path) + 1;
		return !bind(fd, (struct sockaddr *)address, *length);
	}
	ip->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return !bind(fd, (struct sockaddr *)address, *length) &&
	       !getsockname(fd, (struct sockaddr *)address, length);
}

bool listener_open(struct listener *l, int family)
{
	l->fd = socket(family, SOCK_STREAM, 0);
	if (l->fd < 0)
		return false;
	if (!listener_bind(l->fd, &l->address, &l->length) || listen(l->fd, SOMAXCONN)) {
		int saved = errno;

		listener_close(l);
		errno = saved;
		return false;
	}
	return true;
}

void listener_close(struct listener *l)
{
	close(l->fd);
	l->fd = -1;
}
