/* SPDX-License-Identifier: MIT */
/* hbench - measures what the primitives of an operating system cost on this machine. */
#include "hbench.h"
#include "util/opt.h"

static const struct opt_command commands[] = {
	{ "run", "measure the entries of a suite", run_command },
	{ "list", "show benchmark programs, or the entries of a suite", list_command },
	{ "check", "say what on this machine will disturb a measurement", check_command },
	{ "summary", "print the results of a run", summary_command },
	{ "compare", "print how two runs differ", compare_command },
	{ "analyze", "explain costs by their parts, and how machines differ", analyze_command },
	{ "vector", "write the OS vector of a run", vector_command },
	{ "peer", "serve the network benchmarks of another machine", peer_command },
	{ 0 }
};

int main(int argc, char **argv)
{
	static const char summary[] = "Measures what the primitives of an operating system cost.";

	return opt_run_command(argc, argv, "hbench", summary, commands, NULL);
}
