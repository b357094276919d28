/* SPDX-License-Identifier: MIT */
#include "model/samples.h"

#include <math.h>
#include <stdlib.h>

#include "model/doubt.h"
#include "stats/random.h"
#include "stats/sample.h"
#include "util/vec.h"

static const uint64_t odd = 0x9e3779b97f4a7c15u; /* between the seeds of streams */
static const double smallest = 1e-6;		 /* of the predicted total: samples are positive */

/* What is random about one vector, in one sample. */
struct draw {
	double common, own; /* normal: of all its entries, and what is left of each */
	double uncovered;   /* normal */
	double model;	    /* Student's t */
	double state;	    /* of its host, when the application runs: normal */
	double host;	    /* of its host, when the vectors known of it were measured: normal */
	double turns;	    /* in place of state, of machines measured in turns: normal */
	double siblings;    /* of all natives on the host of this one: Student's t */
};

/* One prediction being sampled. */
struct source {
	const struct prediction *p;
	size_t draw;	     /* those of a machine that is given twice are the same */
	size_t host;	     /* the draw of the first machine on its host */
	size_t kin;	     /* that of the first of them with its kernel */
	size_t turns;	     /* that of the first that was measured in turns with it */
	double *kernel_runs; /* seconds of each run */
	double *rest_runs, *asleep_runs;
	double awake; /* share of the time, by which errors of the whole are errors of that part */
	double common, own;	 /* log standard deviations, by the entries of its own vector */
	double *reference;	 /* by each of the reference's entries */
	double reference_common; /* their sum */
	double uncovered;	 /* the same, by calls without an entry */
	struct model_spread model;
	double shared; /* of the own part of model: that of all natives on its host */
	struct model_case of;
	/* Log standard deviations of the state of the host, as in struct draw. */
	double state, hosts, turned;
};

struct sampling {
	const struct samples_settings *settings;
	const struct prediction *insitu; /* of the reference, or NULL */
	struct source *sources;
	size_t m;
	struct random *random; /* a stream for each vector */
	struct draw *draws;
	size_t ndraws, reference_draw;
	struct random reference_random; /* of what is left of each of the reference's entries */
	VEC(const struct osvec_entry *) reference; /* those that predictions rest on */
	double *reference_normal;
	double *kernel_runs; /* of the reference */
	struct random lines_random;
	double *lines; /* Student's t, of each line */
	size_t nlines; /* 0: the model knows no error of lines */
};

static size_t reference_index(struct sampling *g, const struct osvec_entry *x)
{
	size_t i = 0;

	while (i < g->reference.n && g->reference.v[i] != x)
		i++;
	if (i == g->reference.n)
		vec_push(&g->reference, x);
	return i;
}

/* Splits what the prediction rests on into its own entries and those of the reference. */
static void weigh_entries(struct sampling *g, struct source *s)
{
	const struct osvec *own = s->p->machine, *reference = s->p->reference;
	struct doubts d = { 0 };
	double sum = 0, squares = 0;

	doubt_add(&d, s->p, 1);
	if (osvec_is_same(own, reference))
		own = NULL;
	for (size_t i = 0; i < d.n; i++) {
		const struct doubt *x = &d.v[i];

		if (x->of != own) {
			const struct osvec_entry *e =
			    reference->entries + (x->entry - x->of->entries);

			s->reference[reference_index(g, e)] += x->error;
			s->reference_common += x->error;
			continue;
		}
		sum += x->error;
		squares += x->error * x->error;
	}
	s->common = own ? sqrt(own->correlation) * sum : 0;
	s->own = own ? sqrt((1 - own->correlation) * squares) : 0;
	vec_free(&d);
}

static bool is_asleep(enum line_kind kind)
{
	return kind == LINE_ASLEEP;
}

static bool is_rest(enum line_kind kind)
{
	return !line_is_kernel(kind) && !is_asleep(kind);
}

/* The seconds of each run in such lines. */
static double *seconds_of_runs(const struct prediction *p, bool (*is_such)(enum line_kind))
{
	size_t n = p->demand->nruns;
	double *runs = xcalloc(n, sizeof(*runs));

	for (size_t i = 0; i < p->ncharges; i++) {
		if (!is_such(prediction_charge_kind(p, i)))
			continue;
		for (size_t r = 0; r < n; r++)
			runs[r] += p->by_run[i * n + r];
	}
	return runs;
}

