/* SPDX-License-Identifier: MIT */
/* hbench vector: writes the OS vector of a run. */
#include <err.h>

#include "commands.h"
#include "summary.h"

static struct {
	const char *output, *estimator;
} set = { .estimator = "hl" };

static const struct opt options[] = { { 'o', "output", OPT_STRING, &set.output, "FILE",
					.help = "where to (osvec.json of the run)" },
				      { 0, "estimator", OPT_STRING, &set.estimator, "NAME",
					.help = "of the costs: hl, trimmed, median or mean (hl)" },
				      { 0 } };

static const struct opt_usage usage = {
	"hbench vector",
	"[DIR]",
	"Writes the OS vector of the run in DIR, or of the newest run below it (results), from\n"
	"its raw numbers.",
	"hbench vector --estimator trimmed -o myhost.json results/myhost",
};

int vector_command(int argc, char **argv)
{
	struct error e;
	int first = opt_parse_mixed(argc, argv, &usage, options, NULL);
	struct reduction *r = summary_reduce(argc - first, argv + first, set.estimator, &usage);

	if (reduce_write_vector(r, set.output, &e))
		errx(1, "%s", e.text);
	reduce_free(r);
	return 0;
}
