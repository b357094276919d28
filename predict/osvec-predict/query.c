/* SPDX-License-Identifier: MIT */
#include "query.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "model/footprint.h"
#include "reference.h"
#include "util/map.h"
#include "util/number.h"
#include "util/vec.h"
#include "vector/start.h"

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
		    !number_parse_duration(equals + 1, &q->known) || !(q->known > 0) ||
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
	query_warn_units(q);
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

/* The machines that costs are borrowed from: the reference, then the others in their order. */
static struct lenders make_lenders(const struct query *q)
{
	const struct osvec **v = xcalloc(q->machines.n + 1, sizeof(*v));
	size_t n = 0;

	if (q->reference)
		v[n++] = q->reference;
	for (size_t i = 0; i < q->machines.n; i++)
		if (q->machines.v[i].vector != q->reference)
			v[n++] = q->machines.v[i].vector;
	return (struct lenders){ v, n };
}

static struct prediction *price(const struct query *q, const struct osvec *machine,
				double footprint)
{
	struct error e;
	struct prediction *p =
	    prediction_new(q->demand, machine, q->reference, footprint, q->lenders, &e);

	if (!p)
		errx(1, "%s", e.text);
	return p;
}

/* The inflation that is left of the reference's system time at a footprint. */
static double inflation_at(const struct query *q, double footprint)
{
	struct prediction *p = price(q, q->reference, footprint);
	double h = prediction_inflation(p);

	prediction_free(p);
	return h;
}

/*
 * Level 2: the footprint at which the calls of the application cost on the reference what they
 * cost there in truth.  Between two that were measured, costs, the reciprocals of inflations, are
 * linear in its logarithm.  Returns the inflation that it leaves.
 */
static double find_footprint(struct query *q)
{
	double low = FOOTPRINT_LEAST, high = footprint_next(q->reference, low), h = q->inflation;

	while (h > 1 && isfinite(high)) {
		const double next = inflation_at(q, high);

		if (next <= 1) {
			q->footprint = low * pow(high / low, (1 - 1 / h) / (1 / next - 1 / h));
			return 1;
		}
		q->footprint = low = high;
		high = footprint_next(q->reference, low);
		h = next;
	}
	return h;
}

/*
 * Level 2 where calls cost less than in the benchmarks, some of which pass data from one CPU to
 * another: the share of these calls that must be priced as on one CPU.  Costs, the reciprocals of
 * inflations, are linear in it.  Returns the inflation that it leaves.
 */
static double find_same_cpu(struct query *q)
{
	const double h = q->inflation;

	demand_price_on_one_cpu(q->demand, q->reference, 1);
	const double all = inflation_at(q, 0);
	if (all > h)
		q->same_cpu = all > 1 ? (1 / h - 1) / (1 / h - 1 / all) : 1;
	demand_price_on_one_cpu(q->demand, q->reference, q->same_cpu);
	return inflation_at(q, 0); /* 1; less where all of them are not enough */
}

/* The first machine that is no hosted kernel where the reference is one, or NULL: by how much calls
 * cost more inside a program below such a hypervisor says nothing of others. */
static const struct osvec *first_unlike(const struct query *q)
{
	for (size_t i = 0; kind_of(q->reference, NULL) == KIND_HOSTED && i < q->machines.n; i++)
		if (kind_of(q->machines.v[i].vector, NULL) != KIND_HOSTED)
			return q->machines.v[i].vector;
	return NULL;
}

