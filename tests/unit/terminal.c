/* SPDX-License-Identifier: MIT */
/*
 * Job control through 'ktranal record' and 'ktranal time': on a terminal of its own, a small shell
 * starts a job, and ^Z, fg and ^C must have the same effect as without ktranal.  And the screen of
 * 'ktranal top'.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "../tap.h"

enum { PATIENCE_MS = 20000 };

/* ---- the job ---- */

static void say(const char *s)
{
	if (write(1, s, strlen(s)) < 0)
		_exit(99);
}

static void on_continue(int number)
{
	(void)number;
	say("continued\n");
}

static void on_interrupt(int number)
{
	(void)number;
	say("interrupted\n");
	_exit(5);
}

/* As an editor does: it puts its terminal in order, then stops by itself. */
static void on_stop(int number)
{
	sigset_t set;

	say("suspending\n");
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	signal(number, on_stop);
}

/* For 'ktranal top': makes calls until that ends. */
static _Noreturn void work(void)
{
	pid_t parent = getppid();

	say("across the screen");
	while (getppid() == parent)
		usleep(1000);
	_exit(0);
}

/* "plain", "editor" handles ^Z by itself, "stopper" stops without being asked to. */
static _Noreturn void job(const char *kind)
{
	if (!strcmp(kind, "worker"))
		work();
	signal(SIGCONT, on_continue);
	signal(SIGINT, on_interrupt);
	if (!strcmp(kind, "editor"))
		signal(SIGTSTP, on_stop);
	say("ready\n");
	if (!strcmp(kind, "stopper"))
		raise(SIGSTOP);
	for (;;)
		pause();
}

/* ---- the shell ---- */

/* Runs argv as a foreground job; writes each wait status to `out`, and on a stop does fg. */
static _Noreturn void shell(const char *terminal, char *const *argv, int out)
{
	int status;

	setsid();
	int fd = open(terminal, O_RDWR);
	if (fd < 0 || ioctl(fd, TIOCSCTTY, 0) || dup2(fd, 0) || dup2(fd, 1) != 1)
		_exit(98);
	signal(SIGTTOU, SIG_IGN);
	pid_t pid = fork();
	if (!pid) {
		setpgid(0, 0);
		tcsetpgrp(0, getpid());
		signal(SIGTTOU, SIG_DFL);
		execv(argv[0], argv);
		_exit(97);
	}
	setpgid(pid, pid);
	do {
		if (waitpid(pid, &status, WUNTRACED) != pid)
			_exit(96);
		tcsetpgrp(0, getpid());
		if (write(out, &status, sizeof(status)) != sizeof(status))
			_exit(95);
		usleep(50000);
		if (WIFSTOPPED(status)) {
			tcsetpgrp(0, pid);
			kill(-pid, SIGCONT);
		}
	} while (WIFSTOPPED(status));
	_exit(0);
}

/* ---- the test ---- */

/* Reads until text has come; false after a long time. */
static bool expect(int fd, const char *text)
{
	char seen[4096] = "";
	size_t n = 0;
	struct pollfd p = { fd, POLLIN, 0 };

	while (!strstr(seen, text) && n < sizeof(seen) - 1 && poll(&p, 1, PATIENCE_MS) > 0) {
		ssize_t got = read(fd, seen + n, sizeof(seen) - 1 - n);

		if (got <= 0)
			break;
		seen[n += (size_t)got] = '\0';
	}
	if (strstr(seen, text))
		return true;
	for (char *line = strtok(seen, "\r\n"); line; line = strtok(NULL, "\r\n"))
		diag(line);
	return false;
}

static int next_status(int fd)
{
	struct pollfd p = { fd, POLLIN, 0 };
	int status = -1;

	if (poll(&p, 1, PATIENCE_MS) <= 0 || read(fd, &status, sizeof(status)) != sizeof(status))
		return -1;
	return status;
}

static void type(int terminal, char c)
{
	if (write(terminal, &c, 1) != 1)
		diag("the terminal takes nothing");
}

