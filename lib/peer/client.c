/* SPDX-License-Identifier: MIT */
#include "client.h"

#include <endian.h>
#include <err.h>
#include <errno.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "work.h"

enum { PATIENCE = 5 }; /* seconds for each step of a handshake */

/* Calls on fd wait no longer than this; 0: for ever. */
static bool set_patience(int fd, time_t seconds)
{
	const struct timeval t = { .tv_sec = seconds };

	return !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t)) &&
	       !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
}

/* A connection whose calls do not wait long, or -1 and errno. */
static int dial(const struct address *to)
{
	int fd = socket(to->at.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && set_patience(fd, PATIENCE) && channel_prepare(fd, CHANNEL_TCP) &&
	    !connect(fd, (const struct sockaddr *)&to->at, to->length))
		return fd;
	if (errno == EINPROGRESS)
		errno = ETIMEDOUT;
	if (fd >= 0)
		channel_close_end(&(struct channel_end){ fd, fd });
	return -1;
}

/* What went wrong when a message of `wanted` bytes came as `got`. */
static int describe_loss(ssize_t got, const char *nothing, struct error *e)
{
	if (got < 0 && errno == EAGAIN)
		return error_set(e, "no answer within %d s", PATIENCE);
	if (got < 0 && errno != ECONNRESET)
		return error_set(e, "%s", strerror(errno));
	return error_set(e, "%s", nothing);
}

static int converse(int fd, struct handshake *h, struct answer *a, struct error *e)
{
	static const char *const refusals[] = {
		[ANSWER_BUSY] = "it serves as many as it may (hbench peer --sessions)",
		[ANSWER_REFUSED] = "it does not do that, or not with so many bytes",
	};
	ssize_t got = recv(fd, &h->greeting, sizeof(h->greeting), MSG_WAITALL);

	if (got != sizeof(h->greeting))
		return describe_loss(
		    got, "no greeting: it serves too many connections, or is no hbench peer", e);
	if (!handshake_is_greeting(&h->greeting))
		return error_set(e, "this is no hbench peer, or one of another version");
	handshake_request(h);
	if (send(fd, &h->request, sizeof(h->request), MSG_NOSIGNAL) != sizeof(h->request))
		return error_set(e, "%s", strerror(errno));
	got = recv(fd, a, sizeof(*a), MSG_WAITALL);
	if (got != sizeof(*a))
		return describe_loss(got, "it hung up: is the secret the same at both ends?", e);
	if (!handshake_is_answer(h, a))
		return error_set(e, "it does not know the secret");
	a->system[sizeof(a->system) - 1] = '\0';
	uint64_t status = be64toh(a->status);
	if (status != ANSWER_READY)
		return error_set(e, "%s",
				 refusals[status == ANSWER_BUSY ? status : ANSWER_REFUSED]);
	return 0;
}

int client_greet(const struct address *at, struct handshake *h, struct answer *a, struct error *e)
{
	char text[ADDRESS_TEXT];
	int fd = dial(at);
	int failed = fd < 0 ? error_set(e, "%s", strerror(errno)) : converse(fd, h, a, e);

	if (!failed && set_patience(fd, 0))
		return fd;
	if (fd >= 0)
		close(fd);
	return error_prefix(e, "peer %s", address_text(at, text));
}

const char *client_reason(enum channel_kind kind, uint64_t size)
{
	if (kind != CHANNEL_TCP && kind != CHANNEL_UDP)
		return "pipes and unix sockets do not reach another machine";
	if (size > WORK_SIZE)
		return "a peer on another machine takes messages of 64 MB at most";
	return kind == CHANNEL_UDP && size > CHANNEL_DATAGRAM
		   ? "a datagram holds at most 65507 bytes"
		   : NULL;
}

static int connect_tcp(const struct address *listener, const struct handshake *h)
{
	uint8_t token[HMAC_SIZE];
	int fd = dial(listener);

	handshake_token(h, token);
	if (fd < 0 || send(fd, token, sizeof(token), MSG_NOSIGNAL) != sizeof(token) ||
	    !set_patience(fd, 0))
		err(1, "a connection to the peer");
	return fd;
}

/* The two sides tell each other their ports over the channel of orders, as a datagram may be lost.
 */
static int connect_udp(const struct address *listener, const struct channel_end *orders)
{
	struct address own = { .length = sizeof(own.at) }, there = *listener;
	int fd = socket(there.at.ss_family, SOCK_DGRAM, 0);

	if (fd < 0 || getsockname(orders->in, (struct sockaddr *)&own.at, &own.length))
		err(1, "a socket for the peer");
	address_set_port(&own, 0);
	if (bind(fd, (struct sockaddr *)&own.at, own.length) ||
	    getsockname(fd, (struct sockaddr *)&own.at, &own.length))
		err(1, "a socket for the peer");
	uint64_t port = htobe64(address_port(&own));
	channel_send(orders, &port, sizeof(port));
	address_set_port(&there, (uint16_t)work_done(orders));
	if (connect(fd, (struct sockaddr *)&there.at, there.length))
		err(1, "a socket for the peer");
	return fd;
}

int client_connect(const struct address *listener, enum channel_kind kind,
		   const struct channel_end *orders, const struct handshake *h)
{
	return kind == CHANNEL_TCP ? connect_tcp(listener, h) : connect_udp(listener, orders);
}
