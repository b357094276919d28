/* SPDX-License-Identifier: MIT */
/* lat_sendmmsg - sendmmsg(2) and recvmmsg(2) of BATCH datagrams of 64 bytes by one thread, over UDP
 * on the loopback interface. */
#include <err.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "measure/bench.h"
#include "peer/sockets.h"

enum { SIZE = 64, BATCH_MOST = 64 };

static struct channel channel;
static unsigned batch;
static unsigned char sent[BATCH_MOST][SIZE], got[BATCH_MOST][SIZE];
static struct mmsghdr messages[BATCH_MOST], inbox[BATCH_MOST];

static const struct bench_parameter parameters[] = { { "batch", BENCH_COUNT, "1 8 64", 1,
						       BATCH_MOST, .fallback = "8", .axis = true,
						       .help = "messages in a call" },
						     { 0 } };

static const char *supported(void)
{
	return channel_reason(CHANNEL_UDP, SIZE);
}

static void setup(void)
{
	static struct iovec out[BATCH_MOST], in[BATCH_MOST];

	batch = (unsigned)bench_number(0);
	channel_open(&channel, CHANNEL_UDP);
	for (unsigned i = 0; i < batch; i++) {
		out[i] = (struct iovec){ sent[i], SIZE };
		in[i] = (struct iovec){ got[i], SIZE };
		messages[i].msg_hdr = (struct msghdr){ .msg_iov = &out[i], .msg_iovlen = 1 };
		inbox[i].msg_hdr = (struct msghdr){ .msg_iov = &in[i], .msg_iovlen = 1 };
	}
}

static void prepare(uint64_t n)
{
	for (unsigned i = 0; i < bench_number(0); i++)
		memset(sent[i], sent[i][0] + (int)i + 1, SIZE);
}

static void run(uint64_t n)
{
	while (n--) {
		if (sendmmsg(channel.a.out, messages, batch, 0) != (int)batch)
			err(1, "sendmmsg of %u messages", batch);
		if (recvmmsg(channel.b.in, inbox, batch, 0, NULL) != (int)batch)
			err(1, "recvmmsg of %u messages", batch);
	}
}

static const char *check(uint64_t n)
{
	return memcmp(sent, got, sizeof(sent)) ? "the messages received are not those sent" : NULL;
}

const struct bench bench = {
	.summary = "Sending and receiving BATCH datagrams of 64 bytes in one call each.",
	.operation = "one sendmmsg and one recvmmsg",
	.parameters = parameters,
	.kernel_entries = 2,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
};
