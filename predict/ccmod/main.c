/* SPDX-License-Identifier: MIT */
/* ccmod - predicts communication delays and the bottleneck link of a network. */
#include "commands.h"
#include "util/opt.h"

static const struct opt_command commands[] = {
	{ "predict", "predict the run time of a workload on a network, and the bottleneck link",
	  command_predict },
	{ "knee", "print throughput and delay as the load of a network grows", command_knee },
	{ "sweep", "predict a workload on many variants of a network", command_sweep },
	{ "generate", "generate a workload: halo, sweep3d, alltoall, ...", command_generate },
	{ "convert", "convert a workload, or traces of other tools, to text or binary",
	  command_convert },
	{ "fit", "convert measured delays into statements for a network file", command_fit },
	{ 0 }
};

int main(int argc, char **argv)
{
	return opt_run_command(
	    argc, argv, "ccmod",
	    "Predicts the communication delays of a parallel program on a network.", commands,
	    NULL);
}
