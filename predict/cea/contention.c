/* SPDX-License-Identifier: MIT */
/* cea contention: shows who used the resources that others waited for. */
#include <stdio.h>

#include "commands.h"
#include "merged.h"

static struct {
	struct load load;
	uint64_t top;
} set = { .load = LOAD_DEFAULT, .top = 20 };

static const struct opt options[] = { { 0, "top", OPT_COUNT, &set.top, "N", 1, 1e6,
					"rows of each kind to print (default 20)" },
				      LOAD_OPTIONS(set.load),
				      { 0 } };

static const struct opt_usage usage = {
	.program = "cea contention",
	.operands = "TRACE",
	.summary = "Prints who used the CPU, lock, server or disk that others waited for.",
	.example = "cea contention app.ktr",
};

static const struct table_column columns[] = {
	{ "group", "resource", TABLE_GROUP }, { "SHARE", "share", TABLE_RIGHT },
	{ "TIME", "seconds", TABLE_RIGHT },   { "WAITS", "waits", TABLE_RIGHT },
	{ "WAITER", "waiter", TABLE_NAME },   { "LOST TO", "user", TABLE_NAME },
	{ "SERVER", "server", TABLE_NAME },
};

int command_contention(int argc, char **argv)
{
	struct merged m = { 0 };
	size_t printed[RESOURCES] = { 0 };
	int64_t sums[RESOURCES] = { 0 };

	load_parse(&set.load, argc, argv, &usage, options);
	merged_read(&m, &set.load);
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < m.lost.n; i++)
		sums[m.lost.v[i].resource] += m.lost.v[i].ns;
	for (size_t i = 0; i < m.lost.n; i++) {
		const struct interference *x = &m.lost.v[i];

		if (printed[x->resource]++ >= set.top)
			continue;
		table_text(t, resource_name(x->resource));
		table_percent(t, (double)x->ns / (double)sums[x->resource], "%.1f%%");
		table_seconds(t, (double)x->ns * 1e-9);
		table_count(t, x->count);
		table_text(t, x->waiter);
		table_text(t, x->user);
		table_text(t, x->server);
	}
	if (load_format(&set.load) == TABLE_TEXT && !m.lost.n)
		puts("no thread waited for a CPU, a lock, a server or a disk");
	else
		table_print(t, stdout, load_format(&set.load));
	table_free(t);
	merged_end(&m, &set.load);
	return 0;
}
