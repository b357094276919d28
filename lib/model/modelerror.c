/* SPDX-License-Identifier: MIT */
#include "model/modelerror.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/doubt.h"
#include "util/file.h"
#include "util/home.h"
#include "util/map.h"
#include "util/number.h"
#include "util/vec.h"

enum {
	FILE_LIMIT = 64 << 10,
	FREEDOM_LEAST = 3, /* a Student t with less has no variance */
};

/* Chosen before any validation: 12 % for ordinary machines, and half of the time for what is priced
 * by the mean of its class. */
static const struct model_error prior = {
	.kinds = { [KIND_REFERENCE] = { 0.12, 0 },
		   [KIND_NATIVE] = { 0.12, 0 },
		   [KIND_HOSTED] = { 0.3, 0 },
		   [KIND_VIRTUAL] = { 0.3, 0 },
		   [KIND_TRANSLATED] = { 0.5, 0 } },
	.bias = 0.12,
	.siblings = INFINITY,
	.lines = 0.5,
	.freedom = 4,
	.host = 0.1,
	.host_from = 0.07,
	.prior = true,
};

static double square(double x)
{
	return x * x;
}

/* How line i changes the logarithm of a time, to first order. */
static double slope(const struct model_case *c, size_t i)
{
	return i < c->nlines ? c->lines[i] + (c->user ? c->user[i] : 0) : 0;
}

/* The squared distance of the lines of two cases. */
static double distance(const struct model_case *a, const struct model_case *b)
{
	double sum = 0;

	for (size_t i = 0; i < a->nlines || i < b->nlines; i++)
		sum += square(slope(a, i) - slope(b, i));
	return sum;
}

double model_error_host(const struct model_error *m, const struct host *h)
{
	return m->host * fmin(1, h->spread / m->host_from);
}

/* The variance that the host of a machine causes, of which *shared is in those of all its vectors.
 */
static double moved(const struct model_error *m, const struct host *h, double *shared)
{
	const double use = square(model_error_host(m, h));

	*shared = h->vectors ? use / (double)h->vectors : 0;
	return use + *shared;
}

double model_error_of(const struct model_error *m, const struct model_case *c)
{
	const struct model_spread *s = &m->kinds[c->kind];

	static const struct model_case none;
	double shared;

	return sqrt(moved(m, &c->host, &shared) + square(s->own) + square(s->common) +
		    square(m->lines) * distance(c, &none) + square(c->state));
}

double model_error_apart(const struct model_error *m, enum kind kind)
{
	return kind <= KIND_NATIVE ? fmin(m->siblings, m->kinds[kind].own) : m->kinds[kind].own;
}

/* What the kinds of two machines cause, which may be on one host. */
static double kinds_of_ratio(const struct model_error *m, enum kind a, enum kind b, bool siblings)
{
	const double own_a = siblings ? model_error_apart(m, a) : m->kinds[a].own;
	const double own_b = siblings ? model_error_apart(m, b) : m->kinds[b].own;
	const double own = hypot(own_a, own_b);

	return a == b ? own : hypot(own, hypot(m->kinds[a].common, m->kinds[b].common));
}

/* Whether two machines have a processor and a kernel in common. */
static bool are_siblings(const struct model_case *a, const struct model_case *b)
{
	return a->kind <= KIND_NATIVE && b->kind <= KIND_NATIVE && a->host.kin &&
	       a->host.kin == b->host.kin;
}

double model_error_of_ratio(const struct model_error *m, const struct model_case *a,
			    const struct model_case *b)
{
	double of_a, of_b, host = moved(m, &a->host, &of_a) + moved(m, &b->host, &of_b);

	if (a->host.turns && a->host.turns == b->host.turns)
		host = 0;
	else if (a->host.first == b->host.first)
		host -= 2 * sqrt(of_a * of_b);
	return sqrt(host + square(kinds_of_ratio(m, a->kind, b->kind, are_siblings(a, b))) +
		    square(m->lines) * distance(a, b) + square(a->state) + square(b->state));
}

static const char blanks[] = " \t\r";

static int parse_number(const char *text, const char *word, double least, double most,
			double *value, struct error *e)
{
	if (!text || !number_parse_double(text, value) || !(*value >= least) || !(*value <= most))
		return error_set(e, "%s takes a number from %g to %g", word, least, most);
	return 0;
}

