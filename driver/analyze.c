/* SPDX-License-Identifier: MIT */
/*
 * hbench analyze: what each operation should cost by its parts, and which entries of several
 * machines moved together (Brown, TR-03-97, chapter 2).
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis.h"
#include "hbench.h"
#include "results.h"
#include "json/json.h"
#include "util/opt.h"
#include "util/vec.h"
#include "vector/machines.h"

static struct {
	bool json, all;
	double equivalence;
} set = { .equivalence = 10 };

static const struct opt options[] = {
	{ 0, "equivalence", OPT_PERCENT, &set.equivalence, "PERCENT", 0.01, 1000,
	  "deviation that does not matter in practice (10 %)" },
	{ 0, "all", OPT_FLAG, &set.all,
	  .help = "also list what was not measured, with the entries needed" },
	{ 'j', "json", OPT_FLAG, &set.json, .help = "print JSON" },
	{ 0 }
};

static const struct opt_usage usage = {
	"hbench analyze",
	"[DIR|FILE|NAME...]",
	"Compares what operations cost with what they should cost by their parts, and says what\n"
	"each deviation means; of several machines, which costs differ from the first one's, and\n"
	"together with which lower one.  Machines are runs (default: the newest below results),\n"
	"osvec.json files, or names of reference platforms.",
	"hbench analyze results/before results/after",
};

/* Whether path is a run without a vector, or with one of before it was resumed and killed. */
static bool has_only_values(const char *path)
{
	if (!results_is_run(path))
		return false;
	char *unfinished = results_locate(path, true, NULL);
	bool is = unfinished || !results_has_entry(path, "osvec.json");

	free(unfinished);
	return is;
}

/* Appends the machines that path names. */
static void add_machines(struct machines *m, const char *path)
{
	struct machines named = { 0 };
	struct operand run = { 0 };
	struct error e;

	if (has_only_values(path) ? operand_read(&run, path, ESTIMATE_HODGES_LEHMANN, &e)
				  : machines_read(&named, &path, 1, &e))
		errx(1, "%s", e.text);
	if (run.vector)
		vec_push(m, (struct machine){ .vector = run.vector });
	reduction_free(run.run);
	for (size_t i = 0; i < named.n; i++)
		vec_push(m, named.v[i]);
	vec_free(&named);
}

/* The machines that the operands name; without operands the newest run. */
static struct machines read_machines(const char *const *paths, size_t n)
{
	struct machines m = { 0 };
	struct error e;
	char *newest = n ? NULL : results_locate("results", false, &e);

	if (!n && !newest)
		errx(1, "%s", e.text);
	if (newest)
		add_machines(&m, newest);
	for (size_t i = 0; i < n; i++)
		add_machines(&m, paths[i]);
	free(newest);
	return m;
}

static void print_json(const struct analysis *a, size_t n, double margin)
{
	json_t *document = analysis_json(a, n, margin);
	char *text = json_format(document, 6);

	fputs(text, stdout);
	free(text);
	json_decref(document);
}

int analyze_command(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options);
	double margin = 1 + set.equivalence / 100;
	struct machines m =
	    read_machines((const char *const *)argv + first, (size_t)(argc - first));
	struct analysis *all = xcalloc(m.n, sizeof(*all));

	for (size_t i = 0; i < m.n; i++) {
		const struct osvec *v = m.v[i].vector;

		all[i] = (struct analysis){
			.vector = v,
			.findings = decompose(v, decomposition_rules, margin),
			.memory = hierarchy_find(v, ANALYSIS_CURVE),
			.line = hierarchy_line(v),
		};
		snprintf(all[i].label, sizeof(all[i].label), i < 26 ? "%c" : "%c%zu",
			 (char)('A' + i % 26), i / 26);
	}
	if (set.json)
		print_json(all, m.n, margin);
	else
		analysis_print(all, m.n, margin, set.all);
	for (size_t i = 0; i < m.n; i++) {
		findings_free(&all[i].findings);
		hierarchy_free(&all[i].memory);
	}
	free(all);
	machines_free(&m);
	return 0;
}
