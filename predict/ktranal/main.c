/* SPDX-License-Identifier: MIT */
/* ktranal - record and characterize how an application uses the operating system. */
#include "ktranal.h"

#include <stdio.h>

#include "util/file.h"
#include "util/number.h"
#include "util/opt.h"
#include "util/xalloc.h"

pid_t *ktranal_pids(const struct opt_usage *usage, const char *command, const struct opt_list *list)
{
	static pid_t *pids; /* reachable where bad usage ends the program, which is no leak */
	uint64_t pid;

	if (!command == !list->n)
		opt_bad_usage(usage, "%s",
			      command ? "a command and -p exclude each other"
				      : "neither a command nor -p is given");
	pids = xcalloc(list->n, sizeof(*pids));
	for (size_t i = 0; i < list->n; i++) {
		if (!number_parse_u64(list->v[i], &pid) || !pid || pid > INT32_MAX)
			opt_bad_usage(usage, "-p %s: not a process number", list->v[i]);
		pids[i] = (pid_t)pid;
	}
	return pids;
}

void ktranal_spare(const struct opt_usage *usage, const char *output, const char *path,
		   const pid_t *pids, size_t npids)
{
	char program[32];

	if (path && file_is_same(output, path))
		opt_bad_usage(usage, "-o %s: that is the program to run", output);
	for (size_t i = 0; i < npids; i++) {
		snprintf(program, sizeof(program), "/proc/%d/exe", pids[i]);
		if (file_is_same(output, program))
			opt_bad_usage(usage, "-o %s: that is the program that process %d runs",
				      output, pids[i]);
	}
}

static const struct opt_command commands[] = {
	{ "record", "write down the system calls of a command or process", command_record },
	{ "top", "show the calls of processes while they are made", command_top },
	{ "time", "measure what a command and its children use, untraced", command_time },
	{ "dump", "print all calls of a trace in the order of time", command_dump },
	{ "calls", "print the time of each call of a name", command_calls },
	{ "summary", "sum up the calls of traces by name, process, file and more",
	  command_summary },
	{ "tree", "print who started which process, and what each subtree used", command_tree },
	{ "idle", "print what each thread did or waited for, and who woke it", command_idle },
	{ "breakdown", "print how time was spent over a trace: user, system, idle",
	  command_breakdown },
	{ "export", "write a trace for a timeline or flame graph viewer", command_export },
	{ "sync", "align the clocks of hosts, and merge their traces", command_sync },
	{ "import", "turn a trace of another tool into a .ktr", command_import },
	{ "vector", "characterize an application: traces through the basis", command_vector },
	{ "doctor", "show which backend would record here, and why no better one", command_doctor },
	{ 0 }
};

int main(int argc, char **argv)
{
	return opt_run_command(
	    argc, argv, "ktranal",
	    "Records the system calls of an application and shows what it asks of "
	    "the operating system.",
	    commands, command_summary);
}
