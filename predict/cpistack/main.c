/* SPDX-License-Identifier: MIT */
/* cpistack - breaks down the cycles of a program by cause, with the counters of the CPU. */
#include "commands.h"
#include "counters/event.h"
#include "util/opt.h"

static const struct opt_command commands[] = {
	{ "record", "count events while a command or process runs", command_record },
	{ "show", "print or draw the breakdown of the cycles (also: cpistack FILE...)",
	  command_show },
	{ "list", "list the processors that are known, with their events and formulas",
	  command_list },
	{ 0 }
};

int main(int argc, char **argv)
{
	event_any_pmu();
	return opt_run_command(
	    argc, argv, "cpistack",
	    "Breaks down the cycles of a program into completed instructions and stalls by cause, "
	    "with standard errors.",
	    commands, command_show);
}
