/* SPDX-License-Identifier: MIT */
/*
 * mix_server - a web server's answer to one request: accepts a connection from another CPU, reads
 * the request, finds, opens and reads a file of 4 KB, sends it, closes file and connection.  The
 * program works after each call (FOOTPRINT).
 *
 * The requests of a batch have arrived before it, and the answers are read after it, by the peer.
 */
#include <err.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/connection.h"
#include "common/mix.h"
#include "common/peer.h"

static char request[MIX_SIZE];
static int clients[CONNECTIONS]; /* of the peer */
static int connection;

static void accept_one(uint64_t i)
{
	connection = connection_accept();
}

static void receive(uint64_t i)
{
	const struct channel_end end = { connection, connection };

	channel_receive(&end, request, MIX_SIZE);
}

static void find(uint64_t i)
{
	struct stat st;

	if (stat(MIX_PATH, &st))
		err(1, "stat");
}

static void answer(uint64_t i)
{
	const struct channel_end end = { connection, connection };

	channel_send(&end, mix_buffer, MIX_SIZE);
}

static void hang_up(uint64_t i)
{
	if (close(connection))
		err(1, "close");
}

static const struct bench_step sequence[] = {
	{ accept_one, "lat_accept_close_tcp" },
	{ receive, "lat_recv_tcp_4k" },
	{ find, "lat_path_stat_8" },
	{ mix_open, "lat_path_open_8" },
	{ mix_fstat, "lat_syscall_fstat" },
	{ mix_read, "bw_file_read_4k" },
	{ mix_close, NULL },
	{ answer, "lat_send_tcp_4k" },
	{ hang_up, NULL },
	{ 0 },
};

static const char *supported(void)
{
	const char *reason = files_reason(MIX_SIZE);

	return reason ? reason : connection_listen(AF_INET);
}

/* Of the peer. */
static void ask(size_t i)
{
	clients[i] = connection_connect();
	channel_send(&(struct channel_end){ clients[i], clients[i] }, request, MIX_SIZE);
}

static void take_answer(size_t i)
{
	char answer[MIX_SIZE];

	channel_receive(&(struct channel_end){ clients[i], clients[i] }, answer, MIX_SIZE);
	if (answer[1] != FILES_BYTE || answer[MIX_SIZE - 1] != FILES_BYTE)
		errx(1, "the answer is not the file");
	if (!connection_ended(clients[i]))
		errx(1, "the server did not close a connection");
	connection_reset(clients[i]);
}

static void setup(void)
{
	mix_make_file();
	peer_start();
}

static void prepare(uint64_t n)
{
	peer_do(ask, n);
}

static const char *check(uint64_t n)
{
	peer_do(take_answer, n);
	return NULL;
}

const struct bench bench = {
	.summary = "The calls of a web server's answer to a request, with its work between them.",
	.operation = "one request: accept, receive, stat, open, fstat, read, close, send, close",
	.parameters = mix_parameters,
	.sequence = sequence,
	.parties = BENCH_APART,
	.kernel_entries = 9,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = mix_run,
	.overhead = mix_overhead,
	.check = check,
	.limit = connection_limit,
};
