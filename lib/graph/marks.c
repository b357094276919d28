/* SPDX-License-Identifier: MIT */
#include "graph/marks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mark/mark_file.h"
#include "trace/reorder.h"
#include "trace/syscalls.h"
#include "util/map.h"
#include "util/vec.h"

enum { FIRST = 8, CHUNK = 512 /* slots */, SLOT = sizeof(struct mark_slot) };

/* ns that it may take, on a busy disk, to begin a file */
static const uint64_t opening = 10000000000;

/* It is open only while it is read, because there may be more files than a process can open. */
struct mark_file {
	char *path;
	uint32_t pid, tid; /* with those of the host, once its thread is found */
	uint64_t started;
	uint64_t other; /* file of the same tid, plus 1 */
	bool synced;	/* its thread is one of the trace */
	int64_t at;	/* offset of the next slot */
	int64_t begin;	/* offset of the first slot in memory */
	size_t n;
	struct mark_slot *slots;
	struct mark_slot next;
	VEC(char *) names; /* index: number less 1 */
};

struct marks {
	VEC(struct mark_file *) files;
	struct map by_tid;    /* index of a file, plus 1 */
	struct reorder order; /* the files, sorted by the time of their next mark */
	uint64_t sequence;
	bool synced; /* any file is */
	struct mark_clock {
		bool synced;
		int64_t offset; /* ns: time of a mark less time of the trace */
	} clocks[HOSTS_MAX];
	unsigned lseek;
	struct error error; /* about a damaged file */
	bool damaged;
};

/* Returns how many bytes it has read, or -1. */
static ssize_t read_at(const char *path, void *out, size_t n, int64_t at)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd < 0 ? -1 : pread(fd, out, n, at);

	if (fd >= 0)
		close(fd);
	return got;
}

/* Returns the slot at f->at; NULL at the end of the file. */
static const struct mark_slot *slot_at(struct mark_file *f)
{
	if (f->at < f->begin || f->at >= f->begin + (int64_t)f->n * SLOT) {
		struct mark_slot slots[CHUNK];
		ssize_t got = read_at(f->path, slots, (f->n ? CHUNK : FIRST) * SLOT, f->at);

		f->begin = f->at;
		f->n = got > 0 ? (size_t)got / SLOT : 0;
		f->slots = xreallocarray(f->slots, f->n + 1, SLOT);
		memcpy(f->slots, slots, f->n * SLOT);
	}
	return f->n ? &f->slots[(f->at - f->begin) / SLOT] : NULL;
}

static int read_name(struct mark_file *f, uint64_t bytes)
{
	char name[MARK_NAME_MOST + 1] = "";

	if (bytes > MARK_NAME_MOST || read_at(f->path, name, bytes, f->at + SLOT) != (ssize_t)bytes)
		return -1;
	vec_push(&f->names, xstrdup(name));
	f->at += SLOT * (1 + (int64_t)(bytes + SLOT - 1) / SLOT);
	return 0;
}

/* The time of the file's next mark in the trace. */
static int64_t time_of(const struct marks *m, const struct mark_file *f)
{
	return (int64_t)(f->next.time - (uint64_t)m->clocks[f->tid >> HOST_SHIFT].offset);
}

/* Adds the file's next mark to m->order, if there is one. */
static void advance(struct marks *m, struct mark_file *f)
{
	const struct mark_slot *s;

	while ((s = slot_at(f))) {
		if (!s->verb) {
			f->at = (f->at / MARK_WINDOW + 1) * MARK_WINDOW;
			continue;
		}
		if (s->verb == MARK_NAME && s->name == f->names.n + 1 && !read_name(f, s->amount))
			continue;
		if (s->verb == MARK_NAME || !s->name || s->name > f->names.n ||
		    s->verb > OSVEC_IDENTIFY || s->time > INT64_MAX / 2) {
			m->damaged = true;
			error_set(&m->error, "%s: is damaged at byte %lld", f->path,
				  (long long)f->at);
			return;
		}
		f->next = *s;
		f->at += SLOT;
		reorder_push(&m->order, time_of(m, f), m->sequence++, 1, f);
		return;
	}
}

static int open_file(struct marks *m, const char *directory, const char *name, struct error *e)
{
	struct mark_file *f = xcalloc(1, sizeof(*f));
	struct mark_head head;

	vec_push(&m->files, f);
	f->path = xasprintf("%s/%s", directory, name);
	ssize_t got = read_at(f->path, &head, sizeof(head), 0);
	if (got < 0)
		return error_set(e, "%s: %s", f->path, strerror(errno));
	/* Its program was killed before its first mark. */
	if (!got || (got == sizeof(head) && !head.magic[0]))
		return 0;
	if (got != sizeof(head) || memcmp(head.magic, MARK_MAGIC, sizeof(head.magic)) ||
	    head.version != MARK_VERSION)
		return error_set(e, "%s: has no marks of this machine and version", f->path);
	f->pid = head.pid;
	f->tid = head.tid;
	f->started = head.started;
	uint64_t *at = map_at(&m->by_tid, f->tid);
	f->other = *at;
	*at = m->files.n;
	f->at = sizeof(head);
	return 0;
}

