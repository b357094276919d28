/* SPDX-License-Identifier: MIT */
#include "files.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"
#include "util/xalloc.h"

enum { DEPTH = 64 };

static char *top;  /* what is made and removed */
static char *path; /* the only directory in it, which the program gets */
static pid_t owner;

/* What getdents64(2) fills in; readdir(3) must not be called from a signal handler. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

static int is_dot(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static void empty(int fd, int depth);

static void empty_child(int fd, const char *name, int depth)
{
	int child = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (child < 0)
		return;
	if (depth < DEPTH)
		empty(child, depth);
	close(child);
}

/* Empties the directory fd.  Async-signal-safe, and never follows a link out of it. */
static void empty(int fd, int depth)
{
	_Alignas(struct entry) char buffer[4096];
	long got;
	int removed;

	do { /* removing moves the entries that follow: read again until nothing goes */
		removed = 0;
		lseek(fd, 0, SEEK_SET);
		while ((got = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0)
			for (long at = 0; at < got;) {
				struct entry *d = (struct entry *)(buffer + at);

				at += d->length;
				if (is_dot(d->name))
					continue;
				if (!unlinkat(fd, d->name, 0)) {
					removed++;
					continue;
				}
				empty_child(fd, d->name, depth + 1);
				removed += !unlinkat(fd, d->name, AT_REMOVEDIR);
			}
	} while (removed);
}

static void remove_directory(void)
{
	if (!top || getpid() != owner)
		return;
	int fd = open(top, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	empty(fd, 0);
	close(fd);
	rmdir(top);
}

static void on_signal(int number)
{
	remove_directory();
	signal(number, SIG_DFL);
	raise(number);
}

static void catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct sigaction old, new = { .sa_handler = on_signal };

		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(numbers[i], &new, NULL);
	}
}

/*
 * Asks for directories in top to be spread over the disk, as those of unrelated programs are.
 * Without a journal ext4 passes over the inodes that were deleted within the last minutes, one by
 * one: beside the remains of all processes of a run, making a file took sixty times as long.
 * Other file systems have no such attribute.
 */
static void spread(void)
{
	int fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC), flags;

	if (fd < 0)
		return;
	if (!ioctl(fd, FS_IOC_GETFLAGS, &flags)) {
		flags |= FS_TOPDIR_FL;
		ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
	close(fd);
}

/* A new directory below parent, or NULL and *e. */
static char *make_one(const char *parent, struct error *e)
{
	char *template = xasprintf("%s/osvec-XXXXXX", parent);

	if (mkdtemp(template))
		return template;
	error_set(e, "%s: %s", template, strerror(errno));
	free(template);
	return NULL;
}

const char *directory_make(const char *parent, struct error *e)
{
	if (path)
		return path;
	char *absolute = realpath(parent, NULL);
	if (!absolute) {
		error_set(e, "%s: %s", parent, strerror(errno));
		return NULL;
	}
	top = make_one(absolute, e);
	free(absolute);
	if (!top)
		return NULL;
	owner = getpid();
	atexit(remove_directory);
	catch_signals();
	spread();
	path = make_one(top, e);
	return path;
}

static const char *directory_reason(void)
{
	static struct error e;

	return directory_make(bench_directory(), &e) ? NULL : e.text;
}

const char *files_path(void)
{
	struct error e;
	const char *made = directory_make(bench_directory(), &e);

	if (!made)
		errx(1, "%s", e.text);
	return made;
}

const char *files_reason(uint64_t size)
{
	const char *reason = directory_reason();
	struct statvfs fs;

	if (reason)
		return reason;
	/* Twice as much, lest we fill what others need; some file systems say nothing: 0 blocks. */
	if (!statvfs(files_path(), &fs) && fs.f_blocks && fs.f_bavail * fs.f_frsize < 2 * size)
		return "not enough free space in the directory under test (-D)";
	return NULL;
}

const char *files_supported(void)
{
	return files_reason(0);
}

int files_directory(void)
{
	int fd = open(files_path(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		err(1, "open %s", files_path());
	return fd;
}

int files_make(uint64_t size)
{
	static char block[1 << 16];
	int directory = files_directory();
	int fd = openat(directory, FILES_FILE, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		err(1, "create a file in %s", files_path());
	memset(block, FILES_BYTE, sizeof(block));
	for (uint64_t at = 0; at < size;) {
		uint64_t part = size - at < sizeof(block) ? size - at : sizeof(block);
		ssize_t n = pwrite(fd, block, part, (off_t)at);

		if (n <= 0)
			err(1, "write a file in %s", files_path());
		at += (uint64_t)n;
	}
	close(directory);
	return fd;
}
