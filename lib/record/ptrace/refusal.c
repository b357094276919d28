/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "record/program.h"
#include "record/ptrace/tracer.h"
#include "util/file.h"

/* Why it was refused although the process exists. */
static int forbidden(pid_t pid, struct error *e)
{
	static const char *const fields[] = { "TracerPid" };
	uint64_t tracer = 0;
	char scope[16];

	program_status(pid, fields, 10, &tracer, 1);
	file_first_line("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope));
	if (tracer)
		return error_set(e, "already traced by process %d", (int)tracer);
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
