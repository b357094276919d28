/* SPDX-License-Identifier: MIT */
#include "vector/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/counts.h"
#include "trace/extents.h"
#include "trace/exists.h"
#include "trace/syscalls.h"
#include "util/map.h"
#include "util/vec.h"
#include "vector/sizes.h"

/* Times are nanoseconds in doubles: exact up to 104 days, and no trace makes them overflow. */
struct item {
	const char *entry; /* in the basis */
	double weight;
	enum part part;
	bool fallback, curve;
	bool faults; /* it is of faults */
	double calls, bytes, time;
	struct sizes sizes;
	struct names from;
};

/* The items that calls of a rule are added to, one for each of its terms. */
struct booking {
	size_t *items;
	unsigned last_call; /* whose name is in the items already, if known */
	bool known;
};

struct unmapped {
	double calls, time;
};

/* Numbers of a run that COUNTER events add up to. */
static const struct counter {
	const char *name;
	size_t offset;
} counters[] = {
#define COUNTER(name) \
	{ \
#name, offsetof(struct appvec_run, name) \
	}
	COUNTER(user),	      COUNTER(system),	     COUNTER(voluntary),
	COUNTER(involuntary), COUNTER(minor_faults), COUNTER(major_faults),
#undef COUNTER
};

enum { COUNTERS = sizeof(counters) / sizeof(*counters) };

struct profile {
	struct basis *basis;
	VEC(struct item) items;
	struct map bookings; /* by rule */
	size_t fallback;     /* item of the null entry, plus one; 0: none yet */
	struct names unmapped_names;
	VEC(struct unmapped) unmapped; /* by number of its name */
	struct map processes, threads; /* by process: how many threads; by thread: 1 */
	struct map asleep;	       /* by process: ns */
	double calls, call_time, mapped_calls, mapped_time, unfinished, lost;
	bool timed;	    /* a call with a duration was seen */
	double first, last; /* time of the first start and the last end */
	bool begun;
	double voluntary, involuntary;
	bool switches;			 /* a SWITCH event was seen */
	double counted[COUNTERS];	 /* NaN: no event of this counter was seen */
	bool unknown[COUNTERS];		 /* it was not known of one of the processes */
	const struct formulas *formulas; /* that have the names of events; NULL: none are counted */
	struct event_sum {
		double count, ns; /* ns on a CPU in which it was counted */
		unsigned modes;
	} sums[APPVEC_EVENTS];
	double ns, stretch; /* on a CPU between readings: in all, and before the one at hand */
	struct extents extents;
	struct exists exists;
	VEC(double) weights; /* by id of the call and outcome; 1 for ids beyond */
	double faults;	     /* in items of their own */
};

struct profile *profile_new(struct basis *basis)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	p->basis = basis;
	for (size_t i = 0; i < COUNTERS; i++)
		p->counted[i] = NAN;
	return p;
}

enum outcome outcome_of(const struct event *call)
{
	return event_failed(call) ? OUTCOME_FAILED : OUTCOME_DONE;
}

void profile_weigh(struct profile *p, const double (*weights)[OUTCOMES], size_t n)
{
	p->weights.n = 0;
	vec_reserve(&p->weights, n * OUTCOMES);
	for (size_t i = 0; i < n; i++)
		for (enum outcome o = 0; o < OUTCOMES; o++)
			vec_push(&p->weights, weights[i][o]);
}

/* The number of calls that this one stands for. */
static double weight_of(const struct profile *p, const struct event *e)
{
	const size_t at = (size_t)e->call.id * OUTCOMES + outcome_of(e);
	double calls = (double)event_calls(e);

	return at < p->weights.n ? calls * p->weights.v[at] : calls;
}

/* The index of the item with these properties, which is made if there is none. */
static size_t find_item(struct profile *p, const char *entry, double weight, enum part part,
			bool fallback)
{
	for (size_t i = 0; i < p->items.n; i++) {
		const struct item *item = &p->items.v[i];

		if (item->weight == weight && item->part == part && item->fallback == fallback &&
		    !strcmp(item->entry, entry))
			return i;
	}
	vec_push(&p->items, (struct item){
				.entry = entry,
				.weight = weight,
				.part = part,
				.fallback = fallback,
				.curve = strchr(entry, '*') != NULL,
			    });
	return p->items.n - 1;
}

