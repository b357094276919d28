/* SPDX-License-Identifier: MIT */
/* critpath - finds the chain of work and waits that determines how long a program takes. */
#include "commands.h"
#include "load.h"
#include "util/opt.h"

static bool is_for_path(int argc, char **argv)
{
	return argc == 2 && load_is_trace(argv[1]);
}

static const struct opt_command commands[] = {
	{ "path",
	  "print the critical path by program and state, and what removing the first "
	  "bottleneck gives (also: critpath TRACE)",
	  command_path },
	{ "whatif", "how long it would take if states, queues or CPUs were others",
	  command_whatif },
	{ "chain", "remove the bottleneck, and the next, and so on", command_chain },
	{ "requests", "print what the time of requests on connections goes into, with percentiles",
	  command_requests },
	{ "loops", "print the queues whose size limits the run", command_loops },
	{ "slack", "print which states are near the critical path", command_slack },
	{ 0 }
};

int main(int argc, char **argv)
{
	return opt_run_command(
	    argc, argv, "critpath",
	    "Finds the critical path of a trace, and forecasts what changes would give.", commands,
	    is_for_path(argc, argv) ? command_path : NULL);
}
