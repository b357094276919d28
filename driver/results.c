/* SPDX-License-Identifier: MIT */
#include "results.h"

#include <dirent.h>
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
#include "util/text.h"
#include "util/vec.h"

enum { FILE_LIMIT = 1 << 30 }; /* bytes; runs.jsonl of a full suite has 20 MB */

/* Files of a run that are not entries. */
static const char *const reserved[] = {
	"meta.json", "runs.jsonl", "skipped", "summary.tsv", "osvec.json", NULL,
};

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
	char *path = member_path(r->path, "meta.json");
	char *text = json_dumps(meta, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	char *line = xasprintf("%s\n", text ? text : "{}");
	int failed = file_write(path, line, strlen(line), e);

	free(line);
	free(text);
	free(path);
	return failed;
}

/* -- files ------------------------------------------------------------------------------------- */

char *results_read(const char *path, const char *name, size_t *n, struct error *e)
{
	char *file = member_path(path, name), *text = NULL;
	struct stat st;

	/* To open a FIFO would be to wait for a writer. */
	if (!stat(file, &st) && !S_ISREG(st.st_mode))
		error_set(e, "%s: not a regular file", file);
	else
		text = file_read(file, FILE_LIMIT, n, e);
	free(file);
	return text;
}

/* The lines of a file of the run. */
struct lines {
	char *file, *text, *at;
	size_t left, number;
	struct error *e;
	bool failed;
};

static void open_lines(struct lines *l, const char *path, const char *name, struct error *e)
{
	*l = (struct lines){ .file = member_path(path, name), .e = e };
	l->text = l->at = results_read(path, name, &l->left, e);
	l->failed = !l->text;
}

/* The next line, without its newline.  NULL: no more, or what follows is damaged or torn. */
static char *next_line(struct lines *l)
{
	char *line = l->at, *end = l->failed ? NULL : memchr(line, '\n', l->left);

	if (l->failed)
		return NULL;
	size_t n = end ? (size_t)(end - line) : l->left;
	l->number++;
	if (memchr(line, '\0', n))
		l->failed = error_set(l->e, "%s:%zu: damaged: a zero byte", l->file, l->number);
	if (!end || l->failed)
		return NULL;
	*end = '\0';
	l->at = end + 1;
	l->left -= n + 1;
	return line;
}

static void close_lines(struct lines *l)
{
	free(l->file);
	free(l->text);
}

/* -- resuming --------------------------------------------------------------------------------- */

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

/* -- reading ----------------------------------------------------------------------------------- */

static bool has_member(const char *path, const char *name)
{
	char *member = member_path(path, name);
	bool is = !access(member, F_OK);

	free(member);
	return is;
}

bool results_has_entry(const char *path, const char *entry)
{
	return has_member(path, entry);
}

bool results_is_run(const char *path)
{
	return has_member(path, "meta.json");
}

json_t *results_read_meta(const char *path, struct error *e)
{
	size_t n;
	char *text = results_read(path, "meta.json", &n, e);
	json_error_t why;
	json_t *meta = text ? json_loadb(text, n, 0, &why) : NULL;

	if (text && !json_is_object(meta)) {
		error_set(e, "%s/meta.json: %s%s", path,
			  meta ? "not a JSON object" : "invalid JSON: ", meta ? "" : why.text);
		json_decref(meta);
		meta = NULL;
	}
	free(text);
	return meta;
}

int results_read_values(const char *path, const char *entry, double **values, size_t *n,
			struct error *e)
{
	VEC(double) v = { 0 };
	struct lines l;

	open_lines(&l, path, entry, e);
	for (char *line; (line = next_line(&l));) {
		double seconds;

		if (!*line || *line == '#')
			continue;
		if (number_parse_double(line, &seconds) && seconds > 0 && seconds < 1e9)
			vec_push(&v, seconds);
		else
			l.failed =
			    error_set(e, "%s:%zu: '%.40s' is no time", l.file, l.number, line);
	}
	/* A kill tears numbers only. */
	if (!l.failed && *l.at != '#' && l.at[strspn(l.at, "0123456789.e+-")])
		l.failed = error_set(e, "%s:%zu: damaged: no number", l.file, l.number);
	close_lines(&l);
	if (l.failed)
		vec_free(&v);
	*values = v.v;
	*n = v.n;
	return l.failed ? -1 : 0;
}