static void try(const char *what, bool types_stop, const char *const *argv)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), statuses[2];

	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal) || pipe(statuses)) {
		skip("no pseudo-terminal", 6);
		return;
	}
	pid_t pid = fork();
	if (!pid)
		shell(ptsname(terminal), (char *const *)(uintptr_t)argv, statuses[1]);
	close(statuses[1]);
	ok(expect(terminal, "ready"), "%s: the job is ready", what);
	if (types_stop)
		type(terminal, 'Z' - '@');
	int status = next_status(statuses[0]);
	ok(status != -1 && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTSTP,
	   "%s: a stop gives the shell its terminal back: %x", what, (unsigned)status);
	ok(expect(terminal, "continued"), "%s: the job continues in the foreground", what);
	type(terminal, 'C' - '@');
	ok(expect(terminal, "interrupted"), "%s: ^C reaches the job", what);
	status = next_status(statuses[0]);
	cmp_int(status, 5 << 8, "%s: the exit status is its own", what);
	if (status == -1)
		kill(pid, SIGKILL);
	cmp_int(waitpid(pid, NULL, 0), pid, "%s: the shell ends", what);
	close(statuses[0]);
	close(terminal);
}

/* The view of 'ktranal top': what it shows, which keys it knows, what it leaves behind. */
static void try_top(const char *what, const char *const *argv, char end, int status_wanted)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), statuses[2];
	struct termios before, after;

	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal) || pipe(statuses) ||
	    tcgetattr(terminal, &before)) {
		skip("no pseudo-terminal", 7);
		return;
	}
	pid_t pid = fork();
	if (!pid)
		shell(ptsname(terminal), (char *const *)(uintptr_t)argv, statuses[1]);
	close(statuses[1]);
	ok(expect(terminal, "\033[?1049h"), "%s: it takes another screen", what);
	ok(expect(terminal, "getppid"), "%s: the calls of the command come", what);
	type(terminal, 'c');
	ok(expect(terminal, "now: calls"), "%s: a key sorts by another column", what);
	type(terminal, end);
	ok(expect(terminal, "\033[?1049l"), "%s: the screen is given back", what);
	cmp_int(next_status(statuses[0]), status_wanted, "%s: the status", what);
	tcgetattr(terminal, &after);
	ok(before.c_lflag == after.c_lflag && before.c_cc[VMIN] == after.c_cc[VMIN],
	   "%s: the terminal is as before", what);
	kill(pid, SIGKILL);
	cmp_int(waitpid(pid, NULL, 0), pid, "%s: the shell ends", what);
	close(statuses[0]);
	close(terminal);
}

int main(int argc, char **argv)
{
	const char *build = getenv("O");
	char ktranal[1024], directory[] = "/tmp/osvec-terminal.XXXXXX", file[64], cmd[1200],
			    self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (argc > 1)
		job(argv[1]);
	if (n < 0 || !mkdtemp(directory))
		skip_all("/proc or /tmp is missing");
	self[n] = '\0';
	snprintf(file, sizeof(file), "%s/x", directory);
	snprintf(ktranal, sizeof(ktranal), "%s/bin/ktranal", build ? build : "build");
	snprintf(cmd, sizeof(cmd), "%s record -q -o %s -- true", ktranal, file);
	bool possible = system(cmd) == 0;
	static const char *const commands[] = { "record", "time" };
	static const char *const jobs[] = { "plain", "editor", "stopper" };
	for (int c = 0; possible && c < 2; c++)
		for (int j = 0; j < 3; j++) {
			char what[64];

			snprintf(what, sizeof(what), "%s %s", commands[c], jobs[j]);
			try(what, j != 2,
			    (const char *const[]){ ktranal, commands[c], "-q", "-o", file, "--",
						   self, jobs[j], NULL });
		}
	const char *const top[] = { ktranal, "top", "-i", "100ms", "--", self, "worker", NULL };
	setenv("TERM", "xterm", 1);
	if (possible) {
		try_top("top, q", top, 'q', 0);
		try_top("top, ^C", top, 'C' - '@', SIGINT);
	}
	if (possible)
		try("time -r 3", true,
		    (const char *const[]){ ktranal, "time", "-q", "-r", "3", "-o", file, "--", self,
					   "plain", NULL });
	snprintf(cmd, sizeof(cmd), "rm -rf %s", directory);
	ok(system(cmd) == 0, "removed");
	if (!possible)
		skip("nothing can be recorded here", 1);
	return done_testing();
}
