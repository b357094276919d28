/* SPDX-License-Identifier: MIT */
#include "query.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "level.h"
#include "quota.h"
#include "reference.h"
#include "util/map.h"
#include "util/number.h"
#include "util/vec.h"
#include "vector/start.h"
#include "warnings.h"

void query_parse_many(struct query *q, int argc, char **argv, const struct opt_usage *usage,
		      const struct opt *options)
{
	q->inflation = q->known = NAN;
	q->level = QUERY_LEVEL_BEST;
	for (int i = opt_parse_mixed(argc, argv, usage, options); i < argc; i++)
		vec_push(&q->operands, argv[i]);
	if (!q->applications.n)
		opt_bad_usage(usage, "no application: give -a FILE");
	if (q->json && q->csv)
		opt_bad_usage(usage, "--json or --csv, not both");
}

struct query query_about(const struct query *q, const char *application)
{
	return (struct query){
		.application_path = application,
		.reference_path = q->reference_path,
		.level = q->level,
		.vector_state = q->vector_state,
		.json = q->json,
		.csv = q->csv,
		.machines = q->machines,
		.machines_shared = true,
		.inflation = NAN,
		.known = NAN,
	};
}

void query_parse(struct query *q, int argc, char **argv, const struct opt_usage *usage,
		 const struct opt *options, size_t operands)
{
	query_parse_many(q, argc, argv, usage, options);
	if (q->applications.n > 1)
		opt_bad_usage(usage, "several applications: give -a FILE once");
	if (q->calibrations.n > 1)
		opt_bad_usage(usage, "several times: give --calibrate MACHINE=TIME once");
	q->application_path = q->applications.v[0];
	q->calibration = q->calibrations.n ? q->calibrations.v[0] : NULL;
	if (operands != SIZE_MAX && q->operands.n != operands)
		opt_bad_usage(usage, "takes %s, not %zu operand%s", usage->operands, q->operands.n,
			      q->operands.n == 1 ? "" : "s");
	if (q->level == QUERY_LEVEL_BEST && q->calibration)
		q->level = 1;
	if (q->calibration && q->level != 1)
		opt_bad_usage(usage, "--calibrate is level 1, not %" PRIu64, q->level);
	if (q->level == 1 && !q->calibration)
		opt_bad_usage(usage, "level 1 needs --calibrate MACHINE=TIME");
	if (q->calibration) {
		const char *equals = strrchr(q->calibration, '=');

		if (!equals || equals == q->calibration ||
		    !number_parse_duration(equals + 1, &q->known) || !(q->known >= 1e-12) ||
		    q->known > FIELD_MOST)
			opt_bad_usage(usage, "--calibrate %s: not MACHINE=TIME, such as a=12.5us",
				      q->calibration);
	}
}

/* What a run does once is no part of a unit: -u says whether it alone is wanted, or all. */
static void choose_runs(struct query *q)
{
	struct appvec *a = q->application;

	if (!a->start)
		return;
	if (q->wanted_unit && !strcmp(q->wanted_unit, "start"))
		start_only(a);
	else if (q->wanted_unit && !strcmp(q->wanted_unit, "run"))
		start_join(a);
	else
		query_note(
		    q, "the start of a run is not in these times: rank -u start prints it, rank "
		       "-u run both");
}

void query_read_application(struct query *q)
{
	struct error e;

	q->application = appvec_read(q->application_path, &e);
	if (!q->application)
		errx(1, "%s", e.text);
	choose_runs(q);
	q->demand = demand_new(q->application);

	const char *unit = q->application->unit;
	bool per_run = q->wanted_unit ? !strcmp(q->wanted_unit, "run") : q->application->units == 1;
	if (q->wanted_unit && !per_run && strcmp(q->wanted_unit, unit) &&
	    (strcmp(unit, "run") || strcmp(q->wanted_unit, "request")))
		errx(2, "--unit %s: neither run%s nor %s", q->wanted_unit,
		     q->application->start ? ", start" : "",
		     strcmp(unit, "run") ? unit : "request");
	q->unit = per_run ? "run" : strcmp(unit, "run") ? unit : "unit";
	q->units_per_run = per_run ? 1 : q->application->units;
}

