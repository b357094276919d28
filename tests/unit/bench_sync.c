/* SPDX-License-Identifier: MIT */
/* Which lock lat_sync takes: how often an operation calls the functions of the C library, which
 * no recorder of system calls sees. */
#include <pthread.h>
#include <semaphore.h>

static unsigned long spins, mutexes, inheriting_taken, reads, writes, semaphores;

#define pthread_spin_lock(lock) (spins++, pthread_spin_lock(lock))
#define pthread_mutex_lock(lock) \
	(*((lock) == &inheriting ? &inheriting_taken : &mutexes) += 1, pthread_mutex_lock(lock))
#define pthread_rwlock_rdlock(lock) (reads++, pthread_rwlock_rdlock(lock))
#define pthread_rwlock_wrlock(lock) (writes++, pthread_rwlock_wrlock(lock))
#define sem_wait(semaphore) (semaphores++, sem_wait(semaphore))
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../bench/lat_sync.c"

#include "../bench_inside.h"

enum { OPERATIONS = 1000 };

static const unsigned long *taken;

/* That one, once in each operation, and no other. */
static bool is_taken_alone(void)
{
	unsigned long all = spins + mutexes + inheriting_taken + reads + writes + semaphores;

	return all == *taken && all >= OPERATIONS && all % OPERATIONS == 0;
}

static void takes(const char *lock, const unsigned long *once)
{
	char words[40];

	snprintf(words, sizeof(words), "lat_sync -GN%d %s", OPERATIONS, lock);
	taken = once;
	inside(words, is_taken_alone, "takes this lock once");
}

int main(void)
{
	takes("spin", &spins);
	takes("mutex", &mutexes);
	takes("pi", &inheriting_taken);
	takes("read", &reads);
	takes("write", &writes);
	takes("sem", &semaphores);
	return done_testing();
}
