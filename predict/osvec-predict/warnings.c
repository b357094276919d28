/* SPDX-License-Identifier: MIT */
/* What makes a prediction uncertain. */
#include "warnings.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/map.h"
#include "util/number.h"
#include "util/vec.h"

static const double enough_coverage = 0.9, enough_kernel = 0.2, much_extrapolated = 0.1;
static const double much_borrowed = 0.001; /* of the predicted time */
static const double much_in_calls = 0.1;   /* of the user time */
static const double much_inflation = 1.5;  /* or little: 1 / that */
static const double unlike_inflation = 10; /* far from any in results/ */
static const double many_faults = 0.1;	   /* of the predicted time */
static const double much_moved = 1.05;	   /* the state of a host, or 1 / that */

static void warn_application(struct query *q)
{
	const struct demand *d = q->demand;
	double lost = 0;

	for (size_t r = 0; r < q->application->ntraces; r++)
		lost += q->application->traces[r].lost;
	if (lost > 0)
		query_note(q, "the trace lost %.0f events: predictions are too low", lost);
	if (!d->user_known)
		query_note(q, "user time is not known and left out (ktranal vector -t)");
	if (!d->measured)
		query_note(q, "user time, switches and faults come from the traced run, which "
			      "distorts them: measure them with ktranal time");
	if (fmax(fabs(log(d->slower_user)), fabs(log(d->slower_system))) >= log(much_moved))
		query_note(q,
			   "its host was in another state when it was recorded: by the reference "
			   "loops, user time was %.2f and system time %.2f times as long as while "
			   "the vector of %s was measured, to whose state times are converted",
			   d->slower_user, d->slower_system, q->reference->machine);
	if (d->unlikely)
		query_note(
		    q,
		    "a reference loop took over twice or less than half as long when it was "
		    "recorded as in the vector of %s: its times are left as recorded, perhaps "
		    "on another machine",
		    q->reference->machine);
	if (d->mapped < enough_coverage)
		query_note(q,
			   "only %.0f %% of the application's calls, or of the time in them, "
			   "have an entry of their own; the others count as null calls, which "
			   "is too low (ktranal vector lists them)",
			   100 * d->mapped);
}

/* Why user time is not scaled on machine i, or NULL. */
static const char *user_warning(const struct query *q, size_t i)
{
	const struct prediction *p = q->predictions[i];

	if (p->user == 0 || !isnan(p->user_ratio))
		return NULL;
	if (!q->reference)
		return "no machine here, nor a reference platform, is the one that the "
		       "application was recorded on: give --reference";
	return q->application->nuser_entries ? "no user entry was measured on both"
					     : "the application names no user entries";
}

static void warn_user(struct query *q)
{
	for (size_t i = 0; i < q->machines.n; i++) {
		const char *why = user_warning(q, i);

		if (why && !q->reference) {
			query_note(q, "USER TIME IS NOT SCALED: %s", why);
			return;
		}
		if (why)
			query_note(q, "USER TIME IS NOT SCALED to %s: %s", q->machines.v[i].label,
				   why);
	}
}

static void warn_user_mode(struct query *q)
{
	double moved = 0, all = 0;

	for (size_t r = 0; r < q->demand->nruns; r++) {
		const struct demand_run *run = &q->demand->runs[r];

		moved += run->moved;
		all += run->user + run->split + run->moved;
	}
	if (moved > much_in_calls * all)
		query_note(
		    q,
		    "%.0f %% of the user time on the reference is what its calls take in user "
		    "mode, and counts as system time",
		    100 * moved / all);
}

