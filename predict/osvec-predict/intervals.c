/* SPDX-License-Identifier: MIT */
#include "intervals.h"

#include "report.h"
#include "vector/field.h"

static const double prior_model_error = 0.12, freedom = 4;

static double model_error(const struct intervals *s)
{
	return isnan(s->model_error) ? prior_model_error : s->model_error;
}

struct draws intervals_draw(const struct intervals *s, const struct question *q)
{
	const struct draws_settings settings = { s->draws, s->seed, model_error(s), freedom };

	return draws_new(q->predictions, q->machines.n, &settings);
}

void intervals_note_range(const struct intervals *s, struct question *q, double low, double high)
{
	char to[32] = "";

	if (round(100 * high) > round(100 * low))
		snprintf(to, sizeof(to), " to %.0f", 100 * high);
	question_note(q, "intervals hold with probability %.2g: model error %.0f %%%s, Student t "
		      "with %.0f degrees of freedom; measurement makes up %.0f%s %% of their "
		      "squared width; %llu draws, seed %llu", s->level, 100 * model_error(s),
		      isnan(s->model_error) ? " (prior, no validation yet)" : "", freedom,
		      100 * low, to, (unsigned long long)s->draws,
		      (unsigned long long)s->seed);
}

void intervals_note_runs(struct question *q)
{
	if (q->demand->nruns == 1)
		question_note(q, "the application was traced once: how its runs differ is not in "
			      "the intervals");
}

void intervals_note(const struct intervals *s, struct question *q, double measured_share)
{
	intervals_note_range(s, q, measured_share, measured_share);
	intervals_note_runs(q);
}

void intervals_facts(const struct intervals *s, const struct question *q, double measured_share)
{
	report_fact(q, "draws", json_integer((json_int_t)s->draws));
	report_fact(q, "seed", json_integer((json_int_t)s->seed));
	report_fact(q, "model_error", json_double(model_error(s)));
	report_fact(q, "interval", json_double(s->level));
	report_fact(q, "measured_share", json_double(measured_share));
}
