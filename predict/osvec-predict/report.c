/* SPDX-License-Identifier: MIT */
/* osvec-predict report - a ranking as a page to look at: that of conf/report.html. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "commands.h"
#include "level.h"
#include "ranked.h"
#include "json/json.h"
#include "util/file.h"
#include "../common/html.h"

static struct query q;
static struct intervals intervals = INTERVALS_DEFAULT;
static struct {
	const char *against, *output;
} set;

static const struct opt options[] = {
	{ 'o', "output", OPT_STRING, &set.output, "FILE", 0, 0, "the page to write" },
	QUERY_OPTIONS(q),
	QUERY_STATE(q),
	{ 0, "against", OPT_STRING, &set.against, "MACHINE", 0, 0,
	  "ratios to this machine (default: to the fastest)" },
	INTERVALS_OPTIONS(intervals),
	{ 0 },
};

static const struct opt_usage usage = {
	"osvec-predict report",
	"-o FILE [MACHINE...]",
	"Writes the ranking, where the time goes and why machines differ as one HTML page that\n"
	"needs nothing else.",
	"osvec-predict report -a redis-set.json -o rank.html results/* native",
};

static json_t *lines_of(const struct prediction *p)
{
	json_t *lines = json_array();

	for (size_t i = 0; i < p->nlines; i++) {
		const struct prediction_line *line = &p->lines[i];

		json_array_append_new(
		    lines,
		    json_pack("{s:o, s:o, s:o, s:b}", "name", json_text(answer_line_name(line)),
			      "calls", json_double(line->calls / q.units_per_run), "seconds",
			      json_double(query_time(&q, line->seconds)), "unsure",
			      line->borrowed || line->lower_bound));
	}
	return lines;
}

static json_t *machine_of(const struct ranked *r, const struct place *place)
{
	const struct prediction *p = place->p;
	bool base = place->machine == r->base;
	double doubt = place->reach > ranked_badly ? place->reach : NAN;

	return json_pack(
	    "{s:o, s:s, s:b, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "name", json_text(q.machines.v[place->machine].label), "kind", kind_names[p->kind],
	    "base", base, "low", (int)place->rank.low, "high", (int)place->rank.high, "seconds",
	    json_double(query_time(&q, p->total)), "from",
	    json_double(query_time(&q, place->full.low)), "to",
	    json_double(query_time(&q, place->full.high)), "ratio",
	    json_double(p->total / q.predictions[r->base]->total), "ratio_from",
	    json_double(base ? NAN : place->ratio.low), "ratio_to",
	    json_double(base ? NAN : place->ratio.high), "slower",
	    json_double(base ? NAN : place->slower), "best", json_double(place->rank.best), "loss",
	    json_double(place->rank.loss), "coverage", json_double(p->coverage), "doubt",
	    json_double(doubt), "lines", lines_of(p));
}

static json_t *numbers_of(const struct ranked *r)
{
	json_t *machines = json_array(), *notes = json_array();

	for (size_t i = 0; i < r->n; i++)
		json_array_append_new(machines, machine_of(r, &r->places[i]));
	for (size_t i = 0; i < q.notes.n; i++)
		json_array_append_new(notes, json_text(q.notes.v[i]));
	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o}", "application",
			 json_text(q.application->name), "unit", json_text(q.unit), "level",
			 level_name(&q), "interval", json_double(intervals.level), "machines",
			 machines, "notes", notes);
}

static void write_page(const struct ranked *r)
{
	struct error e;
	json_t *numbers = numbers_of(r);

	if (html_write("report.html", numbers, set.output, &e) < 0)
		errx(1, "%s", e.text);
	json_decref(numbers);
}

/* What was measured is not to be lost. */
static void check_output(void)
{
	bool used = file_is_same(set.output, q.application_path) ||
		    (q.reference && file_is_same(set.output, q.reference->path));

	for (size_t i = 0; i < q.machines.n; i++)
		used = used || file_is_same(set.output, q.machines.v[i].vector->path);
	if (used)
		opt_bad_usage(&usage, "-o %s: the page is made from that file", set.output);
}

int command_report(int argc, char **argv)
{
	query_parse(&q, argc, argv, &usage, options, SIZE_MAX);
	if (!set.output || !*set.output)
		opt_bad_usage(&usage, "no page to write: give -o FILE");
	query_read(&q);
	check_output();
	query_answer(&q);
	struct ranked r = ranked_new(&q, &intervals, set.against);
	intervals_note(&intervals, &q, r.measured_share, r.measured_share);
	intervals_note_runs(&q);
	write_page(&r);
	ranked_free(&r);
	query_free(&q);
	return 0;
}