static void warn_inflation(struct query *q)
{
	double h = q->inflation;
	char *where =
	    q->footprint > 0
		? xasprintf(", as after %.0f KiB of other data and code", q->footprint / 1024)
	    : q->same_cpu > 0
		? xasprintf(", as if %.0f %% of the calls between processes were on one CPU",
			    100 * q->same_cpu)
		: xstrdup("");

	if (h > unlike_inflation || h < 1 / unlike_inflation)
		query_note(
		    q,
		    "SYSTEM TIME DOES NOT FIT: on the reference it is %.2g times the kernel part "
		    "predicted: the application was not recorded on %s, or its vector is "
		    "wrong or lacks most calls",
		    h, q->reference->machine);
	else if (h > much_inflation || h < 1 / much_inflation)
		query_note(q,
			   "on the reference, system time is %.2f times the kernel part "
			   "predicted (%s)%s",
			   h,
			   h > 1 ? "calls cost more inside the application "
				   "than in a loop, or entries are missing"
				 : "calls cost less inside the application than "
				   "in the benchmarks, or the vector counts too much",
			   q->level == 2 ? where : ": --level 2 carries that to the others");
	free(where);
}

/* "a, b, c and 5 more" */
struct list {
	char *text;
	size_t n;
};

enum { SHOWN = 4 };

/* Adds a word, in the manner of printf. */
__attribute__((format(printf, 2, 3))) static void list_add(struct list *l, const char *fmt, ...)
{
	va_list ap;

	if (l->n++ >= SHOWN)
		return;
	va_start(ap, fmt);
	char *word = xvasprintf(fmt, ap);
	va_end(ap);
	l->text = xappend(l->text, "%s%s", l->text ? ", " : "", word);
	free(word);
}

/* Adds machine i, but for a copy with other costs (whatif). */
static void list_machine(struct list *l, const struct query *q, size_t i)
{
	if (!q->machines.v[i].vector->original)
		list_add(l, "%s", q->machines.v[i].label);
}

static const char *list_end(struct list *l)
{
	if (l->n > SHOWN)
		l->text = xappend(l->text, " and %zu more", l->n - SHOWN);
	return l->text;
}

/* The entries that p takes from another machine, in fresh memory; NULL: none that matters. */
static char *borrowed(const struct prediction *p)
{
	struct list list = { 0 };
	struct names names = { 0 };

	/* An entry may be of the kernel part and of a wait. */
	for (size_t k = 0; k < p->nlines; k++)
		if (p->lines[k].borrowed && fabs(p->lines[k].seconds) > much_borrowed * p->total)
			names_add(&names, p->lines[k].name);
	for (size_t k = 0; k < names.n; k++)
		list_add(&list, "%s", names.v[k]);
	names_free(&names);
	return list.n ? (char *)list_end(&list) : NULL;
}

/* The cost of v that is higher than on any machine, or NULL. */
static const struct osvec_entry *impossible(const struct osvec *v)
{
	/* The slowest emulators and hosted kernels take less than a twentieth of it. */
	static const struct {
		const char *entry;
		double seconds;
	} limits[] = { { "lat_syscall_getppid", 1e-3 }, { "cpu_int", 1e-4 } };

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		const struct osvec_entry *x = osvec_find(v, limits[i].entry);

		if (x && x->seconds > limits[i].seconds)
			return x;
	}
	return NULL;
}

void warnings_units(struct query *q)
{
	struct list costs = { 0 };
	char seconds[NUMBER_MAX];

	for (size_t i = 0; i < q->machines.n; i++) {
		const struct osvec *v = q->machines.v[i].vector;
		const struct osvec_entry *x = impossible(v);

		/* whatif reads a machine twice. */
		if (!x || (i && !strcmp(v->path, q->machines.v[i - 1].vector->path)))
			continue;
		list_add(&costs, "%s has %s for %s", v->path,
			 number_format_duration(seconds, x->seconds), x->name);
	}
	if (costs.n)
		query_note(q,
			   "NOT SECONDS? costs in a vector are seconds per operation, and no "
			   "machine is so slow: %s",
			   list_end(&costs));
	free(costs.text);
}

/* One note for all machines that borrow the same. */
static void warn_borrowed(struct query *q)
{
	char **what = xcalloc(q->machines.n, sizeof(*what));

	for (size_t i = 0; i < q->machines.n; i++)
		what[i] = borrowed(q->predictions[i]);
	for (size_t i = 0; i < q->machines.n; i++) {
		char *of = what[i];
		struct list names = { 0 };

		for (size_t k = i; of && k < q->machines.n; k++)
			if (what[k] && !strcmp(what[k], of)) {
				list_machine(&names, q, k);
				if (k > i)
					free(what[k]);
				what[k] = NULL;
			}
		if (names.n)
			query_note(
			    q, "%s did not measure %s: costs borrowed from another machine, scaled",
			    list_end(&names), of);
		free(names.text);
		free(of);
	}
	free(what);
}

