/* SPDX-License-Identifier: MIT */
/* ccmod - predicts communication delays and the bottleneck link of a network. */
#include "commands.h"
#include "util/opt.h"

static const struct opt_command commands[] = {
	{ "predict", "how long a workload takes on a network, and which link holds it up",
	  command_predict },
	{ "knee", "throughput and delay as the load of a network grows", command_knee },
	{ "sweep", "a workload on many networks in one go", command_sweep },
	{ "generate", "make a workload: halo, sweep3d, alltoall, ...", command_generate },
	{ "convert", "read a workload and write it as text or binary", command_convert },
	{ "fit", "turn measured delays into the delay of a quiet network", command_fit },
	{ 0 }
};

int main(int argc, char **argv)
{
	return opt_run_command(argc, argv, "ccmod",
			       "Predicts communication delays of a parallel program on a network.",
			       commands, NULL);
}
