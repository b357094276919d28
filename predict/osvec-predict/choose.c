/* SPDX-License-Identifier: MIT */
/* osvec-predict choose - the fastest machines for each of many applications. */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answer.h"
#include "commands.h"
#include "level.h"
#include "model/footprint.h"
#include "model/pricelist.h"
#include "quota.h"
#include "reference.h"
#include "util/file.h"
#include "util/map.h"
#include "util/vec.h"

static struct query common;
static struct {
	uint64_t top;
} set = { .top = 2 };

static const struct opt options[] = {
	{ 'a', "application", OPT_LIST, &common.applications, "FILE", 0, 0,
	  "an application vector, or a directory of them; may be repeated" },
	QUERY_LEVEL(common),
	QUERY_STATE(common),
	{ 0, "top", OPT_COUNT, &set.top, "N", 1, 1e6, "machines to list of each (default 2)" },
	QUERY_FORMATS(common),
	{ 0 },
};

static const struct opt_usage usage = {
	"osvec-predict choose",
	"[MACHINE...]",
	"Names the fastest machines for each of many applications, by predicted times alone.",
	"osvec-predict choose -a results/applications results/reference/*",
};

/* What level 2 makes of a machine. */
struct treatment {
	bool footprints; /* it has entries at some */
	enum kind kind;
};

/* Applications that were recorded on one machine. */
struct batch {
	const struct osvec *reference; /* or NULL */
	const char *null_entry;
	struct lenders lenders;
	struct pricelist *list;
	struct treatment *treatments; /* of the machines */
	size_t n;		      /* applications in it */
};

/* A machine for the application, and its time. */
struct choice {
	size_t machine;
	double seconds;
	double host;	      /* what multiplies its CPU time in the state of its vector */
	struct prediction *p; /* of the best of all */
};

struct candidate {
	struct query q;
	size_t batch, number;	  /* in it */
	double factors[2][KINDS]; /* of kernel time, by treatment */
	struct choice *best;	  /* the fastest first */
	size_t n;
};

static struct {
	const struct osvec **v; /* the machines */
	double *cpus;		/* that a quota leaves a thread: one at most */
	VEC(char *) paths;	/* of the applications */
	struct names notes, origins;
	VEC(const struct osvec *) references; /* by origins */
	VEC(struct batch) batches;
	VEC(struct candidate) candidates;
} all;

static void read_machines(void)
{
	const struct machines *m = &common.machines;

	query_read_machines(&common);
	all.v = xcalloc(m->n, sizeof(*all.v));
	all.cpus = xcalloc(m->n, sizeof(*all.cpus));
	for (size_t i = 0; i < m->n; i++) {
		all.v[i] = m->v[i].vector;
		all.cpus[i] = fmin(1, osvec_cpus(all.v[i]));
	}
}

static struct batch make_batch(const struct query *q)
{
	const size_t n = q->machines.n;
	struct batch b = {
		.reference = q->reference,
		.lenders = q->lenders,
		.null_entry = q->demand->null_entry,
		.list = pricelist_new(all.v, n, q->reference, q->lenders, q->demand->null_entry),
		.treatments = xcalloc(n, sizeof(*b.treatments)),
	};

	for (size_t i = 0; i < n; i++)
		b.treatments[i] = (struct treatment){
			.footprints = isfinite(footprint_next(all.v[i], 0)),
			.kind = kind_of(all.v[i], q->reference),
		};
	return b;
}

static size_t batch_with(const struct osvec *reference, const char *null_entry)
{
	size_t i = 0;

	while (i < all.batches.n && (!osvec_is_same(all.batches.v[i].reference, reference) ||
				     strcmp(all.batches.v[i].null_entry, null_entry) != 0))
		i++;
	return i;
}

/* What says where a was recorded, and perhaps that other applications were recorded there. */
static char *origin_of(const struct appvec *a)
{
	return xasprintf("%s\n%s\n%s\n%s\n%s", a->host, a->host_id, a->kernel, a->cpu, a->vector);
}

/* Finds the reference of q: once for all applications of an origin, where that alone decides. */
static void find_reference(struct query *q)
{
	char *origin = origin_of(q->application);
	const size_t known = names_find(&all.origins, origin);

	if (known < SIZE_MAX) {
		q->reference = all.references.v[known];
	} else {
		reference_find(q);
		if (q->reference && (common.reference_path ||
				     !strcmp(q->reference->machine, q->application->vector))) {
			names_add(&all.origins, origin);
			vec_push(&all.references, q->reference);
		}
	}
	free(origin);
}

/* The batch of q's application. */
static size_t find_batch(struct query *q)
{
	find_reference(q);
	const size_t i = batch_with(q->reference, q->demand->null_entry);
	if (i < all.batches.n) {
		q->reference = all.batches.v[i].reference;
		q->lenders = all.batches.v[i].lenders;
	}
	level_choose(q);
	if (i == all.batches.n)
		vec_push(&all.batches, make_batch(q));
	return i;
}

/* Notes on several applications are printed once. */
static void take_notes(const struct query *q)
{
	for (size_t i = 0; i < q->notes.n; i++)
		if (names_find(&all.notes, q->notes.v[i]) == SIZE_MAX) {
			names_add(&all.notes, q->notes.v[i]);
			query_note(&common, "%s", q->notes.v[i]);
		}
}

