/* SPDX-License-Identifier: MIT */
#include "model/host.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/kind.h"
#include "model/turns.h"
#include "util/map.h"
#include "util/vec.h"

static const double alike = 1.25;   /* the ratios of the user entries of one processor */
static const double most_moved = 2; /* between two states of one host */

struct host host_of(const struct osvec *v)
{
	const double spread = osvec_host_spread(v);

	return (struct host){
		.first = v,
		.kin = v,
		.vectors = 1,
		.factor = 1,
		.spread = kind_of(v, NULL) == KIND_VIRTUAL ? 0
			  : spread > 0			   ? spread
							   : INFINITY,
	};
}

#define NONE SIZE_MAX

/* Facts that are the same of one host, as far as they are known. */
static const char *const more_facts[] = { "cpu.family", "cpu.model_number", "host.identity" };

enum { MORE_FACTS = sizeof(more_facts) / sizeof(*more_facts) };

/* What vectors are compared by. */
struct look {
	const char *facts[MORE_FACTS]; /* "": not known */
	const double *user;	       /* seconds of the user entries; NaN: it has none */
	size_t next;		       /* the vector before it with its key */
};

/* The facts that are known of vectors of one host, and the same, in fresh memory; NULL: one is not
 * known of v, or v was made of others, and so its costs say nothing of the state of its host. */
static char *make_key(const struct osvec *v)
{
	const char *name = osvec_fact(v, "host.name"), *kernel = osvec_fact(v, "kernel.release");
	const char *model = osvec_fact(v, "cpu.model");

	if (!*name || !*kernel || !*model || json_object_get(v->meta, "aggregate"))
		return NULL;
	return xasprintf("%s\n%s\n%s", name, kernel, model);
}

/* How much longer user code took for v than for w; NaN: they are not of one host. */
static double slower(const struct look *v, const struct look *w, size_t nuser)
{
	double sum = 0, least = INFINITY, most = 0;
	size_t n = 0;

	for (size_t i = 0; i < MORE_FACTS; i++)
		if (*v->facts[i] && *w->facts[i] && strcmp(v->facts[i], w->facts[i]) != 0)
			return NAN;
	for (size_t i = 0; i < nuser; i++) {
		double ratio = v->user[i] / w->user[i];

		if (isnan(ratio))
			continue;
		sum += log(ratio);
		least = fmin(least, ratio);
		most = fmax(most, ratio);
		n++;
	}
	double mean = exp(sum / (double)n); /* geometric: of w over v it is the reciprocal */
	return n && most < alike * least && fabs(log(mean)) < log(most_moved) ? mean : NAN;
}

/* Those that were looked at before. */
struct finding {
	struct look *looks;
	struct names paths, keys;
	VEC(size_t) with_path; /* the first vector of each path */
	VEC(size_t) with_key;  /* the last with these facts */
	size_t nuser;
};

/* The vector in whose state v is: copies are in that in which one is. */
static const struct osvec *stated(const struct osvec *v)
{
	return v->alone ? v->alone : v;
}

/* The number of the first vector that is the same as v, the i'th. */
static size_t find_first(struct finding *f, const struct osvec *v, size_t i)
{
	char *path = *v->path ? xstrdup(v->path) : xasprintf("%p", (const void *)v);
	size_t at = names_add(&f->paths, path);

	free(path);
	if (at == f->with_path.n)
		vec_push(&f->with_path, i);
	return f->with_path.v[at];
}

/* Makes the hosts `from` and `into` one, of which `from` was that much slower. */
static void merge(struct host *all, size_t n, const struct osvec *from, const struct osvec *into,
		  double factor)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].first == from) {
			all[i].first = into;
			all[i].factor *= factor;
		}
}

/* Sets all[i] to the host of v[i] and how much slower it was than the first vector of that host.
 * One that is given twice counts once.  A state between two others makes all three one host: who
 * is compared with whom, and in which order, makes no difference. */
static void join(struct finding *f, const struct osvec *const *v, size_t i, struct host *all)
{
	size_t first = find_first(f, stated(v[i]), i);
	char *key = first == i ? make_key(v[i]) : NULL;

	all[i] = host_of(v[i]);
	if (first != i) {
		all[i] = all[first];
		all[i].vectors = 0;
	}
	if (!key)
		return;
	size_t at = names_add(&f->keys, key);
	free(key);
	if (at == f->with_key.n)
		vec_push(&f->with_key, NONE);
	for (size_t k = f->with_key.v[at]; k != NONE; k = f->looks[k].next) {
		double ratio =
		    slower(&f->looks[i], &f->looks[k], f->nuser) * all[k].factor / all[i].factor;

		if (!isnan(ratio) && all[k].first != all[i].first)
			merge(all, i + 1, all[i].first, all[k].first, ratio);
	}
	f->looks[i].next = f->with_key.v[at];
	f->with_key.v[at] = i;
}

