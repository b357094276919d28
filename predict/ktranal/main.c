/* SPDX-License-Identifier: MIT */
/* ktranal - record and characterize how an application uses the operating system. */
#include "ktranal.h"

#include "util/opt.h"

static const struct opt_command commands[] = {
	{ "record", "write down the system calls of a command or process", command_record },
	{ "time", "measure what a command and its children use, untraced", command_time },
	{ "dump", "print all calls of a trace in the order of time", command_dump },
	{ "calls", "print the time of each call of a name", command_calls },
	{ "summary", "sum up the calls of traces by name", command_summary },
	{ "import", "turn a log of strace into a .ktr trace", command_import },
	{ "vector", "characterize an application: traces through the basis", command_vector },
	{ 0 }
};

int main(int argc, char **argv)
{
	return opt_run_command(
	    argc, argv, "ktranal",
	    "Records the system calls of an application and shows what it asks of "
	    "the operating system.",
	    commands);
}
