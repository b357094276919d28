/* SPDX-License-Identifier: MIT */
/* cea - why the threads of a program waited, and why it took so long. */
#include "../critpath/load.h"
#include "commands.h"
#include "util/opt.h"

static const struct opt_command commands[] = {
	{ "summary", "print what time went to and the largest causes of waits (also: cea TRACE)",
	  command_summary },
	{ "time", "print what the time of each program or thread went to", command_time },
	{ "waits", "print what the waiters and those who woke them did differently",
	  command_waits },
	{ "contention", "print who had the CPU, the lock or the server meanwhile",
	  command_contention },
	{ 0 }
};

int main(int argc, char **argv)
{
	static const char *const summary =
	    "Explains why threads waited: what others did meanwhile that they did not.";
	static char first[] = "summary";
	char *words[] = { argv[0], first, argc > 1 ? argv[1] : NULL, NULL };

	if (argc == 2 && load_is_trace(argv[1]))
		return opt_run_command(3, words, "cea", summary, commands);
	return opt_run_command(argc, argv, "cea", summary, commands);
}
