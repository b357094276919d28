/* SPDX-License-Identifier: MIT */
/* cea - explains why the threads of a program waited, and why the waits took so long. */
#include "commands.h"
#include "util/opt.h"

static const struct opt_command commands[] = {
	{ "summary", "print how time was spent and the largest causes of waits (also: cea TRACE)",
	  command_summary },
	{ "time", "print how each program or thread spent its time", command_time },
	{ "waits", "print what made waits long, by where threads waited and were woken",
	  command_waits },
	{ "contention", "print who used the CPU, lock, server or disk that others waited for",
	  command_contention },
	{ "sharing", "print how pages of files or memory move between processes or threads",
	  command_sharing },
	{ "caches", "print how documents move between proxies, from their access logs",
	  command_caches },
	{ "model", "print how time grows with processors and problem size; predict other runs",
	  command_model },
	{ "report", "write an interactive HTML page with the time, waits and contention",
	  command_report },
	{ 0 }
};

int main(int argc, char **argv)
{
	return opt_run_command(argc, argv, "cea",
			       "Explains why threads waited, and why the waits took so long.",
			       commands, command_summary);
}
