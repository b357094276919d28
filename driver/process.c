/* SPDX-License-Identifier: MIT */
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/placement.h"
#include "util/monotonic.h"
#include "util/vec.h"

enum { OUTPUT_MAX = 1 << 20 }; /* bytes kept of each stream */

static volatile sig_atomic_t arrived;

static const int deadly[] = { SIGINT, SIGTERM, SIGHUP };

struct captured {
	int fd; /* -1: at its end */
	VEC(char) text;
};

/* A process while it runs. */
struct child {
	pid_t pid; /* 0: reaped */
	struct captured out, err;
};

static void note(int signal)
{
	if (signal != SIGCHLD)
		arrived = signal;
}

/* Signals that wake ppoll are blocked outside of it, so that none is missed. */
static void listen_to(int signal)
{
	struct sigaction action = { .sa_handler = note };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(signal, &action, NULL);
}

void process_catch_signals(void)
{
	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		listen_to(deadly[i]);
	/* A file beyond the limit is an error to report, not a reason to die. */
	signal(SIGXFSZ, SIG_IGN);
}

int process_interrupted(void)
{
	sigset_t pending;

	/* Blocked ones are pending and only seen when we sleep. */
	if (!arrived && !sigpending(&pending))
		for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
			if (sigismember(&pending, deadly[i]) > 0)
				arrived = deadly[i];
	return arrived;
}

