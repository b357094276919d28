/* SPDX-License-Identifier: MIT */
/* ccmod convert - reads a workload and writes it as text or binary. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "network/workload.h"
#include "util/file.h"
#include "util/opt.h"

static const char *output;

static const struct opt options[] = {
	{ 'o', "output", OPT_STRING, &output, "FILE", 0, 0,
	  "write it there as binary (default: as text to stdout)" },
	{ 0 },
};

static const struct opt_usage usage = {
	"ccmod convert",
	"WORKLOAD",
	"Reads a workload, and writes it as text or binary.",
	"ccmod convert ring.wl -o ring.bin",
};

int command_convert(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options);
	struct error e;

	if (argc - first != 1)
		opt_bad_usage(&usage, "one workload at a time, not %d", argc - first);
	if (output && file_is_same(output, argv[first]))
		opt_bad_usage(&usage, "-o %s: that is the workload", output);
	struct workload *w = workload_read(argv[first], &e);
	if (!w)
		errx(1, "%s", e.text);
	if (output && workload_write(w, output, &e))
		errx(1, "%s", e.text);
	if (!output) {
		char *text = workload_text(w);

		fputs(text, stdout);
		free(text);
	}
	workload_free(w);
	return 0;
}
