/* SPDX-License-Identifier: MIT */
/* ccmod generate: generates a workload with a well-known communication pattern. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "network/generate.h"
#include "output.h"
#include "util/map.h"
#include "util/number.h"
#include "util/opt.h"
#include "util/xalloc.h"

static struct shape shape = SHAPE_DEFAULT;
static struct {
	uint64_t ranks, partners, servers, seed;
	double think;
	const char *grid, *output;
} set = { .think = NAN, .seed = UINT64_MAX };

static const struct opt options[] = {
	{ 'r', "ranks", OPT_COUNT, &set.ranks, "N", 2, WORKLOAD_RANKS,
	  "number of ranks (default 16)" },
	{ 's', "steps", OPT_COUNT, &shape.steps, "N", 1, 1e9, "iterations (default 100)" },
	{ 'b', "bytes", OPT_SIZE, &shape.bytes, "SIZE", 0, 1e12, "size of a message (default 8k)" },
	{ 'c', "compute", OPT_DURATION, &shape.compute, "TIME", 0, 1e6,
	  "computation between messages (default 100us)" },
	{ 0, "think", OPT_DURATION, &set.think, "TIME", 0, 1e6,
	  "pause of a client between requests (default 1ms)" },
	{ 'v', "vary", OPT_FLAG, &shape.vary, NULL, 0, 0,
	  "random sizes (0.5 to 1.5 times SIZE) and times (exponential)" },
	{ 'g', "grid", OPT_STRING, &set.grid, "XxYxZ", 0, 0,
	  "grid of halo and sweep3d (default: as equal as possible)" },
	{ 0, "partners", OPT_COUNT, &set.partners, "N", 1, 1e6,
	  "partners of each rank in random (default 4)" },
	{ 0, "servers", OPT_COUNT, &set.servers, "N", 1, 1e6,
	  "servers in client-server (default 1)" },
	{ 0, "seed", OPT_COUNT, &set.seed, "N", 0, 0, "seed of random numbers (default 1)" },
	{ 'o', "output", OPT_STRING, &set.output, "FILE", 0, 0,
	  "write binary to this file (default: text to stdout)" },
	{ 0 },
};

static const struct opt_usage usage = {
	"ccmod generate",
	"SHAPE",
	"Generates a workload: halo, sweep3d, ring, alltoall, incast, client-server or random.",
	"ccmod generate halo --ranks 64 --bytes 64k >halo.wl",
};

static void parse_grid(void)
{
	char *copy = xstrdup(set.grid), *rest = copy;
	unsigned d = 0;

	for (char *word; (word = strsep(&rest, "x"));) {
		uint64_t v;

		if (d == SHAPE_DIMENSIONS || !number_parse_u64(word, &v) || !v ||
		    v > WORKLOAD_RANKS)
			opt_bad_usage(&usage, "--grid %s: not like 4x4 or 4x4x4", set.grid);
		shape.grid[d++] = (uint32_t)v;
	}
	while (d < SHAPE_DIMENSIONS)
		shape.grid[d++] = 1;
	free(copy);
}

static void no_such_shape(const char *word)
{
	struct names names = { 0 };

	for (const struct generator *g = generators; g->name; g++)
		names_add(&names, g->name);
	opt_bad_usage(&usage, "no such shape: %s; there are %s", word, names_join(&names, ", "));
}

/* Takes over the options that belong to some shapes only, and refuses those of others. */
static void take_own_options(const struct generator *g)
{
	const struct {
		const char *option;
		bool given, applies;
	} own[] = {
		{ "--grid", set.grid, g->dimensions },
		{ "--think", !isnan(set.think), !strcmp(g->name, "client-server") },
		{ "--servers", set.servers, !strcmp(g->name, "client-server") },
		{ "--partners", set.partners, !strcmp(g->name, "random") },
		{ "--seed", set.seed != UINT64_MAX, !strcmp(g->name, "random") },
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (own[i].given && !own[i].applies)
			opt_bad_usage(&usage, "%s has no effect on %s", own[i].option, g->name);
	if (set.grid)
		parse_grid();
	if (!isnan(set.think))
		shape.think = set.think;
	if (set.servers)
		shape.servers = (uint32_t)set.servers;
	if (set.partners)
		shape.partners = (uint32_t)set.partners;
	if (set.seed != UINT64_MAX)
		shape.seed = set.seed;
}

int command_generate(int argc, char **argv)
{
	const struct generator *g = generators;
	struct error e;

	set.ranks = shape.ranks;
	int first = opt_parse_mixed(argc, argv, &usage, options);

	if (argc - first != 1)
		opt_bad_usage(&usage, "give one shape, not %d", argc - first);
	while (g->name && strcmp(g->name, argv[first]))
		g++;
	if (!g->name)
		no_such_shape(argv[first]);
	shape.ranks = (uint32_t)set.ranks;
	take_own_options(g);
	struct workload *w = generate(g, &shape, &e);
	if (!w)
		errx(1, "%s: %s", g->name, e.text);
	output_workload(w, set.output);
	workload_free(w);
	return 0;
}
