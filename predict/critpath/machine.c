/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "caveat.h"
#include "model/modelerror.h"
#include "model/statecost.h"
#include "stats/distribution.h"
#include "util/home.h"
#include "vector/machines.h"
#include "view/waiting.h"

static struct statecosts costs;

static const struct machine_question *question;

static void take(void *arg, const struct event *e, uint16_t state, uint16_t user)
{
	(void)arg;
	if (!question->machines.n)
		return;
	if (!costs.basis) {
		struct error failed;
		char *path = home_find(HOME_CONF, "basis.conf", &failed);

		costs.basis = path ? basis_read(path, &failed) : NULL;
		if (!costs.basis)
			errx(1, "%s", failed.text);
		free(path);
	}
	statecosts_event(&costs, e, state, user);
}

void machine_listen(struct load *l, const struct machine_question *q)
{
	question = q;
	l->derive.taken = take;
}

/* ---- factors ---- */

/* What determines the length of a state: CPU_STATE is work or a call; the others are waits. */
enum wait_scale { CPU_STATE, BY_SWITCH, BY_DEVICE, AS_IT_IS };

static const enum wait_scale scales[ACTIVITIES] = {
	[RUNNABLE] = BY_SWITCH,	       [WAITS_WORK] = BY_SWITCH,    [WAITS_LOCK] = BY_SWITCH,
	[WAITS_CHILD] = BY_SWITCH,     [WAITS_PIPE] = BY_SWITCH,    [WAITS_PEER] = BY_SWITCH,
	[WAITS_SIGNAL] = BY_SWITCH,    [WAITS_OTHER] = BY_SWITCH,   [WAITS_QUEUE] = BY_SWITCH,
	[WAITS_CONDITION] = BY_SWITCH, [WAITS_DISK] = BY_DEVICE,    [WAITS_TIMER] = AS_IT_IS,
	[WAITS_FAULT] = AS_IT_IS,      [WAITS_TERMINAL] = AS_IT_IS,
};

/* The scales of all states on both machines. */
struct factors {
	double *from, *to;
	bool *is_switch;
	double cpu_from, cpu_to; /* seconds of CPU time of all threads */
};

/* Returns, by program, how long its calls wait for devices on the other machine relative to here,
 * as the vectors say; 1 if unknown.  The caller frees. */
static double *device_factors(const struct graph *g)
{
	double *to = xcalloc(g->programs.n + 1, sizeof(*to)), wait[2];
	double *from = xcalloc(g->programs.n + 1, sizeof(*from));

	for (size_t i = 0; i < g->states.n; i++) {
		statecosts_call(&costs, (uint16_t)i, wait);
		from[g->states.v[i].program] += wait[0];
		to[g->states.v[i].program] += wait[1];
	}
	for (size_t p = 0; p < g->programs.n; p++)
		to[p] = from[p] > 0 ? to[p] / from[p] : 1;
	free(from);
	return to;
}

static struct factors find_factors(const struct graph *g, const int64_t *ns, double recorder)
{
	struct factors f = { xcalloc(g->states.n + 1, sizeof(double)),
			     xcalloc(g->states.n + 1, sizeof(double)),
			     xcalloc(g->states.n + 1, sizeof(bool)), 0, 0 };
	double *device = device_factors(g), wait[2];

	for (size_t i = 0; i < g->states.n; i++) {
		double seconds = (double)ns[i] * 1e-9, call, on[2] = { seconds, seconds };
		enum wait_scale scale = scales[g->states.v[i].activity];

		f.from[i] = f.to[i] = 1;
		f.is_switch[i] = scale != CPU_STATE;
		call = statecosts_call(&costs, (uint16_t)i, wait);
		if (scale != CPU_STATE) {
			f.to[i] = scale == BY_SWITCH   ? statecosts_switch(&costs)
				  : scale == BY_DEVICE ? device[g->states.v[i].program]
						       : 1;
			continue;
		}
		if (!isnan(call))
			on[1] *= call;
		else
			statecosts_user(&costs, (uint16_t)i, seconds, recorder, &on[0], &on[1]);
		f.cpu_from += on[0];
		f.cpu_to += on[1];
		if (seconds > 0) {
			f.from[i] = on[0] / seconds;
			f.to[i] = on[1] / seconds;
		}
	}
	free(device);
	return f;
}

static void factors_free(struct factors *f)
{
	free(f->from);
	free(f->to);
	free(f->is_switch);
}

/* ---- answers ---- */

struct machine_row {
	double frozen[2], simulated[2]; /* ns, on both machines */
	double cpu;			/* ratio of the CPU times, there / here */
	double half;			/* half width of the interval of the ratio's logarithm */
};

/* Stores in v[], by state, by how many percent the frozen time changes if the state becomes 1 %
 * longer. */
static void elasticities(struct graph *g, const struct factors *f, double *v)
{
	const double step = 0.05;
	struct hypothesis h[REPLAY_LANES];
	double ns[REPLAY_LANES];

	for (size_t first = 0; first < g->states.n; first += REPLAY_LANES - 1) {
		size_t n = g->states.n - first;

		n = n < REPLAY_LANES - 1 ? n : REPLAY_LANES - 1;
		for (size_t i = 0; i <= n; i++) {
			double *scale = xcalloc(g->states.n, sizeof(*scale));

			memcpy(scale, f->to, g->states.n * sizeof(*scale));
			if (i < n)
				scale[first + i] *= 1 + step;
			h[i] = (struct hypothesis){ .scale = scale };
		}
		replay(g, h, n + 1, ns);
		for (size_t i = 0; i <= n; i++) {
			if (i < n)
				v[first + i] = (ns[i] / ns[n] - 1) / step;
			free(h[i].scale);
		}
	}
}

