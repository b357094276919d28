/* SPDX-License-Identifier: MIT */
/*
 * lat_handoff - a token passed to another process and back, each of which sleeps until it has it.
 *
 * cond: a mutex and a condition variable in shared memory; signal: kill and sigwaitinfo; yield does
 * not sleep but yields its CPU until it has the token.  lat_futex and lat_roundtrip do the same
 * with a futex, pipes and sockets.
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/memory.h"
#include "common/semaphores.h"

enum { OURS, THEIRS }; /* the parties, and whose the token is */
enum { COND, SEM, SEMOP, EVENTFD, SIGNAL, SIGNALFD, YIELD };

/* In memory of both processes. */
static struct shared {
	pthread_mutex_t mutex;
	pthread_cond_t turned[2];
	sem_t semaphores[2];
	_Atomic int owner;
	uint64_t taken; /* by the peer */
} * shared;

static int event[2], arrived;
static pid_t pids[2];
static sigset_t usual;
static uint64_t before;

static const struct bench_parameter parameters[] = {
	{ "what", BENCH_CHOICE, "cond sem semop eventfd signal signalfd yield",
	  .help = "what passes the token; sem: POSIX semaphore; semop: System V semaphore" },
	{ 0 }
};

static bool pass_cond(int to)
{
	bool bad = pthread_mutex_lock(&shared->mutex);

	atomic_store(&shared->owner, to);
	bad |= pthread_cond_signal(&shared->turned[to]);
	return bad | pthread_mutex_unlock(&shared->mutex);
}

static bool await_cond(int self)
{
	bool bad = pthread_mutex_lock(&shared->mutex);

	while (!bad && atomic_load(&shared->owner) != self)
		bad |= pthread_cond_wait(&shared->turned[self], &shared->mutex);
	return bad | pthread_mutex_unlock(&shared->mutex);
}

static bool pass_sem(int to)
{
	return sem_post(&shared->semaphores[to]);
}

static bool await_sem(int self)
{
	return sem_wait(&shared->semaphores[self]);
}

static bool pass_semop(int to)
{
	return semaphores_add((unsigned short)to, 1);
}

static bool await_semop(int self)
{
	return semaphores_add((unsigned short)self, -1);
}

static bool pass_event(int to)
{
	static const uint64_t one = 1;

	return write(event[to], &one, sizeof(one)) != sizeof(one);
}

static bool await_event(int self)
{
	uint64_t value;

	return read(event[self], &value, sizeof(value)) != sizeof(value);
}

static bool pass_signal(int to)
{
	return kill(pids[to], SIGUSR1);
}

static bool await_signal(int self)
{
	return sigwaitinfo(&usual, NULL) != SIGUSR1;
}

static bool await_signalfd(int self)
{
	struct signalfd_siginfo info;

	return read(arrived, &info, sizeof(info)) != sizeof(info);
}

static bool pass_yield(int to)
{
	atomic_store(&shared->owner, to);
	return false;
}

static bool await_yield(int self)
{
	while (atomic_load(&shared->owner) != self)
		sched_yield();
	return false;
}

static const struct {
	bool (*pass)(int to), (*await)(int self); /* true on error */
} ways[] = {
	[COND] = { pass_cond, await_cond },	  [SEM] = { pass_sem, await_sem },
	[SEMOP] = { pass_semop, await_semop },	  [EVENTFD] = { pass_event, await_event },
	[SIGNAL] = { pass_signal, await_signal }, [SIGNALFD] = { pass_signal, await_signalfd },
	[YIELD] = { pass_yield, await_yield },
};

static const char *supported(void)
{
	return bench_choice(0) == SEMOP ? semaphores_reason() : NULL;
}

static void share(void)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t condition;

	shared = memory_shared(sizeof(*shared));
	errno = pthread_mutexattr_init(&mutex) | pthread_condattr_init(&condition) |
		pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED) |
		pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED) |
		pthread_mutex_init(&shared->mutex, &mutex) |
		pthread_cond_init(&shared->turned[OURS], &condition) |
		pthread_cond_init(&shared->turned[THEIRS], &condition);
	if (errno || sem_init(&shared->semaphores[OURS], 1, 0) ||
	    sem_init(&shared->semaphores[THEIRS], 1, 0))
		err(1, "a lock between processes");
}

static void hand(int from, int to)
{
	if (ways[bench_choice(0)].pass(to) || ways[bench_choice(0)].await(from))
		err(1, "handing over");
}

static void setup(void)
{
	share();
	sigemptyset(&usual);
	sigaddset(&usual, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usual, NULL);
	for (int i = 0; i < 2; i++)
		if ((event[i] = eventfd(0, 0)) < 0)
			err(1, "eventfd");
	/* It takes the signals of the process that reads it. */
	arrived = signalfd(-1, &usual, SFD_CLOEXEC);
	if (arrived < 0)
		err(1, "signalfd");
	pids[OURS] = getpid();
	pids[THEIRS] = bench_fork();
	if (pids[THEIRS])
		return;
	if (ways[bench_choice(0)].await(THEIRS))
		err(1, "the peer");
	for (shared->taken++;; shared->taken++)
		hand(THEIRS, OURS);
}

static void prepare(uint64_t n)
{
	before = shared->taken;
}

static void run(uint64_t n)
{
	while (n--)
		hand(OURS, THEIRS);
}

static const char *check(uint64_t n)
{
	return shared->taken - before == n ? NULL : "the token did not come round every time";
}

const struct bench bench = {
	.summary = "A token passed to a sleeping process and back.",
	.operation = "the token passed there and back: two wake-ups",
	.parameters = parameters,
	.parties = BENCH_TWO,
	.kernel_entries = 2,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
};