void query_read_machines(struct query *q)
{
	struct error e;

	if (machines_read(&q->machines, q->operands.v, q->operands.n, &e))
		errx(1, "%s", e.text);
	warnings_units(q);
}

void query_read(struct query *q)
{
	if (!q->application)
		query_read_application(q);
	if (!q->machines_shared)
		query_read_machines(q);
	for (size_t i = 0; i < q->machines.n; i++)
		if (strcmp(q->machines.v[i].label, q->machines.v[i].vector->machine) &&
		    !reference_is_repeated(&q->machines, i))
			query_note(q, "%s is %s", q->machines.v[i].label,
				   q->machines.v[i].vector->path);
	reference_find(q);
}

size_t query_machine(const struct query *q, const char *option, const char *name, size_t n)
{
	static struct names labels;

	for (size_t i = 0; i < q->machines.n; i++)
		if (!strncmp(q->machines.v[i].label, name, n) && !q->machines.v[i].label[n])
			return i;
	for (size_t i = 0; i < q->machines.n; i++)
		names_add(&labels, q->machines.v[i].label);
	char *word = xstrndup(name, n);
	const char *nearest = names_nearest(&labels, word);
	errx(2, "--%s: '%s' is not one of the machines%s%s%s", option, word,
	     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/*
 * Takes the CPU time on machines of one host to one state of it, and all shared hosts to be in
 * another one later; or none to move.
 */
static void set_hosts(struct query *q)
{
	const struct appvec *a = q->application;
	size_t n = q->machines.n;
	const struct osvec **v = xcalloc(n, sizeof(*v));
	struct host *hosts = xcalloc(n, sizeof(*hosts));

	for (size_t i = 0; i < n; i++)
		v[i] = q->machines.v[i].vector;
	hosts_find(v, n, a->user_entries, a->nuser_entries, hosts);
	for (size_t i = 0; i < n; i++) {
		struct prediction *p = q->predictions[i];

		if (q->vector_state) {
			p->host.spread = 0;
			p->host.kin = hosts[i].kin;
			continue;
		}
		p->host = hosts[i];
		prediction_scale(p, hosts[i].factor, hosts[i].factor, 1);
	}
	free(hosts);
	free(v);
}

void query_answer(struct query *q)
{
	level_choose(q);
	q->insitu = level_price_insitu(q);
	q->predictions = xcalloc(q->machines.n, sizeof(*q->predictions));
	for (size_t i = 0; i < q->machines.n; i++) {
		q->predictions[i] = level_price(q, q->machines.v[i].vector);
		q->predictions[i]->insitu = q->insitu;
	}
	set_hosts(q);
	if (!q->without_wait && !q->without_quota)
		quota_apply(q);
	if (q->level == 1)
		level_calibrate(q);
	warnings_add(q);
}

void query_note(struct query *q, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vec_push(&q->notes, xvasprintf(fmt, ap));
	va_end(ap);
}

double query_time(const struct query *q, double seconds)
{
	return seconds / q->units_per_run;
}

enum table_format query_format(const struct query *q)
{
	return table_format(q->json, q->csv);
}

bool query_for_people(const struct query *q)
{
	return query_format(q) == TABLE_TEXT;
}

void query_free(struct query *q)
{
	for (size_t i = 0; i < q->notes.n; i++)
		free(q->notes.v[i]);
	vec_free(&q->notes);
	for (size_t i = 0; q->predictions && i < q->machines.n; i++)
		prediction_free(q->predictions[i]);
	free(q->predictions);
	prediction_free(q->insitu);
	if (!q->machines_shared)
		machines_free(&q->machines);
	osvec_free(q->own_reference);
	demand_free(q->demand);
	appvec_free(q->application);
	free((void *)q->lenders.v);
	vec_free(&q->operands);
	vec_free(&q->applications);
	vec_free(&q->calibrations);
}
