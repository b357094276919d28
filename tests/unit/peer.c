/* SPDX-License-Identifier: MIT */
/*
 * The proofs between a benchmark and `hbench peer`, and what the peer does for whom: nothing for
 * clients without the secret, however many or slow they are and whatever they know of the protocol,
 * and for a benchmark what it may and no more.
 * tests/cli/peer.t measures with it.
 */
#include "../tap.h"

#include <endian.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../driver/hbench.h"
#include "peer/client.h"
#include "peer/handshake.h"
#include "peer/work.h"
#include "util/address.h"

enum { PATIENCE_MS = 30000 };

static const char secret[] = "the secret of this test", wrong[] = "the secret of thiS test";
static struct address at;
static char said[4096]; /* by the peer, on standard error */
static int complaints;
static pid_t server;

static void use_secret(const char *s)
{
	setenv("OSVEC_SECRET", s, 1);
	if (handshake_init(NULL))
		exit(1);
}

/* ---- proofs ---- */

static void test_proofs(void)
{
	struct handshake h = { .request.size = htobe64(4096) }, other;
	struct answer a = { .port = htobe64(7) }, false_one;
	uint8_t token[HMAC_SIZE];
	bool refused = true;

	use_secret(secret);
	handshake_greet(&h.greeting);
	ok(handshake_is_greeting(&h.greeting), "a greeting is one");
	handshake_request(&h);
	ok(handshake_is_request(&h), "a request proves that it knows the secret");
	for (size_t i = 0; i < sizeof(h); i++) {
		other = h;
		((char *)&other)[i] ^= 1;
		refused &= !handshake_is_request(&other);
	}
	ok(refused, "and no longer when any of its bits, or of the greeting's, is another");
	handshake_answer(&h, &a);
	ok(handshake_is_answer(&h, &a), "so does an answer");
	false_one = a;
	false_one.port = htobe64(8);
	ok(!handshake_is_answer(&h, &false_one), "but not to another port");
	handshake_token(&h, token);
	ok(!hmac_equal(token, h.request.proof) && !hmac_equal(token, a.proof),
	   "what channels begin with was never said before");
	other = h;
	handshake_request(&other);
	ok(memcmp(&other.request, &h.request, sizeof(h.request)), "no two requests are alike");
	handshake_greet(&other.greeting);
	ok(memcmp(&other.greeting, &h.greeting, sizeof(h.greeting)), "and no two greetings");
	use_secret(wrong);
	ok(!handshake_is_request(&h) && !handshake_is_answer(&h, &a), "another secret, no proof");
	h.greeting.protocol[11]++;
	ok(!handshake_is_greeting(&h.greeting), "another version is no greeting");
	use_secret(secret);
}

static void test_secrets(void)
{
	char path[] = "/tmp/osvec-test-XXXXXX";
	int fd = mkstemp(path);
	struct error e;

	setenv("OSVEC_SECRET", "too short", 1);
	ok(handshake_init(&e) && strstr(e.text, "16 bytes"), "short secrets are refused");
	unsetenv("OSVEC_SECRET");
	ok(handshake_init(&e) && strstr(e.text, "OSVEC_SECRET"), "and so is none: %s", e.text);
	ok(write(fd, "0123456789abcdef\nmore\n", 22) == 22 && !handshake_read_secret(path, &e) &&
	       !strcmp(getenv("OSVEC_SECRET"), "0123456789abcdef"),
	   "a file's first line is the secret");
	ok(!chmod(path, 0640) && handshake_read_secret(path, &e) && strstr(e.text, "chmod"),
	   "a secret that all may read is none: %s", e.text);
	ok(!chmod(path, 0600) && !truncate(path, 15) && handshake_read_secret(path, &e),
	   "a short line is refused: %s", e.text);
	unlink(path);
	ok(handshake_read_secret(path, &e), "and a file that is not there");
	close(fd);
	use_secret(secret);
}

/* ---- the peer ---- */

