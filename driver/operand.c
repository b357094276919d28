/* SPDX-License-Identifier: MIT */
#include "operand.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host_state.h"
#include "results.h"
#include "vector/machines.h"

int operand_read(struct operand *o, const char *path, enum estimator estimator, struct error *e)
{
	char *reference = machines_find_reference(path), *run;
	struct error why;
	struct stat st;

	*o = (struct operand){ .name = path };
	if (reference)
		path = reference;
	run = results_locate(path, false, &why);
	if (run)
		o->run = reduction_of(run, estimator, e);
	else if (!stat(path, &st) && S_ISDIR(st.st_mode) && !results_has_entry(path, "osvec.json"))
		*e = why;
	else
		o->vector = machines_read_one(path, e);
	if (o->run)
		o->vector = reduction_vector(o->run, e);
	free(run);
	free(reference);
	return o->vector ? 0 : -1;
}

int operand_adjust(struct operand *o, const struct operand *like, struct error *e)
{
	if (!o->run || !like->run)
		return error_set(e, "%s: a vector without its run has no state of the host",
				 o->run ? like->name : o->name);
	if (strcmp(o->vector->machine, like->vector->machine) != 0)
		return error_set(e, "%s: a run of another machine than %s", like->name, o->name);
	if (!host_state_adjust(o->run, like->run))
		return error_set(e,
				 "%s: no entry depends on reference loops of both this run and %s",
				 like->name, o->name);
	osvec_free(o->vector);
	o->vector = reduction_vector(o->run, e);
	return o->vector ? 0 : -1;
}

void operand_free(struct operand *o)
{
	osvec_free(o->vector);
	reduction_free(o->run);
}

const json_t *operand_environment(const struct operand *o)
{
	return json_object_get(o->run ? o->run->meta : o->vector->meta, "environment");
}
