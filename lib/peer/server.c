/* SPDX-License-Identifier: MIT */
#include "server.h"

#include <endian.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "handshake.h"
#include "util/monotonic.h"
#include "util/vec.h"
#include "work.h"

/* -- one benchmark, in a process of its own ---------------------------------------------------- */

/* Whether this is done here: kind, size and number of channels. */
static bool is_possible(const struct request *r)
{
	uint64_t kind = be64toh(r->kind), size = be64toh(r->size);

	return (kind == CHANNEL_TCP || (kind == CHANNEL_UDP && size <= CHANNEL_DATAGRAM)) &&
	       size >= 1 && size <= WORK_SIZE && be64toh(r->channels) <= WORK_CHANNELS;
}

static void answer(int fd, const struct handshake *h, enum answer_status status, uint16_t port)
{
	struct answer a = { .status = htobe64((uint64_t)status), .port = htobe64(port) };
	struct utsname u;

	if (status == ANSWER_READY && !uname(&u))
		snprintf(a.system, sizeof(a.system), "%.40s %.20s %.40s %.20s", u.nodename,
			 u.sysname, u.release, u.machine);
	handshake_answer(h, &a);
	send(fd, &a, sizeof(a), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* A new socket at any port of the host address *at, which becomes its address. */
static int bind_there(struct address *at, int type)
{
	int fd = socket(at->at.ss_family, type, 0);

	address_set_port(at, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at->at, at->length) ||
	    (type == SOCK_STREAM && listen(fd, SOMAXCONN)) ||
	    getsockname(fd, (struct sockaddr *)&at->at, &at->length))
		err(1, "a socket for the benchmark");
	return fd;
}

/* The next connection that begins with the token; all others are closed. */
static int accept_channel(const struct worker *w, const uint8_t token[HMAC_SIZE])
{
	const struct timeval soon = { .tv_sec = 1 }, never = { 0 };

	for (;;) {
		uint8_t begins[HMAC_SIZE];
		int fd = work_accept(w);

		if (!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon)) &&
		    recv(fd, begins, sizeof(begins), MSG_WAITALL) == sizeof(begins) &&
		    hmac_equal(begins, token) &&
		    !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &never, sizeof(never)) &&
		    channel_prepare(fd, CHANNEL_TCP))
			return fd;
		close(fd);
	}
}

static int connect_udp(const struct channel_end *orders, struct address here, struct address client)
{
	int fd = bind_there(&here, SOCK_DGRAM);
	uint64_t port = htobe64(address_port(&here));

	address_set_port(&client, (uint16_t)work_done(orders));
	if (connect(fd, (struct sockaddr *)&client.at, client.length))
		err(1, "a socket for the benchmark");
	channel_send(orders, &port, sizeof(port));
	return fd;
}

/* Opens the channels wanted, on the host address of fd, and works until the benchmark closes fd or
 * so many bytes were moved; ends the process: 0, 1 after an error, WORK_SPENT. */
static _Noreturn void serve_client(int fd, const struct handshake *h, uint64_t bytes)
{
	const struct channel_end orders = { fd, fd };
	struct address here = { .length = sizeof(here.at) };
	uint8_t token[HMAC_SIZE];
	struct worker w;

	worker_init(&w, be64toh(h->request.size));
	w.bytes = bytes;
	w.count = be64toh(h->request.channels);
	w.client.length = sizeof(w.client.at);
	if (getsockname(fd, (struct sockaddr *)&here.at, &here.length) ||
	    getpeername(fd, (struct sockaddr *)&w.client.at, &w.client.length))
		err(1, "the benchmark's address");
	w.listener = bind_there(&here, SOCK_STREAM);
	answer(fd, h, ANSWER_READY, address_port(&here));
	handshake_token(h, token);
	for (uint64_t i = 0; i < w.count; i++) {
		int end = be64toh(h->request.kind) == CHANNEL_TCP
			      ? accept_channel(&w, token)
			      : connect_udp(&orders, here, w.client);

		w.channels[i] = (struct channel_end){ end, end };
	}
	if (w.count) {
		close(w.listener);
		w.listener = -1;
	}
	uint64_t opened = htobe64(w.count);
	channel_send(&orders, &opened, sizeof(opened));
	worker_serve(&w, &orders);
}

