/* SPDX-License-Identifier: MIT */
/*
 * predicted.h - OS vectors and application vectors of a few entries, and what is predicted from
 * them, for tests.
 */
#ifndef UNIT_PREDICTED_H
#define UNIT_PREDICTED_H

#include "model/prediction.h"

#include "../tap.h"
#include "kept.h"
#include "model/doubt.h"
#include "util/xalloc.h"

static const char *processor = "Z80"; /* of the machines that are made */

static inline struct osvec *machine(const char *name, const char *entries)
{
	struct error e = { "" };
	char *text =
	    xasprintf("{\"schema\": \"osvec/1\", \"machine\": \"%s\", \"meta\": {\"environment\": "
		      "{\"host.identity\": \"one\", \"host.name\": \"%s\", \"kernel.release\": "
		      "\"6.1\", \"cpu.model\": \"%s\"}}, "
		      "\"entries\": [%s]}",
		      name, name, processor, entries);
	struct osvec *v = osvec_parse(text, strlen(text), name, &e);

	if (!v)
		printf("# %s\n", e.text);
	free(text);
	return keep(v);
}

/* rest: members of the vector beside its runs; runs: members of a trace and of a timed run. */
static inline struct appvec *application(const char *rest, const char *const *runs, size_t n)
{
	struct error e = { "" };
	char *all = xstrdup("");

	for (size_t i = 0; i < n; i++) {
		bool mapped = strstr(runs[i], "mapped_calls");
		char *longer =
		    xasprintf("%s%s{\"processes\": 1, \"threads\": 1, "
			      "\"lost\": 0, \"unfinished\": 0, %s%s}",
			      all, i ? "," : "",
			      mapped ? "" : "\"calls\": 100, \"mapped_calls\": 100, ", runs[i]);
		free(all);
		all = longer;
	}
	char *text =
	    xasprintf("{\"schema\": \"osvec-application/1\", \"name\": \"app\", \"units\": 1, "
		      "%s \"traces\": [%s], \"runs\": [%s]}",
		      rest, all, all);
	struct appvec *a = appvec_parse(text, strlen(text), "app.json", &e);
	if (!a)
		printf("# %s\n", e.text);
	free(text);
	free(all);
	return keep(a);
}

static inline struct appvec *one_run(const char *rest, const char *run)
{
	return application(rest, &run, 1);
}

#define ITEM(entry, weight, part, calls) \
	"{\"entry\": \"" entry "\", \"weight\": " #weight ", \"part\": \"" part \
	"\", \"calls\": " #calls ", \"bytes\": 0}"
#define CURVE(entry, calls, sizes) \
	"{\"entry\": \"" entry "\", \"weight\": 1, \"part\": \"kernel\", \"calls\": " #calls \
	", \"bytes\": 0, \"sizes\": " sizes "}"
#define POINT(name, curve, size, seconds) \
	"{\"entry\": \"" name "\", \"curve\": \"" curve "\", \"size\": " #size \
	", \"bytes\": " #size ", \"seconds\": " #seconds "}"
#define COST(name, seconds) "{\"entry\": \"" name "\", \"seconds\": " #seconds "}"

static const struct lenders nobody;

static inline struct prediction *predict_at(const struct appvec *a, const struct osvec *m,
					    const struct osvec *reference, double footprint,
					    struct lenders lenders)
{
	struct error e = { "" };
	struct prediction *p =
	    prediction_new(keep(demand_new(a)), m, reference, footprint, lenders, &e);

	if (!p)
		printf("# %s\n", e.text);
	return keep(p);
}

static inline struct prediction *predict(const struct appvec *a, const struct osvec *m,
					 const struct osvec *reference, struct lenders lenders)
{
	return predict_at(a, m, reference, 0, lenders);
}

static inline const struct prediction_line *line(const struct prediction *p, const char *name)
{
	for (size_t i = 0; i < p->nlines; i++)
		if (!strcmp(p->lines[i].name, name))
			return &p->lines[i];
	return NULL;
}

#endif
