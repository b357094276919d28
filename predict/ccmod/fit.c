/* SPDX-License-Identifier: MIT */
/* ccmod fit - turns measured delays into the delay of a quiet network. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "network/quiet.h"
#include "util/file.h"
#include "util/number.h"
#include "util/opt.h"
#include "util/table.h"
#include "util/xalloc.h"

static bool round_trip;

static const struct opt options[] = {
	{ 'r', "round-trip", OPT_FLAG, &round_trip, NULL, 0, 0,
	  "the times are there and back: half of each is taken" },
	{ 0 },
};

static const struct opt_usage usage = {
	"ccmod fit",
	"FILE",
	"Reads lines of a size and a time (as NetPIPE writes them: bytes, Mbps, seconds), finds "
	"the "
	"lines\nthat fit best, and prints statements for a network file.",
	"ccmod fit np.out >>lab.net",
};

/* "64 0.0000123", "64 12.3us" or NetPIPE's "64 41.6 0.0000123". */
static bool parse_line(char *line, struct quiet *q)
{
	char *word[4], *save;
	size_t n = 0;
	uint64_t size;
	double seconds;

	for (char *w = strtok_r(line, " \t\r,", &save); w && n < 4;
	     w = strtok_r(NULL, " \t\r,", &save))
		word[n++] = w;
	if (!n)
		return true;
	if (n < 2 || n > 3 || !number_parse_size(word[0], &size) ||
	    !number_parse_duration(word[n - 1], &seconds) || !(seconds > 0))
		return false;
	quiet_add(q, (double)size, round_trip ? seconds / 2 : seconds);
	return true;
}

static void print(const struct quiet *q)
{
	char size[NUMBER_MAX], base[NUMBER_MAX], rate[NUMBER_MAX];

	for (size_t i = 0; i < q->nsegments; i++) {
		const struct quiet_segment *g = &q->segments[i];

		printf("# from %.0f bytes: %s + size / (%sB/s), %zu points, %.2f %% off (rms)\n",
		       g->from, number_format_duration(base, g->base),
		       g->slope > 0 ? number_format_si(rate, 1 / g->slope) : "infinite ", g->points,
		       100 * g->error);
	}
	for (size_t i = 0; i < q->n; i++)
		printf("delay %s %.6gus\n", number_format_size(size, (uint64_t)q->v[i].size),
		       q->v[i].seconds * 1e6);
}

int command_fit(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options);
	struct quiet q = { 0 };
	struct error e;
	size_t n, number = 0;

	if (argc - first != 1)
		opt_bad_usage(&usage, "one file at a time, not %d", argc - first);
	char *text = file_read(argv[first], 1 << 26, &n, &e);
	if (!text)
		errx(1, "%s", e.text);
	for (char *next = text, *line; (line = strsep(&next, "\n"));) {
		number++;
		line[strcspn(line, "#")] = '\0';
		if (!parse_line(line, &q))
			errx(1, "%s:%zu: not a size and a time", argv[first], number);
	}
	if (quiet_fit(&q, &e))
		errx(1, "%s: %s", argv[first], e.text);
	print(&q);
	quiet_free(&q);
	free(text);
	return 0;
}
