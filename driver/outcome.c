/* SPDX-License-Identifier: MIT */
#include "outcome.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json/json.h"
#include "measure/pmu.h"
#include "process.h"
#include "stats/random.h"
#include "util/vec.h"

enum { PADDING_MAX = 4096 }; /* bytes: one page */

static void add(suite_arguments *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(suite_arguments *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vec_push(a, xvasprintf(fmt, ap));
	va_end(ap);
}

static suite_arguments command(const struct plan *plan, const struct suite_entry *x)
{
	suite_arguments a = { 0 };

	add(&a, "%s/%s", plan->programs, x->program);
	add(&a, "-J");
	add(&a, "-D%s", plan->directory);
	if (plan->batch > 0)
		add(&a, "-T%.9gs", plan->batch);
	if (plan->batches)
		add(&a, "-B%" PRIu64, plan->batches);
	if (plan->events) {
		char *events = pmu_encoded(plan->events);

		add(&a, "-E%s", events);
		free(events);
	}
	if (peer_is_needed(x) && plan->peer.address)
		add(&a, "--peer=%s", plan->peer.address);
	suite_add_arguments(&a, x);
	vec_push(&a, NULL);
	return a;
}

/*
 * Where x may run in a round, and in *first its CPU, -1 where the program chooses.  A single
 * process visits another CPU each round, for the CPU is one of the things that differ between runs
 * of an application, above all where a virtual machine shares each with another one.  The first
 * takes most interrupts and is left out where there are more than two.  All entries of a round are
 * on one CPU, so that their canaries tell its state (host_state.h); by multiples of the golden
 * ratio those that are measured in every k-th round visit nearly all alike, too, if k is small.
 * Copies, and parties that shall be elsewhere or roam, get all.
 */
static cpu_set_t choose_cpus(const struct plan *plan, const struct suite_entry *x, uint64_t round,
			     int *first)
{
	bool together = x->placement && (!strcmp(x->placement, "same") || peer_is_needed(x));
	bool visits = (together || !x->placement) && x->copies == 1 && plan->ncpus > 1;
	size_t least = visits && plan->ncpus > 2;
	double turn = fmod((double)round * 0.618033988749895, 1);
	cpu_set_t set;

	CPU_ZERO(&set);
	*first = visits ? plan->cpus[least + (size_t)(turn * (double)(plan->ncpus - least))] : -1;
	for (size_t i = least; i < plan->ncpus; i++)
		if (!visits || !together || plan->cpus[i] == *first)
			CPU_SET(plan->cpus[i], &set);
	return set;
}

/* The members of a program's JSON object that the verdict depends on. */
struct report {
	double seconds, steal, major_faults, interrupted;
	bool disturbed;
};

static double number(struct fields *f, const json_t *o, const char *key)
{
	double v = field_maybe_number(f, o, key, 0, DBL_MAX);

	return isnan(v) ? 0 : v;
}

static bool has_flag(const json_t *o, const char *wanted)
{
	const json_t *flags = json_object_get(o, "flags"), *flag;
	size_t i;

	json_array_foreach(flags, i, flag)
	{
		if (json_is_string(flag) && !strcmp(json_string_value(flag), wanted))
			return true;
	}
	return false;
}

/* The object that the process printed, or NULL and *e. */
static json_t *read_report(const struct process *p, const struct suite_entry *x, struct report *r,
			   struct error *e)
{
	json_error_t why;
	json_t *o = json_loads(p->out, JSON_REJECT_DUPLICATES, &why);
	struct fields f = { .name = x->program, .error = e };

	if (!o) {
		error_set(e, "%s -J: invalid JSON: %s", x->program, why.text);
		return NULL;
	}
	char *entry = field_string(&f, o, "entry", true);
	r->seconds = field_number(&f, o, "seconds", DBL_MIN, 1e9);
	r->steal = number(&f, o, "steal");
	r->major_faults = number(&f, o, "major_faults");
	r->interrupted = number(&f, o, "disturbed");
	r->disturbed = has_flag(o, "DISTURBED");
	/* Another spelling would give the same measurement two names. */
	if (!f.failed && strcmp(entry, x->measured)) {
		f.failed = true;
		error_set(e,
			  "the program calls this entry %.100s: write it so in the suite "
			  "(line %zu)",
			  entry, x->line);
	}
	free(entry);
	if (!f.failed)
		return o;
	json_decref(o);
	return NULL;
}

/* The outside cause that disturbed the process into out[n]; false: none.  The value itself is never
 * a reason. */
static bool find_cause(const struct report *r, char *out, size_t n)
{
	if (r->major_faults > 0)
		snprintf(out, n, "%.0f page faults that read a disk", r->major_faults);
	else if (r->disturbed)
		snprintf(out, n, "others had the CPU in %.0f batches; %.0f ms were stolen",
			 r->interrupted, r->steal * 1e3);
	return r->major_faults > 0 || r->disturbed;
}

static void set_verdict(struct outcome *o, enum history_verdict verdict, const char *reason)
{
	o->verdict = verdict;
	snprintf(o->reason, sizeof(o->reason), "%s", reason);
}

/* Judges the process; its object for runs.jsonl. */
static json_t *judge(struct outcome *o, const struct process *p, const struct suite_entry *x)
{
	struct report r = { 0 };
	struct error e;
	char reason[sizeof(o->reason)] = "";
	enum history_verdict verdict = HISTORY_COUNTED;
	json_t *object = NULL;

	if (p->timed_out || p->status) {
		process_reason(p, reason, sizeof(reason));
		verdict = !p->timed_out && p->status == EXIT_UNSUPPORTED ? HISTORY_UNSUPPORTED
									 : HISTORY_FAILED;
		o->hopeless |= p->timed_out || p->status == EXIT_USAGE;
	} else if (!(object = read_report(p, x, &r, &e))) {
		snprintf(reason, sizeof(reason), "%s", e.text);
		verdict = HISTORY_FAILED;
		o->hopeless = true;
	} else {
		o->seconds = r.seconds;
		if (find_cause(&r, reason, sizeof(reason)))
			verdict = HISTORY_DISTURBED;
	}
	set_verdict(o, verdict, reason);
	object = object ? object : json_object();
	if (*reason)
		json_object_set_new(object, "reason", json_text(reason));
	return object;
}

static json_t *time_text(void)
{
	struct timespec now;
	struct tm utc;
	char text[40];

	clock_gettime(CLOCK_REALTIME, &now);
	size_t n = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
	snprintf(text + n, sizeof(text) - n, ".%03ldZ", now.tv_nsec / 1000000);
	return json_string(text);
}

/* Adds to the object what only the driver knows. */
static void complete(json_t *object, const struct suite_entry *x, const struct process *p,
		     uint64_t round)
{
	json_object_set_new(object, "entry", json_string(x->name));
	/* A control and a level of the memory hierarchy belong to no curve. */
	if (x->twin || x->operands)
		json_object_set_new(object, "curve", json_null());
	if (x->level_bytes)
		json_object_set_new(object, "size", json_integer((json_int_t)x->level_bytes));
	json_object_set_new(object, "time", time_text());
	json_object_set_new(object, "round", json_integer((json_int_t)round));
	json_object_set_new(object, "wall", json_real(p->wall));
}

static bool has_value(const struct outcome *o)
{
	return o->verdict == HISTORY_COUNTED || o->verdict == HISTORY_DISTURBED;
}

/* Nothing that the program may have printed is kept. */
static void refuse(struct outcome *o, const char *reason)
{
	set_verdict(o, HISTORY_FAILED, reason);
	o->hopeless = true;
	json_decref(o->run);
	o->run = json_pack("{so}", "reason", json_text(reason));
}

static void mark(struct outcome *o)
{
	json_object_set_new(o->run, "verdict", json_string(history_verdict_name(o->verdict)));
}

void outcome_take(struct outcome *o, const struct plan *plan, const struct suite_entry *x,
		  uint64_t round)
{
	suite_arguments argv = command(plan, x);
	int first;
	cpu_set_t cpus = choose_cpus(plan, x, round, &first);
	struct random r;
	struct error e;

	random_seed(&r, plan->seed ^ round << 32 ^ x->number);
	struct process p = { .argv = argv.v,
			     .cpus = &cpus,
			     .first = first >= 0 ? &first : NULL,
			     .padding = random_below(&r, PADDING_MAX) };
	*o = (struct outcome){ .verdict = HISTORY_COUNTED };
	int failed = process_run(&p, plan->timeout, &e);
	o->run = failed ? json_object() : judge(o, &p, x);
	o->wall = p.wall;
	complete(o->run, x, &p, round);
	if (failed || (has_value(o) && history_check(o->run, x->program, &e))) {
		refuse(o, e.text);
		complete(o->run, x, &p, round);
	}
	process_done(&p);
	if (!has_value(o))
		o->seconds = NAN;
	mark(o);
	for (size_t i = 0; i < argv.n; i++)
		free(argv.v[i]);
	vec_free(&argv);
}

void outcome_accept(struct outcome *o)
{
	if (o->verdict != HISTORY_DISTURBED)
		return;
	o->verdict = HISTORY_COUNTED;
	mark(o);
}

void outcome_done(struct outcome *o)
{
	json_decref(o->run);
	o->run = NULL;
}
