/* SPDX-License-Identifier: MIT */
/* lat_sendfds - passes COUNT descriptors through a unix socket (SCM_RIGHTS) and closes the copies
 * received, all in one thread. */
#include <err.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/reason.h"
#include "measure/bench.h"
#include "peer/sockets.h"

enum { COUNT_MOST = 253 }; /* SCM_MAX_FD */

static struct channel channel;
static size_t count;
static int passed[2]; /* the ends of a pipe, which is passed */
static struct stat original;
static union {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int) * COUNT_MOST)];
} out, in;

static const struct bench_parameter parameters[] = { { "count", BENCH_COUNT, "1 8 64", 1,
						       COUNT_MOST, .fallback = "1", .axis = true,
						       .help = "descriptors in a message" },
						     { 0 } };

static int *descriptors(struct cmsghdr *header)
{
	return (int *)(void *)CMSG_DATA(header);
}

static const char *supported(void)
{
	const char *reason = channel_reason(CHANNEL_UNIX, 1);

	return reason ? reason : descriptors_reason(bench_number(0));
}

static void setup(void)
{
	count = bench_number(0);
	channel_open(&channel, CHANNEL_UNIX);
	if (pipe(passed) || fstat(passed[0], &original))
		err(1, "pipe");
	out.header = (struct cmsghdr){
		.cmsg_len = CMSG_LEN(sizeof(int) * count),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	};
	for (size_t i = 0; i < count; i++)
		descriptors(&out.header)[i] = passed[0];
}

/* Passes the descriptors; the copies are in `in`. */
static void pass(void)
{
	char byte = 1;
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &out };
	struct msghdr inbox = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &in };

	message.msg_controllen = inbox.msg_controllen = CMSG_SPACE(sizeof(int) * count);
	if (sendmsg(channel.a.out, &message, 0) != 1 || recvmsg(channel.b.in, &inbox, 0) != 1)
		err(1, "sendmsg and recvmsg");
	if (in.header.cmsg_len != out.header.cmsg_len)
		errx(1, "not %zu descriptors have arrived", count);
}

static void run(uint64_t n)
{
	while (n--) {
		pass();
		for (size_t i = 0; i < count; i++)
			if (close(descriptors(&in.header)[i]))
				err(1, "close");
	}
}

/* One more time, to look at what arrives. */
static const char *check(uint64_t n)
{
	bool same = true;

	pass();
	for (size_t i = 0; i < count; i++) {
		int fd = descriptors(&in.header)[i];
		struct stat st;

		same &= fd != passed[0] && !fstat(fd, &st) && st.st_ino == original.st_ino;
		close(fd);
	}
	return same ? NULL : "what arrived are not copies of the descriptors";
}

const struct bench bench = {
	.summary = "Passing COUNT descriptors through a unix socket, and closing the copies.",
	.operation = "sendmsg, recvmsg and COUNT closes",
	.parameters = parameters,
	.kernel_entries = 3,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
};