/* -- all of them ------------------------------------------------------------------------------- */

enum { UNPROVEN = 64 }; /* connections at a time whose proof has not come yet */

static const double patience = 5; /* seconds that a client has for its proof */

/* A connection: without a proof until pid is set, then a benchmark that a process of ours serves.
 */
struct client {
	int fd;
	pid_t pid;
	struct address from;
	struct handshake handshake;
	size_t got;	 /* bytes of the request */
	double deadline; /* of the proof */
};

static VEC(struct client) clients; /* in the order in which they came */
static size_t sessions;		   /* of them, benchmarks */
static int listener, signals;	   /* descriptors */
static const struct server_limits *limits;

static void report(const struct client *c, const char *why)
{
	char text[ADDRESS_TEXT];

	if (!limits->quiet)
		warnx("%s: %s", address_text(&c->from, text), why);
}

static void drop(size_t i)
{
	close(clients.v[i].fd);
	sessions -= clients.v[i].pid != 0;
	memmove(&clients.v[i], &clients.v[i + 1], (--clients.n - i) * sizeof(*clients.v));
}

/* -- clients without a proof ------------------------------------------------------------------- */

/* Drops the one that has been connected longest when there are too many. */
static void make_room(void)
{
	size_t i = 0;

	if (clients.n - sessions < UNPROVEN)
		return;
	while (clients.v[i].pid)
		i++;
	drop(i);
}

static void accept_client(void)
{
	struct client c = { .from.length = sizeof(c.from.at),
			    .deadline = monotonic_seconds() + patience };

	c.fd = accept4(listener, (struct sockaddr *)&c.from.at, &c.from.length,
		       SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (c.fd < 0)
		return;
	make_room();
	handshake_greet(&c.handshake.greeting);
	if (channel_prepare(c.fd, CHANNEL_TCP) &&
	    send(c.fd, &c.handshake.greeting, sizeof(c.handshake.greeting), MSG_NOSIGNAL) ==
		sizeof(c.handshake.greeting))
		vec_push(&clients, c);
	else
		close(c.fd);
}

/* In a new process: works for client i. */
static _Noreturn void work(size_t i, pid_t parent)
{
	const struct client c = clients.v[i];
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* A benchmark that ends resets its channels: an error of no interest. */
	int null = open("/dev/null", O_WRONLY);
	if (dup2(c.fd, 0) != 0 || dup2(null, 2) != 2)
		_exit(1);
	close(listener);
	close(signals);
	for (size_t j = 0; j < clients.n; j++)
		if (clients.v[j].fd != 0)
			close(clients.v[j].fd);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_IGN);
	fcntl(0, F_SETFL, 0); /* calls on it may wait */
	alarm((unsigned)limits->time);
	serve_client(0, &c.handshake, limits->bytes);
}

/* The request of client i is complete.  False: the client is to be dropped. */
static bool decide(size_t i)
{
	struct client *c = &clients.v[i];
	pid_t parent = getpid();

	if (!handshake_is_request(&c->handshake)) {
		report(c, "refused: it does not know the secret");
		return false;
	}
	bool possible = is_possible(&c->handshake.request);
	pid_t pid = possible && sessions < limits->sessions ? fork() : -1;
	if (pid < 0) {
		answer(c->fd, &c->handshake, possible ? ANSWER_BUSY : ANSWER_REFUSED, 0);
		report(c, possible ? "refused: too many benchmarks" : "refused: not done here");
		return false;
	}
	if (pid == 0)
		work(i, parent);
	c->pid = pid;
	sessions++;
	return true;
}

