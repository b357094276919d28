/* SPDX-License-Identifier: MIT */
/* Channels carry bytes both ways, exchanges check their messages. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../bench/common/sockets.h"
#include "../../bench/common/peer.h"
#include "../tap.h"

static const char *const names[] = { "pipe", "unix", "tcp", "udp" };

/* Sends size bytes, each with a value of its own, from one end to the other. */
static bool carries(const struct channel_end *from, const struct channel_end *to, size_t size)
{
	static unsigned char sent[4096], got[4096];

	for (size_t i = 0; i < size; i++)
		sent[i] = (unsigned char)(i * 7 + 1);
	memset(got, 0, size);
	channel_send(from, sent, size);
	channel_receive(to, got, size);
	return !memcmp(sent, got, size);
}

static void test_channel(enum channel_kind kind)
{
	struct channel c;

	if (channel_reason(kind, 1)) {
		pass("%s # SKIP %s", names[kind], channel_reason(kind, 1));
		return;
	}
	channel_open(&c, kind);
	ok(carries(&c.a, &c.b, 1) && carries(&c.a, &c.b, 4096), "%s carries from a to b",
	   names[kind]);
	ok(carries(&c.b, &c.a, 1) && carries(&c.b, &c.a, 4096), "%s carries from b to a",
	   names[kind]);
	channel_close_end(&c.a);
	ok(c.a.in == -1 && c.a.out == -1, "%s: a closed end has no descriptors", names[kind]);
	if (kind != CHANNEL_UDP) {
		char byte;

		ok(read(c.b.in, &byte, 1) <= 0, "%s: the other end sees the end", names[kind]);
		ok(write(c.b.out, "", 1) == -1 && errno == EPIPE,
		   "%s: and writing to it is an error, not a signal", names[kind]);
	}
	channel_close(&c);
	ok(!channel_hold_reason(kind, 1024), "%s holds 1 KB", names[kind]);
	ok(channel_hold_reason(kind, 256 << 20) != NULL, "%s does not hold 256 MB", names[kind]);
}

static void test_exchange(size_t size, size_t count)
{
	exchange_start(CHANNEL_UNIX, size);
	cmp_int(exchange_count(), count, "%zu exchanges of %zu bytes", count, size);
	for (size_t i = 0; i < count; i++)
		exchange_send(i);
	exchange_take(count);
	exchange_ask(count);
	for (size_t i = 0; i < count; i++)
		exchange_receive(i);
	pass("each message arrived, and its reply brought another");
}

int main(void)
{
	for (int kind = CHANNEL_PIPE; kind <= CHANNEL_UDP; kind++)
		test_channel(kind);
	ok(channel_reason(CHANNEL_UDP, 65508) != NULL, "no datagram has 65508 bytes");
	test_exchange(16 << 10, 4);
	ok(descriptors_reason(UINT64_C(1) << 40) != NULL, "no process has 2^40 descriptors");
	return done_testing();
}
