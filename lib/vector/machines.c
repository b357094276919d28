/* SPDX-License-Identifier: MIT */
#include "vector/machines.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/home.h"
#include "util/map.h"
#include "util/vec.h"

/* A file that an operand names. */
struct file {
	char *path;
	size_t operand;
	bool in_directory;
	struct osvec *vector; /* NULL: error says why */
	struct error error;
};

/* The files to read. */
struct search {
	VEC(struct file) files;
	size_t operand; /* that is being looked at */
	struct error *e;
	bool failed;
};

static void add_file(struct search *s, const char *path, bool in_directory)
{
	vec_push(&s->files, (struct file){ xstrdup(path), s->operand, in_directory, NULL, { "" } });
}

/* Adds the files below directory that match pattern; returns their number. */
static size_t add_matches(struct search *s, const char *directory, const char *pattern)
{
	glob_t found;
	const size_t n = file_match(directory, pattern, &found);

	for (size_t i = 0; i < n; i++)
		add_file(s, found.gl_pathv[i], true);
	globfree(&found);
	return n;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static size_t add_directory(struct search *s, const char *path)
{
	size_t n = add_matches(s, path, "osvec.json");

	if (!n)
		n = add_matches(s, path, "*/osvec.json") + add_matches(s, path, "*/*/osvec.json");
	return n ? n : add_matches(s, path, "*.json");
}

static bool is_word(const char *operand)
{
	return *operand && access(operand, F_OK) && errno == ENOENT && !strchr(operand, '/');
}

char *machines_find_reference(const char *name)
{
	if (!is_word(name))
		return NULL;
	char *file = xasprintf("%s.json", name);
	char *path = home_find(HOME_REFERENCE, file, NULL);

	free(file);
	return path ? path : home_find(HOME_REFERENCE, name, NULL);
}

/* Says which names there would have been. */
static void refuse_name(const char *name, struct error *e)
{
	char *directory = home_find(HOME_REFERENCE, NULL, NULL), *list = NULL;
	glob_t found = { 0 };

	if (directory && file_match(directory, "*", &found))
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
	free(directory);
}

static void add_operand(struct search *s, const char *path)
{
	char *reference = machines_find_reference(path);

	if (reference)
		path = reference;
	if (is_word(path)) {
		refuse_name(path, s->e);
		s->failed = true;
	} else if (!is_directory(path)) {
		add_file(s, path, false);
	} else if (access(path, R_OK | X_OK)) {
		error_set(s->e, "%s: %s", path, strerror(errno));
		s->failed = true;
	} else if (!add_directory(s, path)) {
		error_set(s->e,
			  "%s: no osvec.json in it or up to two directories below (make one with "
			  "hbench run)",
			  path);
		s->failed = true;
	}
	free(reference);
}

/* One operand, so that the newest vector of a machine counts wherever it lies. */
static void add_default(struct search *s)
{
	char *reference = home_find(HOME_REFERENCE, NULL, NULL);
	size_t n = reference ? add_directory(s, reference) : 0;

	if (is_directory("results"))
		n += add_directory(s, "results");
	free(reference);
	if (n)
		return;
	error_set(s->e,
		  "no machines: name vectors or directories of results (hbench run makes them)");
	s->failed = true;
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

/* One of the threads that read: every step'th file. */
struct reader {
	pthread_t thread;
	struct file *files;
	size_t first, step, n;
};

static void *read_files(void *of)
{
	const struct reader *r = of;
	const struct osvec *last = NULL;

	for (size_t i = r->first; i < r->n; i += r->step) {
		r->files[i].vector = osvec_read_like(r->files[i].path, last, &r->files[i].error);
		last = r->files[i].vector ? r->files[i].vector : last;
	}
	return NULL;
}

/* Nearly all the time of ranking many machines is the parsing of their files. */
static void read_all(struct file *files, size_t n)
{
	enum { THREADS = 8, FILES = 16 /* are worth a thread */ };
	struct reader readers[THREADS];
	size_t step = n / FILES + 1, started = 1;
	cpu_set_t cpus;

	if (!sched_getaffinity(0, sizeof(cpus), &cpus) && (size_t)CPU_COUNT(&cpus) < step)
		step = (size_t)CPU_COUNT(&cpus);
	step = step < THREADS ? step : THREADS;
	for (size_t i = 0; i < step; i++)
		readers[i] = (struct reader){ 0, files, i, step, n };
	while (started < step &&
	       !pthread_create(&readers[started].thread, NULL, read_files, &readers[started]))
		started++;
	read_files(&readers[0]);
	for (size_t i = started; i < step; i++)
		read_files(&readers[i]);
	for (size_t i = 1; i < started; i++)
		pthread_join(readers[i].thread, NULL);
}

/* Takes the vectors of the files.  Of those of one machine in the directories of an operand the
 * newest is kept.  0, or -1 and the error of the first file that was not read. */
static int take_vectors(struct machines *m, struct search *s)
{
	struct names seen = { 0 };
	const struct file *bad = NULL;

	for (size_t k = 0; k < s->files.n; k++) {
		struct file *f = &s->files.v[k];

		if (!f->vector) {
			bad = bad ? bad : f;
			continue;
		}
		char *key = f->in_directory ? xasprintf("%zu %s", f->operand, f->vector->machine)
					    : xasprintf("%s#%zu", f->path, m->n);
		size_t i = names_add(&seen, key);
		free(key);
		if (i == m->n) {
			vec_push(m, (struct machine){ f->vector, NULL });
		} else if (strcmp(f->vector->created, m->v[i].vector->created) > 0) {
			osvec_free(m->v[i].vector);
			m->v[i].vector = f->vector;
		} else {
			osvec_free(f->vector);
		}
	}
	if (bad)
		*s->e = bad->error;
	names_free(&seen);
	return bad ? -1 : 0;
}

int machines_read(struct machines *m, const char *const *paths, size_t n, struct error *e)
{
	struct search s = { .e = e };

	if (!n)
		add_default(&s);
	for (; s.operand < n && !s.failed; s.operand++)
		add_operand(&s, paths[s.operand]);
	if (!s.failed) {
		read_all(s.files.v, s.files.n);
		s.failed = take_vectors(m, &s);
	}
	for (size_t i = 0; i < s.files.n; i++)
		free(s.files.v[i].path);
	vec_free(&s.files);
	if (!s.failed)
		make_labels(m);
	return s.failed ? -1 : 0;
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
