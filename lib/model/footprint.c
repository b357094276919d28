/* SPDX-License-Identifier: MIT */
#include "model/footprint.h"

#include <math.h>
#include <string.h>

#include "util/xalloc.h"
#include "vector/group.h"

/* A footprint, and what an operation costs more there. */
struct point {
	double bytes, extra;
};

static double extra_of(const struct osvec *v, const struct osvec_entry *base, double bytes,
		       const struct osvec *like);

/* How far the extra cost of an entry has come at bytes from that at low to that at high: as much as
 * on a machine that measured in between, else by the logarithm of bytes. */
static double place(const struct osvec *like, const char *name, double low, double high,
		    double bytes)
{
	const struct osvec_entry *base = like ? osvec_find(like, name) : NULL;

	if (base) {
		const double from = extra_of(like, base, low, NULL);
		const double to = extra_of(like, base, high, NULL);

		if (to > from)
			return (extra_of(like, base, bytes, NULL) - from) / (to - from);
	}
	return log(bytes / low) / log(high / low);
}

/* Between the nearest footprints of base; NaN when it was measured at none. */
static double extra_of(const struct osvec *v, const struct osvec_entry *base, double bytes,
		       const struct osvec *like)
{
	struct point low = { FOOTPRINT_LEAST, 0 }, high = { INFINITY, 0 };
	const struct osvec_entry *end = v->entries + v->n;
	size_t n = strlen(base->name);
	double most = INFINITY; /* the least at any footprint from bytes on */
	bool any = false;

	/* Entries are sorted: those whose names begin with that of base follow it. */
	for (const struct osvec_entry *x = base + 1; x < end && !strncmp(x->name, base->name, n);
	     x++) {
		struct point p = { x->footprint, fmax(x->seconds - base->seconds, 0) };

		if (isnan(p.bytes) || strncmp(x->name + n, "@after=", 7))
			continue;
		any = true;
		if (p.bytes >= bytes)
			most = fmin(most, p.extra);
		if (p.bytes <= FOOTPRINT_LEAST)
			continue;
		if (p.bytes <= bytes && p.bytes >= low.bytes)
			low = p;
		if (p.bytes >= bytes && p.bytes < high.bytes)
			high = p;
	}
	if (!any)
		return NAN;
	low.extra = fmin(low.extra, most);
	high.extra = fmin(high.extra, most);
	if (bytes <= low.bytes || isinf(high.bytes))
		return low.extra;
	return low.extra +
	       (high.extra - low.extra) * place(like, base->name, low.bytes, high.bytes, bytes);
}

void footprint_extra(const struct osvec *v, const char *null_entry, double bytes,
		     const struct osvec *like, double *extra)
{
	memset(extra, 0, group_count() * sizeof(*extra));
	if (bytes <= FOOTPRINT_LEAST)
		return;
	size_t *entries = xcalloc(group_count(), sizeof(*entries));
	double null = 0;
	for (size_t i = 0; i < v->n; i++) {
		double more = extra_of(v, &v->entries[i], bytes, like);

		if (isnan(more))
			continue;
		size_t group = group_of(v->entries[i].name);
		extra[group] += (more - extra[group]) / (double)++entries[group];
		if (!strcmp(v->entries[i].name, null_entry))
			null = more;
	}
	for (size_t g = 0; g < group_count(); g++)
		if (!entries[g])
			extra[g] = null;
	free(entries);
}

double footprint_next(const struct osvec *v, double above)
{
	double least = INFINITY;

	for (size_t i = 0; i < v->n; i++)
		if (v->entries[i].footprint > above && v->entries[i].footprint < least)
			least = v->entries[i].footprint;
	return least;
}