static bool tells_faults_apart(const struct appvec *a)
{
	for (size_t r = 0; r < a->ntraces; r++)
		for (size_t i = 0; i < a->traces[r].nitems; i++)
			if (!strcmp(a->traces[r].items[i].from, APPVEC_FAULTS))
				return true;
	return false;
}

/* Without kinds all faults cost as much as those of zeroed memory.  Natively a fault of a file maps
 * what is around its page, so that few of them are left. */
static void warn_faults(struct query *q)
{
	struct list names = { 0 };

	if (tells_faults_apart(q->application))
		return;
	for (size_t i = 0; i < q->machines.n; i++) {
		const struct prediction *p = q->predictions[i];
		const struct osvec_entry *x = osvec_find(p->machine, "lat_pagefault_around");
		/* The last item of a demand. */
		const struct prediction_line *faults = &p->lines[q->demand->items.n - 1];

		if (p->kind == KIND_HOSTED && x &&
		    faults->calls * x->seconds > many_faults * p->total)
			list_machine(&names, q, i);
	}
	if (names.n)
		query_note(q,
			   "the recording has page faults of one kind: on %s those of files may "
			   "cost several times what is predicted (record by 'ktranal record -b "
			   "bpf' on x86, which tells kinds apart)",
			   list_end(&names));
	free(names.text);
}

static double coverage(const struct prediction *p)
{
	return p->coverage;
}

static double extrapolated(const struct prediction *p)
{
	return p->extrapolated;
}

/* One note for all machines whose share is beyond the limit. */
static void warn_share(struct query *q, double (*share_of)(const struct prediction *), double limit,
		       bool above, const char *what)
{
	struct list names = { 0 };
	double worst = limit;

	for (size_t i = 0; i < q->machines.n; i++) {
		const double share = share_of(q->predictions[i]);

		if (above ? share <= limit : share >= limit)
			continue;
		list_machine(&names, q, i);
		worst = above ? fmax(worst, share) : fmin(worst, share);
	}
	if (names.n)
		query_note(q, "%s: %s %.0f %% of the kernel part %s", list_end(&names),
			   above ? "up to" : "as little as", 100 * worst, what);
	free(names.text);
}

/* A note for each set of machines that are compared in one state of their host. */
static void note_turns(struct query *q)
{
	for (size_t i = 0; i < q->machines.n; i++) {
		const struct osvec *turns = q->predictions[i]->host.turns;
		struct list names = { 0 };
		bool first = turns;

		for (size_t k = 0; k < i; k++)
			first = first && q->predictions[k]->host.turns != turns;
		for (size_t k = i; first && k < q->machines.n; k++)
			if (q->predictions[k]->host.turns == turns)
				list_machine(&names, q, k);
		if (names.n)
			query_note(
			    q, "measured in turns, and so compared in one state of their host: %s",
			    list_end(&names));
		free(names.text);
	}
}

/* One note for all machines whose host was in another state than for the other vectors of it. */
static void warn_states(struct query *q)
{
	struct list names = { 0 };

	for (size_t i = 0; i < q->machines.n; i++) {
		const struct prediction *p = q->predictions[i];

		if (p->host.vectors < 2 || fabs(log(p->host.factor)) < log(much_moved))
			continue;
		list_add(&names, "%s x %.2f", q->machines.v[i].label, p->host.factor);
	}
	if (names.n)
		query_note(
		    q,
		    "these vectors were measured on one host in different states; CPU times "
		    "are converted to its mean state: %s (--vector-state keeps them as measured)",
		    list_end(&names));
	free(names.text);
}

/* Whether an entry does not say how far it may be off. */
static bool is_lone(const struct osvec_entry *x)
{
	return isnan(x->error) && !(x->high > x->low);
}