/* The first of p[n] with this vector; n: none. */
static size_t find_draw(struct prediction *const *p, const struct osvec *v, size_t n)
{
	size_t i = 0;

	while (i < n && !osvec_is_same(p[i]->machine, v))
		i++;
	return i;
}

static void sampling_start(struct sampling *g, struct prediction *const *p)
{
	const struct osvec *reference = p[0]->reference;

	g->sources = xcalloc(g->m, sizeof(*g->sources));
	g->insitu = p[0]->insitu;
	for (size_t i = 0; i < g->m; i++) {
		struct source *s = &g->sources[i];

		s->p = p[i];
		s->draw = find_draw(p, p[i]->machine, i);
		s->kernel_runs = seconds_of_runs(p[i], line_is_kernel);
		s->rest_runs = seconds_of_runs(p[i], is_rest);
		s->asleep_runs = seconds_of_runs(p[i], is_asleep);
		s->awake = fmax(1 - sample_mean(s->asleep_runs, p[i]->demand->nruns) / p[i]->total,
				smallest);
		s->reference = xcalloc(reference ? reference->n : 0, sizeof(*s->reference));
		s->uncovered = doubt_uncovered(p[i]);
		s->model = g->settings->model.kinds[p[i]->kind];
		const double apart = model_error_apart(&g->settings->model, p[i]->kind);
		s->shared = sqrt(s->model.own * s->model.own - apart * apart);
		s->model.own = apart;
		s->of = doubt_case(p[i]);
		s->host = find_draw(p, p[i]->host.first, g->m);
		s->kin = find_draw(p, p[i]->host.kin, i);
		s->turns = find_draw(p, p[i]->host.turns, g->m);
		s->hosts = model_error_host(&g->settings->model, &p[i]->host);
		s->state = p[i]->host.turns ? s->of.state : hypot(s->of.state, s->hosts);
		s->turned = p[i]->host.turns ? s->hosts : 0;
		s->hosts /= sqrt((double)p[i]->host.vectors);
		weigh_entries(g, s);
	}
	g->reference_draw = reference ? find_draw(p, reference, g->m) : 0;
	g->ndraws = g->m + 1;
	g->random = xcalloc(g->ndraws, sizeof(*g->random));
	g->draws = xcalloc(g->ndraws, sizeof(*g->draws));
	g->reference_normal = xcalloc(g->reference.n, sizeof(*g->reference_normal));
	g->kernel_runs = g->insitu ? seconds_of_runs(g->insitu, line_is_kernel) : NULL;
	g->nlines = g->settings->model.lines > 0 ? g->sources[0].of.nlines : 0;
	g->lines = xcalloc(g->nlines, sizeof(*g->lines));
	/* A stream for each machine: one more machine does not change the samples of the others. */
	for (size_t i = 0; i < g->ndraws; i++)
		random_seed(&g->random[i], g->settings->seed + odd * (i + 2));
	random_seed(&g->reference_random, g->settings->seed + odd);
	random_seed(&g->lines_random, g->settings->seed - 2 * odd);
}

static void sampling_end(struct sampling *g)
{
	for (size_t i = 0; i < g->m; i++) {
		free(g->sources[i].kernel_runs);
		free(g->sources[i].rest_runs);
		free(g->sources[i].asleep_runs);
		free(g->sources[i].reference);
		free(g->sources[i].of.lines);
	}
	free(g->sources);
	free(g->random);
	free(g->draws);
	vec_free(&g->reference);
	free(g->reference_normal);
	free(g->kernel_runs);
	free(g->lines);
}

