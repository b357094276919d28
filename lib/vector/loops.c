/* SPDX-License-Identifier: MIT */
#include "vector/loops.h"

#include <math.h>
#include <stdio.h>

static const struct field fields[] = {
	FIELD(MAYBE_NUMBER, loops, code),
	FIELD(MAYBE_NUMBER, loops, call),
	{ 0 },
};

struct loops loops_read(struct fields *f, const json_t *o)
{
	struct loops l;

	f->where[0] = '\0';
	const json_t *canaries = field_object(f, o, "canaries");
	snprintf(f->where, sizeof(f->where), "canaries");
	fields_read(f, canaries, fields, &l);
	f->where[0] = '\0';
	return l;
}

void loops_write(json_t *o, const struct loops *l)
{
	json_t *canaries = json_object();

	fields_write(canaries, fields, l);
	if (!isnan(l->code) || !isnan(l->call))
		json_object_set(o, "canaries", canaries);
	json_decref(canaries);
}

bool loops_slower(const struct loops *a, const struct loops *b, double *user, double *system)
{
	const double most = 2, code = a->code / b->code, call = a->call / b->call;
	const bool known = !isnan(code * call);
	const bool likely = known && fmax(fabs(log(code)), fabs(log(call))) < log(most);

	*user = likely ? code : 1;
	*system = likely ? sqrt(code * call) : 1;
	return known && !likely;
}
