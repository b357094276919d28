/* SPDX-License-Identifier: MIT */
/*
 * setup.h - reads the input of a prediction: a workload, a network and the rule for sharing links.
 *
 * As parts of the front end, these functions end the program with a message on error.
 */
#ifndef CCMOD_SETUP_H
#define CCMOD_SETUP_H

#include "network/engine.h"
#include "util/opt.h"
#include "util/table.h"

/* A zeroed struct is valid.  The first members are set by the options. */
struct setup {
	const char *network_path, *sharing, *load;
	struct opt_list changes;
	uint64_t seed;
	double stretch;
	bool check, json, csv;

	const char *workload_path;
	struct network *network;
	struct workload *workload;
	struct engine_options options;
};

#define SETUP_DEFAULT \
	{ \
		.sharing = "maxmin", .load = "none", .seed = 1, .stretch = 1 \
	}

/* clang-format off */
/* Rows of an option table; s is a static struct setup. */
#define SETUP_OPTIONS(s) \
	{ 'n', "network", OPT_STRING, &(s).network_path, "NETWORK", 0, 0, \
	  "a network file, or the name of an installed one" }, \
	{ 0, "set", OPT_LIST, &(s).changes, "STATEMENT", 0, 0, \
	  "change the network: 'link 10Gbit/s 2us'" }, \
	{ 0, "sharing", OPT_STRING, &(s).sharing, "RULE", 0, 0, \
	  "how messages share links: maxmin (default) or article" }, \
	{ 0, "background", OPT_STRING, &(s).load, "LOAD", 0, 0, \
	  "background load: none (default), 30%, exp:30% or flows:30%" }, \
	{ 0, "seed", OPT_COUNT, &(s).seed, "N", 0, 0, "seed of random numbers (default 1)" }, \
	{ 0, "stretch", OPT_NUMBER, &(s).stretch, "FACTOR", 0, 1e6, \
	  "factor of all computation times (default 1)" }, \
	{ 0, "check", OPT_FLAG, &(s).check, NULL, 0, 0, \
	  "check that each allocation of the links is optimal" }, \
	{ 'j', "json", OPT_FLAG, &(s).json, NULL, 0, 0, "print JSON" }, \
	{ 0, "csv", OPT_FLAG, &(s).csv, NULL, 0, 0, "print CSV" }
/* clang-format on */

/* Parses the command line, which must name one workload, and reads it and the network. */
void setup_read(struct setup *s, int argc, char **argv, const struct opt_usage *usage,
		const struct opt *options);
/* Refuses an output file, NULL for none, that is also an input. */
void setup_spare(const struct setup *s, const char *output, const struct opt_usage *usage);
/* Sets s->options from the values of the options. */
void setup_parse_rules(struct setup *s, const struct opt_usage *usage);
/* Runs the workload with the options *o and fills *r, which the caller frees. */
void setup_run(const struct setup *s, const struct engine_options *o, struct engine_result *r);
enum table_format setup_format(const struct setup *s);
void setup_free(struct setup *s);

#endif