static bool is_unshared(const struct osvec_entry *x)
{
	return osvec_has_flag(x->flags, "UNSHARED");
}

static bool is_disturbed(const struct osvec_entry *x)
{
	return osvec_has_flag(x->flags, "DISTURBED");
}

/* Whether that is so of most entries that p comes from. */
static bool are_most(const struct prediction *p, bool (*is_so)(const struct osvec_entry *))
{
	size_t so = 0, all = p->nuser;

	for (size_t i = 0; i < p->nuser; i++)
		so += is_so(p->user_here[i]);
	for (size_t i = 0; i < p->ncharges; i++)
		if (p->charges[i].entry && p->lines[p->charges[i].line].seconds != 0) {
			so += is_so(p->charges[i].entry);
			all++;
		}
	return 2 * so > all;
}

/* One note for all machines of whose entries most are so. */
static void warn_entries(struct query *q, bool (*is_so)(const struct osvec_entry *),
			 const char *how, const char *therefore)
{
	struct list names = { 0 };

	for (size_t i = 0; i < q->machines.n; i++)
		if (are_most(q->predictions[i], is_so))
			list_machine(&names, q, i);
	if (names.n)
		query_note(q, "%s: most entries of %s; %s", how, list_end(&names), therefore);
	free(names.text);
}

void warnings_quota(struct query *q)
{
	struct list names = { 0 };

	for (size_t i = 0; i < q->machines.n; i++) {
		const struct osvec *v = q->machines.v[i].vector;
		const double cpus = osvec_cpus(v);

		if (cpus < 1 && !v->original)
			list_add(&names, "%s (%.2g of a CPU)", q->machines.v[i].label, cpus);
	}
	if (names.n)
		query_note(q,
			   "a CPU quota stops programs that need more, which their times include: "
			   "%s",
			   list_end(&names));
	free(names.text);
}

static void warn_machines(struct query *q)
{
	warn_entries(
	    q, is_lone, "MEASURED BY ONE PROCESS, or without errors",
	    "how far they are off is a guess (hbench run measures many rounds in more time)");
	warn_entries(
	    q, is_disturbed, "DISTURBED",
	    "others had the CPU, or a quota withheld it, meanwhile: costs may be too high");
	warn_entries(q, is_unshared, "MEASURED WITHOUT COPIES", "these CPUs may do less together");
	warn_borrowed(q);
	warn_faults(q);
	if (q->demand->mapped >= enough_coverage)
		warn_share(q, coverage, enough_coverage, false,
			   "is priced with entries measured there");
	warn_share(q, extrapolated, much_extrapolated, true, "lies beyond the sizes measured");
}

/* Items that no machine measured: the same on all. */
static void warn_items(struct query *q)
{
	const struct prediction *p = q->predictions[0];

	for (size_t i = 0; i < p->nlines; i++) {
		const struct prediction_line *line = &p->lines[i];
		bool everywhere = line->lower_bound && line->calls != 0;

		for (size_t k = 1; k < q->machines.n; k++)
			everywhere = everywhere && q->predictions[k]->lines[i].lower_bound;
		if (everywhere && (i >= q->demand->items.n || !q->demand->items.v[i].fallback))
			query_note(q, "no machine measured %s: %s, which is too low", line->name,
				   line->seconds != 0 ? "counted as null calls" : "left out");
	}
}

static void warn_kernel_share(struct query *q)
{
	double most = 0;

	for (size_t i = 0; i < q->machines.n; i++) {
		const struct prediction *p = q->predictions[i];

		most = fmax(most, (p->kernel + p->wait) / p->total);
	}
	if (most < enough_kernel)
		query_note(q,
			   "the OS is at most %.0f %% of the time: user time, scaled by the CPU "
			   "benchmarks, decides this ranking",
			   100 * most);
}

void warnings_add(struct query *q)
{
	warn_application(q);
	warn_user(q);
	warn_user_mode(q);
	warn_inflation(q);
	warn_machines(q);
	warn_states(q);
	note_turns(q);
	warn_items(q);
	warn_kernel_share(q);
}
