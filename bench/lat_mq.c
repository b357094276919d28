/* SPDX-License-Identifier: MIT */
/*
 * lat_mq - a message of SIZE bytes through a queue: POSIX (mq_send, mq_receive) or System V
 * (msgsnd, msgrcv), sent and received by one thread, or (-pass) sent to another process, which
 * sleeps until it comes, and sent back through a second queue.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/cleanup.h"
#include "common/reason.h"

enum { POSIX, SYSV, KINDS };
enum { MOST = 8192 };

static int queues[2] = { -1, -1 };
static size_t size;
static struct {
	long type; /* not 0; of System V */
	unsigned char bytes[MOST];
} message = { .type = 1 };

static const struct bench_parameter parameters[] = {
	{ "kind", BENCH_CHOICE, "posix sysv posix-pass sysv-pass",
	  .help = "kind of queue; -pass: the message goes to another process and back" },
	{ "size", BENCH_SIZE, "64 1k 8k", 1, MOST, .fallback = "64", .axis = true,
	  .help = "bytes in a message" },
	{ 0 }
};

/* Queues of System V outlive the process; those of POSIX have lost their names. */
static void remove_queues(void)
{
	for (int i = 0; i < 2 && bench_choice(0) % KINDS == SYSV; i++)
		msgctl(queues[i], IPC_RMID, NULL);
}

/* Not mq_open: the C libraries have it in different places. */
static int open_posix(int i)
{
	struct mq_attr attributes = { .mq_maxmsg = 1, .mq_msgsize = (long)size };
	char name[32];
	int queue;

	snprintf(name, sizeof(name), "osvec-%ld-%d", (long)getpid(), i);
	queue = (int)syscall(SYS_mq_open, name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	return queue < 0 || syscall(SYS_mq_unlink, name) ? -1 : queue;
}

static const char *supported(void)
{
	size = bench_number(1);
	cleanup_register(remove_queues);
	for (int i = 0; i < 2; i++) {
		queues[i] =
		    bench_choice(0) % KINDS == POSIX ? open_posix(i) : msgget(IPC_PRIVATE, 0600);
		if (queues[i] < 0)
			return reason_errno("a message queue");
	}
	return NULL;
}

static void send_message(int queue)
{
	if (bench_choice(0) % KINDS == POSIX
		? syscall(SYS_mq_timedsend, queue, message.bytes, size, 0, NULL)
		: msgsnd(queue, &message, size, 0))
		err(1, "send a message of %zu bytes", size);
}

static void receive_message(int queue)
{
	long n = bench_choice(0) % KINDS == POSIX
		     ? syscall(SYS_mq_timedreceive, queue, message.bytes, size, NULL, NULL)
		     : msgrcv(queue, &message, size, 0, 0);

	if (n != (long)size)
		err(1, "receive a message of %zu bytes", size);
}

static void setup(void)
{
	if (bench_choice(0) < KINDS || bench_fork())
		return;
	for (;;) {
		receive_message(queues[0]);
		message.bytes[size - 1]++;
		send_message(queues[1]);
	}
}

static void run(uint64_t n)
{
	bool pass = bench_choice(0) >= KINDS;

	while (n--) {
		unsigned char sent = message.bytes[size - 1];

		send_message(queues[0]);
		message.bytes[size - 1] = ~sent;
		receive_message(queues[pass]);
		if (message.bytes[size - 1] != (unsigned char)(sent + pass))
			errx(1, "the message received is not the message sent");
	}
}

const struct bench bench = {
	.summary = "A message of SIZE bytes through a message queue.",
	.operation = "one message sent and received; -pass: two, and two switches",
	.parameters = parameters,
	.parties = BENCH_TWO,
	.kernel_entries = 2,
	.supported = supported,
	.setup = setup,
	.run = run,
};
