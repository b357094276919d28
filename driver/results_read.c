/* SPDX-License-Identifier: MIT */
#include "results.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
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

static char *member_path(const char *path, const char *name)
{
	return xasprintf("%s/%s", path, name);
}

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

/* -- lines --------------------------------------------------------------------------------------
 */

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

/* -- members of a run ---------------------------------------------------------------------------
 */

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

/* -- names in a directory -----------------------------------------------------------------------
 */

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

/* -- finding runs -------------------------------------------------------------------------------
 */

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
