/* SPDX-License-Identifier: MIT */
/*
 * hbench peer: the other end of the network benchmarks of another machine.
 *
 * This process only listens, reads requests of a fixed size, and checks their proof
 * (bench/common/handshake.h).  Who has proved to know the secret gets a process of its own, which
 * does the work of bench/common/work.h; who has not is dropped after a few seconds, or as soon as
 * others need the place.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../bench/common/session.h"
#include "../bench/common/work.h"
#include "hbench.h"
#include "util/address.h"
#include "util/monotonic.h"
#include "util/opt.h"
#include "util/vec.h"

enum { STRANGERS = 64 }; /* at a time, who have not proved anything yet */

static const double patience = 5; /* seconds that a stranger has for the proof */

static struct {
	const char *secret;
	uint64_t sessions, bytes;
	double time;
	bool quiet;
} set = { .sessions = 16, .bytes = UINT64_C(64) << 30, .time = 600 };

static const struct opt options[] = {
	{ 0, "secret", OPT_STRING, &set.secret, "FILE",
	  .help = "whose first line is the secret ($OSVEC_SECRET)" },
	{ 0, "sessions", OPT_COUNT, &set.sessions, "N", 1, 1024, "benchmarks served at once (16)" },
	{ 0, "bytes", OPT_SIZE, &set.bytes, "SIZE", 1, 1e18, "moved for one benchmark (64g)" },
	{ 0, "time", OPT_DURATION, &set.time, "TIME", 1, 1e6, "for one benchmark (10m)" },
	{ 'q', "quiet", OPT_FLAG, &set.quiet, .help = "no messages about benchmarks refused" },
	{ 0 }
};

static const struct opt_usage usage = {
	"hbench peer",
	"HOST:PORT",
	"Serves the network benchmarks of another machine (hbench run --peer), at this address of\n"
	"this machine only, and only those who know the secret.  Ends by a signal (Ctrl-C).",
	"hbench peer --secret ~/.osvec-secret 192.0.2.7:7411",
};

/* Who is connected: a stranger until pid is set, then a benchmark with a process of ours. */
struct guest {
	int fd;
	pid_t pid;
	struct address from;
	struct handshake handshake;
	size_t got;	 /* bytes of the request */
	double deadline; /* of a stranger */
};

static VEC(struct guest) guests; /* in the order in which they came */
static size_t sessions;		 /* of them, benchmarks */
static int listener, signals;	 /* descriptors */

static void complain(const struct guest *g, const char *why)
{
	char text[ADDRESS_TEXT];

	if (!set.quiet)
		warnx("%s: %s", address_text(&g->from, text), why);
}

static void drop(size_t i)
{
	close(guests.v[i].fd);
	sessions -= guests.v[i].pid != 0;
	memmove(&guests.v[i], &guests.v[i + 1], (--guests.n - i) * sizeof(*guests.v));
}

/* -- strangers --------------------------------------------------------------------------------- */

/* The longest waiting one makes room. */
static void make_room(void)
{
	size_t i = 0;

	if (guests.n - sessions < STRANGERS)
		return;
	while (guests.v[i].pid)
		i++;
	drop(i);
}

static void welcome(void)
{
	struct guest g = { .from.length = sizeof(g.from.at),
			   .deadline = monotonic_seconds() + patience };

	g.fd = accept4(listener, (struct sockaddr *)&g.from.at, &g.from.length,
		       SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (g.fd < 0)
		return;
	make_room();
	handshake_greet(&g.handshake.greeting);
	if (channel_prepare(g.fd, CHANNEL_TCP) &&
	    send(g.fd, &g.handshake.greeting, sizeof(g.handshake.greeting), MSG_NOSIGNAL) ==
		sizeof(g.handshake.greeting))
		vec_push(&guests, g);
	else
		close(g.fd);
}

/* In a new process: works for guest i. */
static _Noreturn void work(size_t i, pid_t parent)
{
	const struct guest g = guests.v[i];
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* A benchmark that ends resets its channels: an error of no interest. */
	int null = open("/dev/null", O_WRONLY);
	if (dup2(g.fd, 0) != 0 || dup2(null, 2) != 2)
		_exit(1);
	close(listener);
	close(signals);
	for (size_t j = 0; j < guests.n; j++)
		if (guests.v[j].fd != 0)
			close(guests.v[j].fd);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_IGN);
	fcntl(0, F_SETFL, 0); /* calls on it may wait */
	alarm((unsigned)set.time);
	session_serve(0, &g.handshake, set.bytes);
}

