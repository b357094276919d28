/* SPDX-License-Identifier: MIT */
#include "exchange.h"

#include <err.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "files.h"
#include "peer.h"
#include "peer/work.h"
#include "util/monotonic.h"
#include "util/xalloc.h"

_Static_assert((int)FILES_BYTE == (int)WORK_BYTE, "lat_sendfile sends files as messages");

enum { MOST_BYTES = 64 << 10 };

static struct channel channels[WORK_CHANNELS]; /* both ends the same: the other is remote */
static uint64_t count;
static size_t message_size;
static unsigned char *message, *inbox;

static void open_remotely(enum channel_kind kind)
{
	struct channel_end ends[WORK_CHANNELS];

	peer_open(kind, message_size, ends, count);
	for (size_t i = 0; i < count; i++)
		channels[i] = (struct channel){ ends[i], ends[i] };
}

void exchange_start(enum channel_kind kind, size_t size)
{
	/* With a peer on another machine reason_for has done it. */
	if (bench_peer() && message)
		return;
	message_size = size;
	message = xcalloc(size, 1);
	inbox = xcalloc(size, 1);
	memset(message, WORK_BYTE, size);
	count = MOST_BYTES / size;
	count = count < 1 ? 1 : count > WORK_CHANNELS ? WORK_CHANNELS : count;
	if (bench_peer()) {
		open_remotely(kind);
		return;
	}
	for (size_t i = 0; i < count; i++)
		channel_open(&channels[i], kind);
	peer_start();
}

uint64_t exchange_count(void)
{
	return count;
}

int exchange_out(size_t i)
{
	return channels[i].a.out;
}

void exchange_send(size_t i)
{
	channel_send(&channels[i].a, message, message_size);
}

void exchange_receive(size_t i)
{
	work_receive(&channels[i].b, inbox, message_size);
}

static void await_reply(size_t i)
{
	unsigned char byte;

	channel_receive(&channels[i].a, &byte, 1);
}

static void receive_and_reply(size_t i)
{
	work_take(&channels[i].b, inbox, message_size);
}

static void await_reply_and_send(size_t i)
{
	work_give(&channels[i].a, message, message_size);
}

const char *exchange_take(uint64_t n)
{
	peer_have_done(WORK_TAKE, receive_and_reply, n);
	for (size_t i = 0; i < n; i++)
		await_reply(i);
	return NULL;
}

/* Waits for messages that another machine has sent over n channels; false: not within seconds. */
static bool await_arrival(uint64_t n, double seconds)
{
	double end = monotonic_seconds() + seconds;
	int arrived;

	for (uint64_t i = 0; i < n;)
		if (ioctl(channels[i].b.in, FIONREAD, &arrived))
			err(1, "ioctl FIONREAD");
		else if ((size_t)arrived >= message_size)
			i++;
		else if (sched_yield() || monotonic_seconds() > end)
			return false;
	return true;
}

void exchange_ask(uint64_t n)
{
	for (size_t i = 0; i < n; i++)
		channel_send(&channels[i].b, "", 1);
	peer_have_done(WORK_GIVE, await_reply_and_send, n);
	if (bench_peer() && !await_arrival(n, INFINITY))
		errx(1, "a message did not arrive");
}

/* Why a connection to another machine does not hold an unread message of that size, or NULL. */
static const char *try_remotely(enum channel_kind kind, uint64_t size)
{
	static const char too_long[] =
	    "a message of that size does not fit the buffers of a connection to another machine";
	const int warm = 4; /* a young connection sends little at a time */
	const char *reason = peer_reason(kind, size);

	if (reason)
		return reason;
	exchange_start(kind, size);
	for (int i = 0; i < warm; i++) {
		peer_order(WORK_TAKE, 1); /* it reads while we write */
		exchange_send(0);
		peer_done();
		await_reply(0);
	}
	fcntl(channels[0].a.out, F_SETFL, O_NONBLOCK);
	if (write(channels[0].a.out, message, size) != (ssize_t)size)
		return too_long;
	fcntl(channels[0].a.out, F_SETFL, 0);
	exchange_take(1);
	channel_send(&channels[0].b, "", 1);
	peer_order(WORK_GIVE, 1);
	if (!await_arrival(1, 2))
		return too_long;
	peer_done();
	exchange_receive(0);
	return NULL;
}

const struct bench_parameter exchange_parameters[] = {
	{ "kind", BENCH_CHOICE, CHANNEL_KINDS, .help = "kind of channel" },
	{ "size", BENCH_SIZE, "1 64 256 1k 4k 16k 32k 64k", 1, 16 << 20, .fallback = "1",
	  .axis = true, .help = "bytes in a message" },
	{ 0 }
};

/* Why no channels of this kind that hold messages of size bytes can be opened here, or NULL. */
static const char *reason_for(enum channel_kind kind, uint64_t size)
{
	const char *reason = descriptors_reason(4 * WORK_CHANNELS);

	if (reason || bench_peer())
		return reason ? reason : try_remotely(kind, size);
	return channel_hold_reason(kind, size);
}

const char *exchange_supported(void)
{
	return reason_for(bench_choice(0), bench_number(1));
}

void exchange_setup(void)
{
	exchange_start(bench_choice(0), bench_number(1));
}

const char *exchange_file_supported(void)
{
	const char *reason = files_reason(bench_number(0));

	return reason ? reason : reason_for(CHANNEL_TCP, bench_number(0));
}

int exchange_file_start(size_t size)
{
	int file = files_make(size);

	exchange_start(CHANNEL_TCP, size);
	return file;
}
