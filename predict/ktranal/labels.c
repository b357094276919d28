/* SPDX-License-Identifier: MIT */
#include "labels.h"

#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/xalloc.h"

/* For fdtable.h: what the trace says of the descriptor at hand. */
static void name_descriptor(void *arg, uint32_t pid, int fd, enum fd_kind *kind, const char **name)
{
	const struct labels *l = arg;

	(void)pid, (void)fd, (void)kind;
	if (l->file)
		*name = l->names.v[l->file - 1];
}

static void forget_trace(struct labels *l)
{
	map_free(&l->objects);
	map_free(&l->peers_of);
	map_free(&l->groups);
	map_free(&l->directories);
	fdtable_free(l->fds);
}

void labels_begin(struct labels *l, const struct source_info *info)
{
	forget_trace(l);
	l->fds = l->files ? fdtable_new(info->os, info->abi, name_descriptor, l) : NULL;
	connections_begin(&l->connections);
}

static uint32_t label_of(struct labels *l, const char *name)
{
	return (uint32_t)names_add(&l->names, name) + 1;
}

static uint32_t label_in(const struct map *m, uint64_t key)
{
	const uint64_t *at = map_find(m, key);

	return at ? (uint32_t)*at : 0;
}

/* The directory that the path of a call begins at. */
static uint32_t directory_of(const struct labels *l, const struct event *e)
{
	const char *argument = syscall_get(e->call.id)->argument;
	enum fd_kind kind;

	if (argument[0] != ARG_DIRFD || argument[1] != ARG_PATH || *e->call.path == '/' ||
	    e->call.flags & CALL_NO_ARGS)
		return 0;
	return label_in(&l->directories, fdtable_find(l->fds, e->pid, (int)e->call.args[0], &kind));
}

/* The path that a call takes, from the root if its directory is known. */
static uint32_t path_of(struct labels *l, const struct event *e)
{
	const char *directory = labels_name(l, directory_of(l, e));
	if (!directory)
		return label_of(l, e->call.path);
	char *path = xasprintf("%s/%s", directory, e->call.path);
	uint32_t label = label_of(l, path);
	free(path);
	return label;
}

/* Follows which descriptor is which directory.  A recorder may name what is opened as the call
 * does. */
static void follow_descriptors(struct labels *l, const struct event *e)
{
	struct event copy = *e, fd;

	l->file =
	    e->type == EVENT_SYSCALL && e->call.object ? label_in(&l->objects, e->call.object) : 0;
	if (l->file && e->call.path && !strcmp(l->names.v[l->file - 1], e->call.path))
		*map_at(&l->objects, e->call.object) = l->file = path_of(l, e);
	fdtable_event(l->fds, &copy);
	while (fdtable_next(l->fds, &fd))
		*map_at(&l->directories, fd.fd.object) = *fd.fd.name ? label_of(l, fd.fd.name) : 0;
}

static void name_object(struct labels *l, uint32_t object, const char *name)
{
	*map_at(&l->objects, object) = name && *name ? label_of(l, name) : 0;
}

/* The addresses of a connection say more than what the recorder calls it, "socket:[inode]". */
static void name_connection(struct labels *l, const struct event *e)
{
	const struct map *datagrams = &l->connections.datagrams;
	char *name = connection_name(connection_kind(datagrams, e->address.object), e);

	if (name)
		name_object(l, e->address.object, name);
	free(name);
}

/* Follows what a descriptor is and, if it is a socket, with whom it is connected. */
static void follow_object(struct labels *l, const struct event *e)
{
	uint32_t object = e->type == EVENT_FD ? e->fd.object : e->address.object;

	if (!l->files && !l->peers)
		return;
	connections_event(&l->connections, e);
	if (e->type == EVENT_FD)
		name_object(l, object, e->fd.name);
	else
		name_connection(l, e);
	size_t direction = connections_from(&l->connections, object);
	const char *way = direction == SIZE_MAX ? NULL : l->connections.directions.v[direction];
	*map_at(&l->peers_of, object) = way ? label_of(l, strstr(way, "->") + 2) : 0;
}

static void follow_cgroup(struct labels *l, const struct event *e)
{
	if (e->type == EVENT_CGROUP) {
		*map_at(&l->groups, e->pid) = label_of(l, e->cgroup.path);
	} else if (e->type == EVENT_FORK && e->fork.child_pid != e->pid) {
		uint32_t parents = label_in(&l->groups, e->pid);

		*map_at(&l->groups, e->fork.child_pid) = parents;
	}
}

void labels_event(struct labels *l, const struct event *e)
{
	if (e->type == EVENT_FD || e->type == EVENT_ADDRESS)
		follow_object(l, e);
	else if (l->files)
		follow_descriptors(l, e);
	if (l->cgroups)
		follow_cgroup(l, e);
}

uint32_t labels_file(struct labels *l, const struct event *call)
{
	if (!l->files)
		return 0;
	return l->file || !call->call.path ? l->file : path_of(l, call);
}

uint32_t labels_peer(const struct labels *l, const struct event *call)
{
	return l->peers ? label_in(&l->peers_of, call->call.object) : 0;
}

uint32_t labels_cgroup(const struct labels *l, const struct event *call)
{
	return label_in(&l->groups, call->pid);
}

const char *labels_name(const struct labels *l, uint32_t label)
{
	return label ? l->names.v[label - 1] : NULL;
}

void labels_free(struct labels *l)
{
	forget_trace(l);
	connections_free(&l->connections);
	names_free(&l->names);
}
