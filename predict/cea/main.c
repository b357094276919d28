/* SPDX-License-Identifier: MIT */
/* cea - why the threads of a program waited, and why it took so long. */
#include <stdlib.h>
#include <string.h>

#include "../critpath/load.h"
#include "commands.h"
#include "util/opt.h"
#include "util/xalloc.h"

static const struct opt_command commands[] = {
	{ "summary",
	  "print what time went to and the largest causes of waits (also: cea [OPTIONS] TRACE)",
	  command_summary },
	{ "time", "print what the time of each program or thread went to", command_time },
	{ "waits", "print what the waiters and those who woke them did differently",
	  command_waits },
	{ "contention", "print who had the CPU, lock, server or disk meanwhile",
	  command_contention },
	{ "report", "write all that as one page of HTML to look at", command_report },
	{ 0 }
};

/* "cea [OPTIONS] app.ktr" is "cea summary [OPTIONS] app.ktr". */
static bool lacks_command(const char *word, bool several)
{
	static const char *const others[] = { "help", "-h", "--help", "--version" };

	for (size_t i = 0; commands[i].name; i++)
		if (!strcmp(word, commands[i].name))
			return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(word, others[i]))
			return false;
	return (*word == '-' && several) || load_is_trace(word);
}

int main(int argc, char **argv)
{
	static const char *const what =
	    "Explains why threads waited: what others did meanwhile that they did not.";
	static char name[] = "summary";
	char **words = xcalloc((size_t)argc + 2, sizeof(*words));
	int first = argc > 1 && lacks_command(argv[1], argc > 2);

	words[0] = argv[0];
	words[1] = name;
	for (int i = 1; i < argc; i++)
		words[i + first] = argv[i];
	int status = opt_run_command(argc + first, words, "cea", what, commands);
	free(words);
	return status;
}
