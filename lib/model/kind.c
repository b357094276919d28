/* SPDX-License-Identifier: MIT */
#include "model/kind.h"

const char *const kind_names[KINDS] = { "reference", "native", "hosted", "virtual", "translated" };

static const double repeats = 0.0005; /* standard error of a logarithm */

static bool is_virtual(const struct osvec *v)
{
	size_t exact = 0;

	for (size_t i = 0; i < v->n; i++)
		exact += v->entries[i].n > 1 && v->entries[i].error <= repeats;
	return 4 * exact > v->n;
}

/* Whether an entry costs more than so many cpu_int. */
static bool costs(const struct osvec *v, const char *name, double operations)
{
	const struct osvec_entry *x = osvec_find(v, name), *one = osvec_find(v, "cpu_int");

	return x && one && x->seconds > operations * one->seconds;
}

enum kind kind_of(const struct osvec *v)
{
	return is_virtual(v)				 ? KIND_VIRTUAL
	       : costs(v, "cpu_code", 10)		 ? KIND_TRANSLATED
	       : costs(v, "lat_proc_null_static", 10000) ? KIND_HOSTED
							 : KIND_NATIVE;
}
