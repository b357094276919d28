/* SPDX-License-Identifier: MIT */
#include "files.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "measure/bench.h"
#include "measure/clock.h"
#include "util/error.h"
#include "util/xalloc.h"

static char *top;  /* made and removed */
static char *path; /* the only directory in it, for the files */

/* Called by a signal handler too, where only vfork, not fork, is safe in glibc. */
static void remove_directory(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", "exec rm -rf \"$0\"", top, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/*
 * Asks for directories in top to be spread over the disk, as those of unrelated programs are.
 * That keeps them apart from the remains of a whole run, see files_quick_directory.  The place
 * depends on the name, so that the name must be new.
 *
 * The descriptor stays open with a lock: hbench removes the directories of killed processes, which
 * nobody locks, and knows them by the directory of the same name in them, which is made later.
 */
static void claim(void)
{
	int fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC), flags;

	if (fd < 0)
		return;
	flock(fd, LOCK_EX);
	if (!ioctl(fd, FS_IOC_GETFLAGS, &flags)) {
		flags |= FS_TOPDIR_FL;
		ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
}

static bool make_directory(struct error *e)
{
	char *parent;

	if (path)
		return true;
	parent = realpath(bench_directory(), NULL);
	if (!parent) {
		error_set(e, "%s: %s", bench_directory(), strerror(errno));
		return false;
	}
	top = xasprintf("%s/osvec-XXXXXX", parent);
	free(parent);
	if (!mkdtemp(top)) {
		error_set(e, "%s: %s", top, strerror(errno));
		top = NULL;
		return false;
	}
	cleanup_register(remove_directory);
	claim();
	path = xasprintf("%s/%s", top, strrchr(top, '/') + 1);
	if (mkdir(path, 0700))
		err(1, "%s", path);
	return true;
}

const char *files_path(void)
{
	struct error e;

	if (!make_directory(&e))
		errx(1, "%s", e.text);
	return path;
}

const char *files_reason(uint64_t size)
{
	static struct error e;
	struct statvfs fs;

	if (!make_directory(&e))
		return e.text;
	/* Twice as much, to leave room for others; some file systems report 0 blocks. */
	if (!statvfs(path, &fs) && fs.f_blocks && fs.f_bavail * fs.f_frsize < 2 * size)
		return "not enough free space in the directory under test (-D)";
	return NULL;
}

const char *files_supported(void)
{
	return files_reason(0);
}

int files_new_directory(void)
{
	char *name = xasprintf("%s/../XXXXXX", files_path());
	int fd = mkdtemp(name) ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd < 0)
		err(1, "%s", name);
	free(name);
	return fd;
}

/* Nanoseconds that a few new files take, after a first one that may fetch the place from disk. */
static uint64_t time_files(int directory)
{
	enum { TRIED = 16 }; /* few, as they will be deleted inodes in the way of others */
	uint64_t start = 0;

	for (uint64_t i = 0; i <= TRIED; i++) {
		char name[FILES_NAME];

		files_name(name, i);
		int fd = openat(directory, name, O_CREAT | O_EXCL | O_WRONLY, 0600);
		if (fd < 0 || close(fd))
			err(1, "create a file in %s", path);
		start = i ? start : clock_nanoseconds();
	}
	return clock_nanoseconds() - start;
}

int files_quick_directory(void)
{
	enum { PLACES = 4 };
	uint64_t least = UINT64_MAX;
	int best = -1;

	for (int i = 0; i < PLACES; i++) {
		int directory = files_new_directory();
		uint64_t took = time_files(directory);
		int worse = took < least ? best : directory;

		best = took < least ? directory : best;
		least = took < least ? took : least;
		if (worse >= 0)
			close(worse);
	}
	return best;
}

int files_directory(void)
{
	int fd = open(files_path(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		err(1, "open %s", files_path());
	return fd;
}

static uint64_t same_word(uint64_t i)
{
	uint64_t word;

	(void)i;
	memset(&word, FILES_BYTE, sizeof(word));
	return word;
}

int files_make(uint64_t size)
{
	return files_make_words(size, same_word);
}

int files_make_words(uint64_t size, uint64_t (*word)(uint64_t i))
{
	static uint64_t block[8192];
	/* Copies that are threads have the same directory. */
	int directory = bench_copy() ? files_new_directory() : files_directory();
	int fd = openat(directory, FILES_FILE, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		err(1, "create a file in %s", files_path());
	for (uint64_t at = 0; at < size; at += sizeof(block)) {
		uint64_t part = size - at < sizeof(block) ? size - at : sizeof(block);

		for (uint64_t i = 0; i < part; i += sizeof(*block))
			block[i / sizeof(*block)] = word((at + i) / sizeof(*block));
		ssize_t done = pwrite(fd, block, part, (off_t)at);

		if (done < 0)
			err(1, "write a file in %s", files_path());
		if (done != (ssize_t)part)
			errx(1, "write a file in %s: only %zd of %llu bytes fitted (ulimit -f?)",
			     files_path(), done, (unsigned long long)part);
	}
	close(directory);
	return fd;
}

void files_name(char name[FILES_NAME], uint64_t i)
{
	snprintf(name, FILES_NAME, "file%llu", (unsigned long long)i);
}

void files_fill(int directory, uint64_t n)
{
	enum { LINKS = 1000 }; /* names of one file */
	char first[FILES_NAME], name[FILES_NAME];

	for (uint64_t i = 0; i < n; i++) {
		files_name(name, i);
		if (i % LINKS && !linkat(directory, first, directory, name, 0))
			continue;
		int fd = openat(directory, name, O_CREAT | O_EXCL | O_WRONLY, 0600);
		if (fd < 0 || close(fd))
			err(1, "create %s", name);
		memcpy(first, name, sizeof(first));
	}
}

uint64_t files_cached(int fd, uint64_t size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), pages = (size + page - 1) / page, n = 0;
	unsigned char *resident = xmalloc(pages);
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED || mincore(map, size, resident))
		err(1, "mmap and mincore of a file in %s", files_path());
	for (uint64_t i = 0; i < pages; i++)
		n += resident[i] & 1;
	munmap(map, size);
	free(resident);
	return n;
}

uint64_t files_drop(int fd, uint64_t size)
{
	errno = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (errno)
		err(1, "posix_fadvise");
	return files_cached(fd, size);
}
