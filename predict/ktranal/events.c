/* SPDX-License-Identifier: MIT */
/* The events of ktranal record -E: those of a stack of cpistack(1), or a list of names. */
#include "ktranal.h"

#include <err.h>
#include <string.h>

#include "counters/event.h"
#include "counters/formula.h"

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
	const char **names;

	event_any_pmu();
	if (formulas_read(&file, NULL, &e))
		errx(1, "%s", e.text);
	const struct formulas *f =
	    !strcmp(list, "stack") ? formulas_here(&file) : formulas_find(&file, list, NULL);
	if (f && event_possible("", &e))
		errx(3, "%s", e.text);
	if (f) {
		names = formulas_names(f, NULL);
		t->nevents = f->events.n;
		t->carriers = 2; /* cycles and instructions */
	} else {
		add_names(xstrdup(list), t, &names);
	}
	t->events = names;
	formulas_free(&file);
}