static void draw_all(struct sampling *g)
{
	const struct osvec *reference = g->sources[0].p->reference;
	double own = reference ? sqrt(1 - reference->correlation) : 0;

	for (size_t i = 0; i < g->ndraws; i++) {
		bool needed = i == g->m || g->sources[i].draw == i;

		if (!needed)
			continue;
		g->draws[i].common = random_normal(&g->random[i]);
		g->draws[i].own = random_normal(&g->random[i]);
		g->draws[i].uncovered = random_normal(&g->random[i]);
		g->draws[i].model = random_student(&g->random[i], g->settings->model.freedom);
		g->draws[i].state = random_normal(&g->random[i]);
		g->draws[i].host = random_normal(&g->random[i]);
		g->draws[i].turns = random_normal(&g->random[i]);
		g->draws[i].siblings = random_student(&g->random[i], g->settings->model.freedom);
	}
	for (size_t i = 0; i < g->reference.n; i++)
		g->reference_normal[i] = own * random_normal(&g->reference_random);
	for (size_t i = 0; i < g->nlines; i++)
		g->lines[i] = g->settings->model.lines *
			      random_student(&g->lines_random, g->settings->model.freedom);
}

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* The change of the logarithm of a time by the errors of user time that follows calls. */
static double user_error(const struct model_case *of, const double *lines, size_t n)
{
	const double least = 1e-3;
	double sum = 1;

	if (!of->user)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (of->user[i] != 0)
			sum += of->user[i] * fmin(exp(lines[i]) - 1, of->most);
	return log(fmax(sum, least));
}

/*
 * What the runs that were drawn multiply the kernel part by in situ, where it is known by the
 * reference's system time and calls in them.
 */
static double weigh_system(const struct sampling *g, const double *weight)
{
	const struct demand *d = g->sources[0].p->demand;
	double system = 0, kernel = 0;

	if (!g->insitu)
		return 1;
	for (size_t r = 0; r < d->nruns; r++) {
		system += weight[r] * d->runs[r].system;
		kernel += weight[r] * g->kernel_runs[r];
	}
	return system > 0 && kernel > 0 ? system / d->system * g->insitu->kernel / kernel : 1;
}

/* Samples s with the runs weighted; *full has model error besides, of which kind is what all
 * machines of the kind share.  What the program sleeps is as long on every machine. */
static double sample(const struct sampling *g, const struct source *s, const double *weight,
		     double insitu, double kind, double *full)
{
	const struct draw *x = &g->draws[s->draw];
	const struct osvec *reference = s->p->reference;
	double floor = smallest * s->p->total;
	double kernel = insitu * dot(weight, s->kernel_runs, s->p->demand->nruns);
	double rest = dot(weight, s->rest_runs, s->p->demand->nruns);
	double asleep = fmax(dot(weight, s->asleep_runs, s->p->demand->nruns), 0);
	double error = s->common * x->common + s->own * x->own;
	double model = s->model.own * x->model + s->shared * g->draws[s->kin].siblings +
		       s->model.common * kind + s->state * x->state +
		       s->hosts * g->draws[s->host].host + s->turned * g->draws[s->turns].turns;
	double whole = s->uncovered * x->uncovered + dot(s->of.lines, g->lines, g->nlines) +
		       user_error(&s->of, g->lines, g->nlines);

	if (reference)
		error += sqrt(reference->correlation) * s->reference_common *
			     g->draws[g->reference_draw].common +
			 dot(s->reference, g->reference_normal, g->reference.n);
	double seconds = fmax(kernel + rest, floor) * exp(error / s->awake);
	*full = seconds * exp(whole / s->awake + model) + asleep;
	return seconds + asleep;
}

/* Weights of the runs in one sample: a bootstrap (Efron 1979), whose variance is (n - 1) / n of
 * that of the mean, widened to that. */
static void weigh_runs(struct random *random, double *weight, size_t n)
{
	double spread = n > 1 ? sqrt((double)n / (double)(n - 1)) : 0;

	for (size_t r = 0; r < n; r++)
		weight[r] = (1 - spread) / (double)n;
	for (size_t r = 0; r < n; r++)
		weight[random_below(random, n)] += spread / (double)n;
}

/* The error that an application has on all machines alike. */
static void add_bias(struct random *random, const struct model_error *model, size_t m, double *full)
{
	double factor = exp(model->bias * random_student(random, model->freedom));

	for (size_t i = 0; model->bias > 0 && i < m; i++)
		full[i] *= factor;
}

