/* SPDX-License-Identifier: MIT */
/* osvec-predict - which platform runs this application best, why, and what would change that. */
#include "commands.h"
#include "util/opt.h"

static const struct opt_command commands[] = {
	{ "rank", "order machines by the time the application would take on them", command_rank },
	{ "choose", "name the fastest machines for each of many applications", command_choose },
	{ "explain", "split the difference between two machines into its causes", command_explain },
	{ "whatif", "what a faster or slower primitive would change", command_whatif },
	{ "capacity", "how many requests a machine can serve in a second", command_capacity },
	{ "report", "write the ranking as an HTML page", command_report },
	{ "validate", "score predictions against what was measured", command_validate },
	{ "aggregate", "make the vector of a two-CPU machine from two of one CPU",
	  command_aggregate },
	{ 0 }
};

int main(int argc, char **argv)
{
	return opt_run_command(argc, argv, "osvec-predict",
			       "Predicts the time of an application on machines it never ran on.",
			       commands, NULL);
}
