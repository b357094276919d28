/* SPDX-License-Identifier: MIT */
/*
 * lat_uring - io_uring_enter(2) with BATCH requests, and taking their results: nothing (nop), reads
 * of 4 KB of cached file pages into any buffer (read) or a registered one (fixed), or messages of
 * 64 bytes that are sent through a unix socket and received (send), or have arrived (recv).
 *
 * CALL-poll leaves the requests to a thread of the kernel on another CPU (SQPOLL), which does not
 * sleep meanwhile, and polls for their results; otherwise the call does the work.
 */
#include <err.h>
#include <string.h>

#include "common/files.h"
#include "common/ring.h"
#include "measure/bench.h"
#include "peer/sockets.h"

enum { PAGE = 4096, MESSAGE = 64, BATCH_MOST = 256 };

static const struct call {
	enum ring_operation operation;
	size_t size; /* bytes moved */
} calls[] = {
	{ RING_NOP, 0 },	{ RING_READ, PAGE },	{ RING_READ_FIXED, PAGE },
	{ RING_SEND, MESSAGE }, { RING_RECV, MESSAGE },
};
enum { CALLS = sizeof(calls) / sizeof(*calls) };

static struct call call;
static unsigned batch, requests; /* in one operation: BATCH, and with receives */
static int fd;
static struct channel channel;
static unsigned char sent[BATCH_MOST * MESSAGE], buffer[BATCH_MOST * PAGE];

static const struct bench_parameter parameters[] = {
	{ "call", BENCH_CHOICE,
	  "nop read fixed send recv nop-poll read-poll fixed-poll send-poll recv-poll",
	  .help = "kind of request; fixed: read into a registered buffer; send: and receive; "
		  "-poll: by SQPOLL" },
	{ "batch", BENCH_COUNT, "1 8 64", 1, BATCH_MOST, .fallback = "8", .axis = true,
	  .help = "requests in a call" },
	{ 0 }
};

/* True if one operation works. */
static bool submit(void)
{
	for (size_t i = 0; i < batch; i++) {
		size_t at = i * call.size;

		if (call.operation == RING_SEND)
			ring_prepare(RING_SEND, channel.a.out, sent + at, call.size, 0);
		if (call.size == MESSAGE)
			ring_prepare(RING_RECV, channel.b.in, buffer + at, call.size, 0);
		else
			ring_prepare(call.operation, fd, buffer + at, call.size, at);
	}
	return ring_submit(requests, call.size) == requests;
}

/* Sends what n operations receive. */
static void supply(uint64_t n)
{
	for (uint64_t i = 0; call.operation == RING_RECV && i < n * batch; i++)
		channel_send(&channel.a, sent, MESSAGE);
}

static const char *open_files(void)
{
	const char *reason = NULL;

	if (call.size == MESSAGE) {
		reason = channel_reason(CHANNEL_UNIX, MESSAGE);
		if (!reason)
			channel_open(&channel, CHANNEL_UNIX);
	} else if (call.size) {
		reason = files_reason(batch * call.size);
		fd = reason ? -1 : files_make(batch * call.size);
	}
	return reason;
}

static const char *supported(void)
{
	const char *reason;

	call = calls[bench_choice(0) % CALLS];
	batch = (unsigned)bench_number(1);
	requests = call.operation == RING_SEND ? 2 * batch : batch;
	reason = open_files();
	if (!reason)
		reason = ring_open(requests, bench_choice(0) >= CALLS);
	if (!reason && call.operation == RING_READ_FIXED)
		reason = ring_register((struct iovec){ buffer, sizeof(buffer) });
	if (reason)
		return reason;
	supply(1);
	return submit() ? NULL : "this kernel does not answer such a request";
}

static void prepare(uint64_t n)
{
	memset(sent, sent[0] + 1, sizeof(sent));
	memset(buffer, 0, sizeof(buffer));
	supply(n);
}

static void run(uint64_t n)
{
	while (n--)
		if (!submit())
			errx(1, "a request has failed");
}

static const char *check(uint64_t n)
{
	unsigned char wanted = call.size == MESSAGE ? sent[0] : FILES_BYTE;

	for (size_t i = 0; i < batch * call.size; i++)
		if (buffer[i] != wanted)
			return "the bytes received are not those requested";
	return NULL;
}

static uint64_t limit(void)
{
	return call.operation == RING_RECV ? BATCH_MOST / batch : 0;
}

const struct bench bench = {
	.summary = "BATCH requests to the kernel through io_uring.",
	.operation = "one io_uring_enter, or filling and emptying the ring for SQPOLL",
	.parameters = parameters,
	.parties = BENCH_APART,
	.supported = supported,
	.prepare = prepare,
	.run = run,
	.check = check,
	.limit = limit,
};
