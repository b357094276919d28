/* SPDX-License-Identifier: MIT */
#include "record/stream/fd_descriptions.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "trace/os.h"

static enum fd_kind kind_of(const struct record_descriptor *r)
{
	if (S_ISSOCK(r->mode))
		return os_socket_kind(&os_linux, r->family, r->type, r->protocol);
	if (r->mode & S_IFMT)
		return fd_kind_of_mode(r->mode, makedev(r->device >> 20, r->device & 0xfffff));
	return FD_ANON;
}

static struct address address_of(const struct record_descriptor *r, const unsigned char *bytes,
				 unsigned short port)
{
	struct address a = { .length = r->family == AF_INET6 ? 16 : 4, .port = port };

	memcpy(a.bytes, bytes, a.length);
	return a;
}

void fd_descriptions_note(struct fd_descriptions *v, const struct record_descriptor *r)
{
	struct fd_description *d = &v->last[v->n++ % DESCRIBED_LAST];

	*d = (struct fd_description){ r->head.pid, r->fd, r->inode, kind_of(r), .name = "" };
	if (fd_kind_has_address(d->kind) && r->remote_port) {
		d->local = address_of(r, r->local, r->local_port);
		d->remote = address_of(r, r->remote, r->remote_port);
	}
	if (S_ISSOCK(r->mode))
		snprintf(d->name, sizeof(d->name), "socket:[%llu]", r->inode);
	else if (S_ISFIFO(r->mode))
		snprintf(d->name, sizeof(d->name), "pipe:[%llu]", r->inode);
	else if (d->kind == FD_ANON)
		snprintf(d->name, sizeof(d->name), "anon_inode:%s", r->name);
	if (d->kind == FD_ANON && fd_kind_of_link(d->name))
		d->kind = fd_kind_of_link(d->name);
}

/* The path of a descriptor, which the kernel does not say; NULL when it is another file by now. */
static const char *path_of(const struct fd_description *d)
{
	static char name[PATH_MAX];
	char link[64];
	struct stat st;

	snprintf(link, sizeof(link), "/proc/%u/fd/%d", d->pid, d->fd);
	ssize_t n = readlink(link, name, sizeof(name) - 1);
	if (n < 0 || stat(link, &st) || st.st_ino != d->inode)
		return NULL;
	name[n] = '\0';
	return name;
}

static const struct fd_description *find(const struct fd_descriptions *v, uint32_t pid, int fd)
{
	for (size_t i = v->n; i > 0 && i + DESCRIBED_LAST > v->n; i--) {
		const struct fd_description *d = &v->last[(i - 1) % DESCRIBED_LAST];

		if (d->pid == pid && d->fd == fd)
			return d;
	}
	return NULL;
}

enum fd_kind fd_descriptions_find(void *of, uint32_t pid, int fd, const char **name)
{
	const struct fd_description *d = find(of, pid, fd);

	if (d && name)
		*name = *d->name ? d->name : path_of(d);
	return d ? d->kind : FD_UNKNOWN;
}

bool fd_descriptions_locate(void *of, uint32_t pid, int fd, struct event *address)
{
	const struct fd_description *d = find(of, pid, fd);

	if (!d || !d->remote.length)
		return false;
	address->address.local = d->local;
	address->address.remote = d->remote;
	return true;
}