/* Returns half the width of the 90 % interval of the ratio's logarithm, from the error of the model
 * and the errors of the entries. */
static double half_width(struct graph *g, const struct factors *f)
{
	const unsigned level = 2; /* states are calibrated on the machine of the trace */
	struct model_error m;
	struct error e;
	double *v = xcalloc(g->states.n + 1, sizeof(*v));

	if (model_error_read(&m, level, &e))
		errx(1, "%s", e.text);
	elasticities(g, f, v);
	const struct prediction *to = costs.user.to;
	double model = model_error_of(
	    &m, &(struct model_case){
		    .kind = to->kind, .state = osvec_host_spread(to->machine), .host = to->host });
	double width =
	    distribution_student_quantile(0.95, m.freedom) *
	    sqrt(model * model + statecosts_variance(&costs, v, f->is_switch, g->states.n));
	free(v);
	return width;
}

/* The run of the trace. */
struct run {
	struct graph *graph;
	int64_t *ns;	   /* by state, as from replay_totals */
	double correction; /* observed time / simulated time of the unchanged run; NaN: unknown */
};

static struct machine_row find_row(const struct run *run, const char *words)
{
	struct graph *g = run->graph;
	struct factors f = find_factors(g, run->ns, question->recorder);
	const struct hypothesis h[2] = { { .scale = f.from }, { .scale = f.to } };
	struct machine_row r = { .cpu = f.cpu_to / f.cpu_from };

	replay(g, h, 2, r.frozen);
	for (int i = 0; i < 2; i++) {
		unsigned cpus = i && question->cpus ? question->cpus : g->cpus;
		struct simulation s = simulate(g, &h[i], cpus);

		caveat_simulation(words, &s);
		r.simulated[i] = s.ns < 0 ? NAN : (double)s.ns * run->correction;
	}
	r.half = half_width(g, &f);
	factors_free(&f);
	return r;
}

static const struct table_column columns[] = {
	{ "MACHINE", "machine", TABLE_LEFT },
	{ "FROZEN", "frozen_seconds", TABLE_RIGHT },
	{ "RE-SIMULATED", "simulated_seconds", TABLE_RIGHT },
	{ "RATIO", "ratio", TABLE_RIGHT },
	{ "LOW", "low", TABLE_RIGHT },
	{ "HIGH", "high", TABLE_RIGHT },
	{ "CPU TIME", "cpu_ratio", TABLE_RIGHT },
};

static void put_row(struct table *t, const char *name, const struct machine_row *r, int i)
{
	double ratio = i ? r->simulated[1] / r->simulated[0] : 1;

	table_text(t, name);
	table_seconds(t, r->frozen[i] * 1e-9);
	table_seconds(t, r->simulated[i] * 1e-9);
	table_number(t, ratio, "%.2f x");
	table_number(t, i ? ratio * exp(-r->half) : NAN, "%.2f");
	table_number(t, i ? ratio * exp(r->half) : NAN, "%.2f");
	table_number(t, i ? r->cpu : 1, "%.2f x");
}

static void add_rows(struct table *t, const struct run *run, const char *words, char **former)
{
	const char *equals = strchr(words, '=');
	char *name = xstrndup(words, (size_t)(equals - words));
	struct error e;

	struct osvec *from = machines_read_one(name, &e);
	struct osvec *to = from ? machines_read_one(equals + 1, &e) : NULL;
	if (!to || statecosts_price(&costs, from, to, &e))
		errx(1, "--machine %s: %s", words, e.text);
	struct machine_row r = find_row(run, words);
	if (*former && strcmp(*former, from->machine))
		errx(1, "--machine %s: the trace was recorded on one machine, which was %s before",
		     words, *former);
	if (!*former)
		put_row(t, from->machine, &r, 0);
	put_row(t, to->machine, &r, 1);
	free(*former);
	*former = xstrdup(from->machine);
	free(name);
	osvec_free(from);
	osvec_free(to);
}

void machine_answer(struct load *l, double unchanged)
{
	struct graph *g = &l->graph;
	struct table *t = table_of(columns);
	char *former = NULL;

	if (!costs.basis)
		errx(1, "%s: contains no system calls to price", l->path);
	struct run run = { g, xcalloc(g->states.n + 1, sizeof(*run.ns)), NAN };
	replay_totals(g, false, run.ns);
	if (unchanged > 0)
		run.correction = (double)(g->end - g->begin) / unchanged;
	caveat_hosts(g);
	for (size_t i = 0; i < question->machines.n; i++)
		add_rows(t, &run, question->machines.v[i], &former);
	table_end(t, stdout, load_format(l));
	if (load_format(l) == TABLE_TEXT)
		printf("\nRATIO: re-simulated run time relative to the first row; LOW, HIGH: meant "
		       "to contain it in 9 of 10\ncases, see critpath(1) for how often they did; "
		       "CPU TIME: ratio of the CPU time of all threads together\n");
	free(run.ns);
	free(former);
	statecosts_free(&costs);
	basis_free(costs.basis);
}
