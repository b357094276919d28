/* SPDX-License-Identifier: MIT */
/* ktranal - record and characterize how an application uses the operating system. */
#include "ktranal.h"

#include "util/opt.h"

static const struct opt_command commands[] = {
	{ "summary", "sum up the calls of traces by name", command_summary },
	{ 0 }
};

int main(int argc, char **argv)
{
	return opt_run_command(argc, argv, "ktranal",
			       "Records the system calls of an application and shows what it asks of "
			       "the operating system.", commands);
}
