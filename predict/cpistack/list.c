/* SPDX-License-Identifier: MIT */
/* cpistack list: the processors that there are formulas for, and how to count their events. */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "counters/event.h"
#include "input.h"
#include "util/table.h"

static struct {
	const char *formulas;
	bool json, csv;
} set;

static const struct opt options[] = {
	{ 0, "formulas", OPT_STRING, &set.formulas, "FILE",
	  .help = "read the formulas from FILE instead of conf/cpi.conf" },
	{ 'j', "json", OPT_FLAG, &set.json, .help = "print JSON" },
	{ 0, "csv", OPT_FLAG, &set.csv, .help = "print CSV" },
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "cpistack list",
	.operands = "[STACK]",
	.summary =
	    "List the processors that there are formulas for, or the events and parts of one.",
	.example = "cpistack list skl",
};

static void print_stacks(const struct formula_file *file)
{
	static const struct table_column columns[] = {
		{ "STACK", "stack", TABLE_LEFT },    { "HERE", "here", TABLE_LEFT },
		{ "EVENTS", "events", TABLE_RIGHT }, { "AT ONCE", "counters", TABLE_RIGHT },
		{ "PARTS", "parts", TABLE_RIGHT },   { "PROCESSOR", "processor", TABLE_LEFT },
	};
	struct table *t = table_of(columns);

	for (size_t i = 0; i < file->stacks.n; i++) {
		const struct formulas *f = &file->stacks.v[i];
		bool here;
		int counters = 0;
		size_t parts = 0;

		event_pmu(formulas_pmu(f, &here), NULL, &counters);
		for (size_t k = 0; k < f->list.n; k++)
			parts += f->list.v[k].kind != FORMULA_LET;
		table_text(t, f->name);
		table_text(t, here ? "yes" : "no");
		table_count(t, f->events.n);
		if (counters)
			table_count(t, (uint64_t)counters);
		else
			table_text(t, NULL);
		table_count(t, parts);
		table_text(t, f->title);
	}
	table_end(t, stdout, table_format(set.json, set.csv));
}

static void print_stack(const struct formulas *f)
{
	static const struct table_column columns[] = { { "KIND", "kind", TABLE_LEFT },
						       { "NAME", "name", TABLE_LEFT } };
	struct table *t = table_of(columns);

	for (size_t i = 0; i < f->events.n; i++) {
		table_text(t, i == 0 ? "cycles" : i == 1 ? "instructions" : "event");
		table_text(t, f->events.v[i]);
	}
	for (size_t i = 0; i < f->list.n; i++)
		if (f->list.v[i].kind != FORMULA_LET) {
			table_text(t, formula_kind_names[f->list.v[i].kind]);
			table_text(t, f->list.v[i].name);
		}
	table_end(t, stdout, table_format(set.json, set.csv));
}

int command_list(int argc, char **argv)
{
	struct formula_file file;
	struct error e;
	int first = opt_parse_mixed(argc, argv, &usage, options);

	if (argc - first > 1)
		opt_bad_usage(&usage, "only one stack can be printed at a time, not %d",
			      argc - first);
	input_formulas(&file, set.formulas);
	const struct formulas *f = argc > first ? formulas_find(&file, argv[first], &e) : NULL;
	if (argc > first && !f)
		errx(1, "%s", e.text);
	if (f)
		print_stack(f);
	else
		print_stacks(&file);
	formulas_free(&file);
	return 0;
}
