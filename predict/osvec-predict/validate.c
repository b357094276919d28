/* SPDX-License-Identifier: MIT */
/* osvec-predict validate - scores predictions against what was measured, beside naive guesses. */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "cells.h"
#include "classes.h"
#include "commands.h"
#include "filed.h"
#include "guesses.h"
#include "remarks.h"
#include "util/map.h"
#include "util/vec.h"
#include "verdict.h"

static struct query common;
static struct intervals intervals = INTERVALS_DEFAULT;
static struct {
	const char *measured, *filed, *sets;
	bool file;
} set;
static struct measured filed;
static struct sets sets;

static const struct opt options[] = {
	{ 0, "measured", OPT_STRING, &set.measured, "FILE", 0, 0,
	  "what was measured: application, machine, cpu, wall or rate, seconds..." },
	{ 0, "file", OPT_FLAG, &set.file, NULL, 0, 0,
	  "print the predictions as such a table, to be filed before anything is measured" },
	{ 0, "filed", OPT_STRING, &set.filed, "FILE", 0, 0, "score these predictions" },
	{ 0, "sets", OPT_STRING, &set.sets, "FILE", 0, 0,
	  "what the model was made with: application or machine, name, set" },
	{ 'a', "application", OPT_LIST, &common.applications, "FILE", 0, 0,
	  "an application vector; may be repeated" },
	{ 0, "reference", OPT_STRING, &common.reference_path, "MACHINE", 0, 0,
	  "the machine they were recorded on (default: found among MACHINES)" },
	{ 'l', "level", OPT_COUNT, &common.level, "N", 0, 2,
	  "0: as measured; 1: by the reference's measured time; 2: by its system time" },
	{ 0, "vector-state", OPT_FLAG, &common.vector_state, NULL, 0, 0,
	  "times were measured as if each host stayed as fast as it was for its vector" },
	INTERVALS_OPTIONS(intervals),
	QUERY_FORMATS(common),
	{ 0 },
};

static const struct opt_usage usage = {
	"osvec-predict validate",
	"[MACHINE...]",
	"Scores predictions against what applications were measured to take, beside guesses that\n"
	"know nothing of the application.",
	"osvec-predict validate --measured measured.tsv -a redis-set.json -a find.json results/*",
};

static void add_notes(const struct trials *all, const struct measured *measured)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < all->n; i++) {
		remarks_make(all->v[i], measured);
		low = fmin(low, all->v[i]->measured_share);
		high = fmax(high, all->v[i]->measured_share);
	}
	remarks_collect(all, &common);
	common.level = all->n ? all->v[0]->q.level : common.level; /* of the note */
	intervals_note(&intervals, &common, low, high);
}

/* Tries an application by one kind of measured time; adds a note when that is impossible. */
static bool try(struct trials *all, const struct measured *measured, const char *path,
		enum measured_kind kind, struct names *known)
{
	struct trial *t = trial_new(&common, path, measured, kind);
	const char *name = t->q.application->name;
	struct error e;

	names_add(known, name);
	const bool measured_somewhere = t->n;
	if (measured_somewhere && !trial_score(t, &intervals, set.filed ? &filed : NULL, &e)) {
		vec_push(all, t);
		return true;
	}
	if (measured_somewhere)
		query_note(&common, "%s, %s, is left out: %s", name, measured_kind_names[kind],
			   e.text);
	trial_free(t);
	return false;
}

/* A name in the sets that is mistyped is held out, which is to be seen. */
static void note_sets(const struct names *applications)
{
	char *unknown = NULL;

	for (size_t i = 0; i < sets.n; i++) {
		const char *row = sets.v[i].name, *name = strchr(row, ' ') + 1;
		bool found = *row == 'a' && names_find(applications, name) != SIZE_MAX;

		for (size_t k = 0; *row == 'm' && k < common.machines.n; k++)
			found = found || !strcmp(common.machines.v[k].label, name);
		if (!found)
			answer_join(&unknown, row);
	}
	if (unknown)
		query_note(&common, "in --sets, but not given: %s", unknown);
	free(unknown);
}

