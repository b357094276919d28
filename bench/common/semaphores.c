/* SPDX-License-Identifier: MIT */
#include "semaphores.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <unistd.h>

static int set;
static pid_t owner;

static void clear(void)
{
	if (getpid() == owner)
		semctl(set, 0, IPC_RMID);
}

static void on_signal(int number)
{
	clear();
	signal(number, SIG_DFL);
	raise(number);
}

const char *semaphores_reason(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction old, new = { .sa_handler = on_signal };

	set = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600);
	if (set < 0)
		return errno == ENOSYS ? "this kernel has no System V semaphores" : strerror(errno);
	owner = getpid();
	atexit(clear);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(numbers[i], &new, NULL);
	return NULL;
}

bool semaphores_add(unsigned short i, short change)
{
	struct sembuf operation = { .sem_num = i, .sem_op = change };

	while (semop(set, &operation, 1))
		if (errno != EINTR)
			return true;
	return false;
}
