/* SPDX-License-Identifier: MIT */
/* cpistack - breaks down the cycles of a program by cause, with the counters of the CPU. */
#include <string.h>

#include "commands.h"
#include "counters/event.h"
#include "util/opt.h"

/* "cpistack a.counts" is "cpistack show a.counts", whether there is such a file or not. */
static bool is_for_show(int argc, char **argv)
{
	return argc > 1 && strpbrk(argv[1], "./") && *argv[1] != '-';
}

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
	    commands, is_for_show(argc, argv) ? command_show : NULL);
}
