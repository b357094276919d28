/* SPDX-License-Identifier: MIT */
#include "machines.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/home.h"
#include "util/map.h"
#include "util/vec.h"

/* The file of a vector. */
struct file {
	char *path;
	size_t operand;	   /* that it comes from */
	bool in_directory; /* only the newest of a machine counts */
};

struct files {
	struct file *v;
	size_t n, cap;
};

static void add_file(struct files *f, const char *path, size_t operand, bool in_directory)
{
	vec_push(f, (struct file){ xstrdup(path), operand, in_directory });
}

/* Adds the files below directory that match pattern; returns their number. */
static size_t add_matches(struct files *f, const char *directory, const char *pattern,
			  size_t operand)
{
	char *escaped = xmalloc(2 * strlen(directory) + 1), *end = escaped;
	glob_t found = { 0 };

	for (const char *p = directory; *p; p++) {
		if (strchr("*?[\\", *p))
			*end++ = '\\';
		*end++ = *p;
	}
	*end = '\0';
	char *all = xasprintf("%s/%s", escaped, pattern);
	size_t n = glob(all, 0, NULL, &found) ? 0 : found.gl_pathc;
	for (size_t i = 0; i < n; i++)
		add_file(f, found.gl_pathv[i], operand, true);
	globfree(&found);
	free(all);
	free(escaped);
	return n;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int add_directory(struct files *f, const char *path, size_t operand, struct error *e)
{
	size_t n = add_matches(f, path, "osvec.json", operand);

	if (!n)
		n = add_matches(f, path, "*/osvec.json", operand) +
		    add_matches(f, path, "*/*/osvec.json", operand);
	if (!n)
		n = add_matches(f, path, "*.json", operand);
	return n ? 0
		 : error_set(e,
			     "%s: no osvec.json in it or up to two directories below (make "
			     "one with hbench run)",
			     path);
}

/* A reference platform of that name, or NULL. */
static char *find_reference(const char *name)
{
	char *file = xasprintf("%s.json", name);
	char *path = home_find(HOME_REFERENCE, file, NULL);

	free(file);
	return path ? path : home_find(HOME_REFERENCE, name, NULL);
}

/* Says which names there would have been. */
static int refuse_name(const char *name, struct error *e)
{
	char *directory = home_find(HOME_REFERENCE, NULL, NULL), *pattern, *list = NULL;
	glob_t found = { 0 };

	pattern = xasprintf("%s/*", directory ? directory : "");
	if (directory && !glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *file = strrchr(found.gl_pathv[i], '/') + 1;
			int n = (int)(strlen(file) -
				      (is_directory(found.gl_pathv[i]) ? 0 : strlen(".json")));

			list = xappend(list, "%s%.*s", list ? ", " : "", n, file);
		}
	error_set(e, "%s: neither a file nor a directory, nor a reference platform (%s)", name,
		  list ? list : "none is installed");
	globfree(&found);
	free(list);
	free(pattern);
	free(directory);
	return -1;
}

static int add_operand(struct files *f, const char *path, size_t operand, struct error *e)
{
	char *reference = NULL;
	int failed = 0;

	if (access(path, F_OK) && !strchr(path, '/') && (reference = find_reference(path)))
		path = reference;
	if (is_directory(path))
		failed = add_directory(f, path, operand, e);
	else if (access(path, F_OK) && !strchr(path, '/'))
		failed = refuse_name(path, e);
	else
		add_file(f, path, operand, false);
	free(reference);
	return failed;
}

static int add_default(struct files *f, struct error *e)
{
	char *reference = home_find(HOME_REFERENCE, NULL, NULL);
	size_t before = f->n;

	/* One operand, so that the newest vector of a machine counts wherever it lies. */
	if (reference)
		add_directory(f, reference, 0, NULL);
	if (is_directory("results"))
		add_directory(f, "results", 0, NULL);
	free(reference);
	return f->n > before
		   ? 0
		   : error_set(e, "no machines: name vectors or directories of results (hbench run "
				  "makes them)");
}

/* Adds v, or replaces the older vector of that machine from the same operand's directories. */
static void keep_newest(struct machines *m, struct osvec *v, const struct file *file,
			struct names *seen)
{
	char *key = file->in_directory ? xasprintf("%zu %s", file->operand, v->machine)
				       : xasprintf("%s#%zu", file->path, m->n);
	size_t i = names_add(seen, key);

	free(key);
	if (i == m->n) {
		vec_push(m, (struct machine){ v, NULL });
	} else if (strcmp(v->created, m->v[i].vector->created) > 0) {
		osvec_free(m->v[i].vector);
		m->v[i].vector = v;
	} else {
		osvec_free(v);
	}
}

static void make_labels(struct machines *m)
{
	struct names seen = { 0 };
	VEC(size_t) count = { 0 };

	for (size_t i = 0; i < m->n; i++) {
		const char *name = m->v[i].vector->machine;
		size_t number = names_add(&seen, name);

		if (number == count.n)
			vec_push(&count, 0);
		m->v[i].label = ++count.v[number] > 1 ? xasprintf("%s#%zu", name, count.v[number])
						      : xstrdup(name);
	}
	vec_free(&count);
	names_free(&seen);
}

int machines_read(struct machines *m, const char *const *paths, size_t n, struct error *e)
{
	struct files f = { 0 };
	struct names seen = { 0 };
	int failed = n ? 0 : add_default(&f, e);

	for (size_t i = 0; i < n && !failed; i++)
		failed = add_operand(&f, paths[i], i, e);
	for (size_t i = 0; i < f.n && !failed; i++) {
		struct osvec *v = osvec_read(f.v[i].path, e);

		if (v)
			keep_newest(m, v, &f.v[i], &seen);
		failed = v ? 0 : -1;
	}
	if (!failed)
		make_labels(m);
	for (size_t i = 0; i < f.n; i++)
		free(f.v[i].path);
	vec_free(&f);
	names_free(&seen);
	return failed;
}

struct osvec *machines_read_one(const char *path, struct error *e)
{
	struct machines m = { 0 };
	struct osvec *v = NULL;
	int failed = machines_read(&m, &path, 1, e);

	if (!failed && m.n == 1) {
		v = m.v[0].vector;
		m.v[0].vector = NULL;
	} else if (!failed) {
		error_set(e, "%s: holds vectors of %zu machines (%s, %s, ...): name one", path, m.n,
			  m.v[0].label, m.v[1].label);
	}
	machines_free(&m);
	return v;
}

void machines_free(struct machines *m)
{
	for (size_t i = 0; i < m->n; i++) {
		osvec_free(m->v[i].vector);
		free(m->v[i].label);
	}
	vec_free(m);
}
