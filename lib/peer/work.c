/* SPDX-License-Identifier: MIT */
#include "work.h"

#include <endian.h>
#include <err.h>
#include <string.h>
#include <unistd.h>

#include "util/xalloc.h"

struct order {
	uint64_t work, amount;
};

void worker_init(struct worker *w, size_t size)
{
	*w = (struct worker){ .listener = -1, .size = size, .bytes = UINT64_MAX };
	/* Written, so that its pages are not all the kernel's page of zeros. */
	w->message = xmalloc(size);
	memset(w->message, WORK_BYTE, size);
}

static void spend(struct worker *w, uint64_t bytes)
{
	if (w->bytes < bytes)
		_exit(WORK_SPENT);
	w->bytes -= bytes;
}

void work_receive(const struct channel_end *end, unsigned char *message, size_t size)
{
	message[0] = message[size - 1] = 0;
	channel_receive(end, message, size);
	if (message[0] != WORK_BYTE || message[size - 1] != WORK_BYTE)
		errx(1, "the message received is not the message sent");
}

void work_take(const struct channel_end *end, unsigned char *message, size_t size)
{
	work_receive(end, message, size);
	channel_send(end, "", 1);
}

void work_give(const struct channel_end *end, const unsigned char *message, size_t size)
{
	unsigned char byte;

	channel_receive(end, &byte, 1);
	channel_send(end, message, size);
}

/* The changed byte proves that the message was read. */
static uint64_t echo(struct worker *w, uint64_t unused)
{
	const struct channel_end *end = &w->channels[0];

	for (;; spend(w, 2 * w->size)) {
		channel_receive(end, w->message, w->size);
		w->message[0]++;
		channel_send(end, w->message, w->size);
	}
	return unused;
}

static uint64_t sink(struct worker *w, uint64_t expected)
{
	uint64_t total = 0;

	spend(w, expected);
	while (total < expected) {
		ssize_t n = read(w->channels[0].in, w->message, w->size);

		if (n <= 0)
			err(1, "read");
		total += (uint64_t)n;
	}
	return total;
}

static uint64_t take(struct worker *w, uint64_t n)
{
	spend(w, n * w->size);
	for (uint64_t i = 0; i < n; i++)
		work_take(&w->channels[i], w->message, w->size);
	return n;
}

static uint64_t give(struct worker *w, uint64_t n)
{
	spend(w, n * w->size);
	for (uint64_t i = 0; i < n; i++)
		work_give(&w->channels[i], w->message, w->size);
	return n;
}

int work_accept(const struct worker *w)
{
	for (;;) {
		struct address from = { .length = sizeof(from.at) };
		int fd = accept(w->listener, (struct sockaddr *)&from.at, &from.length);

		if (fd < 0)
			err(1, "accept");
		if (address_is_same_host(&from, &w->client))
			return fd;
		close(fd);
	}
}

static uint64_t take_connections(struct worker *w, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		close(work_accept(w));
	return n;
}

static const struct {
	uint64_t (*run)(struct worker *w, uint64_t amount);
	enum { NEVER, ONE_CHANNEL, SO_MANY_CHANNELS, LISTENER } needs;
} works[WORKS] = {
	[WORK_ECHO] = { echo, ONE_CHANNEL },
	[WORK_SINK] = { sink, ONE_CHANNEL },
	[WORK_TAKE] = { take, SO_MANY_CHANNELS },
	[WORK_GIVE] = { give, SO_MANY_CHANNELS },
	[WORK_ACCEPT] = { take_connections, LISTENER },
};

/* Another machine may ask for anything. */
static bool is_possible(const struct worker *w, const struct order *o)
{
	const uint64_t most[] = {
		[ONE_CHANNEL] = w->count ? UINT64_MAX : 0,
		[SO_MANY_CHANNELS] = w->count,
		[LISTENER] = w->listener >= 0 ? WORK_CONNECTIONS : 0,
	};

	return o->work < WORKS && o->amount && o->amount <= most[works[o->work].needs];
}

void worker_serve(struct worker *w, const struct channel_end *orders)
{
	for (;;) {
		struct order o;

		channel_receive(orders, &o, sizeof(o));
		o = (struct order){ be64toh(o.work), be64toh(o.amount) };
		if (!is_possible(w, &o))
			errx(1, "an impossible order");
		uint64_t done = htobe64(works[o.work].run(w, o.amount));
		channel_send(orders, &done, sizeof(done));
	}
}

void work_order(const struct channel_end *orders, enum work work, uint64_t amount)
{
	const struct order o = { htobe64((uint64_t)work), htobe64(amount) };

	channel_send(orders, &o, sizeof(o));
}

uint64_t work_done(const struct channel_end *orders)
{
	uint64_t done;

	channel_receive(orders, &done, sizeof(done));
	return be64toh(done);
}
