/* SPDX-License-Identifier: MIT */
#include "measure/copies.h"

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "stats/sample.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { LINE = 128, UNSUPPORTED = 3 };

/* What a copy says of a batch. */
struct slot {
	_Alignas(LINE) struct batch batch;
	uint64_t start, end; /* nanoseconds */
};

/* In memory that all copies share; what one waits for has a cache line of its own. */
struct board {
	_Atomic uint32_t announced; /* batches; a futex */
	uint64_t operations;	    /* of the batch; 0: there are no more */
	_Atomic bool refused;	    /* by a copy, the first of which says why */
	char reason[200];
	_Alignas(LINE) _Atomic uint32_t met;
	_Alignas(LINE) _Atomic uint32_t meetings;
	_Alignas(LINE) _Atomic uint32_t busy; /* copies that have not done their operations */
	struct slot slots[];
};

typedef VEC(double) samples;

static struct {
	size_t n;
	const int *cpus;
	size_t ncpus; /* 0: nothing is pinned */
	bool threads;
	const struct bench *bench; /* of threads */
	const void *shared;	   /* the first one's object, that threads share, or NULL */
	struct board *board;
	pid_t *processes; /* by copy; of the first 0, and of threads */
	/* Since copies_reset: */
	samples *ticks; /* per operation in each batch, by copy */
	double elapsed, alone;
} all = { .n = 1 };

static _Thread_local size_t own; /* which copy this is */

size_t copies_count(void)
{
	return all.n;
}

size_t copies_index(void)
{
	return own;
}

const char *copies_reason(const struct bench *bench, bool threaded, bool shared)
{
	size_t size;

	if (threaded && !(bench->state && bench->state(&size)))
		return "this cannot be done by several threads of one process at once";
	if (shared && !(bench->shares && bench->shares()))
		return "there is nothing that its copies could share";
	return NULL;
}

void copies_open(size_t n, const int *cpus, size_t ncpus)
{
	size_t size = sizeof(struct board) + n * sizeof(struct slot);

	all.board = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (all.board == MAP_FAILED)
		err(1, "memory for %zu copies", n);
	for (size_t i = 0; all.ticks && i < all.n; i++)
		vec_free(&all.ticks[i]);
	free(all.ticks);
	free(all.processes);
	all.n = n;
	all.cpus = cpus;
	all.ncpus = ncpus;
	all.processes = xcalloc(n, sizeof(*all.processes));
	all.ticks = xcalloc(n, sizeof(*all.ticks));
}

void copies_fork(void)
{
	pid_t parent = getpid();

	fflush(NULL);
	for (size_t i = 1; i < all.n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork copy %zu of %zu", i + 1, all.n);
		if (pid == 0) {
			own = i;
			/* Not SIGKILL: it may have files to remove. */
			if (prctl(PR_SET_PDEATHSIG, SIGTERM))
				err(1, "prctl");
			if (getppid() != parent)
				_exit(1);
			return;
		}
		all.processes[i] = pid;
	}
}

void copies_settle(enum account_scope scope)
{
	struct error e;

	if (all.ncpus && cpus_pin(all.cpus[own % all.ncpus], &e))
		errx(1, "copy %zu of %zu: %s", own + 1, all.n, e.text);
	account_open(scope);
	if (all.ncpus)
		account_set_copies(all.n / all.ncpus + (own % all.ncpus < all.n % all.ncpus));
}

/* Makes this thread's object.  NULL, or why it cannot. */
static const char *make_state(const struct bench *bench)
{
	const char *reason = bench->supported ? bench->supported() : NULL;

	if (!reason && bench->setup)
		bench->setup();
	return reason;
}

static void *start_thread(void *index)
{
	static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
	const struct bench *bench = all.bench;
	const char *reason = NULL;
	size_t size;

	own = (size_t)index;
	copies_settle(ACCOUNT_THREAD);
	void *mine = bench->state(&size);
	pthread_mutex_lock(&one_at_a_time);
	if (all.shared)
		memcpy(mine, all.shared, size);
	else
		reason = make_state(bench);
	pthread_mutex_unlock(&one_at_a_time);
	if (reason)
		copies_refuse(reason);
	copies_follow(bench);
	return NULL;
}

void copies_start_threads(const struct bench *bench, bool shared)
{
	pthread_t thread;
	size_t size;

	all.bench = bench;
	all.shared = shared ? bench->state(&size) : NULL;
	all.threads = true;
	for (size_t i = 1; i < all.n; i++) {
		errno = pthread_create(&thread, NULL, start_thread, (void *)i);
		if (errno)
			err(1, "thread %zu of %zu", i + 1, all.n);
	}
}

/* -- waiting for each other -------------------------------------------------------------------- */

/* Ends the program as the copy that has ended did, which has said why. */
static void check_lives(void)
{
	for (size_t i = 1; i < all.n; i++) {
		siginfo_t info = { 0 };

		if (own || !all.processes[i] ||
		    waitid(P_PID, (id_t)all.processes[i], &info, WEXITED | WNOHANG | WNOWAIT) ||
		    !info.si_pid)
			continue;
		if (info.si_code != CLD_EXITED)
			errx(1, "copy %zu of %zu was ended by signal %d", i + 1, all.n,
			     info.si_status);
		if (info.si_status != UNSUPPORTED)
			exit(info.si_status ? info.si_status : 1);
	}
}