/* Starts `hbench peer` with one option, at a port of its choice. */
static void start(const char *option, const char *value)
{
	char name[] = "peer", address[] = "127.0.0.1:0", line[100] = "", *colon;
	char *argv[] = { name, (char *)option, (char *)value, address, NULL };
	int out[2], err[2];
	struct error e;

	if (pipe(out) || pipe(err))
		exit(1);
	fflush(NULL);
	server = fork();
	if (!server) {
		dup2(out[1], 1);
		dup2(err[1], 2);
		exit(peer_command(4, argv));
	}
	close(out[1]);
	close(err[1]);
	complaints = err[0];
	*said = '\0';
	if (read(out[0], line, sizeof(line) - 1) <= 0 || !(colon = strchr(line, '\n')))
		exit(1);
	*colon = '\0';
	close(out[0]);
	if (address_parse(&at, line + strlen("listening on "), &e))
		exit(1);
}

/* Ends it; its exit status. */
static int stop(void)
{
	size_t n = 0;
	ssize_t got;
	int status;

	kill(server, SIGTERM);
	waitpid(server, &status, 0);
	while ((got = read(complaints, said + n, sizeof(said) - 1 - n)) > 0)
		n += (size_t)got;
	said[n] = '\0';
	close(complaints);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A stranger's connection that has read the greeting, or -1. */
static int come(struct greeting *g)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (!connect(fd, (struct sockaddr *)&at.at, at.length) &&
	    recv(fd, g, sizeof(*g), MSG_WAITALL) == sizeof(*g))
		return fd;
	close(fd);
	return -1;
}

/* Whether the other side closes fd, without another byte, while we wait. */
static bool is_dropped(int fd)
{
	struct pollfd p = { fd, POLLIN, 0 };
	char byte;

	return poll(&p, 1, PATIENCE_MS) == 1 && recv(fd, &byte, 1, 0) <= 0;
}

static bool is_dropped_after(const void *data, size_t n)
{
	struct greeting g;
	int fd = come(&g);
	bool dropped = fd >= 0 && send(fd, data, n, MSG_NOSIGNAL) == (ssize_t)n && is_dropped(fd);

	close(fd);
	return dropped;
}

/* A session of this process with channels of 1 KB; its channel of orders, or one of -1 and *e. */
static struct channel_end begin(uint64_t channels, struct handshake *h, struct error *e)
{
	struct answer a;

	*h = (struct handshake){ .request = { .kind = htobe64(CHANNEL_TCP),
					      .size = htobe64(1024),
					      .channels = htobe64(channels) } };
	int fd = client_greet(&at, h, &a, e);
	if (fd >= 0) {
		address_set_port(&at, (uint16_t)be64toh(a.port)); /* of the channels */
		ok(strstr(a.system, "Linux"), "the peer says what it is: %s", a.system);
	}
	return (struct channel_end){ fd, fd };
}

static bool is_served(void)
{
	struct address usual = at;
	struct handshake h;
	struct error e;
	struct channel_end orders = begin(0, &h, &e);
	bool served = orders.in >= 0 && work_done(&orders) == 0;

	if (!served)
		printf("# %s\n", e.text);
	close(orders.in);
	at = usual;
	return served;
}

/* Somebody at the peer's address who greets, says READY, and proves it with zeros. */
static void test_false_peer(void)
{
	struct handshake h = { .request.size = htobe64(1) };
	struct answer a = { .status = htobe64(ANSWER_READY) };
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	struct error e;

	if (address_parse(&at, "127.0.0.1:0", &e) ||
	    bind(listener, (struct sockaddr *)&at.at, at.length) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&at.at, &at.length))
		exit(1);
	fflush(NULL);
	pid_t impostor = fork();
	if (!impostor) {
		struct greeting g;
		struct request r;
		int fd = accept(listener, NULL, NULL);

		handshake_greet(&g);
		_exit(send(fd, &g, sizeof(g), 0) != sizeof(g) ||
		      recv(fd, &r, sizeof(r), MSG_WAITALL) != sizeof(r) ||
		      send(fd, &a, sizeof(a), 0) != sizeof(a));
	}
	ok(client_greet(&at, &h, &a, &e) < 0 && strstr(e.text, "does not know the secret"),
	   "a peer that does not know the secret is not believed: %s", e.text);
	waitpid(impostor, NULL, 0);
	close(listener);
}