static struct booking *find_booking(struct profile *p, const struct basis_rule *rule)
{
	struct booking *b = map_pointer(&p->bookings, (uintptr_t)rule);

	if (b)
		return b;
	b = xcalloc(1, sizeof(*b));
	b->items = xcalloc(rule->nterms, sizeof(*b->items));
	for (size_t i = 0; i < rule->nterms; i++)
		b->items[i] = find_item(p, rule->terms[i].entry, rule->terms[i].weight,
					rule->terms[i].part, false);
	*map_at(&p->bookings, (uintptr_t)rule) = (uintptr_t)b;
	return b;
}

static double duration(const struct event *e)
{
	return e->call.duration > 0 ? (double)e->call.duration : 0;
}

static void book(struct profile *p, const struct basis_rule *rule, const struct event *e,
		 double size)
{
	struct booking *b = find_booking(p, rule);
	double calls = weight_of(p, e), time = calls * duration(e);

	for (size_t i = 0; i < rule->nterms; i++) {
		struct item *item = &p->items.v[b->items[i]];

		item->calls += calls;
		if (i == 0)
			item->time += time;
		if (!isnan(size))
			item->bytes += calls * size;
		if (item->curve)
			sizes_add(&item->sizes, (uint64_t)size, calls);
		if (!b->known || b->last_call != e->call.id)
			names_add(&item->from, syscall_get(e->call.id)->name);
	}
	b->last_call = e->call.id;
	b->known = true;
	p->mapped_calls += calls;
	p->mapped_time += time;
}

/* Adds e, which stands for this number of calls, to those that no rule maps; their label is, for
 * example, "ioctl.tcgets tty". */
static void book_fallback(struct profile *p, const struct event *e, double calls)
{
	const char *name = syscall_get(e->call.id)->name, *variant = syscall_variant(e);
	bool kind = e->call.kind != FD_UNKNOWN;
	double time = calls * duration(e);
	char label[160];

	snprintf(label, sizeof(label), "%.100s%s%s%s%s", name, variant ? "." : "",
		 variant ? variant : "", kind ? " " : "", kind ? fd_kind_name(e->call.kind) : "");
	size_t number = names_add(&p->unmapped_names, label);
	if (number == p->unmapped.n)
		vec_push(&p->unmapped, (struct unmapped){ 0 });
	p->unmapped.v[number].calls += calls;
	p->unmapped.v[number].time += time;
	if (!p->fallback)
		p->fallback = 1 + find_item(p, p->basis->null_entry, 1, PART_KERNEL, true);
	struct item *item = &p->items.v[p->fallback - 1];
	item->calls += calls;
	item->time += time;
	names_add(&item->from, name);
}

/* A size that cannot be right, for traces are not to be trusted, is unknown. */
static double size_of(const struct basis_rule *rule, const struct event *e)
{
	double size = basis_size_of(rule, e);

	return size >= 0 && size < 0x1p63 ? size : NAN;
}

static bool needs_size(const struct basis_rule *rule)
{
	for (size_t i = 0; i < rule->nterms; i++)
		if (strchr(rule->terms[i].entry, '*'))
			return true;
	return false;
}

static bool is_sleep(unsigned call)
{
	static unsigned relative, absolute;

	if (!relative) {
		relative = syscall_by_name("nanosleep");
		absolute = syscall_by_name("clock_nanosleep");
	}
	return call == relative || call == absolute;
}

/* Nanoseconds of the processes of one thread: of one with more, another may work meanwhile. */
static double sum_sleep(const struct profile *p)
{
	size_t at = 0;
	uint64_t pid, ns;
	double sum = 0;

	while (map_next(&p->asleep, &at, &pid, &ns)) {
		const uint64_t *threads = map_find(&p->processes, pid);

		if (!threads || *threads == 1) /* a trace without process numbers is of one */
			sum += (double)ns;
	}
	return sum;
}

static void add_call(struct profile *p, const struct event *e)
{
	bool exits = syscall_never_returns(e->call.id);

	if ((e->call.flags & CALL_UNFINISHED) && !exits) {
		p->unfinished++;
		return;
	}
	if (!(weight_of(p, e) > 0))
		return;
	p->calls += weight_of(p, e);
	p->call_time += weight_of(p, e) * duration(e);
	p->timed |= e->call.duration >= 0;
	const struct basis_rule *rule = basis_match(p->basis, e);
	double size = rule ? size_of(rule, e) : NAN;
	if (rule && !(isnan(size) && needs_size(rule)))
		book(p, rule, e, size);
	else
		book_fallback(p, e, weight_of(p, e));
}

