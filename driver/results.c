/* SPDX-License-Identifier: MIT */
#include "results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "history.h"
#include "util/file.h"
#include "util/number.h"
#include "util/vec.h"

enum { FILE_LIMIT = 1 << 30 }; /* bytes; runs.jsonl of a full suite has 20 MB */

/* -- writing ----------------------------------------------------------------------------------- */

static char *member_path(const char *path, const char *name)
{
	return xasprintf("%s/%s", path, name);
}

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
		if (made)
			break;
	}
	free(parent);
	return failed;
}

void results_close(struct results *r)
{
	free(r->path);
	free(r->machine);
	free(r->run);
	*r = (struct results){ 0 };
}

/* Appends n bytes or, when that fails half way (a full disk), none. */
static int append(const struct results *r, const char *name, const char *data, size_t n,
		  struct error *e)
{
	char *path = member_path(r->path, name);
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

int results_add_runs(const struct results *r, const json_t *runs, struct error *e)
{
	char *lines = xstrdup("");
	int failed = 0;

	for (size_t i = 0; i < json_array_size(runs) && !failed; i++) {
		char *text = json_dumps(json_array_get(runs, i), JSON_REAL_PRECISION(9));

		if (text)
			lines = xappend(lines, "%s\n", text);
		else
			failed = error_set(e, "runs.jsonl: a run that JSON cannot hold");
		free(text);
	}
	failed = failed || append(r, "runs.jsonl", lines, strlen(lines), e);
	free(lines);
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
	char *path = member_path(r->path, "runs.jsonl");
	int fd = open(path, O_WRONLY | O_CLOEXEC), failed = 0;

	/* No process has run yet, or a file system that cannot. */
	if (fd >= 0 && fdatasync(fd) && errno != EINVAL && errno != EROFS)
		failed = error_set(e, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	free(path);
	return failed;
}

int results_write_meta(const struct results *r, const json_t *meta, struct error *e)
{
	char *path = member_path(r->path, "meta.json");
	char *text = json_dumps(meta, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	char *line = xasprintf("%s\n", text ? text : "{}");
	int failed = file_write(path, line, strlen(line), e);

	free(line);
	free(text);
	free(path);
	return failed;
}

/* -- repairing --------------------------------------------------------------------------------- */

/* Cuts off what follows the last newline. */
static int cut_torn_line(const struct results *r, const char *name, struct error *e)
{
	char *path = member_path(r->path, name);
	size_t n, whole;
	int failed = 0;

	if (access(path, F_OK)) {
		free(path);
		return 0;
	}
	char *text = file_read(path, FILE_LIMIT, &n, e);
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

/* Makes the file of x hold the values that runs.jsonl tells. */
static int repair_values(const struct results *r, const struct history_entry *x, struct error *e)
{
	char *text = NULL, *path = member_path(r->path, x->name), *now;
	size_t size, n;
	FILE *f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < x->n; i++)
		fprintf(f, "%.9g\n", x->values[i]);
	if (!f || fclose(f)) {
		free(path);
		return error_set(e, "memory: %s", strerror(errno));
	}
	now = file_read(path, FILE_LIMIT, &n, NULL);
	bool same = now && n == size && !memcmp(now, text, n);
	int failed = same || !x->n ? 0 : file_write(path, text, size, e);
	free(now);
	free(text);
	free(path);
	return failed;
}

int results_resume(struct results *r, const char *path, struct error *e)
{
	set_path(r, path);
	int failed = cut_torn_line(r, "runs.jsonl", e) || cut_torn_line(r, "skipped", e);
	struct history *h = failed ? NULL : history_read(r->path, e);

	for (size_t i = 0; h && i < h->n && !failed; i++)
		failed = repair_values(r, &h->entries[i], e);
	history_free(h);
	if (!h || failed)
		results_close(r);
	return h && !failed ? 0 : -1;
}
