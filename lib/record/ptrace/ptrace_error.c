/* SPDX-License-Identifier: MIT */
#include "record/ptrace/tracer.h"

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

/* Why it was refused although the process exists. */
static int forbidden(pid_t pid, struct error *e)
{
	struct status s = read_status(pid);
	char scope[16];

	file_first_line("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope));
	if (s.tracer)
		return error_set(e, "already traced by process %d", s.tracer);
	if (s.state == 'Z' || s.state == 'X')
		return error_set(e, "has ended: its parent has not waited for it yet");
	if (s.state && !s.user)
		return error_set(e, "a kernel thread, which makes no system calls");
	if (*scope > '0')
		return error_set(e,
				 "ptrace is not permitted: kernel.yama.ptrace_scope is %s; become "
				 "root or set it to 0",
				 scope);
	return error_set(e, "ptrace is not permitted: %sin a container allow SYS_PTRACE",
			 pid ? "become root or the user of that process; " : "");
}

int ptrace_error(pid_t pid, struct error *e)
{
	int why = errno;

	if (why == ENOSYS)
		error_set(e, "this kernel has no ptrace");
	else if (why == EPERM || why == EACCES)
		forbidden(pid, e);
	else
		error_set(e, "%s", why == ESRCH ? "there is no such process" : strerror(why));
	if (pid && why != ENOSYS)
		error_prefix(e, "process %d", pid);
	errno = why;
	return -1;
}
