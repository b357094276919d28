/* SPDX-License-Identifier: MIT */
/* The reading half of results.h. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results.h"
#include "util/file.h"
#include "util/number.h"
#include "util/vec.h"

enum { FILE_LIMIT = 1 << 30 }; /* bytes */

/* Files of a run that are not entries. */
static const char *const reserved[] = {
	"meta.json", "runs.jsonl", "skipped", "summary.tsv", "osvec.json", NULL,
};

static char *member_path(const char *path, const char *name)
{
	return xasprintf("%s/%s", path, name);
}

bool results_is_run(const char *path)
{
	char *meta = member_path(path, "meta.json");
	bool is = !access(meta, F_OK);

	free(meta);
	return is;
}

json_t *results_read_meta(const char *path, struct error *e)
{
	char *file = member_path(path, "meta.json");
	size_t n;
	char *text = file_read(file, FILE_LIMIT, &n, e);
	json_error_t why;
	json_t *meta = text ? json_loadb(text, n, 0, &why) : NULL;

	if (text && !json_is_object(meta)) {
		error_set(e, "%s: no JSON object%s%s", file, meta ? "" : ": ",
			  meta ? "" : why.text);
		json_decref(meta);
		meta = NULL;
	}
	free(text);
	free(file);
	return meta;
}

int results_read_values(const char *path, const char *entry, double **values, size_t *n,
			struct error *e)
{
	char *file = member_path(path, entry);
	size_t size, number = 0;
	char *text = file_read(file, FILE_LIMIT, &size, e), *next;
	VEC(double) v = { 0 };
	int failed = text ? 0 : -1;

	for (char *line = text; !failed && line && (next = strchr(line, '\n')); line = next + 1) {
		double seconds;

		*next = '\0';
		number++;
		if (!*line || *line == '#')
			continue;
		if (number_parse_double(line, &seconds) && seconds > 0)
			vec_push(&v, seconds);
		else
			failed = error_set(e, "%s:%zu: '%.40s' is no time", file, number, line);
	}
	free(text);
	free(file);
	if (failed)
		vec_free(&v);
	*values = v.v;
	*n = v.n;
	return failed;
}

int results_read_skipped(const char *path, struct skipped **skipped, size_t *n, struct error *e)
{
	char *file = member_path(path, "skipped"), *next;
	size_t size = 0, number = 0;
	char *text = access(file, F_OK) ? xstrdup("") : file_read(file, FILE_LIMIT, &size, e);
	VEC(struct skipped) v = { 0 };
	int failed = text ? 0 : -1;

	for (char *line = text; !failed && line && (next = strchr(line, '\n')); line = next + 1) {
		char *tab = memchr(line, '\t', (size_t)(next - line));

		number++;
		*next = '\0';
		if (tab)
			vec_push(&v, (struct skipped){ xstrndup(line, (size_t)(tab - line)),
						       xstrdup(tab + 1) });
		else
			failed =
			    error_set(e, "%s:%zu: no tab between entry and reason", file, number);
	}
	free(text);
	free(file);
	*skipped = v.v;
	*n = v.n;
	return failed;
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

/* Whether nothing is left to do: neither killed nor interrupted. */
static bool has_ended(const char *path)
{
	json_t *meta = results_read_meta(path, NULL);
	const char *status = json_string_value(json_object_get(meta, "status"));
	bool ended = status && strcmp(status, "running") && strcmp(status, "interrupted");

	json_decref(meta);
	return ended;
}

/* Keeps path in *best when its last component, the time of the run, is later. */
static void keep_newest(char **best, char *path, bool unfinished)
{
	if (results_is_run(path) && !(unfinished && has_ended(path)) &&
	    (!*best || strcmp(strrchr(path, '/'), strrchr(*best, '/')) > 0)) {
		free(*best);
		*best = path;
	} else {
		free(path);
	}
}

static void search(const char *path, int depth, bool unfinished, char **best)
{
	size_t n;
	char **names = names_in(path, is_visible, &n);

	for (size_t i = 0; i < n; i++) {
		char *below = member_path(path, names[i]);

		if (depth > 1)
			search(below, depth - 1, unfinished, best);
		keep_newest(best, below, unfinished);
		free(names[i]);
	}
	free(names);
}

char *results_locate(const char *path, bool unfinished, struct error *e)
{
	char *best = NULL;

	if (results_is_run(path)) {
		if (!unfinished || !has_ended(path))
			return xstrdup(path);
		error_set(e, "%s: this run has ended", path);
		return NULL;
	}
	search(path, 2, unfinished, &best);
	struct stat st;
	if (!best && stat(path, &st))
		error_set(e, "%s: %s", path, strerror(errno));
	else if (!best && !S_ISDIR(st.st_mode))
		error_set(e, "%s: is a file: name a directory of results", path);
	else if (!best)
		error_set(e, "%s: no %srun of hbench in this directory", path,
			  unfinished ? "unfinished " : "");
	return best;
}
