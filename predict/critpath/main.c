/* SPDX-License-Identifier: MIT */
/* critpath - which chain of work and waits determines how long a program takes. */
#include "commands.h"
#include "load.h"
#include "util/opt.h"

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
	static const char *const summary =
	    "Finds the critical path of a trace, and forecasts what changes would give.";
	static char path[] = "path";
	char *words[] = { argv[0], path, argc > 1 ? argv[1] : NULL, NULL };

	if (argc == 2 && load_is_trace(argv[1]))
		return opt_run_command(3, words, "critpath", summary, commands);
	return opt_run_command(argc, argv, "critpath", summary, commands);
}