/* A turn of a loop that waits for another copy. */
static void wait_a_little(void)
{
	enum { YIELD = 1 << 12, CHECK = 1 << 16 };
	static _Thread_local unsigned turns;

	bench_relax();
	if (++turns % YIELD == 0 || all.n > all.ncpus)
		sched_yield();
	if (turns % CHECK == 0)
		check_lives();
}

void copies_meet(void)
{
	struct board *b = all.board;

	if (all.n == 1)
		return;
	uint32_t meeting = atomic_load(&b->meetings);
	if (atomic_fetch_add(&b->met, 1) + 1 == all.n) {
		atomic_store(&b->met, 0);
		atomic_store(&b->meetings, meeting + 1);
	}
	while (atomic_load_explicit(&b->meetings, memory_order_acquire) == meeting)
		wait_a_little();
}

void copies_refuse(const char *reason)
{
	if (!atomic_exchange(&all.board->refused, true))
		snprintf(all.board->reason, sizeof(all.board->reason), "%s", reason);
	copies_meet();
	if (all.threads)
		pthread_exit(NULL);
	exit(UNSUPPORTED);
}

const char *copies_await(void)
{
	copies_meet();
	return *all.board->reason ? all.board->reason : NULL;
}

void copies_announce(uint64_t n)
{
	struct board *b = all.board;

	if (all.n == 1 || own)
		return;
	b->operations = n;
	atomic_store(&b->busy, (uint32_t)all.n);
	atomic_fetch_add(&b->announced, 1);
	syscall(SYS_futex, &b->announced, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void copies_follow(const struct bench *bench)
{
	struct board *b = all.board;
	struct batch batch;
	struct error e;

	copies_meet();
	for (uint32_t seen = 0;; seen++) {
		/* Asleep, lest the gaps between the batches be disturbed. */
		while (atomic_load(&b->announced) == seen)
			syscall(SYS_futex, &b->announced, FUTEX_WAIT, seen, NULL, NULL, 0);
		if (!b->operations)
			return;
		if (batch_run(bench, b->operations, NULL, &batch, &e))
			errx(1, "copy %zu of %zu: %s", own + 1, all.n, e.text);
	}
}

void copies_finish(void)
{
	copies_announce(0);
	for (size_t i = 1; i < all.n; i++)
		while (all.processes[i] && waitpid(all.processes[i], NULL, 0) < 0 && errno == EINTR)
			;
}

/* -- batches ----------------------------------------------------------------------------------- */

/* The same work again until all are done.  A peer that supplies it has the CPU of another copy,
 * which it would disturb. */
static void go_on(const struct bench *bench, uint64_t n)
{
	const double part = 1. / 8; /* of the batch: the slowest waits little for this copy */
	uint64_t k = batch_round(bench, (double)n * part);

	while (atomic_load_explicit(&all.board->busy, memory_order_acquire)) {
		if (bench->parties == BENCH_APART) {
			wait_a_little();
			continue;
		}
		if (bench->prepare)
			bench->prepare(k);
		bench->run(k);
		const char *wrong = bench->check ? bench->check(k) : NULL;
		if (wrong)
			errx(1, "the work was not done: %s", wrong);
	}
}

/* Seconds in which copies were timed but not all ran. */
static double time_alone(const struct bench *bench, double *elapsed)
{
	const struct slot *slots = all.board->slots;
	uint64_t last_start = 0, first_end = UINT64_MAX;
	double alone = 0;

	for (size_t i = 0; i < all.n; i++) {
		last_start = slots[i].start > last_start ? slots[i].start : last_start;
		first_end = slots[i].end < first_end ? slots[i].end : first_end;
	}
	for (size_t i = 0; i < all.n; i++) {
		uint64_t end = bench->parties == BENCH_APART ? first_end : slots[i].end;
		double span = (double)(slots[i].end - slots[i].start) * 1e-9;

		*elapsed += span;
		alone += last_start < end ? span - (double)(end - last_start) * 1e-9 : span;
	}
	return alone;
}

void copies_complete(const struct bench *bench, struct batch *own_batch, uint64_t start,
		     uint64_t end)
{
	struct board *b = all.board;

	if (all.n == 1)
		return;
	b->slots[own] = (struct slot){ *own_batch, start, end };
	atomic_fetch_sub(&b->busy, 1);
	go_on(bench, own_batch->n);
	copies_meet();
	if (own)
		return;
	own_batch->alone = time_alone(bench, &all.elapsed);
	all.alone += own_batch->alone;
	for (size_t i = 0; i < all.n; i++) {
		const struct batch *one = &b->slots[i].batch;

		vec_push(&all.ticks[i], one->ticks / (double)one->n);
		if (i)
			batch_add(own_batch, one);
	}
}

void copies_reset(void)
{
	all.elapsed = all.alone = 0;
	for (size_t i = 0; i < all.n && all.ticks; i++)
		all.ticks[i].n = 0;
}

double copies_ticks(size_t i)
{
	return sample_median(all.ticks[i].v, all.ticks[i].n);
}

double copies_together(void)
{
	return 1 - all.alone / all.elapsed;
}
