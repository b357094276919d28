/* SPDX-License-Identifier: MIT */
/*
 * lat_sync - taking and releasing a lock: by one thread, or by all of several, each on a CPU of its
 * own, that start together and count under the lock.
 *
 * atomic is no lock, but one atomic addition: the cache line that every lock has to move.  read is
 * a lock for reading, which all may have at once; eventfd is one with EFD_SEMAPHORE.
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/semaphores.h"
#include "common/team.h"

static uint64_t count; /* all that the threads have counted */
static _Atomic uint64_t added;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, inheriting;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static int event;

static const char *open_inheriting(void)
{
	pthread_mutexattr_t inherit;

	return !pthread_mutexattr_init(&inherit) &&
		       !pthread_mutexattr_setprotocol(&inherit, PTHREAD_PRIO_INHERIT) &&
		       !pthread_mutex_init(&inheriting, &inherit)
		   ? NULL
		   : "there are no mutexes that inherit priority";
}

static const char *open_spin(void)
{
	return pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) ? "there are no spin locks" : NULL;
}

static const char *open_sem(void)
{
	return sem_init(&semaphore, 0, 1) ? "there are no POSIX semaphores" : NULL;
}

static const char *open_semop(void)
{
	const char *reason = semaphores_reason();

	return reason || !semaphores_add(0, 1) ? reason : "semop fails";
}

static const char *open_event(void)
{
	event = eventfd(1, EFD_SEMAPHORE);
	return event < 0 ? "eventfd fails" : NULL;
}

static bool take_event(void)
{
	uint64_t value;

	return read(event, &value, sizeof(value)) != sizeof(value);
}

static bool release_event(void)
{
	static const uint64_t one = 1;

	return write(event, &one, sizeof(one)) != sizeof(one);
}

/* name, what opens it (returns a reason or NULL), take and release (true on error), what a thread
 * does under the lock */
/* clang-format off */
#define LOCKS(lock) \
	lock(atomic, NULL, false, false, atomic_fetch_add(&added, 1)) \
	lock(spin, open_spin, pthread_spin_lock(&spin), pthread_spin_unlock(&spin), count++) \
	lock(mutex, NULL, pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex), count++) \
	lock(pi, open_inheriting, pthread_mutex_lock(&inheriting), pthread_mutex_unlock(&inheriting), count++) \
	lock(read, NULL, pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock), local++) \
	lock(write, NULL, pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock), count++) \
	lock(sem, open_sem, sem_wait(&semaphore), sem_post(&semaphore), count++) \
	lock(semop, open_semop, semaphores_add(0, -1), semaphores_add(0, 1), count++) \
	lock(eventfd, open_event, take_event(), release_event(), count++)
/* clang-format on */

#define DEFINE(name, open, take, release, work) \
	static void name##_turns(uint64_t n) \
	{ \
		uint64_t local = 0; \
\
		for (; n; n--) { \
			if (take) \
				err(1, #name ": take"); \
			work; \
			if (release) \
				err(1, #name ": release"); \
		} \
		atomic_fetch_add(&added, local); \
	}
#define ROW(name, open, take, release, work) { name##_turns, open },
#define NAME(name, open, take, release, work) " " #name

LOCKS(DEFINE)

static const struct {
	void (*turns)(uint64_t n);
	const char *(*open)(void);
} locks[] = { LOCKS(ROW) };

static const struct bench_parameter parameters[] = {
	{ "lock", BENCH_CHOICE, &LOCKS(NAME)[1],
	  .help = "kind of lock; pi: mutex with priority inheritance; read, write: readers-writer "
		  "lock" },
	{ "threads", BENCH_COUNT, "0 1 3 7", 0, 1023, .fallback = "0",
	  .help = "other threads that compete for the lock" },
	{ 0 }
};

static const char *supported(void)
{
	const char *reason = team_reason(bench_number(1));

	return reason || !locks[bench_choice(0)].open ? reason : locks[bench_choice(0)].open();
}

static void setup(void)
{
	if (bench_number(1))
		team_start(bench_number(1));
}

static void prepare(uint64_t n)
{
	count = 0;
	atomic_store(&added, 0);
	team_gather();
}

static void run(uint64_t n)
{
	team_do(locks[bench_choice(0)].turns, n);
}

static const char *check(uint64_t n)
{
	return count + atomic_load(&added) == n * (bench_number(1) + 1)
		   ? NULL
		   : "two threads had the lock at once, or a turn is missing";
}

const struct bench bench = {
	.summary = "Taking and releasing a lock, alone or while THREADS threads do the same.",
	.operation = "one turn of each thread: take the lock, add one, release it",
	.parameters = parameters,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
};