void profile_add_unseen(struct profile *p, unsigned id, double calls)
{
	const struct event e = { .type = EVENT_SYSCALL, .call = { .id = id, .duration = -1 } };

	p->calls += calls;
	book_fallback(p, &e, calls);
}

/* Adds what is not in a call to the item of an entry, which stays where it is until another is
 * made. */
static struct item *book_uncalled(struct profile *p, const char *entry, double weight, double n,
				  const char *from)
{
	const size_t at = find_item(p, entry, weight, PART_KERNEL, false);
	struct item *item = &p->items.v[at];

	item->calls += n;
	names_add(&item->from, from);
	return item;
}

/* A fault of a kind that has an entry of its own; @fault prices those that no item contains. */
static void add_fault(struct profile *p, enum fault_kind kind)
{
	const char *entry = kind < FAULT_KINDS ? p->basis->fault_kinds[kind] : NULL;

	if (!entry)
		return;
	book_uncalled(p, entry, 1, 1, APPVEC_FAULTS)->faults = true;
	p->faults++;
}

/* Counts how often threads were woken whose CPU had nothing to do, which no call has in its price.
 */
static void add_wakeups(struct profile *p, const char *name, double value)
{
	if (!p->basis->wake_entry || strcmp(name, "wakeups") || !(value > 0))
		return;
	book_uncalled(p, p->basis->wake_entry, 1, value, "(wakeups)");
	book_uncalled(p, p->basis->null_entry, -1, value, "(wakeups)");
}

static void add_counter(struct profile *p, const char *name, double value)
{
	for (size_t i = 0; i < COUNTERS; i++) {
		if (strcmp(counters[i].name, name))
			continue;
		if (isnan(value))
			p->unknown[i] = true;
		else if (value >= 0 && isfinite(value))
			p->counted[i] = value + (isnan(p->counted[i]) ? 0 : p->counted[i]);
	}
}

/* The time since the last reading comes first, and then what was counted in it. */
static void add_events(struct profile *p, const char *name, double value)
{
	char *bare = xstrdup(name);

	enum counts_mode mode = counts_take_mode(bare);
	size_t event = formulas_event(p->formulas, bare);

	if (!strcmp(name, "cpu_ns")) {
		p->stretch = value;
		p->ns += value;
	} else if (event < APPVEC_EVENTS && value >= 0) {
		p->sums[event].count += value;
		p->sums[event].ns += p->stretch;
		p->sums[event].modes |= 1U << mode;
	}
	free(bare);
}

void profile_count_events(struct profile *p, const struct formulas *f)
{
	p->formulas = f;
}

void profile_events(const struct profile *p, double *all, unsigned *modes)
{
	for (size_t i = 0; i < APPVEC_EVENTS; i++) {
		all[i] = p->sums[i].ns > 0 ? p->sums[i].count * p->ns / p->sums[i].ns : NAN;
		modes[i] = p->sums[i].modes;
	}
}

void profile_add(struct profile *p, const struct event *e)
{
	const unsigned flags =
	    extents_flags(&p->extents, e) | (exists_event(&p->exists, e) ? CALL_EXISTS : 0);
	double start = (double)e->time, end = start;
	struct event call = *e;

	switch (e->type) {
	case EVENT_SYSCALL:
		call.call.flags |= flags;
		add_call(p, &call);
		end += duration(e);
		if (is_sleep(e->call.id))
			*map_at(&p->asleep, e->pid) +=
			    (uint64_t)((double)event_calls(e) * duration(e));
		break;
	case EVENT_SWITCH:
		p->switches = true;
		if (e->change.out && e->change.preempted)
			p->involuntary++;
		else if (e->change.out)
			p->voluntary++;
		break;
	case EVENT_FAULT: add_fault(p, e->fault.kind); break;
	case EVENT_LOST: p->lost += (double)e->lost.count; break;
	case EVENT_COUNTER:
		add_counter(p, e->counter.name, e->counter.value);
		add_wakeups(p, e->counter.name, e->counter.value);
		if (p->formulas)
			add_events(p, e->counter.name, e->counter.value);
		break;
	default: break;
	}
	if (e->pid) {
		uint64_t *thread = map_at(&p->threads, e->tid), *threads;

		threads = map_at(&p->processes, e->pid);
		*threads += !*thread;
		*thread = 1;
	}
	if (!p->begun || start < p->first)
		p->first = start;
	if (!p->begun || end > p->last)
		p->last = end;
	p->begun = true;
}