/* Makes factors relative to their geometric mean over the vectors of a host. */
static void centre(struct host *all, size_t n, const struct osvec *const *v)
{
	struct map numbers = { 0 }; /* of the first vectors of hosts */
	double *sum = xcalloc(n, sizeof(*sum));
	size_t *vectors = xcalloc(n, sizeof(*vectors));

	for (size_t i = 0; i < n; i++)
		if (all[i].first == v[i] && all[i].vectors)
			*map_at(&numbers, (uintptr_t)v[i]) = i;
	for (size_t i = 0; i < n; i++) {
		size_t k = *map_find(&numbers, (uintptr_t)all[i].first);
		if (all[i].vectors) {
			sum[k] += log(all[i].factor);
			vectors[k]++;
		}
	}
	for (size_t i = 0; i < n; i++) {
		size_t k = *map_find(&numbers, (uintptr_t)all[i].first);

		all[i].factor = exp(sum[k] / (double)vectors[k]) / all[i].factor;
		all[i].vectors = vectors[k];
	}
	map_free(&numbers);
	free(sum);
	free(vectors);
}

/* What the vectors measured in turns with `first` share: the first host with the most vectors, and
 * how many, the geometric mean of the factors of the hosts that have them, and the largest
 * spread. */
static struct host common_state(const struct host *all, size_t n, const struct osvec *first)
{
	struct host common = { .turns = first };
	size_t members = 0;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].turns == first) {
			common.spread = fmax(common.spread, all[i].spread);
			if (all[i].vectors > common.vectors) {
				common.first = all[i].first;
				common.vectors = all[i].vectors;
			}
		}
	for (size_t i = 0; i < n; i++)
		if (all[i].turns == first && all[i].vectors == common.vectors) {
			sum += log(all[i].factor);
			members++;
		}
	common.factor = exp(sum / (double)members);
	return common;
}

/* A vector that has slices, and its host. */
struct timed {
	struct turns turns;
	struct host *host;
};

static int by_first_slice(const void *a, const void *b)
{
	const double x = ((const struct timed *)a)->turns.v[0].from;
	const double y = ((const struct timed *)b)->turns.v[0].from;

	return (x > y) - (x < y);
}

/* Makes those in turns with x and with y, and both, one set, named after the one that comes first.
 */
static void link_turns(struct host *all, size_t n, const struct timed *x, const struct timed *y)
{
	const struct timed *first = x->host < y->host ? x : y, *other = first == x ? y : x;
	const struct osvec *from = other->host->turns;
	const struct osvec *to = first->host->turns ? first->host->turns : first->turns.vector;

	first->host->turns = other->host->turns = to;
	for (size_t j = 0; from && j < n; j++)
		if (all[j].turns == from)
			all[j].turns = to;
}

/* Links those that took turns.  Only with vectors that began before its last slice can one have
 * taken them, which is hardly any of many. */
static void find_turns(const struct osvec *const *v, size_t n, struct host *all)
{
	VEC(struct timed) timed = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct timed t = { turns_read(stated(v[i])), &all[i] };

		if (t.turns.n)
			vec_push(&timed, t);
	}
	vec_sort(&timed, by_first_slice);
	for (size_t i = 0; i < timed.n; i++) {
		const struct turns *t = &timed.v[i].turns;
		const double last = t->v[t->n - 1].from;

		for (size_t k = i + 1; k < timed.n && timed.v[k].turns.v[0].from <= last; k++)
			if (turns_taken(t, &timed.v[k].turns))
				link_turns(all, n, &timed.v[i], &timed.v[k]);
		free(timed.v[i].turns.v);
	}
	vec_free(&timed);
}

/* Finds the vectors that were measured in turns, and gives them one state.  Some of a set may have
 * begun when others of it had ended: each is linked with all that it took turns with, so that the
 * order of v makes no difference. */
static void join_turns(const struct osvec *const *v, size_t n, struct host *all)
{
	find_turns(v, n, all);
	for (size_t i = 0; i < n; i++) {
		if (all[i].turns != v[i])
			continue;
		const struct host common = common_state(all, n, v[i]);
		for (size_t k = 0; k < n; k++)
			if (all[k].turns == v[i])
				all[k] = common;
	}
}

/* Vectors in turns are of one host, but may be of another kernel. */
static void find_kin(const struct osvec *const *v, size_t n, struct host *all)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < i && (all[k].first != all[i].first ||
				 osvec_is_other(v[k], v[i], "kernel.release")))
			k++;
		all[i].kin = v[k];
	}
}

void hosts_find(const struct osvec *const *v, size_t n, char *const *user, size_t nuser,
		struct host *out)
{
	struct finding f = { .looks = xcalloc(n, sizeof(*f.looks)), .nuser = nuser };
	double *seconds = xcalloc(n * nuser, sizeof(*seconds));

	for (size_t i = 0; i < n; i++) {
		f.looks[i].user = seconds + i * nuser;
		f.looks[i].next = NONE;
		for (size_t k = 0; k < MORE_FACTS; k++)
			f.looks[i].facts[k] = osvec_fact(v[i], more_facts[k]);
		for (size_t k = 0; k < nuser; k++) {
			const struct osvec_entry *x = osvec_find(v[i], user[k]);

			seconds[i * nuser + k] = x ? osvec_work(x) : NAN;
		}
		join(&f, v, i, out);
	}
	centre(out, n, v);
	join_turns(v, n, out);
	find_kin(v, n, out);
	free(f.looks);
	free(seconds);
	names_free(&f.paths);
	names_free(&f.keys);
	vec_free(&f.with_path);
	vec_free(&f.with_key);
}