/* The request of guest i is complete.  False: the guest is to be dropped. */
static bool decide(size_t i)
{
	struct guest *g = &guests.v[i];
	pid_t parent = getpid();

	if (!handshake_is_request(&g->handshake)) {
		complain(g, "refused: it does not know the secret");
		return false;
	}
	bool possible = session_is_possible(&g->handshake.request);
	pid_t pid = possible && sessions < set.sessions ? fork() : -1;
	if (pid < 0) {
		session_refuse(g->fd, &g->handshake, possible ? ANSWER_BUSY : ANSWER_REFUSED);
		complain(g, possible ? "refused: too many benchmarks" : "refused: not done here");
		return false;
	}
	if (pid == 0)
		work(i, parent);
	g->pid = pid;
	sessions++;
	return true;
}

/* Takes what a stranger has sent.  False: the guest is to be dropped. */
static bool listen_to(size_t i)
{
	struct guest *g = &guests.v[i];
	ssize_t n = recv(g->fd, (char *)&g->handshake.request + g->got,
			 sizeof(g->handshake.request) - g->got, 0);

	if (n <= 0)
		return n < 0 && errno == EAGAIN;
	g->got += (size_t)n;
	return g->got < sizeof(g->handshake.request) || decide(i);
}

/* -- benchmarks -------------------------------------------------------------------------------- */

/* A benchmark's process has ended, or its benchmark has. */
static void bury(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < guests.n; i++) {
			if (guests.v[i].pid != pid)
				continue;
			if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
				complain(&guests.v[i], "ended: it took too long (--time)");
			if (WIFEXITED(status) && WEXITSTATUS(status) == WORK_SPENT)
				complain(&guests.v[i], "ended: it moved too much (--bytes)");
			drop(i--);
		}
}

/* -- all --------------------------------------------------------------------------------------- */

static void open_listener(const char *text)
{
	char shown[ADDRESS_TEXT];
	struct address at;
	struct error e;
	int yes = 1;

	if (address_parse(&at, text, &e))
		opt_bad_usage(&usage, "%s", e.text);
	if (address_is_every(&at))
		opt_bad_usage(&usage, "%s is every address of this machine: give one", text);
	listener = socket(at.at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    bind(listener, (struct sockaddr *)&at.at, at.length) || listen(listener, SOMAXCONN) ||
	    getsockname(listener, (struct sockaddr *)&at.at, &at.length))
		err(1, "%s", text);
	printf("listening on %s\n", address_text(&at, shown));
	if (opt_finish(0))
		exit(1);
}

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

/* True if a signal is to end this program. */
static bool read_signals(void)
{
	struct signalfd_siginfo s;
	bool ends = false;

	while (read(signals, &s, sizeof(s)) == sizeof(s))
		ends |= s.ssi_signo != SIGCHLD;
	bury();
	return ends;
}

/* Milliseconds until the first stranger has waited too long; -1: there is none. */
static int time_left(void)
{
	for (size_t i = 0; i < guests.n; i++)
		if (!guests.v[i].pid) {
			double left = guests.v[i].deadline - monotonic_seconds();

			return left > 0 ? (int)(left * 1e3) + 1 : 0;
		}
	return -1;
}

/* Guest i has sent something, hung up, or waited long enough. */
static bool attend(size_t i, short events)
{
	struct guest *g = &guests.v[i];

	if (g->pid) {
		if (events)
			kill(g->pid, SIGKILL); /* it may wait for a lost datagram */
		return true;
	}
	return (!events || listen_to(i)) && monotonic_seconds() < g->deadline;
}

static void serve(void)
{
	VEC(struct pollfd) fds = { 0 };

	for (;;) {
		fds.n = 0;
		vec_push(&fds, (struct pollfd){ signals, POLLIN, 0 });
		vec_push(&fds, (struct pollfd){ listener, POLLIN, 0 });
		for (size_t i = 0; i < guests.n; i++)
			vec_push(&fds, (struct pollfd){ guests.v[i].fd,
							guests.v[i].pid ? POLLRDHUP : POLLIN, 0 });
		if (poll(fds.v, fds.n, time_left()) < 0 && errno != EINTR)
			err(1, "poll");
		/* From the last, as dropping moves those behind. */
		for (size_t i = guests.n; i--;)
			if (!attend(i, fds.v[2 + i].revents))
				drop(i);
		if (fds.v[0].revents && read_signals())
			break;
		if (fds.v[1].revents)
			welcome();
	}
	vec_free(&fds);
}

int peer_command(int argc, char **argv)
{
	struct error e;
	int first = opt_parse_mixed(argc, argv, &usage, options);

	if (argc - first != 1)
		opt_bad_usage(&usage, "one address, HOST:PORT");
	if ((set.secret && handshake_read_secret(set.secret, &e)) || handshake_init(&e))
		errx(1, "%s", e.text);
	const char *reason = descriptors_reason(STRANGERS + set.sessions);
	if (reason)
		errx(1, "%s", reason);
	open_signals();
	open_listener(argv[first]);
	serve();
	for (size_t i = 0; i < guests.n; i++)
		if (guests.v[i].pid)
			kill(guests.v[i].pid, SIGKILL);
	while (wait(NULL) > 0)
		;
	vec_free(&guests);
	return 0;
}
