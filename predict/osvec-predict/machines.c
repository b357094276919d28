/* SPDX-License-Identifier: MIT */
#include "machines.h"

#include <glob.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/home.h"
#include "util/map.h"
#include "util/vec.h"
#include "vector/skim.h"

enum {
	MOST_THREADS = 16,
	FILES_PER_THREAD = 32, /* a thread for less does not pay */
};

/* A vector to be read. */
struct file {
	char *path;
	size_t operand;
	bool newest_only;     /* found in a directory */
	struct osvec *vector; /* NULL: failed, or not the newest */
	struct error error;
};

struct files {
	VEC(struct file) list;
	atomic_size_t next; /* to be read */
	bool values;
};

static void add_file(struct files *f, const char *path, size_t operand, bool newest_only)
{
	vec_push(&f->list, (struct file){ xstrdup(path), operand, newest_only, NULL, { "" } });
}

/* Adds what pattern matches below directory; how many. */
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
	size_t before = f->list.n;

	/* One operand, so that the newest vector of a machine counts wherever it lies. */
	if (reference)
		add_directory(f, reference, 0, NULL);
	if (is_directory("results"))
		add_directory(f, "results", 0, NULL);
	free(reference);
	return f->list.n > before
		   ? 0
		   : error_set(e, "no machines: name vectors or directories of results (hbench run "
				  "makes them)");
}

static void *read_files(void *arg)
{
	struct files *f = arg;
	size_t i;

	while ((i = atomic_fetch_add(&f->next, 1)) < f->list.n) {
		struct file *x = &f->list.v[i];

		x->vector = (f->values ? osvec_read : skim_read)(x->path, &x->error);
	}
	return NULL;
}

static void read_all(struct files *f)
{
	pthread_t threads[MOST_THREADS];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t most = f->list.n / FILES_PER_THREAD, n = 0;

	while (n < MOST_THREADS && n < most && n + 1 < (size_t)cpus &&
	       !pthread_create(&threads[n], NULL, read_files, f))
		n++;
	read_files(f);
	while (n)
		pthread_join(threads[--n], NULL);
}

/* Of the vectors of one machine that an operand's directory holds, keeps the newest. */
static void drop_older(struct files *f)
{
	struct names seen = { 0 };
	VEC(size_t) newest = { 0 };

	for (size_t i = 0; i < f->list.n; i++) {
		struct file *x = &f->list.v[i];

		if (!x->newest_only || !x->vector)
			continue;
		char *key = xasprintf("%zu %s", x->operand, x->vector->machine);
		size_t machine = names_add(&seen, key);
		free(key);
		if (machine == newest.n) {
			vec_push(&newest, i);
			continue;
		}
		size_t *best = &newest.v[machine], older = i;
		if (strcmp(x->vector->created, f->list.v[*best].vector->created) > 0) {
			older = *best;
			*best = i;
		}
		osvec_free(f->list.v[older].vector);
		f->list.v[older].vector = NULL;
	}
	vec_free(&newest);
	names_free(&seen);
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

static int first_error(const struct files *f, struct error *e)
{
	for (size_t i = 0; i < f->list.n; i++)
		if (!f->list.v[i].vector)
			return error_set(e, "%s", f->list.v[i].error.text);
	return 0;
}

/* Hands the vectors that were read to m, or drops them. */
static void finish(struct files *f, struct machines *m)
{
	for (size_t i = 0; i < f->list.n; i++) {
		if (m && f->list.v[i].vector)
			vec_push(m, (struct machine){ f->list.v[i].vector, NULL });
		else
			osvec_free(f->list.v[i].vector);
		free(f->list.v[i].path);
	}
	vec_free(&f->list);
	if (m)
		make_labels(m);
}

int machines_read(struct machines *m, const char *const *paths, size_t n, bool values,
		  struct error *e)
{
	struct files f = { .values = values };
	int failed = n ? 0 : add_default(&f, e);

	for (size_t i = 0; i < n && !failed; i++)
		failed = add_operand(&f, paths[i], i, e);
	if (!failed) {
		read_all(&f);
		failed = first_error(&f, e);
	}
	drop_older(&f);
	finish(&f, failed ? NULL : m);
	return failed;
}

struct osvec *machines_read_one(const char *path, bool values, struct error *e)
{
	struct machines m = { 0 };
	struct osvec *v = NULL;

	if (machines_read(&m, &path, 1, values, e))
		return NULL;
	if (m.n == 1) {
		v = m.v[0].vector;
		m.v[0].vector = NULL;
	} else {
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