/* "native 0.12 0.05", of which seen holds the words of the lines before. */
static int parse_line(struct model_error *m, char *line, struct names *seen, struct error *e)
{
	struct number {
		double *value, least, most;
	};
	const struct {
		const char *word;
		struct number first, second; /* the second may be left out; NULL: there is none */
	} fields[] = {
		{ "bias", { &m->bias, 0, 2 }, { 0 } },
		{ "lines", { &m->lines, 0, 2 }, { 0 } },
		{ "host", { &m->host, 0, 2 }, { &m->host_from, 0.001, 2 } },
		{ "siblings", { &m->siblings, 0, 2 }, { 0 } },
		{ "freedom", { &m->freedom, 1, 1e6 }, { 0 } },
	};
	char *rest, *word = strtok_r(line, blanks, &rest), *text;
	size_t k = KIND_REFERENCE + 1, i = 0;
	struct number first, second;

	if (!word)
		return 0;
	if (names_find(seen, word) != SIZE_MAX)
		return error_set(e, "a second line of %s", word);
	names_add(seen, word);
	while (k < KINDS && strcmp(word, kind_names[k]))
		k++;
	while (i < sizeof(fields) / sizeof(*fields) && strcmp(word, fields[i].word))
		i++;
	if (k < KINDS) {
		m->kinds[k].common = 0;
		first = (struct number){ &m->kinds[k].own, 0, 2 };
		second = (struct number){ &m->kinds[k].common, 0, 2 };
	} else if (i < sizeof(fields) / sizeof(*fields)) {
		first = fields[i].first;
		second = fields[i].second;
	} else {
		return error_set(e,
				 "'%.40s' is neither bias, siblings, lines, host, freedom, level "
				 "nor a kind of machine",
				 word);
	}
	text = strtok_r(NULL, blanks, &rest);
	if (parse_number(text, word, first.least, first.most, first.value, e))
		return -1;
	text = strtok_r(NULL, blanks, &rest);
	if (text && second.value) {
		if (parse_number(text, word, second.least, second.most, second.value, e))
			return -1;
		text = strtok_r(NULL, blanks, &rest);
	}
	return text ? error_set(e, "'%.40s' after the numbers", text) : 0;
}

/* "level 0": the lines below it are of predictions at that level alone.  Whether line begins so; it
 * is no level of ours when *level is MODEL_LEVELS. */
static bool parse_level(const char *line, unsigned *level)
{
	const char *word = line + strspn(line, blanks);
	size_t n = strcspn(word, blanks);
	char digit, end;

	if (n != strlen("level") || strncmp(word, "level", n))
		return false;
	*level = sscanf(word + n, " %c %c", &digit, &end) == 1 && digit >= '0' &&
			 digit < '0' + MODEL_LEVELS
		     ? (unsigned)(digit - '0')
		     : MODEL_LEVELS;
	return true;
}

int model_error_parse(struct model_error *m, char *text, const char *name, unsigned level,
		      struct error *e)
{
	struct model_error other;
	struct names seen = { 0 };
	unsigned of = level, sections = 0;
	char *line;
	int failed = 0;

	*m = other = prior;
	for (size_t n = 1; !failed && (line = strsep(&text, "\n")); n++) {
		if (parse_level(line, &of)) {
			names_free(&seen);
			if (of == MODEL_LEVELS || sections & 1U << of) {
				error_set(e, "level takes 0, 1 or 2, each once");
				failed = error_prefix(e, "%s:%zu", name, n);
			}
			sections |= 1U << of;
		} else if (*line != '#' && parse_line(of == level ? m : &other, line, &seen, e))
			failed = error_prefix(e, "%s:%zu", name, n);
		m->prior &= !seen.n || of != level; /* without lines all are guesses */
	}
	names_free(&seen);
	if (failed)
		return -1;
	m->kinds[KIND_REFERENCE].own = m->kinds[KIND_NATIVE].own;
	return 0;
}

int model_error_read(struct model_error *m, unsigned level, struct error *e)
{
	size_t n;
	char *path = home_find(HOME_CONF, "model.conf", e);

	*m = prior;
	if (!path)
		return 0;
	char *text = file_read(path, FILE_LIMIT, &n, e);
	int failed = text ? model_error_parse(m, text, path, level, e) : -1;
	free(text);
	free(path);
	return failed;
}

/* -- from validation --------------------------------------------------------------------------- */

/* Two residuals of a trial: what is to be explained, and what needs no kinds for that. */
struct difference {
	enum kind a, b;
	bool siblings;
	double square, known; /* the latter is a variance */
};

struct differences {
	struct difference *v;
	size_t n, cap;
};

/* Those of r[n], one trial; of pairs with that machine, or all. */
static void add_trial(struct differences *d, const struct model_error *m, const struct residual *r,
		      size_t n, const struct osvec *with)
{
	const struct model_error lines = {
		.lines = m->lines,
		.host = m->host,
		.host_from = m->host_from,
	};

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			struct difference x = {
				.a = r[i].of.kind,
				.b = r[k].of.kind,
				.siblings = are_siblings(&r[i].of, &r[k].of),
				.square = square(r[i].log_ratio - r[k].log_ratio),
				.known = square(model_error_of_ratio(&lines, &r[i].of, &r[k].of)),
			};

			if (with && r[i].prediction->machine != with &&
			    r[k].prediction->machine != with)
				continue;
			if (r[i].prediction && r[k].prediction)
				x.known += doubt_ratio(r[i].prediction, r[k].prediction);
			vec_push(d, x);
		}
}

/* The negative logarithm of the likelihood: Student's t. */
static double misfit(const struct differences *d, const struct model_error *m)
{
	const double f = m->freedom;
	double sum = (double)d->n * (lgamma(f / 2) - lgamma((f + 1) / 2) + log(f * M_PI) / 2);

	for (size_t i = 0; i < d->n; i++) {
		const struct difference *x = &d->v[i];
		double v = x->known + square(kinds_of_ratio(m, x->a, x->b, x->siblings));

		sum += log(v) / 2 + (f + 1) / 2 * log1p(x->square / v / f);
	}
	return sum;
}

