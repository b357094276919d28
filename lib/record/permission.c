/* SPDX-License-Identifier: MIT */
#include "record/permission.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/file.h"

/* The process that traces pid already, or 0. */
static int tracer_of(pid_t pid)
{
	char path[32], line[256];
	int tracer = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "TracerPid: %d", &tracer) != 1)
		;
	if (f)
		fclose(f);
	return tracer;
}

int permission_refused(pid_t pid, struct error *e)
{
	int why = errno, tracer = tracer_of(pid);
	char scope[16];

	file_first_line("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope));
	if (why == ENOSYS)
		error_set(e, "this kernel has no ptrace");
	else if (why == ESRCH)
		error_set(e, "process %d: there is no such process", pid);
	else if (why != EPERM && why != EACCES)
		error_set(e, "process %d: ptrace: %s", pid, strerror(why));
	else if (tracer)
		error_set(e, "process %d is already traced by process %d", pid, tracer);
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
