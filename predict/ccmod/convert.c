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
	  "write it there as binary (default: as text to stdout)" },
	{ 'd', "dumpi", OPT_FLAG, &set.dumpi, NULL, 0, 0,
	  "the operands are texts of dumpi2ascii, one for each rank in turn" },
	{ 't', "traces", OPT_FLAG, &set.traces, NULL, 0, 0,
	  "they are system call traces (.ktr, strace -f -yy -ttt -T), one of each host" },
	{ 0 },
};

static const struct opt_usage usage = {
	"ccmod convert",
	"FILE...",
	"Reads a workload, or what other tools recorded, and writes it as text or binary.",
	"ccmod convert --dumpi dumpi-*.txt -o app.bin",
};

static struct workload *read_operands(const char *const *paths, size_t n, struct error *e)
{
	uint64_t lost = 0;
	struct workload *w;

	if (n > WORKLOAD_RANKS)
		opt_bad_usage(&usage, "more than %d files", WORKLOAD_RANKS);
	if (set.dumpi)
		return workload_read_dumpi(paths, n, e);
	if (!set.traces)
		return workload_read(paths[0], e);
	w = workload_read_traces(paths, n, &lost, e);
	if (w && lost)
		warnx("%llu bytes went to or came from ends that are in no trace",
		      (unsigned long long)lost);
	return w;
}

int command_convert(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options), n = argc - first;
	struct error e;

	if (set.dumpi && set.traces)
		opt_bad_usage(&usage, "--dumpi or --traces, not both");
	if (n < 1 || (n > 1 && !set.dumpi && !set.traces))
		opt_bad_usage(&usage, "one workload at a time, not %d", n);
	for (int i = first; set.output && i < argc; i++)
		if (file_is_same(set.output, argv[i]))
			opt_bad_usage(&usage, "-o %s: that is an operand", set.output);
	struct workload *w = read_operands((const char *const *)argv + first, (size_t)n, &e);
	if (!w)
		errx(1, "%s", e.text);
	output_workload(w, set.output);
	workload_free(w);
	return 0;
}
