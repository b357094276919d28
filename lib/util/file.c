/* SPDX-License-Identifier: MIT */
#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/xalloc.h"

char *file_read(const char *path, size_t limit, size_t *n, struct error *e)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(0);
	size_t cap = 65536, used = 0;

	if (fd < 0) {
		error_set(e, "%s: %s", *path ? path : "a file without a name", strerror(errno));
		return NULL;
	}
	char *data = xmalloc(cap);
	for (;;) {
		if (used + 1 == cap) {
			cap *= 2;
			data = xreallocarray(data, cap, 1);
		}
		ssize_t got = read(fd, data + used, cap - used - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || (used += (size_t)got) > limit) {
			if (got < 0)
				error_set(e, "%s: %s", path, strerror(errno));
			else if (got > 0)
				error_set(e, "%s: longer than %zu bytes", path, limit);
			close(fd);
			data[used] = '\0';
			if (used >= 3 && !memcmp(data, "\xef\xbb\xbf", 3))
				memmove(data, data + 3, (used -= 3) + 1);
			*n = used;
			if (got == 0)
				return data;
			free(data);
			return NULL;
		}
	}
}

size_t file_write_all(int fd, const void *data, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t put = write(fd, (const char *)data + done, n - done);

		if (put < 0 && errno != EINTR)
			break;
		done += put > 0 ? (size_t)put : 0;
	}
	return done;
}

/* Writes the data and closes fd.  Returns 0 or an errno. */
static int finish(int fd, const void *data, size_t n)
{
	int failed = 0;

	if (fd < 0)
		return errno;
	if (file_write_all(fd, data, n) < n || (fsync(fd) && errno != EINVAL && errno != EROFS))
		failed = errno;
	if (close(fd) && !failed)
		failed = errno;
	return failed;
}

/* Devices, pipes and symbolic links must not be replaced: root would lose its /dev/null. */
static bool is_special(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && !S_ISREG(st.st_mode);
}

int file_write(const char *path, const void *data, size_t n, struct error *e)
{
	const bool to_stdout = !strcmp(path, "-");

	if (to_stdout || is_special(path)) {
		int why = finish(to_stdout ? dup(STDOUT_FILENO)
					   : open(path, O_WRONLY | O_TRUNC | O_CLOEXEC),
				 data, n);

		return why ? error_set(e, "%s: %s", to_stdout ? "standard output" : path,
				       strerror(why))
			   : 0;
	}

	char *temporary = xasprintf("%s.%ld.tmp", path, (long)getpid());
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int failed = finish(fd, data, n);

	if (!failed && rename(temporary, path))
		failed = errno;
	if (failed && fd >= 0)
		unlink(temporary);
	free(temporary);
	return failed ? error_set(e, "%s: %s", path, strerror(failed)) : 0;
}

int file_may_write(const char *path, struct error *e)
{
	struct stat st;
	const char *slash = strrchr(path, '/');
	char *directory = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
	int failed = 0;

	if (!strcmp(path, "-"))
		failed = 0;
	else if (!stat(path, &st) && S_ISDIR(st.st_mode))
		failed = error_set(e, "%s: %s", path, strerror(EISDIR));
	else if (is_special(path) ? access(path, W_OK) : access(directory, W_OK | X_OK))
		failed = error_set(e, "%s: %s", path, strerror(errno));
	free(directory);
	return failed;
}

bool file_is_same(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino &&
	       S_ISREG(x.st_mode);
}

int file_make_directory(const char *path, struct error *e)
{
	char *p = xstrdup(path);
	int failed = 0;

	for (char *slash = p + 1; !failed && *p; slash++) {
		char c = *slash;

		if (c && c != '/')
			continue;
		*slash = '\0';
		struct stat st;
		if (mkdir(p, 0777) && (errno != EEXIST || stat(p, &st) || !S_ISDIR(st.st_mode)))
			failed =
			    error_set(e, "%s: %s", p, strerror(errno == EEXIST ? ENOTDIR : errno));
		*slash = c;
		if (!c)
			break;
	}
	free(p);
	return failed;
}

char *file_first_line(const char *path, char *out, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, out, n - 1);

	if (fd >= 0)
		close(fd);
	out[got > 0 ? got : 0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return got < 0 ? NULL : out;
}

size_t file_match(const char *directory, const char *pattern, glob_t *found)
{
	char *escaped = xmalloc(2 * strlen(directory) + 1), *end = escaped;

	for (const char *p = directory; *p; p++) {
		if (strchr("*?[\\", *p))
			*end++ = '\\';
		*end++ = *p;
	}
	*end = '\0';
	char *all = xasprintf("%s/%s", escaped, pattern);
	*found = (glob_t){ 0 };
	const size_t n = glob(all, 0, NULL, found) ? 0 : found->gl_pathc;
	free(all);
	free(escaped);
	return n;
}
