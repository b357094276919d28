/* SPDX-License-Identifier: MIT */
/* Which lock lat_sync takes: how often an operation calls the functions of the C library, which
 * no recorder of system calls sees. */
#include <pthread.h>
#include <semaphore.h>

static unsigned long spins, mutexes, heirs, reads, writes, semaphores;

#define pthread_spin_lock(lock) (spins++, pthread_spin_lock(lock))
#define pthread_mutex_lock(lock) \
	(*((lock) == &heir ? &heirs : &mutexes) += 1, pthread_mutex_lock(lock))
#define pthread_rwlock_rdlock(lock) (reads++, pthread_rwlock_rdlock(lock))
#define pthread_rwlock_wrlock(lock) (writes++, pthread_rwlock_wrlock(lock))
#define sem_wait(semaphore) (semaphores++, sem_wait(semaphore))
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../bench/lat_sync.c"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap.h"

enum { OPERATIONS = 1000 };

/* Whether lat_sync LOCK takes that one, once in each operation, and no other. */
static bool takes(const char *lock, const unsigned long *once)
{
	char *argv[] = { (char *)"lat_sync", (char *)"-GN1000", (char *)(uintptr_t)lock, NULL };
	int status;

	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY), 1);
		if (bench_main(3, argv, &bench))
			_exit(1);
		unsigned long all = spins + mutexes + heirs + reads + writes + semaphores;
		_exit(all != *once || all < OPERATIONS || all % OPERATIONS);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

int main(void)
{
	ok(takes("spin", &spins), "spin");
	ok(takes("mutex", &mutexes), "mutex");
	ok(takes("pi", &heirs), "pi");
	ok(takes("read", &reads), "read");
	ok(takes("write", &writes), "write");
	ok(takes("sem", &semaphores), "sem");
	return done_testing();
}
