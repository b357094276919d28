/* SPDX-License-Identifier: MIT */
/* cea - explains why the threads of a program waited, and why the waits took so long. */
#include "../critpath/load.h"
#include "commands.h"
#include "util/opt.h"

/* "cea [OPTIONS] app.ktr" means "cea summary [OPTIONS] app.ktr". */
static bool is_for_summary(int argc, char **argv)
{
	return argc > 1 && ((*argv[1] == '-' && argc > 2) || load_is_trace(argv[1]));
}

static const struct opt_command commands[] = {
	{ "summary",
	  "print what time went to and the largest causes of waits (also: cea [OPTIONS] TRACE)",
	  command_summary },
	{ "time", "print what the time of each program or thread went to", command_time },
	{ "waits", "print what the waiters and those who woke them did differently",
	  command_waits },
	{ "contention", "print who had the CPU, lock, server or disk meanwhile",
	  command_contention },
	{ "sharing", "print how pages of files go from one process to another", command_sharing },
	{ "caches", "print where documents of proxies were, from their access logs",
	  command_caches },
	{ "model", "print how time grows with processors and problems, and predict other runs",
	  command_model },
	{ "report", "write all that as one page of HTML to look at", command_report },
	{ 0 }
};

int main(int argc, char **argv)
{
	return opt_run_command(
	    argc, argv, "cea",
	    "Explains why threads waited: what others did meanwhile that they did not.", commands,
	    is_for_summary(argc, argv) ? command_summary : NULL);
}
