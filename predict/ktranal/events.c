/* SPDX-License-Identifier: MIT */
#include "events.h"

#include <err.h>
#include <string.h>

#include "counters/event.h"
#include "counters/formula.h"

static void add_names(const struct opt_usage *usage, char *list, struct record_target *t,
		      const char ***names)
{
	struct perf_event_attr attr;
	struct error e;

	*names = xcalloc(strlen(list) + 1, sizeof(**names));
	t->nevents = 0;
	for (char *name; (name = strsep(&list, ","));) {
		if (!*name)
			opt_bad_usage(usage, "-E: an event without a name");
		attr = (struct perf_event_attr){ .size = sizeof(attr) };
		int status = event_encode(name, &attr, &e);
		if (status == EVENT_UNSUPPORTED)
			errx(3, "%s", e.text);
		if (status)
			opt_bad_usage(usage, "-E: %s", e.text);
		(*names)[t->nevents++] = name;
	}
}

void events_set(const struct opt_usage *usage, const char *list, struct record_target *t)
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
		add_names(usage, xstrdup(list), t, &names);
	}
	t->events = names;
	formulas_free(&file);
}
