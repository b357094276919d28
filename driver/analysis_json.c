/* SPDX-License-Identifier: MIT */
/* An analysis as JSON. */
#include <math.h>
#include <stdlib.h>

#include "analysis.h"
#include "json/json.h"
#include "util/vec.h"

static json_t *parts_json(const struct finding *f)
{
	json_t *parts = json_object();

	for (size_t i = 0; i < f->nparts; i++)
		json_object_set_new(parts, f->parts[i].name, json_double(f->parts[i].seconds));
	return parts;
}

static json_t *finding_json(const struct finding *f)
{
	if (f->missing)
		return json_pack("{ss ss ss ss ss}", "operation", f->rule->name, "at", f->at,
				 "entry", f->entry, "verdict", verdict_word(f->verdict), "needs",
				 f->missing);
	return json_pack("{ss ss ss ss so so so so so so so sb ss? so}", "operation", f->rule->name,
			 "at", f->at, "entry", f->entry, "verdict", verdict_word(f->verdict),
			 "measured", json_double(f->measured), "predicted",
			 json_double(f->predicted), "deviation",
			 json_double(f->measured - f->predicted), "ratio",
			 json_double(f->ratio.centre), "low", json_double(f->ratio.low), "high",
			 json_double(f->ratio.high), "bytes", json_double(f->bytes), "interpolated",
			 f->interpolated, "doubtful", f->doubtful, "parts", parts_json(f));
}

static json_t *level_json(const struct level *l)
{
	return json_pack(
	    "{so so so so so so}", "from", json_double(l->from), "to", json_double(l->to), "next",
	    l->next > 0 ? json_double(l->next) : json_null(), "seconds", json_double(l->seconds),
	    "low", json_double(l->low), "high", json_double(l->high));
}

static json_t *machine_json(const struct analysis *a)
{
	json_t *findings = json_array(), *levels = json_array();

	for (size_t i = 0; i < a->findings.n; i++)
		json_array_append_new(findings, finding_json(&a->findings.v[i]));
	for (size_t i = 0; i < a->memory.n; i++)
		json_array_append_new(levels, level_json(&a->memory.v[i]));
	return json_pack("{ss ss so so so}", "machine", a->vector->machine, "path", a->vector->path,
			 "findings", findings, "memory", levels, "line",
			 a->line > 0 ? json_double(a->line) : json_null());
}

static json_t *movement_json(const struct movement *m, const char *machine)
{
	json_t *parts = json_object();

	for (size_t i = 0; i < m->a->nparts; i++)
		json_object_set_new(parts, m->a->parts[i].name, json_double(m->factors[i]));
	return json_pack("{ss ss ss ss so so so sb so so}", "machine", machine, "operation",
			 m->a->rule->name, "at", m->a->at, "entry", m->a->entry, "ratio",
			 json_double(m->ratio.centre), "low", json_double(m->ratio.low), "high",
			 json_double(m->ratio.high), "moved", m->moved, "parts", parts, "rest",
			 json_double(m->rest));
}

static json_t *companion_json(const struct companion *c, size_t n)
{
	json_t *ratios = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(ratios, json_double(exp(c->logs[i])));
	return json_pack("{ss sb so ss? so}", "entry", c->entry->name, "moved", c->moved, "ratios",
			 ratios, "with", c->base ? c->base->entry : NULL, "fit",
			 c->base ? json_double(c->fit) : json_null());
}

static json_t *moved_json(const struct analysis *a, size_t n, double margin)
{
	json_t *list = json_array();

	for (size_t i = 1; i < n; i++) {
		struct movements all =
		    movements_of(a->vector, &a->findings, a[i].vector, &a[i].findings, margin);

		for (size_t k = 0; k < all.n; k++)
			json_array_append_new(list, movement_json(&all.v[k], a[i].vector->machine));
		vec_free(&all);
	}
	return list;
}

static json_t *together_json(const struct analysis *a, size_t n, double margin)
{
	const struct osvec **vectors = xcalloc(n, sizeof(*vectors));
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		vectors[i] = a[i].vector;
	struct companions all = movement_companions(vectors, n, margin);
	for (size_t i = 0; i < all.n; i++)
		json_array_append_new(list, companion_json(&all.v[i], n));
	companions_free(&all);
	free(vectors);
	return list;
}

json_t *analysis_json(const struct analysis *a, size_t n, double margin)
{
	json_t *machines = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(machines, machine_json(&a[i]));
	json_t *document = json_pack("{ss so}", "schema", "osvec-analysis/1", "machines", machines);
	if (n > 1) {
		json_object_set_new(document, "differences", moved_json(a, n, margin));
		json_object_set_new(document, "together", together_json(a, n, margin));
	}
	return document;
}
