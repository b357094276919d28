/* SPDX-License-Identifier: MIT */
/* cea waits: shows what made waits long, merged by place. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "findings.h"
#include "util/number.h"

static struct {
	struct load load;
	uint64_t top;
	double least; /* percent */
} set = { .load = LOAD_DEFAULT, .top = 10, .least = 5 };

static const struct opt options[] = {
	{ 0, "top", OPT_COUNT, &set.top, "N", 1, 1e6, "places to print (default 10)" },
	{ 0, "least", OPT_PERCENT, &set.least, "PERCENT", 0, 100,
	  "in text, merge causes of less than this share (default 5%)" },
	LOAD_OPTIONS(set.load),
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "cea waits",
	.operands = "TRACE",
	.summary = "Prints what made waits long, for each place where threads waited and each from "
		   "which they were woken: + is what wakers did more, - what waiters did more.",
	.example = "cea waits --top 3 app.ktr",
};

static const struct table_column columns[] = {
	{ "group", NULL, TABLE_GROUP },
	{ "waiter", NULL, TABLE_DATA },
	{ "for", NULL, TABLE_DATA },
	{ "waker", NULL, TABLE_DATA },
	{ "waits", NULL, TABLE_DATA },
	{ "waits_seconds", NULL, TABLE_DATA },
	{ "direct_seconds", NULL, TABLE_DATA },
	{ "guessed_seconds", NULL, TABLE_DATA },
	{ "longest_seconds", NULL, TABLE_DATA },
	{ "SHARE", "share", TABLE_RIGHT },
	{ "TIME", "seconds", TABLE_RIGHT },
	{ "INDIRECT", "indirect_seconds", TABLE_RIGHT },
	{ "WAITS", "count", TABLE_RIGHT },
	{ "BECAUSE OF", "cause", TABLE_LEFT },
};

/* Other formats have no heading; its parts are columns of their own. */
static bool is_text(void)
{
	return load_format(&set.load) == TABLE_TEXT;
}

static char *heading(const struct findings *f, const struct characterization *c)
{
	char time[NUMBER_MAX], longest[NUMBER_MAX], *name = wait_name(f->graph, c), *text;

	number_format_duration(time, (double)c->ns * 1e-9);
	number_format_duration(longest, (double)c->longest * 1e-9);
	text = c->known ? xasprintf("%s: %s, longest %s; the waker%s worked during %.0f %%", name,
				    time, longest, c->guessed ? " (a guess)" : "",
				    100 * (double)c->direct / (double)c->ns)
			: xasprintf("%s: %s", name, time);
	free(name);
	return text;
}

static void put_row(struct table *t, const struct characterization *c, char *const names[3],
		    const struct cause *cause, const char *because)
{
	if (is_text())
		table_text(t, names[0]);
	table_text(t, names[1]);
	table_text(t, c->word);
	table_text(t, c->known ? names[2] : NULL);
	table_count(t, c->count);
	table_seconds(t, (double)c->ns * 1e-9);
	table_seconds(t, (double)c->direct * 1e-9);
	table_seconds(t, (double)c->guessed * 1e-9);
	table_seconds(t, (double)c->longest * 1e-9);
	table_percent(t, (double)cause->ns / (double)c->ns, "%+.1f%%");
	table_seconds(t, (double)cause->ns * 1e-9);
	table_seconds(t, (double)cause->indirect * 1e-9);
	if (cause->count)
		table_count(t, cause->count);
	else
		table_text(t, NULL);
	table_text(t, because);
}

static void put_characterization(struct table *t, const struct findings *f,
				 const struct characterization *c)
{
	char *names[3] = { heading(f, c), site_name(f->graph, c->waits_at),
			   c->known ? site_name(f->graph, c->woken_at) : xstrdup("") };
	struct cause rest = { 0 };
	size_t small = 0;

	for (size_t i = 0; i < c->causes.n; i++) {
		const struct cause *cause = &c->causes.v[i];
		int64_t size = cause->ns < 0 ? -cause->ns : cause->ns;

		if (is_text() && (double)size * 100 < set.least * (double)c->ns) {
			rest.ns += cause->ns;
			rest.indirect += cause->indirect;
			small++;
			continue;
		}
		char *because = cause_name(f->graph, cause->key);
		put_row(t, c, names, cause, because);
		free(because);
	}
	if (small) {
		char *because = xasprintf("(smaller causes: %zu)", small);

		put_row(t, c, names, &rest, because);
		free(because);
	}
	for (int i = 0; i < 3; i++)
		free(names[i]);
}

int command_waits(int argc, char **argv)
{
	struct findings f = { 0 };

	load_parse(&set.load, argc, argv, &usage, options);
	findings_read(&f, &set.load, NULL);
	size_t first = is_text() ? 0 : 1;
	struct table *t = table_new(columns + first, sizeof(columns) / sizeof(*columns) - first);
	for (size_t i = 0; i < f.waits.n && i < set.top; i++)
		put_characterization(t, &f, &f.waits.v[i]);
	if (is_text() && !f.waits.n)
		puts("no thread was seen to end a wait of another one");
	else
		table_print(t, stdout, load_format(&set.load));
	if (is_text())
		printf("%" PRIu64 " waits, not in a cause: %" PRId64 " ns\n", f.waits.count,
		       f.waits.residual);
	table_free(t);
	findings_end(&f, &set.load);
	return 0;
}
