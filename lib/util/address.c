/* SPDX-License-Identifier: MIT */
#include "util/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/number.h"
#include "util/xalloc.h"

static int resolve(struct address *a, const char *host, const char *port, struct error *e)
{
	const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	int failed = getaddrinfo(host, port, &wanted, &found);

	if (failed)
		return error_set(e, "%s: %s", host, gai_strerror(failed));
	a->length = found->ai_addrlen;
	memset(&a->at, 0, sizeof(a->at));
	memcpy(&a->at, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return 0;
}

int address_parse(struct address *a, const char *text, struct error *e)
{
	const char *colon = strrchr(text, ':');
	uint64_t port;

	if (!colon || colon == text || !number_parse_u64(colon + 1, &port) || port > UINT16_MAX)
		return error_set(e, "'%s' is not HOST:PORT", text);
	bool bracketed = text[0] == '[' && colon[-1] == ']';
	char *host = xstrndup(text + bracketed, (size_t)(colon - text) - 2 * bracketed);
	int failed = resolve(a, host, colon + 1, e);
	free(host);
	return failed;
}

/* Returns the bytes of the host's address and stores their number in *n. */
static const void *host_of(const struct address *a, size_t *n)
{
	bool six = a->at.ss_family == AF_INET6;

	*n = six ? sizeof(struct in6_addr) : sizeof(struct in_addr);
	return six ? (const void *)&((const struct sockaddr_in6 *)&a->at)->sin6_addr
		   : (const void *)&((const struct sockaddr_in *)&a->at)->sin_addr;
}

/* The port is at the same offset in both address families. */
_Static_assert(offsetof(struct sockaddr_in, sin_port) == offsetof(struct sockaddr_in6, sin6_port),
	       "the port of IPv4 and IPv6");

uint16_t address_port(const struct address *a)
{
	return ntohs(((const struct sockaddr_in *)&a->at)->sin_port);
}

void address_set_port(struct address *a, uint16_t port)
{
	((struct sockaddr_in *)&a->at)->sin_port = htons(port);
}

const char *address_text(const struct address *a, char out[ADDRESS_TEXT])
{
	char host[INET6_ADDRSTRLEN];
	size_t n;

	inet_ntop(a->at.ss_family, host_of(a, &n), host, sizeof(host));
	snprintf(out, ADDRESS_TEXT, a->at.ss_family == AF_INET6 ? "[%s]:%u" : "%s:%u", host,
		 address_port(a));
	return out;
}

bool address_is_same_host(const struct address *a, const struct address *b)
{
	size_t n;
	const void *host = host_of(a, &n);

	return a->at.ss_family == b->at.ss_family && !memcmp(host, host_of(b, &n), n);
}

bool address_is_every(const struct address *a)
{
	static const struct in6_addr none;
	size_t n;
	const void *host = host_of(a, &n);
	bool mapped = n == sizeof(none) && IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)host);
	size_t from = mapped ? sizeof(none) - sizeof(struct in_addr) : 0;

	return !memcmp((const char *)host + from, &none, n - from);
}
