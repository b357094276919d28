/* SPDX-License-Identifier: MIT */
#include "vector/hoststate.h"

#include <math.h>

struct hoststate hoststate_read(struct fields *f, const json_t *o)
{
	const json_t *canaries = field_object(f, o, "canaries");
	struct hoststate s;

	for (int k = 0; k < OSVEC_CANARIES; k++)
		s.seconds[k] =
		    field_maybe_number(f, canaries, osvec_canary_names[k], 0, FIELD_MOST);
	return s;
}

void hoststate_write(json_t *o, const struct hoststate *s)
{
	json_t *canaries = json_object();

	for (int k = 0; k < OSVEC_CANARIES; k++)
		if (!isnan(s->seconds[k]))
			json_object_set_new(canaries, osvec_canary_names[k],
					    json_double(s->seconds[k]));
	if (json_object_size(canaries))
		json_object_set(o, "canaries", canaries);
	json_decref(canaries);
}

void hoststate_slower(const struct hoststate *s, const struct osvec *v, double *user,
		      double *system)
{
	const double most = 2;
	const double code = s->seconds[0] / osvec_canary(v, 0).mean;
	const double call = s->seconds[1] / osvec_canary(v, 1).mean;
	const bool likely = fabs(log(code)) < log(most) && fabs(log(call)) < log(most);

	*user = likely ? code : 1;
	*system = likely ? sqrt(code * call) : 1;
}
