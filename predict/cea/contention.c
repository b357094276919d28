/* SPDX-License-Identifier: MIT */
/* cea contention: shows who used the resources that others waited for. */
#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "findings.h"

static struct {
	struct load load;
	const char *by;
	bool map;
	uint64_t top;
} set = { .load = LOAD_DEFAULT, .top = 20 };

static const struct opt options[] = {
	FINDINGS_BY(set.by),
	{ 0, "map", OPT_FLAG, &set.map,
	  .help = "print a row for each class of requests, with what their time was spent on" },
	{ 0, "top", OPT_COUNT, &set.top, "N", 1, 1e6, "rows of each kind to print (default 20)" },
	LOAD_OPTIONS(set.load),
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "cea contention",
	.operands = "TRACE",
	.summary = "Prints who used the CPU, lock, server, disk or link that others waited for.",
	.example = "cea contention --by process app.ktr",
};

static void put_head(struct table *t, enum resource resource, int64_t ns, int64_t sum,
		     uint64_t count)
{
	table_text(t, resource_name(resource));
	table_percent(t, (double)ns / (double)sum, "%.1f%%");
	table_seconds(t, (double)ns * 1e-9);
	table_count(t, count);
}

static void print_lost(const struct findings *f)
{
	static const struct table_column columns[] = {
		{ "group", "resource", TABLE_GROUP }, { "SHARE", "share", TABLE_RIGHT },
		{ "TIME", "seconds", TABLE_RIGHT },   { "WAITS", "waits", TABLE_RIGHT },
		{ "WAITER", "waiter", TABLE_NAME },   { "LOST TO", "user", TABLE_NAME },
		{ "AT", "server", TABLE_NAME },
	};
	struct table *t = table_of(columns);

	for (enum resource r = 0; r < RESOURCES; r++) {
		uint64_t printed = 0;

		for (size_t i = 0; i < f->lost.n && printed < set.top; i++) {
			const struct interference *x = &f->lost.v[i];

			if (x->resource != r)
				continue;
			printed++;
			put_head(t, r, x->ns, f->lost.ns[r], x->count);
			table_text(t, f->classes[x->waiter]);
			table_text(t, f->classes[x->user]);
			table_text(t, x->server ? f->classes[x->server] : NULL);
		}
	}
	table_end(t, stdout, load_format(&set.load));
}

static void print_map(const struct findings *f)
{
	static const struct table_column columns[] = {
		{ "group", "resource", TABLE_GROUP },
		{ "SHARE", "share", TABLE_RIGHT },
		{ "TIME", "seconds", TABLE_RIGHT },
		{ "WAITS", "waits", TABLE_RIGHT },
		{ "ITSELF", "itself_seconds", TABLE_RIGHT },
		{ "NOBODY", "nobody_seconds", TABLE_RIGHT },
		{ "OUTSIDE", "outside_seconds", TABLE_RIGHT },
		{ "UNKNOWN", "unknown_seconds", TABLE_RIGHT },
		{ "OTHERS", "others_seconds", TABLE_RIGHT },
		{ "WAITER", "waiter", TABLE_NAME },
	};
	struct table *t = table_of(columns);

	for (enum resource kind = 0; kind < RESOURCES; kind++) {
		uint64_t printed = 0;

		for (size_t i = 0; i < f->lost.waits.n && printed < set.top; i++) {
			const struct class_waits *w = &f->lost.waits.v[i];

			if (w->resource != kind)
				continue;
			printed++;
			put_head(t, kind, w->ns, f->lost.ns[kind], w->count);
			for (int c = 0; c < CLASSES; c++)
				table_seconds(t, (double)w->lost[c] * 1e-9);
			table_text(t, f->classes[w->waiter]);
		}
	}
	table_end(t, stdout, load_format(&set.load));
}

int command_contention(int argc, char **argv)
{
	struct findings f = { 0 };

	load_parse(&set.load, argc, argv, &usage, options);
	findings_by(&f, set.by, &usage);
	findings_read(&f, &set.load, contention);
	if (load_format(&set.load) == TABLE_TEXT && !f.lost.waits.n)
		puts("no thread waited for a CPU, a lock, a server, a disk or a link");
	else if (set.map)
		print_map(&f);
	else
		print_lost(&f);
	if (load_format(&set.load) == TABLE_TEXT)
		printf("not charged to anybody: %" PRId64 " ns\n", f.lost.residual);
	findings_end(&f, &set.load);
	return 0;
}