/* Reads what a client without a proof has sent.  False: the client is to be dropped. */
static bool read_request(size_t i)
{
	struct client *c = &clients.v[i];
	ssize_t n = recv(c->fd, (char *)&c->handshake.request + c->got,
			 sizeof(c->handshake.request) - c->got, 0);

	if (n <= 0)
		return n < 0 && errno == EAGAIN;
	c->got += (size_t)n;
	return c->got < sizeof(c->handshake.request) || decide(i);
}

/* -- benchmarks -------------------------------------------------------------------------------- */

/* A benchmark's process has ended, or its benchmark has. */
static void reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < clients.n; i++) {
			if (clients.v[i].pid != pid)
				continue;
			if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
				report(&clients.v[i], "ended: it took too long (--time)");
			if (WIFEXITED(status) && WEXITSTATUS(status) == WORK_SPENT)
				report(&clients.v[i], "ended: it moved too much (--bytes)");
			drop(i--);
		}
}

/* -- all --------------------------------------------------------------------------------------- */

static void open_signals(void)
{
	static const int numbers[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP };
	struct sigaction action;
	sigset_t wanted;

	sigemptyset(&wanted);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!sigaction(numbers[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&wanted, numbers[i]); /* not under nohup(1) */
	sigprocmask(SIG_BLOCK, &wanted, NULL);
	signals = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		err(1, "signalfd");
}

const char *server_reason(uint64_t sessions_most)
{
	return descriptors_reason(UNPROVEN + sessions_most);
}

void server_open(struct address *at)
{
	char text[ADDRESS_TEXT];
	int yes = 1;

	open_signals();
	listener = socket(at->at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    bind(listener, (struct sockaddr *)&at->at, at->length) || listen(listener, SOMAXCONN) ||
	    getsockname(listener, (struct sockaddr *)&at->at, &at->length))
		err(1, "%s", address_text(at, text));
}

/* True if a signal is to end this program. */
static bool read_signals(void)
{
	struct signalfd_siginfo s;
	bool ends = false;

	while (read(signals, &s, sizeof(s)) == sizeof(s))
		ends |= s.ssi_signo != SIGCHLD;
	reap();
	return ends;
}

/* Milliseconds until the first client without a proof has taken too long; -1: there is none. */
static int time_left(void)
{
	for (size_t i = 0; i < clients.n; i++)
		if (!clients.v[i].pid) {
			double left = clients.v[i].deadline - monotonic_seconds();

			return left > 0 ? (int)(left * 1e3) + 1 : 0;
		}
	return -1;
}

/* Client i has sent something, hung up, or waited long enough. */
static bool serve_events(size_t i, short events)
{
	struct client *c = &clients.v[i];

	if (c->pid) {
		if (events)
			kill(c->pid, SIGKILL); /* it may wait for a lost datagram */
		return true;
	}
	return (!events || read_request(i)) && monotonic_seconds() < c->deadline;
}

void server_serve(const struct server_limits *given)
{
	VEC(struct pollfd) fds = { 0 };

	limits = given;
	for (;;) {
		fds.n = 0;
		vec_push(&fds, (struct pollfd){ signals, POLLIN, 0 });
		vec_push(&fds, (struct pollfd){ listener, POLLIN, 0 });
		for (size_t i = 0; i < clients.n; i++)
			vec_push(&fds, (struct pollfd){ clients.v[i].fd,
							clients.v[i].pid ? POLLRDHUP : POLLIN, 0 });
		if (poll(fds.v, fds.n, time_left()) < 0 && errno != EINTR)
			err(1, "poll");
		/* From the last, as dropping moves those behind. */
		for (size_t i = clients.n; i--;)
			if (!serve_events(i, fds.v[2 + i].revents))
				drop(i);
		if (fds.v[0].revents && read_signals())
			break;
		if (fds.v[1].revents)
			accept_client();
	}
	vec_free(&fds);
	for (size_t i = 0; i < clients.n; i++)
		if (clients.v[i].pid)
			kill(clients.v[i].pid, SIGKILL);
	while (wait(NULL) > 0)
		;
	vec_free(&clients);
}
