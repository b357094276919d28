/* SPDX-License-Identifier: MIT */
/* critpath - finds the chain of work and waits that determines how long a program takes. */
#include "commands.h"
#include "util/opt.h"

static const struct opt_command commands[] = {
	{ "path",
	  "print what the critical path consists of and its first bottleneck (also: critpath "
	  "TRACE)",
	  command_path },
	{ "whatif", "forecast the run time with other states, queues, CPUs or on another machine",
	  command_whatif },
	{ "chain", "remove the bottleneck, then the next one, and so on", command_chain },
	{ "requests", "print what the time of requests consists of", command_requests },
	{ "loops", "print the queues whose size limits the throughput", command_loops },
	{ "slack", "print which states are on or near the critical path", command_slack },
	{ 0 }
};

int main(int argc, char **argv)
{
	return opt_run_command(
	    argc, argv, "critpath",
	    "Finds the critical path of a trace and forecasts the effect of changes.", commands,
	    command_path);
}
