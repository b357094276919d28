/* SPDX-License-Identifier: MIT */
#include "semaphores.h"

#include <errno.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#include "cleanup.h"

static int set;

static void clear(void)
{
	semctl(set, 0, IPC_RMID);
}

const char *semaphores_reason(void)
{
	set = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600);
	if (set < 0)
		return errno == ENOSYS ? "this kernel has no System V semaphores" : strerror(errno);
	cleanup_register(clear);
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
