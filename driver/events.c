/* SPDX-License-Identifier: MIT */
#include "events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"
#include "stats/estimate.h"
#include "stats/sample.h"
#include "util/map.h"
#include "util/number.h"
#include "util/table.h"
#include "util/vec.h"

/* One event of one entry: a value from each process. */
struct counted {
	VEC(double) counts; /* per operation */
	VEC(double) rates;  /* per second */
	double shares;	    /* sum over the processes: of the time in which it was counted */
};

struct log {
	struct names rows; /* "entry\tevent" */
	VEC(struct counted) counted;
};

static void add_run(struct log *log, const json_t *run)
{
	const char *entry = json_string_value(json_object_get(run, "entry"));
	const char *verdict = json_string_value(json_object_get(run, "verdict")), *event;
	const json_t *shares = json_object_get(run, "event_shares");
	double seconds = json_number_value(json_object_get(run, "seconds"));
	json_t *count;

	if (!entry || !verdict || strcmp(verdict, "counted"))
		return;
	json_object_foreach(json_object_get(run, "events"), event, count)
	{
		char *row = xasprintf("%s\t%s", entry, event);
		size_t i = names_add(&log->rows, row);

		free(row);
		if (i == log->counted.n)
			vec_push(&log->counted, (struct counted){ 0 });
		if (json_is_number(count))
			vec_push(&log->counted.v[i].counts, json_number_value(count));
		if (json_is_number(count) && seconds > 0)
			vec_push(&log->counted.v[i].rates, json_number_value(count) / seconds);
		log->counted.v[i].shares += json_number_value(json_object_get(shares, event));
	}
}

static void print_log(const struct log *log, FILE *f)
{
	static const struct table_column columns[] = {
		{ "counted", NULL, TABLE_NAME },	{ "event", NULL, TABLE_LEFT },
		{ "per operation", NULL, TABLE_RIGHT }, { "+-", NULL, TABLE_RIGHT },
		{ "of the time", NULL, TABLE_RIGHT },
	};
	struct table *t = table_of(columns);

	for (size_t i = 0; i < log->counted.n; i++) {
		const struct counted *c = &log->counted.v[i];
		struct estimate x = estimate_hodges_lehmann(c->counts.v, c->counts.n, 0.95);
		const char *event = strchr(log->rows.v[i], '\t');
		char *entry = xstrndup(log->rows.v[i], (size_t)(event - log->rows.v[i]));
		char text[NUMBER_MAX];

		table_text(t, entry);
		table_text(t, event + 1);
		table_shown(t, x.centre, number_format_si(text, x.centre));
		table_number(t, 100 * estimate_precision(&x), "%.1f%%");
		table_number(t, c->counts.n ? 100 * c->shares / (double)c->counts.n : NAN,
			     "%.0f%%");
		free(entry);
	}
	putc('\n', f);
	table_end(t, f, TABLE_TEXT);
}

static int read_log(struct log *log, const char *path, struct error *e)
{
	size_t n;
	char *text = results_read(path, "runs.jsonl", &n, e), *rest = text;

	if (!text)
		return -1;
	for (char *line; (line = strsep(&rest, "\n"));) {
		json_t *run = json_loads(line, 0, NULL); /* the last line may be torn */

		add_run(log, run);
		json_decref(run);
	}
	free(text);
	return 0;
}

static void free_log(struct log *log)
{
	for (size_t i = 0; i < log->counted.n; i++) {
		vec_free(&log->counted.v[i].counts);
		vec_free(&log->counted.v[i].rates);
	}
	vec_free(&log->counted);
	names_free(&log->rows);
}

int events_print(const char *path, const json_t *meta, FILE *f, struct error *e)
{
	const char *wanted = json_string_value(json_object_get(meta, "events"));
	struct log log = { 0 };

	if (!wanted)
		return 0;
	if (read_log(&log, path, e))
		return -1;
	if (log.counted.n)
		print_log(&log, f);
	else
		fprintf(f, "\nevents %s: not measured\n", wanted);
	free_log(&log);
	return 0;
}

json_t *events_rates(const char *path, const json_t *meta)
{
	json_t *all = NULL;
	struct log log = { 0 };

	if (json_is_string(json_object_get(meta, "events")))
		read_log(&log, path, NULL);
	for (size_t i = 0; i < log.counted.n; i++) {
		const struct counted *c = &log.counted.v[i];
		char *entry = xstrdup(log.rows.v[i]), *event = strchr(entry, '\t');

		*event++ = '\0';
		if (c->rates.n) {
			double rate = sample_median(c->rates.v, c->rates.n);
			json_t *of_entry = json_object_get(all, entry);

			all = all ? all : json_object();
			if (!of_entry)
				json_object_set_new(all, entry, of_entry = json_object());
			json_object_set_new(of_entry, event, json_real(rate));
		}
		free(entry);
	}
	free_log(&log);
	return all;
}
