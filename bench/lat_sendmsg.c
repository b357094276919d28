/* SPDX-License-Identifier: MIT */
/*
 * lat_sendmsg - sendmsg(2) and recvmsg(2) of SIZE bytes in two halves, by one thread, over a unix
 * stream socket, or TCP or UDP on the loopback interface.
 *
 * zerocopy is TCP with MSG_ZEROCOPY and reads the notification.  The loopback interface copies the
 * pages all the same, so that this is what it costs, and not what it saves.
 */
#include <err.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "common/reason.h"
#include "measure/bench.h"
#include "peer/sockets.h"
#include "util/xalloc.h"

#ifndef SO_ZEROCOPY /* C libraries before 2018 */
#define SO_ZEROCOPY 60
#define MSG_ZEROCOPY 0x4000000
#endif

static const enum channel_kind kinds[] = { CHANNEL_UNIX, CHANNEL_TCP, CHANNEL_UDP, CHANNEL_TCP };
enum { ZEROCOPY = 3 };

static struct channel channel;
static ssize_t size;
static unsigned char *sent, *got;
static struct iovec out[2], in[2];
static struct msghdr message = { .msg_iov = out, .msg_iovlen = 2 };
static struct msghdr inbox = { .msg_iov = in, .msg_iovlen = 2 };

static const struct bench_parameter parameters[] = {
	{ "kind", BENCH_CHOICE, "unix tcp udp zerocopy",
	  .help = "kind of socket; zerocopy: TCP with MSG_ZEROCOPY" },
	{ "size", BENCH_SIZE, "64 1k 16k 64k", 2, 16 << 20, .fallback = "1k", .axis = true,
	  .help = "bytes in a message" },
	{ 0 }
};

static const char *supported(void)
{
	const char *reason = channel_hold_reason(kinds[bench_choice(0)], bench_number(1));
	int yes = 1;

	if (reason)
		return reason;
	channel_open(&channel, kinds[bench_choice(0)]);
	if (bench_choice(0) == ZEROCOPY &&
	    setsockopt(channel.a.out, SOL_SOCKET, SO_ZEROCOPY, &yes, sizeof(yes)))
		return reason_errno("MSG_ZEROCOPY");
	return NULL;
}

static void halve(struct iovec *half, unsigned char *bytes)
{
	half[0] = (struct iovec){ bytes, (size_t)size / 2 };
	half[1] = (struct iovec){ bytes + size / 2, (size_t)(size - size / 2) };
}

static void setup(void)
{
	size = (ssize_t)bench_number(1);
	halve(out, sent = xcalloc((size_t)size, 1));
	halve(in, got = xcalloc((size_t)size, 1));
}

static void prepare(uint64_t n)
{
	memset(sent, sent[0] + 1, (size_t)size);
}

/* The kernel has let go of the pages. */
static void await_notification(void)
{
	char control[128];
	struct msghdr notification = { .msg_control = control };

	do {
		notification.msg_controllen = sizeof(control);
		if (recvmsg(channel.a.out, &notification, MSG_ERRQUEUE) >= 0)
			return;
	} while (errno == EAGAIN);
	err(1, "recvmsg of a notification");
}

static void run(uint64_t n)
{
	bool zerocopy = bench_choice(0) == ZEROCOPY;

	while (n--) {
		if (sendmsg(channel.a.out, &message, zerocopy ? MSG_ZEROCOPY : 0) != size)
			err(1, "sendmsg of %zd bytes", size);
		if (recvmsg(channel.b.in, &inbox, MSG_WAITALL) != size)
			err(1, "recvmsg of %zd bytes", size);
		if (zerocopy)
			await_notification();
	}
}

static const char *check(uint64_t n)
{
	return memcmp(sent, got, (size_t)size) ? "the message received is not the one sent" : NULL;
}

const struct bench bench = {
	.summary = "Sending and receiving a message of SIZE bytes in two parts.",
	.operation = "sendmsg and recvmsg; zerocopy: and recvmsg of the notification",
	.parameters = parameters,
	.kernel_entries = 2,
	.transfers = 1,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
};
