/* SPDX-License-Identifier: MIT */
/* The events of ktranal record -E: those of a stack of cpistack(1), or a list of names. */
#include "ktranal.h"

#include <err.h>
#include <string.h>

#include "counters/event.h"
#include "counters/formula.h"
#include "util/home.h"

static void add_stack(const struct formulas *f, struct record_target *t, const char ***names)
{
	bool here;
	const char *pmu = formulas_pmu(f, &here);

	*names = xcalloc(f->events.n, sizeof(**names));
	for (size_t i = 0; i < f->events.n; i++)
		(*names)[i] = formulas_full_name(f, pmu, i);
	t->nevents = f->events.n;
	t->carriers = 2; /* cycles and instructions */
}

static void add_names(char *list, struct record_target *t, const char ***names)
{
	*names = xcalloc(strlen(list) + 1, sizeof(**names));
	for (char *name; (name = strsep(&list, ","));)
		if (*name)
			(*names)[t->nevents++] = name;
}

void ktranal_events(const char *list, struct record_target *t)
{
	struct formula_file file = { 0 };
	struct error e;
	char *path = home_find(HOME_CONF, "cpi.conf", &e);
	const char **names;

	event_any_pmu();
	if (!path || formulas_read(&file, path, &e))
		errx(1, "%s", e.text);
	const struct formulas *f =
	    !strcmp(list, "stack") ? formulas_here(&file) : formulas_find(&file, list);
	if (f && event_possible("", &e))
		errx(3, "%s", e.text);
	if (f)
		add_stack(f, t, &names);
	else
		add_names(xstrdup(list), t, &names);
	t->events = names;
	formulas_free(&file);
	free(path);
}
