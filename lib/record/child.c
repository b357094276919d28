/* SPDX-License-Identifier: MIT */
#include "record/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/xalloc.h"

static void close_both(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

/* The limit of open files that children get; see files_allow(). */
static struct rlimit kept_files;
static bool keeps_files;

int files_allow(size_t n, const char *who, struct error *e)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= n)
		return 0;
	const struct rlimit more = { n, limit.rlim_max < n ? n : limit.rlim_max };
	if (setrlimit(RLIMIT_NOFILE, &more)) {
		error_set(e, "%s: it takes %zu open files, and the limit is %llu (ulimit -Hn)", who,
			  n, (unsigned long long)limit.rlim_max);
		errno = EPERM;
		return -1;
	}
	if (!keeps_files)
		kept_files = limit;
	keeps_files = true;
	return 0;
}

/* Signal dispositions and mask for children. */
static struct sigaction kept[NSIG];
static sigset_t kept_mask;
static bool keeps;

void child_keep_signals(void)
{
	for (int i = 1; i < NSIG && !keeps; i++)
		sigaction(i, NULL, &kept[i]);
	if (!keeps)
		sigprocmask(SIG_BLOCK, NULL, &kept_mask);
	keeps = true;
}

static _Noreturn void become(const char *path, char *const argv[], int release, int failure)
{
	char c;

	/* execve puts handlers back to the default, but not what is ignored. */
	for (int i = 1; i < NSIG && keeps; i++)
		sigaction(i, &kept[i], NULL);
	if (keeps)
		sigprocmask(SIG_SETMASK, &kept_mask, NULL);
	if (read(release, &c, 1) != 1)
		_exit(127);
	if (keeps_files)
		setrlimit(RLIMIT_NOFILE, &kept_files);
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
	c->path = xstrdup(path);
	return 0;
}

void child_release(struct held_child *c)
{
	/* The read end is open here, too, so that a killed child does not cause SIGPIPE. */
	if (write(c->release[1], "", 1) < 0)
		return;
}

int child_failed(const struct held_child *c, struct error *e)
{
	int why;

	if (read(c->failure, &why, sizeof(why)) != sizeof(why))
		return 0;
	return error_set(e, "%s: %s", c->path,
			 why == ENOEXEC	 ? "neither a program nor a script that begins with #!"
			 : why == ENOENT ? "what should run it (after #!, or its loader) does not "
					   "exist"
					 : strerror(why));
}

void child_close(struct held_child *c)
{
	close_both(c->release);
	close(c->failure);
	free(c->path);
}
