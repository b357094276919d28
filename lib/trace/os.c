/* SPDX-License-Identifier: MIT */
#include "trace/os.h"

#include <string.h>

#include "util/map.h"
#include "util/vec.h"

static const struct os *const systems[] = { &os_linux, &os_freebsd, &os_netbsd, &os_openbsd,
					    &os_macos };

enum { SYSTEMS = sizeof(systems) / sizeof(*systems), NAME_MAX_LENGTH = 63 };

const struct os *os_by_number(unsigned number)
{
	for (size_t i = 0; i < SYSTEMS; i++)
		if (systems[i]->number == number)
			return systems[i];
	return NULL;
}

size_t os_calls(const struct os *os)
{
	size_t n = 0;

	while (os->calls[n].name)
		n++;
	return n;
}

const char *errno_name(const struct os *os, int number)
{
	const struct constant *c = os->errnos;

	while (c->name && c->value != number)
		c++;
	return c->name;
}

int errno_number(const struct os *os, const char *name)
{
	const struct constant *c = os->errnos;

	while (c->name && strcmp(c->name, name))
		c++;
	return (int)c->value;
}

/* Constants and errors of one system by name; the table is built at the first use. */
struct dictionary {
	const struct os *os;
	struct names names;
	VEC(int64_t) values;
};

static VEC(struct dictionary) dictionaries;

static void add(struct dictionary *d, const struct constant *c)
{
	for (; c->name; c++)
		if (names_add(&d->names, c->name) == d->values.n)
			vec_push(&d->values, c->value);
}

static const struct dictionary *dictionary_of(const struct os *os)
{
	for (size_t i = 0; i < dictionaries.n; i++)
		if (dictionaries.v[i].os == os)
			return &dictionaries.v[i];
	vec_push(&dictionaries, (struct dictionary){ .os = os });
	struct dictionary *d = &dictionaries.v[dictionaries.n - 1];
	add(d, os->constants);
	add(d, os->errnos);
	return d;
}

bool os_constant(const struct os *os, const char *name, size_t n, int64_t *value)
{
	char copy[NAME_MAX_LENGTH + 1];

	if (n > NAME_MAX_LENGTH)
		return false;
	memcpy(copy, name, n);
	copy[n] = '\0';
	const struct dictionary *d = dictionary_of(os);
	size_t i = names_find(&d->names, copy);
	if (i == SIZE_MAX)
		return false;
	*value = d->values.v[i];
	return true;
}

/* Types and protocols have the same numbers in all systems. */
enum fd_kind os_socket_kind(const struct os *os, unsigned family, unsigned type, unsigned protocol)
{
	enum { STREAM = 1, DGRAM = 2, TCP = 6, UDP = 17, UDPLITE = 136, MPTCP = 262 };
	bool inet = family == os->af_inet || family == os->af_inet6;

	type &= os->socket_type_mask;
	if (family == os->af_unix)
		return FD_UNIX;
	if (family == os->af_netlink)
		return FD_NETLINK;
	if (inet && type == STREAM && (protocol == 0 || protocol == TCP || protocol == MPTCP))
		return FD_TCP;
	if (inet && type == DGRAM && (protocol == 0 || protocol == UDP || protocol == UDPLITE))
		return FD_UDP;
	return FD_SOCKET;
}
