/* SPDX-License-Identifier: MIT */
/* ccmod convert: reads a workload or traces of other tools and writes a workload as text or
 * binary. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "network/workload_formats.h"
#include "output.h"
#include "util/file.h"
#include "util/opt.h"

static struct {
	const char *output;
	bool dumpi, traces;
} set;

static const struct opt options[] = {
	{ 'o', "output", OPT_STRING, &set.output, "FILE", 0, 0,
	  "write binary to this file (default: text to stdout)" },
	{ 'd', "dumpi", OPT_FLAG, &set.dumpi, NULL, 0, 0,
	  "the operands are outputs of dumpi2ascii, one per rank in order" },
	{ 't', "traces", OPT_FLAG, &set.traces, NULL, 0, 0,
	  "the operands are system call traces, one per host: .ktr, strace" },
	{ 0 },
};

static const struct opt_usage usage = {
	"ccmod convert",
	"FILE...",
	"Reads a workload, or traces of other tools, and writes it as text or binary.",
	"ccmod convert --dumpi dumpi-*.txt -o app.bin",
};

static struct workload *read_operands(const char *const *paths, size_t n, struct error *e)
{
	uint64_t lost = 0;
	struct workload *w;

	if (n > WORKLOAD_RANKS)
		opt_bad_usage(&usage, "more than %d files", WORKLOAD_RANKS);
	if (!set.dumpi && !set.traces)
		return workload_read(paths[0], e);
	w = (set.dumpi ? workload_read_dumpi : workload_read_traces)(paths, n, &lost, e);
	if (w && lost && set.dumpi)
		warnx("%llu calls are left out: on communicators other than MPI_COMM_WORLD, or "
		      "such as "
		      "MPI_Alltoallv and MPI_Waitany",
		      (unsigned long long)lost);
	else if (w && lost)
		warnx("%llu bytes are left out: the other end of their connection is in no trace",
		      (unsigned long long)lost);
	return w;
}

int command_convert(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options), n = argc - first;
	struct error e;

	if (set.dumpi && set.traces)
		opt_bad_usage(&usage, "--dumpi and --traces exclude each other");
	if (n < 1 || (n > 1 && !set.dumpi && !set.traces))
		opt_bad_usage(&usage, "give one workload, not %d", n);
	for (int i = first; set.output && i < argc; i++)
		if (file_is_same(set.output, argv[i]))
			opt_bad_usage(&usage, "-o %s: this would overwrite an input file",
				      set.output);
	struct workload *w = read_operands((const char *const *)argv + first, (size_t)n, &e);
	if (!w)
		errx(1, "%s", e.text);
	output_workload(w, set.output);
	workload_free(w);
	return 0;
}
