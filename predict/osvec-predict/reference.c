/* SPDX-License-Identifier: MIT */
#include "reference.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/timestamp.h"

bool reference_is_repeated(const struct machines *m, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (osvec_is_same(m->v[k].vector, m->v[i].vector))
			return true;
	return false;
}

/* The logarithm of the application's system time over the kernel part predicted on v; infinite when
 * that is not known. */
static double system_error(const struct query *q, const struct osvec *v)
{
	static const struct lenders nobody;
	struct error e;
	struct prediction *p = prediction_new(q->demand, v, v, 0, nobody, &e);
	double h = p ? prediction_inflation(p) : NAN;

	prediction_free(p);
	return isnan(h) ? INFINITY : log(h);
}

/* Seconds between the making of v and that of the application; infinite when one is not known. */
static double time_between(const struct query *q, const struct osvec *v)
{
	const double time =
	    fabs(timestamp_seconds(q->application->created) - timestamp_seconds(v->created));

	return isnan(time) ? INFINITY : time;
}

/* Ends the program when another machine measured within the hour may be the one, but on which calls
 * cost more or less: containers of one host, or other settings. */
static void refuse_ambiguous(const struct query *q, const struct machines *m, const double *error,
			     const struct machine *best, double within)
{
	const double alike = log(1.1), hour = 3600;
	const double time = timestamp_seconds(best->vector->created);

	for (size_t i = 0; i < m->n; i++)
		if (fabs(error[i]) <= within &&
		    fabs(timestamp_seconds(m->v[i].vector->created) - time) < hour &&
		    fabs(error[i] - error[best - m->v]) > alike)
			errx(1,
			     "%s can have been recorded on %s or %s, which were measured at about "
			     "the same time, and on which its calls cost differently: name one "
			     "with --reference",
			     q->application_path, best->label, m->v[i].label);
}

/* The machine that the application names, if it can have been recorded there. */
static struct machine *named(const struct query *q, const struct machines *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->v[i].vector->machine, q->application->vector) &&
		    prediction_is_reference(m->v[i].vector, q->application))
			return &m->v[i];
	return NULL;
}

/*
 * Of the machines that the application can have been recorded on, one whose calls cost what its
 * did, as the costs of all of those within a factor may; of these, the one measured nearest in
 * time, and then the one where they cost closest: in any order of m.  Stores in *found how many
 * there are.
 */
static struct machine *closest(const struct query *q, const struct machines *m, size_t *found)
{
	const double within = log(1.5); /* calls cost so much more inside a program */
	double *error = xcalloc(m->n, sizeof(*error)), least = INFINITY;
	struct machine *best = NULL;

	for (size_t i = 0; i < m->n; i++) {
		error[i] = NAN;
		if (!prediction_is_reference(m->v[i].vector, q->application) ||
		    reference_is_repeated(m, i))
			continue;
		++*found;
		error[i] = system_error(q, m->v[i].vector);
		least = fmin(least, fabs(error[i]));
	}
	for (size_t i = 0; i < m->n; i++) {
		if (isnan(error[i]) || fabs(error[i]) > least + within)
			continue;
		double other = best ? time_between(q, best->vector) : INFINITY;
		double time = time_between(q, m->v[i].vector);
		if (!best || time < other ||
		    (time == other && fabs(error[i]) < fabs(error[best - m->v])))
			best = &m->v[i];
	}
	if (best)
		refuse_ambiguous(q, m, error, best, least + within);
	free(error);
	return best;
}

/* Makes the one that is found among those that are known without being named the reference. */
static bool find_elsewhere(struct query *q, bool by_name)
{
	struct machines known = { 0 };
	struct machine *m = NULL;
	struct error e;
	size_t found = 0;

	if (!machines_read(&known, NULL, 0, &e))
		m = by_name ? named(q, &known) : closest(q, &known, &found);
	if (m) {
		q->reference = q->own_reference = m->vector;
		m->vector = NULL;
		query_note(q, "it was recorded on %s (%s)", q->reference->machine,
			   q->reference->path);
	}
	machines_free(&known);
	return m;
}

void reference_find(struct query *q)
{
	struct error e;
	size_t found = 0;

	if (q->reference_path) {
		q->reference = q->own_reference = machines_read_one(q->reference_path, &e);
		if (!q->own_reference)
			errx(1, "--reference: %s", e.text);
		for (size_t i = q->machines.n; i-- > 0;)
			if (!strcmp(q->machines.v[i].vector->path, q->own_reference->path))
				q->reference = q->machines.v[i].vector;
		if (*q->application->host && *q->application->kernel &&
		    !prediction_is_reference(q->reference, q->application))
			query_note(q,
				   "--reference %s: the application names another host, kernel or "
				   "processor",
				   q->reference_path);
		return;
	}
	const struct machine *m = named(q, &q->machines);
	if (!m && *q->application->vector && find_elsewhere(q, true))
		return;
	if (!m)
		m = closest(q, &q->machines, &found);
	if (!m && find_elsewhere(q, false))
		return;
	q->reference = m ? m->vector : NULL;
	if (found && *q->application->vector)
		query_note(
		    q,
		    "taken to be recorded on %s, although it names %s (--reference names another)",
		    m->label, q->application->vector);
	if (found > 1)
		query_note(q,
			   "%zu of the machines can be the one that the application was recorded "
			   "on; of those where calls cost what they did, %s was measured nearest "
			   "in time (--reference names another)",
			   found, m->label);
}