static void read_application(const char *path)
{
	struct candidate c = {
		.q = query_about(&common, path),
		.best = xcalloc(set.top, sizeof(*c.best)),
	};

	query_read_application(&c.q);
	c.batch = find_batch(&c.q);
	c.number = all.batches.v[c.batch].n++;
	for (enum kind k = 0; k < KINDS; k++) {
		c.factors[false][k] = level_kernel_factor(&c.q, false, k);
		c.factors[true][k] = level_kernel_factor(&c.q, true, k);
	}
	pricelist_add(all.batches.v[c.batch].list, c.q.demand, c.q.footprint);
	vec_push(&all.candidates, c);
	take_notes(&c.q);
}

/* Keeps the best in the order of their times; equal ones in that of the machines. */
static inline void keep(struct candidate *c, struct choice choice)
{
	if (c->n == set.top && choice.seconds >= c->best[c->n - 1].seconds)
		return;
	size_t i = c->n < set.top ? c->n++ : c->n - 1;
	for (; i > 0 && c->best[i - 1].seconds > choice.seconds; i--)
		c->best[i] = c->best[i - 1];
	c->best[i] = choice;
}

/* Tries the machines of a block. */
static void try_block(struct candidate *c, size_t block)
{
	const struct query *q = &c->q;
	const size_t from = block * PRICETABLE_BLOCK;
	const struct batch *b = &all.batches.v[c->batch];
	struct pricelist_times t;

	pricelist_times(b->list, c->number, block, &t);
	for (size_t i = 0; i < PRICETABLE_BLOCK && from + i < q->machines.n; i++) {
		const size_t m = from + i;
		const double host = q->vector_state ? 1 : t.host[i];
		const struct treatment *as = &b->treatments[m];
		const double kernel = t.kernel[i] * c->factors[as->footprints][as->kind];
		const double cpu = (kernel + t.user[i]) * host;

		keep(c, (struct choice){ m, quota_time(cpu, t.wait[i], all.cpus[m]), host, NULL });
	}
}

/* Prices the best once more with all their parts, and keeps them in the order of these times. */
static void price_best(struct candidate *c)
{
	const size_t n = c->n;

	c->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct choice choice = c->best[i];

		choice.p = level_price(&c->q, c->q.machines.v[choice.machine].vector);
		prediction_scale(choice.p, choice.host, choice.host, 1);
		quota_stretch(choice.p, all.cpus[choice.machine]);
		choice.seconds = choice.p->total;
		keep(c, choice);
	}
}

/* The application's rows. */
static void put_best(struct table *t, struct candidate *c)
{
	const struct query *q = &c->q;

	price_best(c);
	for (size_t i = 0; i < c->n; i++) {
		const struct choice *best = &c->best[i];
		const struct prediction *p = best->p;

		table_text(t, i && query_for_people(&common) ? "" : q->application->name);
		table_text(t, q->machines.v[best->machine].label);
		answer_time(q, t, p->total);
		table_number(t, p->total / c->best[0].p->total, "%.2f");
		answer_time(q, t, p->kernel);
		answer_time(q, t, p->user);
		answer_time(q, t, p->wait);
		table_text(t, q->unit);
	}
}

static void print_choices(void)
{
	static const struct table_column columns[] = {
		{ "application", "application", TABLE_NAME },
		{ "machine", "machine", TABLE_NAME },
		{ "time", "seconds", TABLE_RIGHT },
		{ "ratio", "ratio", TABLE_RIGHT },
		{ "kernel", "kernel", TABLE_RIGHT },
		{ "user", "user", TABLE_RIGHT },
		{ "wait", "wait", TABLE_RIGHT },
		{ "per", "unit", TABLE_LEFT },
	};
	struct table *t = table_of(columns);
	size_t unknown = 0;

	for (size_t i = 0; i < all.candidates.n; i++) {
		put_best(t, &all.candidates.v[i]);
		unknown += !all.candidates.v[i].q.reference;
	}
	if (unknown)
		query_note(&common,
			   "USER TIME IS NOT SCALED of %zu applications: no machine here is the "
			   "one that they were recorded on (--reference)",
			   unknown);
	query_note(&common,
		   "times alone; rank says how sure their ratios are, and what is doubtful");
	if (common.json)
		printf("{\n");
	answer_table(&common, "choices", t, true);
	answer_end(&common);
}

/* A directory stands for the *.json files in it. */
static void add_paths(const char *path)
{
	struct stat st;
	glob_t found;

	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		vec_push(&all.paths, xstrdup(path));
		return;
	}
	if (access(path, R_OK | X_OK))
		err(1, "%s", path);
	if (!file_match(path, "*.json", &found))
		errx(1, "%s: has no *.json files", path);
	for (size_t i = 0; i < found.gl_pathc; i++)
		vec_push(&all.paths, xstrdup(found.gl_pathv[i]));
	globfree(&found);
}

int command_choose(int argc, char **argv)
{
	query_parse_many(&common, argc, argv, &usage, options);
	if (common.level == 1)
		opt_bad_usage(&usage, "level 1 is for one application: rank");
	for (size_t i = 0; i < common.applications.n; i++)
		add_paths(common.applications.v[i]);
	read_machines();
	for (size_t i = 0; i < all.paths.n; i++)
		read_application(all.paths.v[i]);
	for (size_t i = 0; i < all.batches.n; i++)
		pricelist_fill(all.batches.v[i].list);
	/* Block by block, so that the costs of its machines stay in the caches. */
	for (size_t block = 0; block * PRICETABLE_BLOCK < common.machines.n; block++)
		for (size_t i = 0; i < all.candidates.n; i++)
			try_block(&all.candidates.v[i], block);
	print_choices();
	return 0; /* Nothing is freed before exit(): with 10,000 machines that would take long. */
}