static void choose_level(struct query *q)
{
	if (q->level == QUERY_LEVEL_BEST && isnan(q->inflation))
		q->level = 0;
	if (q->level == QUERY_LEVEL_BEST) {
		const struct osvec *unlike = first_unlike(q);

		q->level = unlike ? 0 : 2;
		if (unlike)
			query_note(q,
				   "level 0: processes of %s, where it was recorded, cost as much "
				   "as on a hosted kernel, and those of %s do not; what calls cost "
				   "more inside the application there is not carried over (--level "
				   "2 does)",
				   q->reference->machine, unlike->machine);
	}
	if (q->level == 2 && isnan(q->inflation))
		errx(1,
		     "level 2 needs the machine that %s was recorded on (--reference) and its "
		     "system time (ktranal vector -t)",
		     q->application_path);
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

static void calibrate(struct query *q)
{
	size_t n = (size_t)(strrchr(q->calibration, '=') - q->calibration);
	size_t i = query_machine(q, "calibrate", q->calibration, n);

	double factor = q->known * q->units_per_run / q->predictions[i]->total;
	for (size_t k = 0; k < q->machines.n; k++)
		prediction_scale(q->predictions[k], factor, factor, factor);
	q->predictions[i]->known = true;
	query_note(q, "level 1: predictions times %.3g, so that %s takes what was measured", factor,
		   q->machines.v[i].label);
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
			p->host.moves = 0;
			p->host.kin = hosts[i].kin;
			continue;
		}
		p->host = hosts[i];
		prediction_scale(p, hosts[i].factor, hosts[i].factor, 1);
	}
	free(hosts);
	free(v);
}

/* Takes from the user time of the recording what calls and page faults take in user mode on the
 * reference, as their prices hold it.  Returns the inflation there; NaN: not known. */
static double find_inflation(const struct query *q)
{
	if (!q->reference)
		return NAN;
	struct prediction *p = price(q, q->reference, 0);
	double *seconds = prediction_user_mode(p);

	demand_move_user(q->demand, seconds);
	const double h = prediction_inflation(p); /* of the system time as it is now */
	free(seconds);
	prediction_free(p);
	return h;
}

void query_set_level(struct query *q)
{
	if (!q->lenders.n)
		q->lenders = make_lenders(q);
	demand_set_state(q->demand, q->reference);
	demand_split_user(q->demand, q->reference);
	q->inflation = q->left = find_inflation(q);
	choose_level(q);
	demand_calibrate(q->demand, q->level == 2 ? q->reference : NULL);
	if (q->level == 2)
		q->left = q->inflation < 1 ? find_same_cpu(q) : find_footprint(q);
}

double query_kernel_factor(const struct query *q, bool footprints, enum kind kind)
{
	double h = footprints || q->inflation < 1 ? q->left : q->inflation;

	if (q->level != 2)
		return 1;
	/* There are no caches in virtual time. */
	return kind == KIND_VIRTUAL ? fmin(h, 1) : h;
}

struct prediction *query_price(const struct query *q, const struct osvec *machine)
{
	struct prediction *p = price(q, machine, q->footprint);

	prediction_scale(p, query_kernel_factor(q, isfinite(footprint_next(machine, 0)), p->kind),
			 1, !q->without_wait);
	if (!(p->total > 0))
		errx(1, "%s: takes no CPU time on %s: it only waits", q->application_path,
		     machine->machine);
	return p;
}

bool query_stops(double cpu, double wait, double cpus)
{
	return cpus < 1 && cpu + wait < cpu / cpus;
}

void query_stop(struct query *q)
{
	for (size_t i = 0; i < q->machines.n; i++) {
		struct prediction *p = q->predictions[i];
		const double cpus = osvec_cpus(q->machines.v[i].vector);

		if (query_stops(p->kernel + p->user, p->wait, cpus))
			prediction_scale(p, 1 / cpus, 1 / cpus, 0);
	}
	query_warn_quota(q);
}

void query_answer(struct query *q)
{
	query_set_level(q);
	if (q->level == 2)
		q->insitu = price(q, q->reference, q->footprint);
	q->predictions = xcalloc(q->machines.n, sizeof(*q->predictions));
	for (size_t i = 0; i < q->machines.n; i++) {
		q->predictions[i] = query_price(q, q->machines.v[i].vector);
		q->predictions[i]->insitu = q->insitu;
	}
	set_hosts(q);
	if (!q->without_wait && !q->without_quota)
		query_stop(q);
	if (q->level == 1)
		calibrate(q);
	query_warn(q);
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

const char *query_level(const struct query *q)
{
	static const char *const names[] = { "0 (uncalibrated)", "1 (one measured run)",
					     "2 (reference's system time)" };

	return names[q->level];
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
