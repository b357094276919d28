/* SPDX-License-Identifier: MIT */
/* What a run writes; results_read.c has what others read of it. */
#include "results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/file.h"
#include "util/number.h"
#include "util/xalloc.h"

static void set_path(struct results *r, const char *path)
{
	char *p = xstrdup(path);
	size_t n = strlen(p);

	while (n > 1 && p[n - 1] == '/')
		p[--n] = '\0';
	r->path = xstrdup(p);
	char *slash = strrchr(p, '/');
	r->run = xstrdup(slash ? slash + 1 : p);
	if (slash)
		*slash = '\0';
	char *before = slash ? strrchr(p, '/') : NULL;
	r->machine = xstrdup(slash ? before ? before + 1 : p : ".");
	free(p);
}

/* Whoever reads the run sees by the lock that its process lives.  0, or -1 and *e: another one
 * does; a file system without locks is no error. */
static int lock(struct results *r, struct error *e)
{
	r->directory = open(r->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->directory < 0 || !flock(r->directory, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		return 0;
	return error_set(e, "%s: another hbench is measuring this run", r->path);
}

int results_create(struct results *r, const char *root, const char *machine, struct error *e)
{
	char *parent = xasprintf("%s/%s", root, machine);
	time_t now = time(NULL);
	char stamp[32];
	struct tm utc;
	int failed = file_make_directory(parent, e);

	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
	for (int i = 1; !failed; i++) {
		/* A second run within a second sorts behind the first. */
		char *path = i == 1 ? xasprintf("%s/%s", parent, stamp)
				    : xasprintf("%s/%s.%d", parent, stamp, i);
		bool made = !mkdir(path, 0777);

		if (made)
			set_path(r, path);
		else if (errno != EEXIST)
			failed = error_set(e, "%s: %s", path, strerror(errno));
		free(path);
		if (made) {
			failed = lock(r, e);
			break;
		}
	}
	free(parent);
	return failed;
}

void results_close(struct results *r)
{
	if (r->directory >= 0)
		close(r->directory);
	free(r->path);
	free(r->machine);
	free(r->run);
	*r = (struct results){ .directory = -1 };
}

/* Appends n bytes or, when that fails half way (a full disk), none. */
static int append(const struct results *r, const char *name, const char *data, size_t n,
		  struct error *e)
{
	char *path = xasprintf("%s/%s", r->path, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666), failed = 0;
	struct stat before;

	if (fd < 0 || fstat(fd, &before)) {
		failed = error_set(e, "%s: %s", path, strerror(errno));
	} else {
		ssize_t put = write(fd, data, n);

		if (put != (ssize_t)n) {
			failed = error_set(e, "%s: %s", path, strerror(put < 0 ? errno : ENOSPC));
			if (put > 0 && ftruncate(fd, before.st_size))
				error_prefix(e, "a torn line is left");
		}
	}
	if (fd >= 0 && close(fd) && !failed)
		failed = error_set(e, "%s: %s", path, strerror(errno));
	free(path);
	return failed;
}

int results_add_value(const struct results *r, const char *entry, double seconds, struct error *e)
{
	char line[NUMBER_MAX];

	snprintf(line, sizeof(line), "%.9g\n", seconds);
	return append(r, entry, line, strlen(line), e);
}

int results_add_run(const struct results *r, const json_t *run, struct error *e)
{
	char *line = json_dumps(run, JSON_REAL_PRECISION(9));

	if (!line)
		return error_set(e, "runs.jsonl: a run that JSON cannot hold");
	line = xappend(line, "\n");
	int failed = append(r, "runs.jsonl", line, strlen(line), e);
	free(line);
	return failed;
}

int results_add_skipped(const struct results *r, const char *entry, const char *reason,
			struct error *e)
{
	char *line = xasprintf("%s\t%s\n", entry, reason);
	int failed = append(r, "skipped", line, strlen(line), e);

	free(line);
	return failed;
}

int results_sync(const struct results *r, struct error *e)
{
	/* One call for the files of all entries; some file systems cannot. */
	if (syncfs(r->directory) && errno != EINVAL && errno != EROFS && errno != ENOSYS)
		return error_set(e, "%s: %s", r->path, strerror(errno));
	return 0;
}

int results_write_meta(const struct results *r, const json_t *meta, struct error *e)
{
	char *path = xasprintf("%s/meta.json", r->path);
	char *text = json_dumps(meta, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	char *line = xasprintf("%s\n", text ? text : "{}");
	int failed = file_write(path, line, strlen(line), e);

	free(line);
	free(text);
	free(path);
	return failed;
}

/* -- resuming --------------------------------------------------------------------------------- */

/* Cuts off what follows the last newline. */
static int cut_torn_line(const struct results *r, const char *name, struct error *e)
{
	char *path = xasprintf("%s/%s", r->path, name);
	size_t n, whole;
	int failed = 0;

	if (access(path, F_OK)) {
		free(path);
		return 0;
	}
	char *text = results_read(r->path, name, &n, e);
	if (!text) {
		failed = -1;
	} else {
		for (whole = n; whole && text[whole - 1] != '\n'; whole--)
			;
		if (whole < n && truncate(path, (off_t)whole))
			failed = error_set(e, "%s: %s", path, strerror(errno));
	}
	free(text);
	free(path);
	return failed;
}

int results_resume(struct results *r, const char *path, struct error *e)
{
	size_t n;
	char **names = results_entries(path, &n);

	set_path(r, path);
	int failed =
	    lock(r, e) || cut_torn_line(r, "runs.jsonl", e) || cut_torn_line(r, "skipped", e);
	for (size_t i = 0; i < n; i++) {
		failed = failed || cut_torn_line(r, names[i], e);
		free(names[i]);
	}
	free(names);
	if (failed)
		results_close(r);
	return failed ? -1 : 0;
}