static void test_strangers(void)
{
	struct handshake old = { .request.size = 0 };
	struct request garbage;
	struct greeting g;
	struct error e;

	start("--sessions", "4");
	memset(&garbage, 0xa5, sizeof(garbage));
	ok(is_dropped_after(&garbage, sizeof(garbage)), "garbage is not answered");
	ok(is_dropped_after("x", 1), "who is slow is dropped");
	use_secret(wrong);
	struct handshake h;
	ok(begin(0, &h, &e).in < 0 && strstr(e.text, "secret"), "a wrong secret: %s", e.text);
	use_secret(secret);
	int fd = come(&old.greeting);
	old.request.kind = htobe64(CHANNEL_TCP);
	handshake_request(&old);
	close(fd);
	ok(is_dropped_after(&old.request, sizeof(old.request)),
	   "a request that was right once is of no use again");
	ok(is_served(), "who knows the secret is served");
	cmp_int(stop(), 0, "SIGTERM is the usual end");
	ok(strstr(said, "does not know the secret"), "the peer tells who was refused");
	ok(come(&g) < 0, "nobody listens any more");
}

static void test_flood(void)
{
	enum { FLOOD = 200 };
	int fds[FLOOD], dropped = 0;
	struct greeting g;

	start("--sessions", "4");
	for (int i = 0; i < FLOOD; i++)
		fds[i] = come(&g);
	ok(is_served(),
	   "a flood of clients without the secret does not keep out one that knows it");
	for (int i = 0; i < FLOOD; i++) {
		struct pollfd p = { fds[i], POLLIN, 0 };

		dropped += poll(&p, 1, 0) == 1;
		close(fds[i]);
	}
	ok(dropped >= FLOOD - 64, "it holds no more than 64 of them (%d of %d dropped)", dropped,
	   FLOOD);
	cmp_int(stop(), 0, "and ends as usual");
}

static void test_sessions(void)
{
	struct channel_end orders[3];
	struct address usual;
	struct handshake h;
	struct error e;
	bool served;

	start("--sessions", "2");
	usual = at;
	for (int i = 0; i < 3; i++) {
		orders[i] = begin(0, &h, &e);
		at = usual;
	}
	ok(orders[1].in >= 0 && orders[2].in < 0 && strstr(e.text, "as many as it may"),
	   "the third of two sessions is refused: %s", e.text);
	close(orders[0].in);
	for (int i = 0; !(served = is_served()) && i < 600; i++)
		usleep(50000);
	ok(served, "until another ends");
	cmp_int(stop(), 0, "the peer ends");
	ok(work_done(&orders[1]) == 0 && is_dropped(orders[1].in), "and its sessions with it");
}

static void test_requests(void)
{
	static const struct {
		const char *what;
		uint64_t kind, size, channels;
	} bad[] = {
		{ "a pipe", CHANNEL_PIPE, 1, 1 },
		{ "an unknown kind", 99, 1, 1 },
		{ "no bytes", CHANNEL_TCP, 0, 1 },
		{ "too many bytes", CHANNEL_TCP, WORK_SIZE + 1, 1 },
		{ "too long a datagram", CHANNEL_UDP, 65508, 1 },
		{ "too many channels", CHANNEL_TCP, 1, WORK_CHANNELS + 1 },
	};
	struct answer a;
	struct error e;

	start("--sessions", "2");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct handshake h = { .request = { .kind = htobe64(bad[i].kind),
						    .size = htobe64(bad[i].size),
						    .channels = htobe64(bad[i].channels) } };

		ok(client_greet(&at, &h, &a, &e) < 0 && strstr(e.text, "does not do that"),
		   "%s: %s", bad[i].what, e.text);
	}
	cmp_int(stop(), 0, "the peer ends");
}