static double seconds(bool known, double ns)
{
	return known ? ns * 1e-9 : NAN;
}

/* A trace holds faults that are no minor ones, too, such as those of a signal: the items share what
 * was counted. */
static double calls_of(const struct profile *p, const struct item *item, double minor)
{
	return item->faults && minor < p->faults ? item->calls * minor / p->faults : item->calls;
}

static struct appvec_item row(const struct profile *p, const struct item *item, double minor)
{
	struct appvec_item out = {
		.entry = xstrdup(item->entry),
		.weight = item->weight,
		.part = item->part,
		.fallback = item->fallback,
		.calls = calls_of(p, item, minor),
		.bytes = item->bytes,
		.time = seconds(p->timed, item->time),
		.from = names_join(&item->from, " "),
	};

	out.sizes = sizes_rows(&item->sizes, &out.nsizes);
	return out;
}

/* The longest time first; where that is equal, the most calls. */
static int by_time(const void *a, const void *b)
{
	const struct appvec_unmapped *x = a, *y = b;

	if (x->time != y->time && !isnan(x->time))
		return x->time < y->time ? 1 : -1;
	return (x->calls < y->calls) - (x->calls > y->calls);
}

void profile_trace(const struct profile *p, struct appvec_trace *out)
{
	*out = (struct appvec_trace){
		.trace = xstrdup(""),
		.processes = (double)p->processes.n,
		.threads = (double)p->threads.n,
		.calls = p->calls,
		.call_time = seconds(p->timed, p->call_time),
		.mapped_calls = p->mapped_calls,
		.mapped_time = seconds(p->timed, p->mapped_time),
		.lost = p->lost,
		.unfinished = p->unfinished,
		.nitems = p->items.n,
		.items = xcalloc(p->items.n, sizeof(*out->items)),
		.nunmapped = p->unmapped.n,
		.unmapped = xcalloc(p->unmapped.n, sizeof(*out->unmapped)),
	};
	for (size_t i = 0; i < COUNTERS; i++)
		*(double *)((char *)&out->run + counters[i].offset) =
		    p->unknown[i] ? NAN : p->counted[i];
	out->run.wall = seconds(p->timed && p->begun, p->last - p->first);
	const double off_cpu = out->run.wall - fmax(out->run.user, 0) - fmax(out->run.system, 0);
	out->asleep = isnan(off_cpu) ? NAN : fmin(sum_sleep(p) * 1e-9, fmax(off_cpu, 0));
	if (p->switches) {
		out->run.voluntary = p->voluntary;
		out->run.involuntary = p->involuntary;
	}
	for (size_t i = 0; i < p->items.n; i++)
		out->items[i] = row(p, &p->items.v[i], out->run.minor_faults);
	for (size_t i = 0; i < p->unmapped.n; i++)
		out->unmapped[i] = (struct appvec_unmapped){
			xstrdup(p->unmapped_names.v[i]),
			p->unmapped.v[i].calls,
			seconds(p->timed, p->unmapped.v[i].time),
		};
	qsort(out->unmapped, out->nunmapped, sizeof(*out->unmapped), by_time);
}

void profile_free(struct profile *p)
{
	size_t at = 0;
	struct booking *booking;

	if (!p)
		return;
	for (size_t i = 0; i < p->items.n; i++) {
		vec_free(&p->items.v[i].sizes);
		names_free(&p->items.v[i].from);
	}
	while ((booking = map_next_pointer(&p->bookings, &at))) {
		free(booking->items);
		free(booking);
	}
	vec_free(&p->items);
	map_free(&p->bookings);
	names_free(&p->unmapped_names);
	vec_free(&p->unmapped);
	vec_free(&p->weights);
	extents_free(&p->extents);
	exists_free(&p->exists);
	map_free(&p->processes);
	map_free(&p->threads);
	map_free(&p->asleep);
	free(p);
}
