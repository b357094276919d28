/* SPDX-License-Identifier: MIT */
#include "intervals.h"

#include <err.h>
#include <string.h>

#include "answer.h"

struct model_error intervals_model_error(const struct intervals *s)
{
	static struct model_error validated;
	static bool known;
	struct error e;

	if (!known && model_error_read(&validated, &e))
		errx(1, "%s", e.text);
	known = true;
	if (isnan(s->model_error))
		return validated;
	return (struct model_error){
		.spread = s->model_error,
		.alike = s->model_error,
		.freedom = validated.freedom,
	};
}

struct samples intervals_sample(const struct intervals *s, const struct query *q)
{
	const struct model_error m = intervals_model_error(s);
	const struct samples_settings settings = { s->samples, s->seed, m };

	return samples_new(q->predictions, q->machines.n, &settings);
}

void intervals_note(const struct intervals *s, struct query *q, double low, double high)
{
	const struct model_error m = intervals_model_error(s);
	char to[32] = "", bias[128] = "", share[128] = "";

	if (round(100 * high) > round(100 * low))
		snprintf(to, sizeof(to), " to %.0f", 100 * high);
	if (isfinite(low)) /* else they have no width */
		snprintf(share, sizeof(share),
			 "; measurement makes up %.0f%s %% of their squared width", 100 * low, to);
	if (m.bias > 0)
		snprintf(bias, sizeof(bias),
			 " per machine (%.0f %% with the same CPU and kernel) and %.0f %% "
			 "per application",
			 100 * m.alike, 100 * m.bias);
	query_note(q,
		   "intervals hold with probability %.2g: model error %.0f %%%s%s, Student t "
		   "with %.0f degrees of freedom%s; %llu samples, seed %llu",
		   s->level, 100 * m.spread, bias, m.prior ? " (prior, no validation yet)" : "",
		   m.freedom, share, (unsigned long long)s->samples, (unsigned long long)s->seed);
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
	const struct model_error m = intervals_model_error(s);

	answer_number(q, "samples", (double)s->samples);
	answer_number(q, "seed", (double)s->seed);
	answer_number(q, "model_error", m.spread);
	answer_number(q, "model_bias", m.bias);
	answer_number(q, "model_alike", m.alike);
	answer_number(q, "interval", s->level);
	answer_number(q, "measured_share", measured_share);
}