/* A session with one channel, after a stranger came to the same port. */
static struct channel_end open_channel(struct channel_end *orders)
{
	uint8_t token[HMAC_SIZE] = { 0 };
	struct handshake h;
	struct error e;
	int fds[2];

	*orders = begin(1, &h, &e);
	for (int genuine = 0; genuine < 2; genuine++) {
		if (genuine)
			handshake_token(&h, token);
		fds[genuine] = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fds[genuine], (struct sockaddr *)&at.at, at.length) ||
		    send(fds[genuine], token, sizeof(token), MSG_NOSIGNAL) != sizeof(token))
			exit(1);
	}
	ok(work_done(orders) == 1 && is_dropped(fds[0]), "a stranger is no channel");
	close(fds[0]);
	return (struct channel_end){ fds[1], fds[1] };
}

static void test_limits(void)
{
	static const char kilobyte[1024];
	struct channel_end orders, data;

	start("--bytes", "3k");
	data = open_channel(&orders);
	work_order(&orders, WORK_SINK, 2048);
	channel_send(&data, kilobyte, sizeof(kilobyte));
	channel_send(&data, kilobyte, sizeof(kilobyte));
	cmp_int(work_done(&orders), 2048, "2 of 3 KB are read");
	work_order(&orders, WORK_SINK, 1025);
	ok(is_dropped(orders.in), "more than 3 are not");
	channel_close_end(&orders);
	channel_close_end(&data);
	stop();
	ok(strstr(said, "--bytes"), "and the peer says why: %s", said);

	start("--time", "1s");
	data = open_channel(&orders);
	work_order(&orders, WORK_ECHO, 1);
	ok(is_dropped(orders.in), "a session ends after its time");
	channel_close_end(&orders);
	channel_close_end(&data);
	stop();
	ok(strstr(said, "--time"), "and the peer says why: %s", said);
}

/* Connects to the session from this address of the loopback interface; -1: it has none. */
static int connect_from(const char *host)
{
	struct address from;

	if (address_parse(&from, host, NULL))
		exit(1);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (!bind(fd, (struct sockaddr *)&from.at, from.length) &&
	    !connect(fd, (struct sockaddr *)&at.at, at.length))
		return fd;
	close(fd);
	return -1;
}

static void test_connections(void)
{
	struct handshake h;
	struct error e;

	start("--sessions", "2");
	struct channel_end orders = begin(0, &h, &e);
	int stranger = connect_from("127.0.0.2:0"), known = connect_from("127.0.0.1:0");
	ok(work_done(&orders) == 0 && known >= 0, "connections to the session");
	work_order(&orders, WORK_ACCEPT, 1);
	ok(work_done(&orders) == 1 && is_dropped(known), "one is accepted and closed");
	if (stranger >= 0)
		ok(is_dropped(stranger), "not that of another host, which came before");
	else
		pass("# SKIP this machine has no second loopback address");
	work_order(&orders, WORK_ACCEPT, WORK_CONNECTIONS + 1);
	ok(is_dropped(orders.in), "there are so many at once and no more");
	close(stranger);
	close(known);
	channel_close_end(&orders);
	stop();
}

static void test_orders(void)
{
	static const struct {
		const char *what;
		enum work work;
		uint64_t amount;
	} bad[] = {
		{ "an unknown work", WORKS, 1 },
		{ "two channels of one", WORK_TAKE, 2 },
		{ "no channel", WORK_GIVE, 0 },
		{ "connections with channels", WORK_ACCEPT, 1 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct channel_end orders, data;

		start("--sessions", "2");
		data = open_channel(&orders);
		work_order(&orders, bad[i].work, bad[i].amount);
		ok(is_dropped(orders.in), "an order that cannot be obeyed: %s", bad[i].what);
		channel_close_end(&orders);
		channel_close_end(&data);
		stop();
	}
}

int main(void)
{
	test_proofs();
	test_secrets();
	test_false_peer();
	test_strangers();
	test_flood();
	test_sessions();
	test_requests();
	test_limits();
	test_connections();
	test_orders();
	return done_testing();
}
