/* SPDX-License-Identifier: MIT */
#include "trace/connections.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/number.h"
#include "util/xalloc.h"

const char *address_format(const struct address *a, char out[ADDRESS_MAX])
{
	static const uint8_t mapped[12] = { [10] = 0xff, 0xff };
	char host[INET6_ADDRSTRLEN] = "?";
	bool within = a->length == 16 && !memcmp(a->bytes, mapped, sizeof(mapped));
	bool v4 = a->length == 4 || within;

	inet_ntop(v4 ? AF_INET : AF_INET6, a->bytes + (within ? sizeof(mapped) : 0), host,
		  sizeof(host));
	snprintf(out, ADDRESS_MAX, v4 ? "%s:%u" : "[%s]:%u", host, a->port);
	return out;
}

void datagrams_learn(struct map *datagrams, const struct event *fd)
{
	if (fd->fd.kind == FD_UDP)
		*map_at(datagrams, fd->fd.object) = 1;
	else
		map_remove(datagrams, fd->fd.object);
}

enum fd_kind connection_kind(const struct map *datagrams, uint32_t object)
{
	return map_find(datagrams, object) ? FD_UDP : FD_TCP;
}

char *connection_name(enum fd_kind kind, const struct event *e)
{
	const struct address *local = &e->address.local, *remote = &e->address.remote;
	char here[ADDRESS_MAX], there[ADDRESS_MAX];

	if (!local->length || !remote->length)
		return NULL;
	return xasprintf("%s:[%s->%s]", fd_kind_name(kind), address_format(local, here),
			 address_format(remote, there));
}

/* The address that text is in another tool's words, or the text itself. */
static char *canonical(const char *text)
{
	struct address a = { 0 };
	const char *colon = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN], out[ADDRESS_MAX];
	bool v6 = *text == '[';
	uint64_t port;

	if (!colon || !number_parse_u64(colon + 1, &port) || port > UINT16_MAX)
		return xstrdup(text);
	size_t n = (size_t)(colon - text) - 2 * v6;
	if (n >= sizeof(host))
		return xstrdup(text);
	memcpy(host, text + v6, n);
	host[n] = '\0';
	if (inet_pton(v6 ? AF_INET6 : AF_INET, host, a.bytes) != 1)
		return xstrdup(text);
	a.length = v6 ? 16 : 4;
	a.port = (uint16_t)port;
	return xstrdup(address_format(&a, out));
}

static const char udp[] = "udp ";

/* The number of the direction from here to there, plus one. */
static uint64_t add(struct connections *c, uint32_t object, const char *here, const char *there)
{
	const char *prefix = connection_kind(&c->datagrams, object) == FD_UDP ? udp : "";
	char *name = xasprintf("%s%s->%s", prefix, here, there),
	     *back = xasprintf("%s%s->%s", prefix, there, here);
	size_t number = SIZE_MAX;

	/* A socket that is connected to itself has but one. */
	if (strcmp(here, there)) {
		number = names_add(&c->directions, name);
		names_add(&c->directions, back);
	}
	free(name);
	free(back);
	return number + 1;
}

bool connection_ends(const char *name, char **here, char **there)
{
	const char *from = name ? strchr(name, ':') : NULL;
	const char *arrow = from ? strstr(from, "->") : NULL;

	if (!arrow)
		return false;
	from += from[1] == '[' ? 2 : 1;
	const char *to = arrow + 2;
	size_t n = strcspn(to, ",");
	n -= n && to[n - 1] == ']';
	char *a = xstrndup(from, from < arrow ? (size_t)(arrow - from) : 0), *b = xstrndup(to, n);
	*here = canonical(a);
	*there = canonical(b);
	free(a);
	free(b);
	return true;
}

static void learn_name(struct connections *c, const struct event *e)
{
	const uint32_t object = e->fd.object;
	const char *name = e->fd.name;
	char *here, *there;

	*map_at(&c->objects, object) = 0;
	datagrams_learn(&c->datagrams, e);
	/* "unix:#1->#2" of a socketpair is of this trace alone. */
	if (!name || !strchr(name, '[') || !connection_ends(name, &here, &there))
		return;
	*map_at(&c->objects, object) = add(c, object, here, there);
	free(here);
	free(there);
}

void connections_begin(struct connections *c)
{
	map_free(&c->objects);
	map_free(&c->datagrams);
}

void connections_event(struct connections *c, const struct event *e)
{
	char local[ADDRESS_MAX], remote[ADDRESS_MAX];

	if (e->type == EVENT_FD)
		learn_name(c, e);
	else if (e->type == EVENT_ADDRESS && e->address.local.length && e->address.remote.length)
		*map_at(&c->objects, e->address.object) =
		    add(c, e->address.object, address_format(&e->address.local, local),
			address_format(&e->address.remote, remote));
}

size_t connections_from(const struct connections *c, uint32_t object)
{
	const uint64_t *at = object ? map_find(&c->objects, object) : NULL;

	return at ? *at - 1 : SIZE_MAX;
}

void connections_free(struct connections *c)
{
	names_free(&c->directions);
	map_free(&c->objects);
	map_free(&c->datagrams);
}

enum transfer transfer_of(const struct event *e)
{
	enum { PEEK = 2, ERRORS = 0x2000 }; /* MSG_PEEK of all systems, MSG_ERRQUEUE */
	const struct syscall *call = syscall_get(e->call.id);
	enum transfer way = call->transfer;

	if (!way || event_failed(e))
		return TRANSFER_NONE;
	if (call->returns != RETURNS_BYTES || e->call.flags & CALL_UNFINISHED)
		return TRANSFER_UNKNOWN;
	const char *name = call->name;
	bool flagged = way == TRANSFER_READS && !strncmp(name, "recv", 4);
	bool message = flagged && !strcmp(name, "recvmsg");
	return flagged && e->call.args[message ? 2 : 3] & (PEEK | ERRORS) ? TRANSFER_NONE : way;
}

enum transfer transfer_of_datagrams(const struct event *e, uint64_t *n)
{
	const char *name = syscall_get(e->call.id)->name;
	bool reads = !strcmp(name, "recvmmsg"), writes = !strcmp(name, "sendmmsg");
	enum transfer way = transfer_of(e);

	*n = 1; /* one without bytes, too */
	if (way != TRANSFER_UNKNOWN || e->call.flags & CALL_UNFINISHED || !(reads || writes))
		return way;
	*n = (uint64_t)e->call.result;
	return reads ? TRANSFER_READS : TRANSFER_WRITES;
}
