/* SPDX-License-Identifier: MIT */
/*
 * lat_rpc - a remote procedure call to another process by ONC RPC (RFC 5531) over UDP or TCP on the
 * loopback interface: headers and an integer coded as XDR, decoded and checked at both ends, as
 * SunRPC did in the 1997 suite, but without a library.
 */
#include <arpa/inet.h>
#include <err.h>
#include <stdint.h>
#include <string.h>

#include "measure/bench.h"
#include "peer/sockets.h"

/* Words of a message: the record mark of TCP, the number of the call, what it is, and for which
 * program; no credentials and no verifier, which are two words 0 each. */
enum { MARK, XID, TYPE, STATUS, RESULT = 7, ARGUMENT = 11 };
enum { CALL, REPLY };
static const uint32_t call_header[ARGUMENT] = {
	[TYPE] = CALL, 2 /* of the protocol */, 0x20000000 /* first private program */, 1, 1,
};

static struct channel channel;
static bool marked; /* TCP has no messages: the mark says how long they are */
static uint32_t xid;

static const struct bench_parameter parameters[] = {
	{ "kind", BENCH_CHOICE, "udp tcp", .fallback = "udp", .help = "transport" }, { 0 }
};

static enum channel_kind kind(void)
{
	return bench_choice(0) ? CHANNEL_TCP : CHANNEL_UDP;
}

static const char *supported(void)
{
	return channel_reason(kind(), 64);
}

/* Sends words[1] ... words[last] in network order, after a mark where one is needed. */
static void send_words(const struct channel_end *end, const uint32_t *words, size_t last)
{
	uint32_t coded[ARGUMENT + 1];

	coded[MARK] = htonl(0x80000000 | (uint32_t)(last * sizeof(*coded)));
	for (size_t i = 1; i <= last; i++)
		coded[i] = htonl(words[i]);
	channel_send(end, coded + !marked, (last + marked) * sizeof(*coded));
}

static void receive_words(const struct channel_end *end, uint32_t *words, size_t last)
{
	channel_receive(end, words + !marked, (last + marked) * sizeof(*words));
	for (size_t i = !marked; i <= last; i++)
		words[i] = ntohl(words[i]);
	if (marked && words[MARK] != (0x80000000 | last * sizeof(*words)))
		errx(1, "a record has another length");
}

/* The procedure adds 1 to its argument. */
static _Noreturn void serve(void)
{
	for (;;) {
		uint32_t call[ARGUMENT + 1], reply[RESULT + 1] = { 0 };

		receive_words(&channel.b, call, ARGUMENT);
		if (memcmp(call + TYPE, call_header + TYPE,
			   sizeof(call_header) - TYPE * sizeof(*call)))
			errx(1, "the call is not for this program");
		reply[XID] = call[XID];
		reply[TYPE] = REPLY;
		reply[RESULT] = call[ARGUMENT] + 1;
		send_words(&channel.b, reply, RESULT);
	}
}

static void setup(void)
{
	marked = kind() == CHANNEL_TCP;
	channel_open(&channel, kind());
	if (!bench_fork()) {
		channel_close_end(&channel.a);
		serve();
	}
	channel_close_end(&channel.b);
}

static void run(uint64_t n)
{
	uint32_t call[ARGUMENT + 1];
	uint32_t reply[RESULT + 1];

	memcpy(call, call_header, sizeof(call_header));
	while (n--) {
		call[XID] = ++xid;
		call[ARGUMENT] = 3 * xid;
		send_words(&channel.a, call, ARGUMENT);
		receive_words(&channel.a, reply, RESULT);
		if (reply[XID] != xid || reply[TYPE] != REPLY || reply[STATUS] ||
		    reply[RESULT] != 3 * xid + 1)
			errx(1, "the reply is not to the call");
	}
}

const struct bench bench = {
	.summary = "A remote procedure call to another process.",
	.operation = "coding, two messages, decoding, two switches",
	.parameters = parameters,
	.parties = BENCH_TWO,
	.kernel_entries = 4,
	.supported = supported,
	.setup = setup,
	.run = run,
};