static void free_all(struct marks *m)
{
	for (size_t i = 0; i < m->files.n; i++) {
		struct mark_file *f = m->files.v[i];

		for (size_t n = 0; n < f->names.n; n++)
			free(f->names.v[n]);
		vec_free(&f->names);
		free(f->slots);
		free(f->path);
		free(f);
	}
	vec_free(&m->files);
	map_free(&m->by_tid);
	reorder_free(&m->order);
	free(m);
}

struct marks *marks_open(const char *directory, struct error *e)
{
	DIR *dir = opendir(directory);
	struct marks *m;
	const struct dirent *entry;
	int status = 0;

	if (!dir) {
		error_set(e, "%s: %s", directory, strerror(errno));
		return NULL;
	}
	m = xcalloc(1, sizeof(*m));
	m->lseek = syscall_by_name("lseek");
	while (!status && (entry = readdir(dir))) {
		const char *dot = strrchr(entry->d_name, '.');

		if (dot && !strcmp(dot, ".marks"))
			status = open_file(m, directory, entry->d_name, e);
	}
	closedir(dir);
	if (!status && !m->files.n)
		status = error_set(e,
				   "%s: no marks: either no thread made any, or OSVEC_MARKS did "
				   "not name this directory, or the program could not write "
				   "there, or cannot be preloaded because it is static; analyse "
				   "it without --marks",
				   directory);
	if (!status)
		return m;
	free_all(m);
	return NULL;
}

/* The file that the thread began soon before or some time after it made the call.  There may be
 * files of other runs, in which another thread had the same ID. */
static struct mark_file *file_of(const struct marks *m, uint32_t tid, uint64_t time)
{
	const uint64_t *at = map_find(&m->by_tid, tid);
	struct mark_file *best = NULL;
	int64_t nearest = INT64_MAX;

	for (uint64_t i = at ? *at : 0; i; i = m->files.v[i - 1]->other) {
		struct mark_file *f = m->files.v[i - 1];
		int64_t away = llabs((int64_t)(time - f->started));

		if (away >= nearest || time > f->started + opening)
			continue;
		best = f;
		nearest = away;
	}
	return best;
}

void marks_sync(struct marks *m, const struct event *e)
{
	if (e->type != EVENT_SYSCALL || e->call.id != m->lseek ||
	    (uint32_t)e->call.args[2] != MARK_SYNC || (int32_t)e->call.args[0] != -1)
		return;
	int64_t offset = (int64_t)(e->call.args[1] - (uint64_t)e->time);
	struct mark_clock *clock = &m->clocks[e->tid >> HOST_SHIFT];
	/* The call is traced a little after its argument was read from the clock, so the call with
	 * the shortest delay gives the best offset. */
	if (!clock->synced || offset > clock->offset)
		clock->offset = offset;
	clock->synced = m->synced = true;
	struct mark_file *f = file_of(m, host_local(e->tid), e->call.args[1]);
	if (!f || f->synced)
		return;
	f->synced = true;
	f->tid = e->tid;
	f->pid = e->tid - host_local(e->tid) + f->pid;
	advance(m, f);
}

bool marks_next(struct marks *m, int64_t until, struct event *out)
{
	if (reorder_is_after(&m->order, until, UINT64_MAX))
		return false;
	struct mark_file *f = reorder_pop(&m->order, true);
	if (!f)
		return false;
	*out = (struct event){ .type = EVENT_MARK,
			       .pid = f->pid,
			       .tid = f->tid,
			       .time = time_of(m, f),
			       .mark = { .verb = f->next.verb,
					 .name = f->names.v[f->next.name - 1],
					 .amount = f->next.amount,
					 .tag = f->next.tag } };
	advance(m, f);
	return true;
}

int marks_close(struct marks *m, struct error *e)
{
	int status = 0;

	for (size_t i = 0; i < m->files.n; i++)
		status += !m->files.v[i]->synced;
	if (!m->synced)
		status = error_set(e, "the trace has no call that shows when its marks were made: "
				      "it is of another run, or began after the first marks; start "
				      "the program by the recorder, or analyse it without --marks");
	else if (m->damaged)
		status = error_set(e, "%s", m->error.text);
	free_all(m);
	return status;
}
