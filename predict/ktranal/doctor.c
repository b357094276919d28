/* SPDX-License-Identifier: MIT */
/* ktranal doctor - which backend would record here, and what would make a better one work. */
#include "ktranal.h"

#include <stdlib.h>

#include "record/record.h"
#include "util/table.h"
#include "util/wrap.h"

static bool json;

static const struct opt options[] = {
	{ 'j', "json", OPT_FLAG, &json, NULL, 0, 0, "print JSON" },
	{ 0 },
};

static const struct opt_usage usage = {
	.program = "ktranal doctor",
	.summary = "Show which backend 'ktranal record' would use here, and why no better one.",
	.example = "ktranal doctor",
};

int command_doctor(int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "BACKEND", "backend", TABLE_LEFT },
		{ "WORKS", "works", TABLE_LEFT },
		{ "USED", "used", TABLE_LEFT },
		{ "REASON", "reason", TABLE_DATA },
		{ "ITS TRACES LACK", "lacks", TABLE_LIST },
	};
	struct backend_state *states;

	opt_parse(argc, argv, &usage, options);
	size_t n = record_survey(&states);
	struct table *t = table_of(columns);
	for (size_t i = 0; i < n; i++) {
		const struct backend_state *s = &states[i];

		table_text(t, s->backend->name);
		table_text(t, s->works ? "yes" : "no");
		table_text(t, s->used ? "yes" : "no");
		table_text(t, *s->reason.text ? s->reason.text : NULL);
		table_text(t, s->backend->lacks);
	}
	table_end(t, stdout, json ? TABLE_JSON : TABLE_TEXT);
	for (size_t i = 0; i < n && !json; i++)
		if (*states[i].reason.text)
			wrap_print(stdout, states[i].reason.text, 2);
	free(states);
	return 0;
}
