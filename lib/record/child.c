/* SPDX-License-Identifier: MIT */
#include "record/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static void close_both(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

/* Signal dispositions for children. */
static struct sigaction kept[NSIG];
static bool keeps;

void child_keep_signals(void)
{
	for (int i = 1; i < NSIG && !keeps; i++)
		sigaction(i, NULL, &kept[i]);
	keeps = true;
}

static _Noreturn void become(const char *path, char *const argv[], int release, int failure)
{
	char c;

	/* execve puts handlers back to the default, but not what is ignored. */
	for (int i = 1; i < NSIG && keeps; i++)
		sigaction(i, &kept[i], NULL);
	if (read(release, &c, 1) != 1)
		_exit(127);
	execv(path, argv);
	int why = errno;
	_exit(write(failure, &why, sizeof(why)) == sizeof(why) ? 127 : 126);
}

int child_start(struct held_child *c, const char *path, char *const argv[], struct error *e)
{
	int release[2], failure[2];

	if (pipe2(release, O_CLOEXEC))
		return error_set(e, "pipe: %s", strerror(errno));
	if (pipe2(failure, O_CLOEXEC)) {
		close_both(release);
		return error_set(e, "pipe: %s", strerror(errno));
	}
	c->pid = fork();
	if (c->pid == 0) {
		close(release[1]);
		become(path, argv, release[0], failure[1]);
	}
	if (c->pid < 0) {
		close_both(release);
		close_both(failure);
		return error_set(e, "fork: %s", strerror(errno));
	}
	close(failure[1]);
	memcpy(c->release, release, sizeof(release));
	c->failure = failure[0];
	return 0;
}

void child_release(struct held_child *c)
{
	/* The read end is open here, too, so that a killed child does not cause SIGPIPE. */
	if (write(c->release[1], "", 1) < 0)
		return;
}

int child_failure(const struct held_child *c)
{
	int why;

	return read(c->failure, &why, sizeof(why)) == sizeof(why) ? why : 0;
}

void child_close(struct held_child *c)
{
	close_both(c->release);
	close(c->failure);
}

const char *child_failure_text(int failure)
{
	return failure == ENOEXEC ? "neither a program nor a script that begins with #!"
				  : strerror(failure);
}
