/* SPDX-License-Identifier: MIT */
#include "setup.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"

void setup_parse_rules(struct setup *s, const struct opt_usage *usage)
{
	struct engine_options defaults = ENGINE_DEFAULT;
	int rule = 0;

	s->options = defaults;
	while (rule < SHARING_RULES && strcmp(sharing_names[rule], s->sharing))
		rule++;
	if (rule == SHARING_RULES)
		opt_bad_usage(usage, "--sharing %s: not %s or %s", s->sharing,
			      sharing_names[SHARING_MAXMIN], sharing_names[SHARING_ARTICLE]);
	s->options.rule = (enum sharing_rule)rule;
	if (!background_parse(s->load, &s->options.background))
		opt_bad_usage(usage,
			      "--background %s: not like none, 30%%, exp:30%%, exp:30%%/10ms, "
			      "flows:30%%, with at most 95%%",
			      s->load);
	if (s->options.background.kind == BACKGROUND_FLOWS && s->options.rule == SHARING_ARTICLE)
		opt_bad_usage(usage, "--background flows needs --sharing maxmin");
	s->options.seed = s->options.load_seed = s->seed;
	s->options.stretch = s->stretch;
	s->options.check = s->check;
}

void setup_spare(const struct setup *s, const char *output, const struct opt_usage *usage)
{
	if (output &&
	    (file_is_same(output, s->workload_path) || file_is_same(output, s->network_path)))
		opt_bad_usage(usage, "%s: this would overwrite an input file", output);
}

void setup_read(struct setup *s, int argc, char **argv, const struct opt_usage *usage,
		const struct opt *options)
{
	int first = opt_parse_mixed(argc, argv, usage, options);
	struct error e;

	if (argc - first != 1)
		opt_bad_usage(usage, "give one workload, not %d", argc - first);
	if (!s->network_path)
		opt_bad_usage(usage, "no network given: use -n NETWORK");
	if (!strcmp(s->network_path, "-") && !strcmp(argv[first], "-"))
		opt_bad_usage(usage, "the standard input is the network or the workload, not both");
	opt_check_formats(usage, s->json, s->csv);
	setup_parse_rules(s, usage);
	s->network = network_read(s->network_path, s->changes.v, s->changes.n, &e);
	if (!s->network)
		errx(1, "%s", e.text);
	s->workload_path = argv[first];
	s->workload = workload_read(s->workload_path, &e);
	if (!s->workload)
		errx(1, "%s", e.text);
}

void setup_run(const struct setup *s, const struct engine_options *o, struct engine_result *r)
{
	struct error e;

	if (engine_run(s->network, s->workload, o, r, &e))
		errx(1, "%s: %s", s->workload->name, e.text);
}

enum table_format setup_format(const struct setup *s)
{
	return table_format(s->json, s->csv);
}

void setup_free(struct setup *s)
{
	network_free(s->network);
	workload_free(s->workload);
	free(s->changes.v);
}