/* In the child: never returns.  report is a pipe that closes on exec. */
static _Noreturn void become(const struct process *p, int out, int err, int report, pid_t parent)
{
	sigset_t none;
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* to remove what the kernel keeps beyond a process */
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (getppid() != parent)
		_exit(127);
	if (p->first) {
		char *first = xasprintf("%d", *p->first);

		setenv(PLACEMENT_VARIABLE, first, 1);
		free(first);
	} else {
		unsetenv(PLACEMENT_VARIABLE);
	}
	char *padding = xmalloc(p->padding + 1);
	memset(padding, 'x', p->padding);
	padding[p->padding] = '\0';
	setenv("OSVEC_PADDING", padding, 1);
	if (dup2(null, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2 &&
	    (!p->cpus || !sched_setaffinity(0, sizeof(*p->cpus), p->cpus)))
		execv(p->argv[0], p->argv);
	int failed = errno;
	_exit(write(report, &failed, sizeof(failed)) > 0 ? 127 : 126);
}

static void close_all(const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* errno of what went wrong, or 0. */
static int start(const struct process *p, struct child *c)
{
	int fd[6] = { -1, -1, -1, -1, -1, -1 }, failed = 0;
	pid_t parent = getpid();

	if (pipe2(fd, O_CLOEXEC) || pipe2(fd + 2, O_CLOEXEC) || pipe2(fd + 4, O_CLOEXEC) ||
	    (c->pid = fork()) < 0) {
		failed = errno;
		c->pid = 0;
		close_all(fd, 6);
		return failed;
	}
	if (c->pid == 0)
		become(p, fd[1], fd[3], fd[5], parent);
	setpgid(c->pid, c->pid);
	close(fd[1]);
	close(fd[3]);
	close(fd[5]);
	/* Ends when exec closed the other side. */
	while (read(fd[4], &failed, sizeof(failed)) < 0 && errno == EINTR)
		;
	close(fd[4]);
	c->out.fd = fd[0];
	c->err.fd = fd[2];
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	fcntl(fd[2], F_SETFL, O_NONBLOCK);
	return failed;
}

static void drain(struct captured *s)
{
	char chunk[16384];
	ssize_t got;

	while (s->fd >= 0 && (got = read(s->fd, chunk, sizeof(chunk))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return;
		if (got < 0)
			break;
		size_t room = OUTPUT_MAX - s->text.n;
		size_t n = (size_t)got < room ? (size_t)got : room;
		vec_reserve(&s->text, n + 1);
		memcpy(s->text.v + s->text.n, chunk, n);
		s->text.n += n;
	}
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* Takes the end of c when it has ended. */
static void reap(struct process *p, struct child *c, double began, int flags)
{
	siginfo_t info = { 0 };
	int status;

	if (!c->pid || waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT | flags) ||
	    !info.si_pid)
		return;
	p->wall = monotonic_seconds() - began;
	/* What it left must not disturb the next; until it is reaped, its group is its own. */
	kill(-c->pid, SIGKILL);
	waitpid(c->pid, &status, 0);
	p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	c->pid = 0;
	drain(&c->out);
	drain(&c->err);
}

/* Sleeps until something is to be read, the child ends, a signal arrives or the time is over; takes
 * what there is. */
static void wait_for_news(struct process *p, struct child *c, double began, double seconds)
{
	struct pollfd fds[] = { { c->out.fd, POLLIN, 0 }, { c->err.fd, POLLIN, 0 } };
	struct timespec left = { .tv_sec = (time_t)seconds };
	sigset_t none;

	left.tv_nsec = (long)((seconds - floor(seconds)) * 1e9);
	sigemptyset(&none);
	ppoll(fds, 2, &left, &none);
	drain(&c->out);
	drain(&c->err);
	reap(p, c, began, WNOHANG);
}

static void signal_group(const struct child *c, int number)
{
	if (c->pid)
		kill(-c->pid, number);
}

/* SIGTERM first, so that the benchmark can remove its files. */
static void end(struct process *p, struct child *c, double began)
{
	const double patience = 1;
	double last = monotonic_seconds() + patience, left;

	signal_group(c, SIGTERM);
	while (c->pid && (left = last - monotonic_seconds()) > 0)
		wait_for_news(p, c, began, fmin(left, 0.01));
	signal_group(c, SIGKILL);
	reap(p, c, began, 0);
}

/* Time in which this process was stopped (Ctrl-Z, a suspended machine) is not the child's: of each
 * wait counts no more than it was to last, and a second. */
static void watch(struct process *p, struct child *c, double began, double timeout)
{
	const double longest = 1;
	double left = timeout, last = began;

	while (c->pid && !process_interrupted()) {
		p->timed_out = left <= 0;
		if (p->timed_out)
			break;
		wait_for_news(p, c, began, fmin(left, longest));
		double now = monotonic_seconds();
		left -= fmin(now - last, 2 * longest);
		last = now;
	}
}

/* The text, terminated, for the caller. */
static char *finish(struct captured *s)
{
	if (s->fd >= 0)
		close(s->fd);
	vec_push(&s->text, '\0');
	return s->text.v;
}

int process_run(struct process *p, double timeout, struct error *e)
{
	struct child c = { .out = { .fd = -1 }, .err = { .fd = -1 } };
	double began = monotonic_seconds();

	listen_to(SIGCHLD);
	p->timed_out = false;
	int why = start(p, &c), failed = 0;
	if (why)
		failed = error_set(e, "%s: %s", p->argv[0], strerror(why));
	else
		watch(p, &c, began, timeout);
	end(p, &c, began);
	p->out = finish(&c.out);
	p->err = finish(&c.err);
	if (!failed && process_interrupted())
		failed = error_set(e, "interrupted");
	return failed;
}

void process_done(struct process *p)
{
	free(p->out);
	free(p->err);
	p->out = p->err = NULL;
}

const char *process_reason(const struct process *p, char *out, size_t n)
{
	size_t length = strlen(p->err);

	if (p->timed_out) {
		snprintf(out, n, "killed after %.0f s: it hangs, or 'set timeout' is too short",
			 p->wall);
		return out;
	}
	while (length && strchr("\n\r\t ", p->err[length - 1]))
		length--;
	const char *line = memrchr(p->err, '\n', length);
	line = line ? line + 1 : p->err;
	length -= (size_t)(line - p->err);
	if (length)
		snprintf(out, n, "%.*s", (int)length, line);
	else if (p->status > 128)
		snprintf(out, n, "ended by signal %d (%s)", p->status - 128,
			 strsignal(p->status - 128));
	else
		snprintf(out, n, "exit status %d without a word", p->status);
	/* `skipped` is tab-separated: the reason must not contain tabs. */
	for (char *s = out; *s; s++)
		if ((unsigned char)*s < ' ')
			*s = ' ';
	return out;
}

/* Programs are executable files without a dot; in a build tree objects lie beside them. */
static bool is_program(const char *directory, const char *name)
{
	char *path = xasprintf("%s/%s", directory, name);
	struct stat st;
	bool is =
	    !strchr(name, '.') && !access(path, X_OK) && !stat(path, &st) && S_ISREG(st.st_mode);

	free(path);
	return is;
}

int process_programs(const char *directory, struct names *out, struct error *e)
{
	struct dirent **found;
	int n = scandir(directory, &found, NULL, alphasort);

	if (n < 0)
		return error_set(e, "%s: %s", directory, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (is_program(directory, found[i]->d_name))
			names_add(out, found[i]->d_name);
		free(found[i]);
	}
	free(found);
	return out->n ? 0 : error_set(e, "%s: no benchmark program", directory);
}

json_t *process_describe(const char *directory, const char *program, char *const *arguments,
			 size_t n, struct error *e)
{
	const double timeout = 10; /* seconds; a description measures nothing */
	char *path = xasprintf("%s/%s", directory, program), flag[] = "-L", reason[500];
	char **argv = xcalloc(n + 3, sizeof(*argv));
	struct process p = { .argv = argv };
	bool refused = false;
	json_error_t why;
	json_t *o = NULL;

	argv[0] = path;
	argv[1] = flag;
	for (size_t i = 0; i < n; i++)
		argv[2 + i] = arguments[i];
	if (!process_run(&p, timeout, e)) {
		if (p.status || p.timed_out) {
			process_reason(&p, reason, sizeof(reason));
			bool named = !strncmp(reason, program, strlen(program));
			error_set(e, "%s%s%s", named ? "" : path, named ? "" : " -L: ", reason);
			refused = !p.timed_out && p.status == EXIT_USAGE;
		} else if (!(o = json_loads(p.out, 0, &why)))
			error_set(e, "%s -L: not JSON: %s", path, why.text);
	}
	process_done(&p);
	free(argv);
	free(path);
	if (refused)
		errno = EINVAL;
	return o;
}

/* -- leftovers --------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

/* Benchmarks make NAME/NAME and hold a lock on the former (bench/common/files.c). */
static bool is_leftover(const char *path, const char *name)
{
	char *inner = xasprintf("%s/%s", path, name);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat outer, st;
	bool is = fd >= 0 && !fstat(fd, &outer) && outer.st_uid == geteuid() &&
		  !lstat(inner, &st) && S_ISDIR(st.st_mode) && !flock(fd, LOCK_EX | LOCK_NB);

	if (fd >= 0)
		close(fd);
	free(inner);
	return is;
}

static int is_scratch(const struct dirent *d)
{
	return !fnmatch("osvec-??????", d->d_name, 0);
}

size_t process_remove_leftovers(const char *directory)
{
	struct dirent **found;
	int n = scandir(directory, &found, is_scratch, NULL);
	size_t removed = 0;

	for (int i = 0; i < n; i++) {
		char *path = xasprintf("%s/%s", directory, found[i]->d_name);

		if (is_leftover(path, found[i]->d_name))
			removed += !nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
		free(path);
		free(found[i]);
	}
	if (n >= 0)
		free(found);
	return removed;
}
