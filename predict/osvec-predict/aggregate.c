/* SPDX-License-Identifier: MIT */
/* osvec-predict aggregate - the vector of a machine whose CPUs all work. */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "util/file.h"
#include "util/opt.h"
#include "util/xalloc.h"
#include "vector/aggregate.h"
#include "vector/machines.h"

static struct {
	const char *output, *machine;
	uint64_t copies;
} set;

static const struct opt options[] = {
	{ 'o', "output", OPT_STRING, &set.output, "FILE", 0, 0, "the vector to write" },
	{ 'm', "machine", OPT_STRING, &set.machine, "NAME", 0, 0, "its machine's name" },
	{ 'c', "copies", OPT_COUNT, &set.copies, "N", 2, 1024,
	  "work at once on the machine of a single vector, which has entries of N copies" },
	{ 0 },
};

static const struct opt_usage usage = {
	"osvec-predict aggregate",
	"A B | -c N A",
	"Makes the vector of a machine with two CPUs from the vectors of two with one: each cost "
	"is\n"
	"1 / (1/a + 1/b), as if both worked at the same time and nothing got in the way.  With\n"
	"-c N, of a machine on which N copies work: 1/N of what was measured with N copies, and\n"
	"1/N of the cost alone of what was not.",
	"osvec-predict aggregate one/osvec.json one/osvec.json -m two -o two.json",
};

int command_aggregate(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options), wanted = set.copies ? 1 : 2;
	struct osvec *v[2] = { NULL, NULL };
	struct error e;

	if (argc - first != wanted)
		opt_bad_usage(&usage, "%d operand%s, not %d", argc - first,
			      argc - first == 1 ? "" : "s", wanted);
	if (!set.output || !*set.output)
		opt_bad_usage(&usage, "no place to write to: give -o FILE");
	if (set.machine && !*set.machine)
		opt_bad_usage(&usage, "-m: the name is empty");
	for (int i = 0; i < wanted; i++) {
		if (!(v[i] = machines_read_one(argv[first + i], &e)))
			errx(1, "%s", e.text);
		if (file_is_same(set.output, v[i]->path))
			opt_bad_usage(&usage, "-o %s: that is the vector of %s", set.output,
				      v[i]->machine);
		if (!set.copies && isfinite(osvec_cpus(v[i])) && osvec_cpus(v[i]) > 1)
			warnx("%s has %g CPUs; this counts each vector as that of one CPU",
			      v[i]->machine, osvec_cpus(v[i]));
	}
	struct osvec *sum = set.copies ? osvec_of_copies(v[0], (unsigned)set.copies, &e)
				       : osvec_half_harmonic(v[0], v[1], &e);
	if (!sum)
		errx(1, "%s", e.text);
	if (set.machine) {
		free(sum->machine);
		sum->machine = xstrdup(set.machine);
	}
	if (osvec_write(sum, set.output, &e))
		errx(1, "%s", e.text);
	osvec_free(sum);
	osvec_free(v[0]);
	osvec_free(v[1]);
	return 0;
}