static void try_all(struct trials *all, const struct measured *measured)
{
	struct names known = { 0 };
	char *unknown = NULL;

	for (size_t i = 0; i < common.applications.n; i++) {
		const char *path = common.applications.v[i];
		size_t before = common.notes.n, names = known.n;
		bool tried = false;

		for (enum measured_kind kind = 0; kind < MEASURED_KINDS; kind++)
			tried |= try(all, measured, path, kind, &known);
		if (known.n == names)
			errx(1, "%s: an application of that name was given before", path);
		if (!tried && common.notes.n == before)
			query_note(&common,
				   "%s is left out: no time of it was measured on "
				   "these machines",
				   path);
	}
	note_sets(&known);
	for (size_t i = 0; i < measured->n; i++) {
		size_t before = known.n;

		if (names_add(&known, measured->v[i].application) == before)
			answer_join(&unknown, measured->v[i].application);
	}
	if (unknown)
		query_note(&common, "measured, but not given with -a: %s", unknown);
	free(unknown);
	names_free(&known);
}

static void print_trial(const struct trial *t)
{
	answer_begin(&t->q);
	answer_word(&t->q, "kind", measured_kind_names[t->kind]);
	intervals_facts(&intervals, &t->q, t->measured_share);
	cells_print(t);
	verdict_print(t);
	answer_end(&t->q);
}

static void print(const struct trials *all)
{
	if (common.json)
		printf("{\n\"applications\": [\n");
	for (size_t i = 0; i < all->n; i++) {
		if (i)
			printf(common.json ? ",\n" : common.csv ? "" : "\n\n");
		print_trial(all->v[i]);
	}
	if (common.json)
		printf("],\n");
	if (common.csv)
		cells_print_rows(&common, all);
	if (!common.csv && (all->n > 1 || common.json)) {
		verdict_print_all(&common, all, &sets, &intervals);
		classes_print(&common, all, &sets);
	}
	answer_end(&common);
}

static void parse(int argc, char **argv)
{
	query_parse_many(&common, argc, argv, &usage, options);
	if (!set.measured == !set.file)
		opt_bad_usage(&usage, "give either --measured FILE, what was measured, or --file");
	if (set.file && (set.filed || set.sets || common.json || common.csv))
		opt_bad_usage(&usage, "--file scores and formats nothing");
}

static void file_application(const char *path)
{
	for (enum measured_kind kind = 0; kind < MEASURED_KINDS; kind++) {
		struct trial *t = trial_new(&common, path, NULL, kind);
		struct error e;

		if (trial_score(t, &intervals, NULL, &e))
			errx(1, "%s: %s", path, e.text);
		filed_print(t);
		trial_free(t);
	}
}

int command_validate(int argc, char **argv)
{
	struct measured measured = { 0 };
	struct trials all = { 0 };
	struct error e;

	parse(argc, argv);
	if ((set.measured && measured_read(&measured, set.measured, &e)) ||
	    (set.filed && filed_read(&filed, set.filed, &e)) ||
	    (set.sets && sets_read(&sets, set.sets, &e)))
		errx(1, "%s", e.text);
	query_read_machines(&common);
	if (set.file) {
		for (size_t i = 0; i < common.applications.n; i++)
			file_application(common.applications.v[i]);
		return 0;
	}
	try_all(&all, &measured);
	if (!all.n) {
		for (size_t i = 0; i < common.notes.n; i++)
			warnx("%s", common.notes.v[i]);
		errx(1, "%s: nothing in it could be scored", set.measured);
	}
	guesses_make(&all);
	add_notes(&all, &measured);
	print(&all);
	for (size_t i = 0; i < all.n; i++)
		trial_free(all.v[i]);
	vec_free(&all);
	measured_free(&measured);
	measured_free(&filed);
	sets_free(&sets);
	query_free(&common);
	return 0;
}
