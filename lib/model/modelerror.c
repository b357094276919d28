/* SPDX-License-Identifier: MIT */
#include "model/modelerror.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/home.h"
#include "util/number.h"

enum {
	FILE_LIMIT = 64 << 10,
	FREEDOM_LEAST = 3, /* a Student t with less has no variance */
};

/* Chosen before any validation: statistics.md C.6 has 12 % for ordinary machines. */
static const struct model_error prior = {
	.kinds = { [KIND_ALIKE] = { 0.12, 0 },
		   [KIND_NATIVE] = { 0.12, 0 },
		   [KIND_HOSTED] = { 0.3, 0 },
		   [KIND_VIRTUAL] = { 0.3, 0 },
		   [KIND_TRANSLATED] = { 0.5, 0 } },
	.bias = 0.12,
	.freedom = 4,
	.prior = true,
};

double model_error_of(const struct model_error *m, enum kind kind)
{
	return hypot(m->kinds[kind].own, m->kinds[kind].common);
}

double model_error_of_ratio(const struct model_error *m, enum kind a, enum kind b)
{
	double own = hypot(m->kinds[a].own, m->kinds[b].own);

	return a == b ? own : hypot(own, hypot(m->kinds[a].common, m->kinds[b].common));
}

static int parse_number(char **rest, const char *word, double least, double most, double *value,
			struct error *e)
{
	const char *text = strsep(rest, " \t");

	if (!text || !number_parse_double(text, value) || !(*value >= least) || !(*value <= most))
		return error_set(e, "%s takes a number from %g to %g", word, least, most);
	return 0;
}

/* "native 0.12 0.05" */
static int parse_line(struct model_error *m, char *line, struct error *e)
{
	char *rest = line, *word = strsep(&rest, " \t");
	size_t k = KIND_REFERENCE + 1;
	int failed;

	while (k < KINDS && strcmp(word, kind_names[k]))
		k++;
	if (k < KINDS) {
		m->kinds[k].common = 0;
		failed = parse_number(&rest, word, 0, 2, &m->kinds[k].own, e) ||
			 (rest && parse_number(&rest, word, 0, 2, &m->kinds[k].common, e));
	} else if (!strcmp(word, "bias")) {
		failed = parse_number(&rest, word, 0, 2, &m->bias, e);
	} else if (!strcmp(word, "freedom")) {
		failed = parse_number(&rest, word, 1, 1e6, &m->freedom, e);
	} else {
		return error_set(e, "'%.40s' is neither bias nor freedom nor a kind of machine",
				 word);
	}
	if (!failed && rest)
		return error_set(e, "'%.40s' after the numbers", rest);
	return failed ? -1 : 0;
}

int model_error_parse(struct model_error *m, char *text, const char *name, struct error *e)
{
	char *line;

	*m = prior;
	m->prior = false;
	for (size_t n = 1; (line = strsep(&text, "\n")); n++)
		if (*line && *line != '#' && parse_line(m, line, e))
			return error_prefix(e, "%s:%zu", name, n);
	return 0;
}

int model_error_read(struct model_error *m, struct error *e)
{
	size_t n;
	char *path = home_find(HOME_CONF, "model.conf", e);

	*m = prior;
	if (!path)
		return 0;
	char *text = file_read(path, FILE_LIMIT, &n, e);
	int failed = text ? model_error_parse(m, text, path, e) : -1;
	free(text);
	free(path);
	return failed;
}

/* -- from validation --------------------------------------------------------------------------- */

struct logs {
	double sum, squares, n;
};

static void add(struct logs *l, double x)
{
	l->sum += x;
	l->squares += x * x;
	l->n++;
}

/* The error of the application in a trial r[n]. */
static double centre(const struct residual *r, size_t n)
{
	struct logs reference = { 0 }, all = { 0 };

	for (size_t i = 0; i < n; i++)
		add(r[i].kind == KIND_REFERENCE ? &reference : &all, r[i].log_ratio);
	return reference.n ? reference.sum / reference.n : all.sum / all.n;
}

struct moments {
	struct logs bias, all[KINDS];
	double within[KINDS], freedom[KINDS]; /* squares, and how many are free */
};

static void add_trial(struct moments *m, const struct residual *r, size_t n)
{
	double bias = centre(r, n);
	struct logs kinds[KINDS] = { 0 };

	add(&m->bias, bias);
	for (size_t i = 0; i < n; i++) {
		add(&kinds[r[i].kind], r[i].log_ratio - bias);
		add(&m->all[r[i].kind], r[i].log_ratio - bias);
	}
	for (size_t k = 0; k < KINDS; k++) {
		if (kinds[k].n < 2)
			continue;
		m->within[k] += kinds[k].squares - kinds[k].sum * kinds[k].sum / kinds[k].n;
		m->freedom[k] += kinds[k].n - 1;
	}
}

/* The part of kind k, as standard deviations. */
static struct model_spread split(const struct moments *m, enum kind k)
{
	double all = m->all[k].squares / m->all[k].n;
	double own = m->freedom[k] > 0 ? fmin(fmax(m->within[k], 0) / m->freedom[k], all) : all;

	return (struct model_spread){ sqrt(own), sqrt(all - own) };
}

struct model_error model_error_fit(const struct residual *r, size_t n, size_t applications)
{
	struct moments m = { 0 };
	struct model_error out = prior;
	out.freedom = fmax(FREEDOM_LEAST, (double)applications - 1);
	out.prior = false;
	double scale = sqrt((out.freedom - 2) / out.freedom); /* of a t whose deviation is 1 */

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && r[end].trial == r[i].trial;)
			end++;
		add_trial(&m, r + i, end - i);
	}
	out.bias = scale * sqrt(m.bias.squares / m.bias.n);
	for (size_t k = KIND_REFERENCE + 1; k < KINDS; k++) {
		if (!m.all[k].n)
			continue;
		out.kinds[k] = split(&m, (enum kind)k);
		out.kinds[k].own *= scale;
		out.kinds[k].common *= scale;
	}
	return out;
}
