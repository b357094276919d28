/* SPDX-License-Identifier: MIT */
#include "record/ptrace/ptrace_error.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/file.h"

struct status {
	int tracer; /* process that traces it already, or 0 */
	char state; /* 'Z': a zombie */
	bool user;  /* it has memory of its own: a kernel thread has none */
};

static struct status read_status(pid_t pid)
{
	char path[32], line[256];
	struct status s = { 0 };

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "State: %c", &s.state);
		sscanf(line, "TracerPid: %d", &s.tracer);
		s.user |= !strncmp(line, "VmSize:", 7);
	}
	if (f)
		fclose(f);
	return s;
}

int ptrace_error(pid_t pid, struct error *e)
{
	int why = errno;
	struct status s = read_status(pid);
	char scope[16];

	file_first_line("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope));
	if (why == ENOSYS)
		error_set(e, "this kernel has no ptrace");
	else if (why == ESRCH)
		error_set(e, "process %d: there is no such process", pid);
	else if (why != EPERM && why != EACCES)
		error_set(e, "process %d: ptrace: %s", pid, strerror(why));
	else if (s.tracer)
		error_set(e, "process %d is already traced by process %d", pid, s.tracer);
	else if (s.state == 'Z' || s.state == 'X')
		error_set(e, "process %d has ended: its parent has not waited for it yet", pid);
	else if (s.state && !s.user)
		error_set(e, "process %d is a kernel thread, which makes no system calls", pid);
	else if (*scope > '0')
		error_set(e,
			  "process %d: ptrace is not permitted: kernel.yama.ptrace_scope is %s; "
			  "become root or set it to 0",
			  pid, scope);
	else
		error_set(e,
			  "process %d: ptrace is not permitted: become root or the user of that "
			  "process; in a container allow SYS_PTRACE",
			  pid);
	errno = why;
	return -1;
}
