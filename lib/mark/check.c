/* SPDX-License-Identifier: MIT */
#include "mark/check.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mark/mark_file.h"

enum { QUEUES = 1024 }; /* more are not checked */

static struct queue {
	const char *name;
	uint64_t key;		  /* as in osvec_identify() */
	uint64_t level, capacity; /* units; capacity 0: unknown */
	bool is_put;		  /* this process puts into it: level is known */
	bool warned;
} queues[QUEUES];
static size_t used;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static __thread struct {
	struct queue *awaited; /* NULL: it does not wait */
	bool full;
	uint64_t key;
} self;

static struct queue *find(const char *name)
{
	for (size_t i = 0; i < used; i++)
		if (queues[i].key == self.key && !strcmp(queues[i].name, name))
			return &queues[i];
	if (used == QUEUES)
		return NULL;
	queues[used] = (struct queue){ .name = name, .key = self.key };
	return &queues[used++];
}

static void complain(struct queue *q, const char *what)
{
	if (!q->warned)
		dprintf(STDERR_FILENO, "osvec-mark: queue %s, thread %ld: %s\n", q->name,
			syscall(SYS_gettid), what);
	q->warned = true;
}

static void change_queue(struct queue *q, enum osvec_verb verb, uint64_t n)
{
	bool takes = verb == OSVEC_DEQUEUE, looks = verb == OSVEC_PEEK;

	q->capacity = verb == OSVEC_CAPACITY ? n : q->capacity;
	q->is_put |= verb == OSVEC_ENQUEUE;
	q->level += verb == OSVEC_ENQUEUE ? n : 0;
	if (q->is_put && (takes || looks) && n > q->level)
		complain(q, "more is taken than was put");
	if (q->capacity && q->level > q->capacity)
		complain(q, "more is put than there is room for");
	if (verb == OSVEC_WAIT_EMPTY && q->level)
		complain(q, "is waited for although there is something in it");
	q->level -= !takes ? 0 : n < q->level ? n : q->level;
}

static void check(enum osvec_verb verb, struct queue *q, uint64_t n, uint64_t tag)
{
	if (self.awaited && !(mark_ends_wait(verb, self.full) && q == self.awaited))
		complain(self.awaited, "a wait ends with a mark of something else");
	self.full = verb == OSVEC_WAIT_FULL;
	self.awaited = self.full || verb == OSVEC_WAIT_EMPTY ? q : NULL;
	if (verb == OSVEC_IDENTIFY)
		self.key = tag;
	if (q)
		change_queue(q, verb, n);
}

void mark_check(enum osvec_verb verb, const char *name, uint64_t amount, uint64_t tag)
{
	int error = errno;
	bool queued = verb != OSVEC_STATE && verb != OSVEC_LINK && verb != OSVEC_IDENTIFY;

	pthread_mutex_lock(&mutex);
	check(verb, queued ? find(name) : NULL, amount, tag);
	pthread_mutex_unlock(&mutex);
	errno = error;
}

void mark_check_forget(void)
{
	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	used = 0;
	memset(&self, 0, sizeof(self));
}