/*
 * Makes the others' times relative to the machine whose time is known: the error of its own
 * prediction goes into all the others, and what all share cancels.
 */
static void pin(struct prediction *const *p, size_t m, double *measured, double *full)
{
	for (size_t k = 0; k < m; k++) {
		if (!p[k]->known)
			continue;
		double alone = p[k]->total / measured[k], all = p[k]->total / full[k];
		for (size_t i = 0; i < m; i++) {
			measured[i] *= alone;
			full[i] *= all;
		}
		full[k] = measured[k] = p[k]->total;
		return;
	}
}

struct samples samples_new(struct prediction *const *p, size_t m, const struct samples_settings *s)
{
	struct sampling g = { .settings = s, .m = m };
	struct random random, biases;
	size_t nruns = p[0]->demand->nruns;
	double *weight = xcalloc(nruns, sizeof(*weight)), kinds[KINDS];
	struct samples d = {
		.n = s->n,
		.m = m,
		.measured = xcalloc(s->n * m, sizeof(double)),
		.full = xcalloc(s->n * m, sizeof(double)),
	};

	sampling_start(&g, p);
	random_seed(&random, s->seed);
	random_seed(&biases, s->seed - odd);
	for (size_t k = 0; k < s->n; k++) {
		double *measured = d.measured + k * m, *full = d.full + k * m;

		weigh_runs(&random, weight, nruns);
		draw_all(&g);
		for (size_t i = 0; i < KINDS; i++)
			kinds[i] = random_student(&biases, s->model.freedom);
		double insitu = weigh_system(&g, weight);
		for (size_t i = 0; i < m; i++)
			measured[i] =
			    sample(&g, &g.sources[i], weight, insitu, kinds[p[i]->kind], &full[i]);
		add_bias(&biases, &s->model, m, full);
		pin(p, m, measured, full);
	}
	sampling_end(&g);
	free(weight);
	return d;
}

void samples_free(struct samples *d)
{
	free(d->measured);
	free(d->full);
}

/* The quantiles of x[n], which are freed. */
static struct samples_interval take_quantiles(double *x, size_t n, double level)
{
	double *sorted = sample_sorted(x, n);
	struct samples_interval out = {
		.median = sample_quantile(sorted, n, 0.5),
		.low = sample_quantile(sorted, n, (1 - level) / 2),
		.high = sample_quantile(sorted, n, (1 + level) / 2),
	};

	free(sorted);
	free(x);
	return out;
}

struct samples_interval samples_interval(const struct samples *d, const double *v, size_t i,
					 double level)
{
	double *x = xcalloc(d->n, sizeof(*x));

	for (size_t k = 0; k < d->n; k++)
		x[k] = v[k * d->m + i];
	return take_quantiles(x, d->n, level);
}

struct samples_interval samples_ratio(const struct samples *d, size_t i, size_t j, double level)
{
	double *x = xcalloc(d->n, sizeof(*x));

	for (size_t k = 0; k < d->n; k++)
		x[k] = d->full[k * d->m + i] / d->full[k * d->m + j];
	return take_quantiles(x, d->n, level);
}

double samples_slower(const struct samples *d, size_t i, size_t j)
{
	double halves = 0;

	for (size_t k = 0; k < d->n; k++) {
		double a = d->full[k * d->m + i], b = d->full[k * d->m + j];

		halves += a > b ? 2 : a == b;
	}
	return d->n ? halves / 2 / (double)d->n : NAN;
}

/* The variance of the logarithms of v for machine i. */
static double variance(const struct samples *d, const double *v, size_t i)
{
	double sum = 0, squares = 0, first = log(v[i]);

	for (size_t k = 0; k < d->n; k++) {
		double x = log(v[k * d->m + i]) - first;

		sum += x;
		squares += x * x;
	}
	return fmax(0, squares - sum * sum / (double)d->n);
}

double samples_measured_share(const struct samples *d)
{
	double measured = 0, full = 0;

	for (size_t i = 0; i < d->m; i++) {
		measured += variance(d, d->measured, i);
		full += variance(d, d->full, i);
	}
	return full > 0 ? measured / full : NAN;
}
