/* SPDX-License-Identifier: MIT */
/* ccmod sweep: runs a workload on many variants of a network. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "answer.h"
#include "util/vec.h"

static struct setup s = SETUP_DEFAULT;
static struct opt_list vary;

static const struct opt options[] = {
	SETUP_OPTIONS(s),
	{ 'v', "vary", OPT_LIST, &vary, "WORD=VALUE,...", 0, 0,
	  "values of a statement of the network, of background or of sharing" },
	{ 0 },
};

static const struct opt_usage usage = {
	"ccmod sweep",
	"WORKLOAD",
	"Runs a workload with every combination of the values and prints a line for each.",
	"ccmod sweep -n myrinet -v 'link=1Gbit/s 1us,10Gbit/s 1us' -v background=none,30% halo.wl",
};

enum { PARAMETERS = 6, VALUES = 1000 };

static struct parameter {
	char *word;
	VEC(char *) values;
} parameters[PARAMETERS];
static size_t nparameters;

/* Whether another option sets what is to be varied; some statements add to what there is. */
static bool is_given(const char *word)
{
	static const char *const adding[] = { "cable", "delay", "host", "route", "switch" };
	const size_t n = strlen(word);
	bool given = (!strcmp(word, "background") && strcmp(s.load, "none")) ||
		     (!strcmp(word, "sharing") && strcmp(s.sharing, sharing_names[SHARING_MAXMIN]));

	for (size_t i = 0; i < sizeof(adding) / sizeof(*adding); i++)
		if (!strcmp(word, adding[i]))
			return false;
	for (size_t i = 0; i < s.changes.n; i++)
		given |= !strncmp(s.changes.v[i], word, n) && s.changes.v[i][n] == ' ';
	for (size_t i = 0; i < nparameters; i++)
		given |= !strcmp(parameters[i].word, word);
	return given;
}

static void parse(void)
{
	if (!vary.n || vary.n > PARAMETERS)
		opt_bad_usage(&usage, "--vary must be given one to %d times", PARAMETERS);
	for (; nparameters < vary.n; nparameters++) {
		struct parameter *p = &parameters[nparameters];
		char *copy = xstrdup(vary.v[nparameters]), *values = strchr(copy, '='), *save;

		if (!values || values == copy || !values[1])
			opt_bad_usage(&usage, "--vary %s: not WORD=VALUE,...", copy);
		*values++ = '\0';
		p->word = copy;
		for (char *v = strtok_r(values, ",", &save); v; v = strtok_r(NULL, ",", &save))
			vec_push(&p->values, v);
		if (is_given(p->word))
			opt_bad_usage(&usage, "%s is varied, so it has no effect as another option",
				      p->word);
		if (!p->values.n || p->values.n > VALUES)
			opt_bad_usage(&usage, "--vary %s: no values, or more than %d", p->word,
				      VALUES);
	}
}

/* Sets up one combination.  Parameters become statements of the network, except background and
 * sharing. */
static struct setup combine(const size_t *at)
{
	VEC(const char *) changes = { 0 };
	struct setup one = s;
	struct error e;

	for (size_t i = 0; i < s.changes.n; i++)
		vec_push(&changes, s.changes.v[i]);
	size_t own = changes.n;
	for (size_t i = 0; i < nparameters; i++) {
		const char *word = parameters[i].word, *value = parameters[i].values.v[at[i]];

		if (!strcmp(word, "background"))
			one.load = value;
		else if (!strcmp(word, "sharing"))
			one.sharing = value;
		else
			vec_push(&changes, xasprintf("%s %s", word, value));
	}
	setup_parse_rules(&one, &usage);
	one.network = network_change(s.network, changes.v, changes.n, &e);
	if (!one.network)
		errx(1, "%s", e.text);
	for (size_t i = own; i < changes.n; i++)
		free((char *)changes.v[i]);
	free(changes.v);
	return one;
}

static void run(struct setup one, const size_t *at, struct table *t)
{
	struct answer a = { .s = &one };
	struct engine_result alone;

	for (size_t i = 0; i < nparameters; i++)
		table_text(t, parameters[i].values.v[at[i]]);
	setup_run(&one, &one.options, &a.real);
	answer_rank_links(&a);
	one.options.alone = true;
	setup_run(&one, &one.options, &alone);
	const struct engine_result *r = &a.real;
	table_seconds(t, r->seconds);
	table_seconds(t, alone.seconds);
	table_seconds(t, r->messages ? r->delay / (double)r->messages : NAN);
	table_count(t, r->slowest);
	table_text(t, a.bottleneck);
	answer_free(&a);
	engine_result_free(&alone);
}

/* Goes to the next combination, in which the last parameter changes fastest.  Returns false behind
 * the last one. */
static bool next(size_t *at)
{
	for (size_t i = nparameters; i-- > 0; at[i] = 0)
		if (++at[i] < parameters[i].values.n)
			return true;
	return false;
}

int command_sweep(int argc, char **argv)
{
	struct table_column columns[PARAMETERS + 5] = { 0 };
	static const struct table_column results[] = {
		{ "run time", "seconds", TABLE_RIGHT }, { "alone", "seconds_alone", TABLE_RIGHT },
		{ "delay", NULL, TABLE_RIGHT },		{ "slowest", NULL, TABLE_RIGHT },
		{ "bottleneck", NULL, TABLE_NAME },
	};
	size_t at[PARAMETERS] = { 0 };

	setup_read(&s, argc, argv, &usage, options);
	parse();
	for (size_t i = 0; i < nparameters; i++)
		columns[i] = (struct table_column){ parameters[i].word, NULL, TABLE_LEFT };
	memcpy(columns + nparameters, results, sizeof(results));
	struct table *t = table_new(columns, nparameters + sizeof(results) / sizeof(*results));
	/* First all are set up: what is wrong with the last one shall not be found after hours. */
	for (int running = 0; running < 2; running++)
		do {
			struct setup one = combine(at);

			if (running)
				run(one, at, t);
			network_free(one.network);
		} while (next(at));
	table_end(t, stdout, setup_format(&s));
	for (size_t i = 0; i < nparameters; i++) {
		free(parameters[i].word);
		free(parameters[i].values.v);
	}
	free(vary.v);
	setup_free(&s);
	return 0;
}
