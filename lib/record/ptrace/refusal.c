/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "record/program.h"
#include "record/ptrace/tracer.h"
#include "util/file.h"

/* Why it was refused although the process exists. */
static int forbidden(pid_t pid, bool ours, struct error *e)
{
	static const char *const fields[] = { "TracerPid" };
	struct program other;
	uint64_t tracer = 0;
	char scope[16];

	program_status(pid, fields, 10, &tracer, 1);
	file_first_line("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope));
	if (tracer) {
		program_of((pid_t)tracer, &other);
		return error_set(e,
				 "%salready traced by process %d (%s), and a process can "
				 "have only one tracer: end that one, or record by bpf or perf",
				 ours ? "what is started here is " : "", (int)tracer, other.name);
	}
	if (*scope > '0')
		return error_set(e,
				 "ptrace is not permitted: kernel.yama.ptrace_scope is %s; become "
				 "root or set it to 0",
				 scope);
	return error_set(e, "ptrace is not permitted: %sin a container allow SYS_PTRACE",
			 ours ? "" : "become root or the user of that process; ");
}

int ptrace_error(pid_t pid, bool ours, struct error *e)
{
	int why = errno;

	if (why == ENOSYS)
		error_set(e, "this kernel has no ptrace");
	else if (why == EPERM || why == EACCES)
		forbidden(pid, ours, e);
	else
		error_set(e, "%s", why == ESRCH ? "there is no such process" : strerror(why));
	if (!ours && why != ENOSYS)
		error_prefix(e, "process %d", pid);
	errno = why;
	return -1;
}
