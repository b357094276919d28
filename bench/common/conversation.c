/* SPDX-License-Identifier: MIT */
#include "conversation.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "partner.h"
#include "util/xalloc.h"

enum { MOST = 16, MOST_BYTES = 64 << 10 };

static struct channel channels[MOST];
static size_t count, message_size;
static unsigned char *message, *inbox;

void conversation_start(enum channel_kind kind, size_t size)
{
	message_size = size;
	message = xcalloc(size, 1);
	inbox = xcalloc(size, 1);
	memset(message, CONVERSATION_BYTE, size);
	count = MOST_BYTES / size;
	count = count < 1 ? 1 : count > MOST ? MOST : count;
	for (size_t i = 0; i < count; i++)
		channel_open(&channels[i], kind);
	partner_start();
}

size_t conversation_count(void)
{
	return count;
}

int conversation_out(size_t i)
{
	return channels[i].a.out;
}

void conversation_send(size_t i)
{
	channel_send(&channels[i].a, message, message_size);
}

void conversation_receive(size_t i)
{
	inbox[0] = inbox[message_size - 1] = 0;
	channel_receive(&channels[i].b, inbox, message_size);
	if (inbox[0] != CONVERSATION_BYTE || inbox[message_size - 1] != CONVERSATION_BYTE)
		errx(1, "another message arrived than was sent");
}

static void answer(size_t i)
{
	unsigned char byte = 0;

	channel_send(&channels[i].b, &byte, 1);
}

static void hear(size_t i)
{
	unsigned char byte;

	channel_receive(&channels[i].a, &byte, 1);
}

static void receive_and_answer(size_t i)
{
	conversation_receive(i);
	answer(i);
}

static void hear_and_send(size_t i)
{
	hear(i);
	conversation_send(i);
}

void conversation_take(size_t turns)
{
	partner_do(receive_and_answer, turns);
	for (size_t i = 0; i < turns; i++)
		hear(i);
}

void conversation_ask(size_t turns)
{
	for (size_t i = 0; i < turns; i++)
		answer(i);
	partner_do(hear_and_send, turns);
}

void conversation_stop(void)
{
	partner_stop();
	for (size_t i = 0; i < count; i++)
		channel_close(&channels[i]);
	free(message);
	free(inbox);
}

const struct bench_parameter conversation_parameters[] = {
	{ "kind", BENCH_CHOICE, CHANNEL_KINDS, .help = "of channel" },
	{ "size", BENCH_SIZE, "1 64 256 1k 4k 16k 32k 64k", 1, 16 << 20, .fallback = "1",
	  .axis = true, .help = "bytes in a message" },
	{ 0 }
};

const char *conversation_supported(void)
{
	return channel_hold_reason(bench_choice(0), bench_number(1));
}

void conversation_setup(void)
{
	conversation_start(bench_choice(0), bench_number(1));
}

uint64_t conversation_bytes(void)
{
	return bench_number(1);
}