int results_read_skipped(const char *path, struct skipped **skipped, size_t *n, struct error *e)
{
	VEC(struct skipped) v = { 0 };
	struct lines l = { 0 };

	if (has_member(path, "skipped"))
		open_lines(&l, path, "skipped", e);
	for (char *line; l.text && (line = next_line(&l));) {
		char *tab = strchr(line, '\t');

		if (tab) {
			*tab = '\0';
			text_make_printable(line);
			text_make_printable(tab + 1);

			vec_push(&v, (struct skipped){ xstrdup(line), xstrdup(tab + 1) });
		} else
			l.failed = error_set(e, "%s:%zu: no tab between entry and reason", l.file,
					     l.number);
	}
	close_lines(&l);
	*skipped = v.v;
	*n = v.n;
	return l.failed ? -1 : 0;
}

void results_free_skipped(struct skipped *skipped, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(skipped[i].entry);
		free(skipped[i].reason);
	}
	free(skipped);
}

static bool is_reserved(const char *name)
{
	size_t n = strlen(name);

	if (name[0] == '.' || (n > 4 && !strcmp(name + n - 4, ".tmp")))
		return true;
	for (const char *const *p = reserved; *p; p++)
		if (!strcmp(*p, name))
			return true;
	return false;
}

static int is_entry(const struct dirent *d)
{
	return !is_reserved(d->d_name);
}

static int is_visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* The names in a directory, in the order of their bytes. */
static char **names_in(const char *path, int (*wanted)(const struct dirent *), size_t *n)
{
	struct dirent **found;
	int count = scandir(path, &found, wanted, by_name);
	char **names = xcalloc(count > 0 ? (size_t)count : 0, sizeof(*names));

	*n = count > 0 ? (size_t)count : 0;
	for (size_t i = 0; i < *n; i++) {
		names[i] = xstrdup(found[i]->d_name);
		free(found[i]);
	}
	if (count >= 0)
		free(found);
	return names;
}

char **results_entries(const char *path, size_t *n)
{
	return names_in(path, is_entry, n);
}

/* The newest run found so far. */
struct found {
	char *path;  /* NULL: none */
	char *began; /* its name, the time, when it began: its directory may have another since */
	bool unfinished; /* is what is looked for */
};

static bool has_ended(const json_t *meta)
{
	const char *status = json_string_value(json_object_get(meta, "status"));

	return status && strcmp(status, "running") && strcmp(status, "interrupted");
}

const char *results_status(const char *path, const json_t *meta)
{
	const char *status = json_string_value(json_object_get(meta, "status"));
	int fd;

	if (!status)
		return "unknown end";
	if (strcmp(status, "running") || (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return status;
	bool alone = !flock(fd, LOCK_SH | LOCK_NB);
	close(fd);
	return alone ? "killed" : status;
}

/* Takes path, and keeps it when it is a run that began later. */
static void keep_newest(struct found *best, char *path)
{
	json_t *meta = results_is_run(path) ? results_read_meta(path, NULL) : NULL;
	const char *run = json_string_value(json_object_get(meta, "run"));
	const char *began = run ? run : strrchr(path, '/') + 1;
	bool newest = results_is_run(path) && !(best->unfinished && has_ended(meta)) &&
		      (!best->path || strcmp(began, best->began) > 0);

	if (newest) {
		free(best->path);
		free(best->began);
		best->began = xstrdup(began);
		best->path = path;
	} else {
		free(path);
	}
	json_decref(meta);
}

static void search(const char *path, int depth, struct found *best)
{
	size_t n;
	char **names = names_in(path, is_visible, &n);

	for (size_t i = 0; i < n; i++) {
		char *below = member_path(path, names[i]);

		if (depth > 1)
			search(below, depth - 1, best);
		keep_newest(best, below);
		free(names[i]);
	}
	free(names);
}

/* -1 and *e when the run at path has ended. */
static int check_unfinished(const char *path, struct error *e)
{
	json_t *meta = results_read_meta(path, NULL);
	bool ended = has_ended(meta);

	json_decref(meta);
	return ended ? error_set(e, "%s: this run has ended", path) : 0;
}

char *results_locate(const char *path, bool unfinished, struct error *e)
{
	struct found best = { .unfinished = unfinished };
	struct stat st;

	if (results_is_run(path))
		return unfinished && check_unfinished(path, e) ? NULL : xstrdup(path);
	search(path, 2, &best);
	free(best.began);
	if (best.path)
		return best.path;
	if (stat(path, &st))
		error_set(e, "%s: %s", path, strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		error_set(e, "%s: is a file: name a directory of results", path);
	else if (access(path, R_OK | X_OK))
		error_set(e, "%s: %s", path, strerror(errno));
	else
		error_set(e, "%s: no %srun of hbench in this directory", path,
			  unfinished ? "unfinished " : "");
	return NULL;
}
