/* SPDX-License-Identifier: MIT */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * Read-only, because the file may belong to another user, and flock needs no more; created apart
 * from opened, because in a sticky directory O_CREAT fails on another user's file
 * (fs.protected_regular).
 */
static int open_lock(const char *path)
{
	int fd = -1;

	for (int tries = 0; fd < 0 && tries < 10; tries++) {
		fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0 || errno != ENOENT)
			break;
		fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

/* The process that holds a lock on the file, from /proc/locks; 0: not known. */
static long holder(int fd)
{
	struct stat st;
	char line[256], kind[16];
	unsigned major, minor;
	unsigned long inode;
	long pid, found = 0;
	FILE *f = fopen("/proc/locks", "re");

	if (!f || fstat(fd, &st)) {
		if (f)
			fclose(f);
		return 0;
	}
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%*d: %15s %*s %*s %ld %x:%x:%lu", kind, &pid, &major, &minor,
			   &inode) == 5 &&
		    !strcmp(kind, "FLOCK") && inode == st.st_ino &&
		    makedev(major, minor) == st.st_dev)
			found = pid;
	fclose(f);
	return found;
}

int lock_machine(struct error *e)
{
	const char *path = getenv("OSVEC_LOCK");
	struct stat st;

	path = path && *path ? path : "/tmp/osvec-hbench.lock";
	int fd = open_lock(path); /* stays open: the lock lives as long as the program */
	if (fd < 0)
		return error_set(e, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return error_set(
		    e, "%s: not a regular file: remove it, or name another by OSVEC_LOCK", path);
	}
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	int why = errno;
	long pid = holder(fd);
	close(fd);
	if (why != EWOULDBLOCK)
		return error_set(e, "%s: %s", path, strerror(why));
	if (pid > 0)
		error_set(e, "another hbench (process %ld) is measuring", pid);
	else
		error_set(e, "another hbench is measuring (it holds %s)", path);
	return 1;
}
