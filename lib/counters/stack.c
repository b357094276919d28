/* SPDX-License-Identifier: MIT */
#include "counters/stack.h"

#include <math.h>
#include <stdlib.h>

void reconcile(const double *measured, const double *error, size_t n, double sum, double *x)
{
	bool *out = xcalloc(n + 1, sizeof(*out));

	for (bool again = true; again;) {
		double weight = 0, excess = -sum;

		again = false;
		for (size_t i = 0; i < n; i++) {
			double own = error[i] > 0 ? error[i] : 1e-3 * sum;

			weight += out[i] ? 0 : own * own;
			excess += out[i] ? 0 : measured[i];
		}
		for (size_t i = 0; i < n; i++) {
			double own = error[i] > 0 ? error[i] : 1e-3 * sum;

			x[i] = out[i] ? 0 : measured[i] - excess / weight * own * own;
			if (x[i] < 0) {
				out[i] = again = true;
				x[i] = 0;
			}
		}
	}
	free(out);
}

/* The change of each formula with each event: rows of formulas. */
static double *gradients(const struct formulas *f, double *events, const double *values,
			 const struct counter_estimate *estimates)
{
	size_t n = f->events.n, m = f->list.n;
	double *all = xcalloc(n * m + 1, sizeof(*all)), *moved = xcalloc(m + 1, sizeof(*moved));

	for (size_t i = 0; i < n; i++) {
		double was = events[i];
		double by = fmax(estimates[i].error, 1e-6 * (fabs(was) + 1));

		events[i] = was + by;
		formulas_evaluate(f, events, moved);
		for (size_t k = 0; k < m; k++)
			all[k * n + i] = (moved[k] - values[k]) / by;
		events[i] = was;
	}
	free(moved);
	return all;
}

static double error_of(const double *gradient, const struct counters *c,
		       const struct counter_estimate *e)
{
	double variance = 0;

	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->n; k++)
			if (gradient[i] != 0 && gradient[k] != 0)
				variance += gradient[i] * gradient[k] * e[i].error * e[k].error *
					    counters_correlation(c, i, k);
	return isnan(variance) ? NAN : sqrt(fmax(variance, 0));
}

static void reconcile_parts(struct stack *s)
{
	size_t n = s->parts.n;
	double *columns = xcalloc(3 * n + 1, sizeof(*columns)), sum = 0;

	for (size_t i = 0; i < n; i++) {
		columns[i] = s->parts.v[i].measured;
		columns[n + i] = s->parts.v[i].error;
		sum += columns[i];
	}
	if (isfinite(sum))
		reconcile(columns, columns + n, n, s->cycles, columns + 2 * n);
	for (size_t i = 0; i < n; i++) {
		struct stack_part *p = &s->parts.v[i];
		double error = p->error > 0 ? p->error : 1e-3 * s->cycles;

		p->cycles = isfinite(sum) ? columns[2 * n + i] : NAN;
		s->moved = fmax(s->moved, fabs(p->cycles - p->measured) / error);
	}
	free(columns);
}

void stack_compute(struct stack *s, const struct formulas *f, const struct counters *c,
		   double whole)
{
	struct counter_estimate *estimates = xcalloc(f->events.n, sizeof(*estimates));
	double *events = xcalloc(f->events.n, sizeof(*events));
	double *values = xcalloc(f->list.n + 1, sizeof(*values));

	stack_free(s);
	s->share = 1;
	for (size_t i = 0; i < f->events.n; i++) {
		estimates[i] = counters_estimate(c, i, whole);
		events[i] = estimates[i].count;
		s->share = fmin(s->share, estimates[i].share);
	}
	s->cycles = events[0];
	s->instructions = events[1];
	formulas_evaluate(f, events, values);
	double *all = gradients(f, events, values, estimates);
	for (size_t i = 0; i < f->list.n; i++)
		if (f->list.v[i].kind != FORMULA_LET)
			vec_push(&s->parts,
				 (struct stack_part){
				     .formula = &f->list.v[i],
				     .measured = values[i],
				     .error = error_of(all + i * f->events.n, c, estimates) });
	reconcile_parts(s);
	free(estimates);
	free(events);
	free(values);
	free(all);
}

bool stack_add(struct stack *into, const struct stack *s)
{
	bool known = s->cycles > 0 && isfinite(s->cycles) && isfinite(s->instructions);

	for (size_t i = 0; i < s->parts.n; i++)
		known &= isfinite(s->parts.v[i].cycles);
	if (!known)
		return false;
	into->share = into->parts.n ? fmin(into->share, s->share) : s->share;
	into->moved = fmax(into->moved, s->moved);
	into->cycles += s->cycles;
	into->instructions += s->instructions;
	for (size_t i = 0; i < s->parts.n; i++) {
		if (i == into->parts.n)
			vec_push(&into->parts,
				 (struct stack_part){ .formula = s->parts.v[i].formula });
		struct stack_part *p = &into->parts.v[i];

		p->measured += s->parts.v[i].measured;
		p->cycles += s->parts.v[i].cycles;
		p->error = hypot(p->error, s->parts.v[i].error);
	}
	return true;
}

double stack_memory_bound(const struct stack *s)
{
	double memory = 0;

	for (size_t i = 0; i < s->parts.n; i++)
		if (s->parts.v[i].formula->kind == FORMULA_MEMORY)
			memory += s->parts.v[i].cycles;
	return s->cycles / (s->cycles - memory);
}

void stack_free(struct stack *s)
{
	vec_free(&s->parts);
	*s = (struct stack){ 0 };
}
