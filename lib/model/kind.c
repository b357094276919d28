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

/* How many operations on integers an entry costs; 0: not measured. */
static double operations(const struct osvec *v, const char *name)
{
	const struct osvec_entry *x = osvec_find(v, name), *one = osvec_find(v, "cpu_int");

	return x && one ? osvec_work(x) / osvec_work(one) : 0;
}

/* Whether processes cost so much that the kernel is one itself. */
static bool is_hosted(const struct osvec *v, const struct osvec *reference)
{
	static const char process[] = "lat_proc_null_static";
	const double all = operations(v, process);

	return all > 10000 && !(reference && all <= 2 * operations(reference, process));
}

enum kind kind_of(const struct osvec *v, const struct osvec *reference)
{
	return osvec_is_same(v, reference)	? KIND_REFERENCE
	       : is_virtual(v)			? KIND_VIRTUAL
	       : operations(v, "cpu_code") > 10 ? KIND_TRANSLATED
	       : is_hosted(v, reference)	? KIND_HOSTED
						: KIND_NATIVE;
}