static const double lowest = 0.01; /* of a scale that is searched */

/* Moves one scale by the factor, if that makes d more likely. */
static bool improve(const struct differences *d, struct model_error *m, double *scale,
		    double factor, double *least)
{
	const double highest = 2, before = *scale;

	*scale = fmin(fmax(before * factor, lowest), highest);
	m->kinds[KIND_REFERENCE].own = m->kinds[KIND_NATIVE].own;
	double now = misfit(d, m);
	if (now < *least) {
		*least = now;
		return true;
	}
	*scale = before;
	m->kinds[KIND_REFERENCE].own = m->kinds[KIND_NATIVE].own;
	return false;
}

/* Finds the n scales, parts of m. */
static void search(const struct differences *d, struct model_error *m, double **scales, size_t n)
{
	double least = misfit(d, m);

	for (double step = 2; step > 1.01;) {
		bool better = false;

		for (size_t i = 0; i < n; i++)
			better |= improve(d, m, scales[i], step, &least) ||
				  improve(d, m, scales[i], 1 / step, &least);
		step = better ? step : sqrt(step);
	}
}

/* The error of the application in a trial r[n]; and what of its square is not bias: the variance of
 * the states of the host, and the square of another scale. */
static double centre(const struct model_error *m, const struct residual *r, size_t n, double *state,
		     double *other)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (r[i].of.kind == KIND_REFERENCE) {
			double shared;

			*other = square(m->kinds[KIND_REFERENCE].own);
			*state = square(r[i].of.state) + moved(m, &r[i].of.host, &shared);
			return r[i].log_ratio;
		}
		sum += r[i].log_ratio / (double)n;
	}
	*other = *state = 0;
	return sum;
}

/* The scales that differences show: an own one of each kind in a pair, a common one of each with
 * two machines in a trial, but for native, of which the reference is one.  No kind is served better
 * than that one. */
static void fit_kinds(struct model_error *m, const struct differences *d)
{
	bool any[KINDS] = { false }, two[KINDS] = { false }, siblings = false;
	double *scales[2 * KINDS + 1];
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		any[d->v[i].a] = any[d->v[i].b] = true;
		two[d->v[i].a] |= d->v[i].a == d->v[i].b;
		siblings |= d->v[i].siblings;
	}
	two[KIND_NATIVE] = false;
	any[KIND_NATIVE] |= any[KIND_REFERENCE];
	for (size_t k = KIND_NATIVE; k < KINDS; k++) {
		if (!any[k])
			continue;
		m->kinds[k] = (struct model_spread){ 0.1, two[k] ? 0.1 : 0 };
		scales[n++] = &m->kinds[k].own;
		if (two[k])
			scales[n++] = &m->kinds[k].common;
	}
	if (siblings) {
		m->siblings = 0.1;
		scales[n++] = &m->siblings;
	}
	m->kinds[KIND_REFERENCE].own = m->kinds[KIND_NATIVE].own;
	search(d, m, scales, n);
	/* Where the search ends is no finding. */
	if (m->siblings <= lowest)
		m->siblings = INFINITY;
	for (size_t k = KIND_NATIVE + 1; k < KINDS; k++)
		if (any[k])
			m->kinds[k].own = fmax(m->kinds[k].own, m->kinds[KIND_NATIVE].own);
}

/* Adds all trials of r[n]. */
static void add_trials(struct differences *d, const struct model_error *m, const struct residual *r,
		       size_t n, const struct osvec *with)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && r[end].trial == r[i].trial;)
			end++;
		add_trial(d, m, r + i, end - i, with);
	}
}

double model_error_likelihood(const struct model_error *m, const struct residual *r, size_t n,
			      const struct osvec *with, size_t *pairs)
{
	struct differences d = { 0 };

	add_trials(&d, m, r, n, with);
	*pairs += d.n;
	double likelihood = -misfit(&d, m);
	vec_free(&d);
	return likelihood;
}

struct model_error model_error_fit(const struct residual *r, size_t n, size_t applications)
{
	struct model_error out = prior;
	struct differences d = { 0 };
	double squares = 0, trials = 0;

	out.freedom = fmax(FREEDOM_LEAST, (double)applications - 1);
	out.prior = false;
	add_trials(&d, &out, r, n, NULL);
	fit_kinds(&out, &d);
	vec_free(&d);
	/* The deviation of a t is larger than its scale. */
	const double scale = (out.freedom - 2) / out.freedom;
	for (size_t i = 0, end; i < n; i = end) {
		double state, other;

		for (end = i; end < n && r[end].trial == r[i].trial;)
			end++;
		double error = centre(&out, r + i, end - i, &state, &other);
		squares += scale * (square(error) - state) - other;
		trials++;
	}
	out.bias = sqrt(fmax(squares, 0) / trials);
	return out;
}
