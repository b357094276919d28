/* SPDX-License-Identifier: MIT */
#include "intervals.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "util/xalloc.h"

bool intervals_are_set(const struct intervals *s)
{
	const struct intervals none = INTERVALS_DEFAULT;

	return s->samples != none.samples || s->seed != none.seed || !isnan(s->model_error) ||
	       s->level != none.level;
}

struct model_error intervals_model_error(const struct intervals *s, const struct query *q)
{
	static struct model_error read[MODEL_LEVELS];
	static bool known[MODEL_LEVELS];
	const size_t level = q->level == QUERY_LEVEL_BEST ? MODEL_LEVELS - 1 : q->level;
	struct error e;

	if (!known[level] && model_error_read(&read[level], (unsigned)level, &e))
		errx(1, "%s", e.text);
	known[level] = true;
	const struct model_error validated = read[level];
	if (isnan(s->model_error))
		return validated;
	struct model_error m = { .bias = s->model_error,
				 .siblings = INFINITY,
				 .freedom = validated.freedom };
	for (size_t k = 0; k < KINDS; k++)
		m.kinds[k].own = s->model_error;
	return m;
}

struct samples intervals_sample(const struct intervals *s, const struct query *q)
{
	const struct model_error m = intervals_model_error(s, q);
	const struct samples_settings settings = { s->samples, s->seed, m };

	return samples_new(q->predictions, q->machines.n, &settings);
}

/* "native 6 %, hosted 8 %": of the kinds of machines of q. */
static char *list_kinds(const struct model_error *m, const struct query *q)
{
	char *list = NULL;

	for (size_t k = KIND_REFERENCE + 1; k < KINDS; k++) {
		bool any = !q->predictions; /* validate: all */

		for (size_t i = 0; !any && i < q->machines.n; i++)
			any = q->predictions[i]->kind == k;
		if (!any)
			continue;
		list = xappend(list, "%s%s %.0f %%", list ? ", " : "", kind_names[k],
			       100 * model_error_of(m, &(struct model_case){ .kind = k }));
		if (k == KIND_NATIVE && isfinite(m->siblings))
			list = xappend(list, " (on one host %.0f %%)",
				       100 * model_error_apart(m, KIND_NATIVE));
	}
	return list ? list : xstrdup("none where it was recorded");
}

void intervals_note(const struct intervals *s, struct query *q, double low, double high)
{
	const struct model_error m = intervals_model_error(s, q);
	char to[32] = "", bias[64] = "", lines[96] = "", hosts[64] = "", share[128] = "";
	char *kinds = list_kinds(&m, q);

	if (round(100 * high) > round(100 * low))
		snprintf(to, sizeof(to), " to %.0f", 100 * high);
	if (isfinite(low)) /* else they have no width */
		snprintf(share, sizeof(share),
			 "; measurement makes up %.0f%s %% of their squared width", 100 * low, to);
	if (m.bias > 0)
		snprintf(bias, sizeof(bias), "; of the application, on all machines, %.0f %%",
			 100 * m.bias);
	if (m.lines > 0)
		snprintf(lines, sizeof(lines),
			 "; of what an entry costs inside this application, one factor for all "
			 "machines, %.0f %%",
			 100 * m.lines);
	if (m.host > 0 && !q->vector_state)
		snprintf(hosts, sizeof(hosts), "; of the later state of a shared host, %.0f %%",
			 100 * m.host);
	query_note(q,
		   "intervals should contain the true value with probability %.2g; assumed model "
		   "error by kind of machine: "
		   "%s%s%s%s, Student t with %.0f degrees of freedom%s%s; %llu samples, seed %llu",
		   s->level, kinds, bias, lines, m.prior ? " (prior, no validation yet)" : "",
		   m.freedom, hosts, share, (unsigned long long)s->samples,
		   (unsigned long long)s->seed);
	free(kinds);
}

void intervals_note_runs(struct query *q)
{
	if (q->application->ntraces == 1)
		query_note(q,
			   "the application was traced once: how %s differ is not in the intervals",
			   q->application->nruns > 1 ? "the calls of its runs" : "its runs");
}

void intervals_facts(const struct intervals *s, const struct query *q, double measured_share)
{
	const struct model_error m = intervals_model_error(s, q);

	answer_number(q, "samples", (double)s->samples);
	answer_number(q, "seed", (double)s->seed);
	answer_number(q, "model_bias", m.bias);
	answer_number(q, "model_lines", m.lines);
	answer_number(q, "model_siblings", m.siblings);
	for (size_t k = KIND_REFERENCE + 1; k < KINDS; k++) {
		char *key = xasprintf("model_%s", kind_names[k]);

		answer_number(q, key, model_error_of(&m, &(struct model_case){ .kind = k }));
		free(key);
	}
	answer_number(q, "interval", s->level);
	answer_number(q, "measured_share", measured_share);
}
