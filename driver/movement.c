/* SPDX-License-Identifier: MIT */
#include "movement.h"

#include <math.h>
#include <string.h>

#include "difference.h"
#include "util/vec.h"

#define EXPLAINED 0.9 /* the least fit that counts as moving together */

const struct base movement_bases[] = {
	{ "integer code", "cpu_int" },
	{ "large code", "cpu_code" },
	{ "memory copy", "bw_mem_cp_ram_libc_aligned" },
	{ "copy in the caches", "bw_mem_cp_64k_libc_aligned" },
	{ "memory read", "bw_mem_rd_ram" },
	{ "memory latency", "lat_mem_rd_64m_random_4k" },
	{ "kernel entry", "lat_syscall_getppid" },
	{ "page fault", "lat_pagefault_anon" },
	{ "context switch", "lat_ctx_shared_0_2" },
	{ "wakeup of a CPU", "lat_futex_pingpong@apart" },
	{ "fork and exit", "lat_proc_null_static" },
	{ "opening a file", "lat_path_open_1" },
	{ "sync to disk", "lat_fsync_fdatasync_4k" },
	{ 0 },
};

static bool has_moved(const struct estimate *ratio, double margin)
{
	enum verdict v = verdict_of(ratio, margin);

	return v == VERDICT_SLOWER || v == VERDICT_FASTER;
}

/* -- the parts of a rule ----------------------------------------------------------------------- */

/* (a - b) / log(a / b), a for equal ones; a, b > 0. */
static double logarithmic_mean(double a, double b)
{
	double d = a / b - 1;

	return fabs(d) < 1e-9 ? b : b * d / log1p(d);
}

static struct movement movement_of(const struct osvec *va, const struct finding *a,
				   const struct osvec *vb, const struct finding *b, double margin)
{
	struct movement m = { .a = a, .b = b };
	double mean = logarithmic_mean(b->measured, a->measured), explained = 0;
	/* Parts that overlap, so that they take longer than the whole, count for less on both. */
	double scale = fmin(1, fmin(a->ratio.centre, b->ratio.centre));

	m.ratio = difference_between(osvec_find(va, a->entry), osvec_find(vb, b->entry)).ratio;
	m.moved = has_moved(&m.ratio, margin);
	for (size_t i = 0; i < a->nparts; i++) {
		double share = scale * (b->parts[i].seconds - a->parts[i].seconds) / mean;

		m.factors[i] = exp(share);
		explained += share;
	}
	m.rest = m.ratio.centre / exp(explained);
	return m;
}

static int by_size(const void *a, const void *b)
{
	const struct movement *x = a, *y = b;
	double ex = fabs(log(x->ratio.centre)), ey = fabs(log(y->ratio.centre));

	return ex < ey ? 1 : ex > ey ? -1 : strcmp(x->a->entry, y->a->entry);
}

struct movements movements_of(const struct osvec *va, const struct findings *a,
			      const struct osvec *vb, const struct findings *b, double margin)
{
	struct movements all = { 0 };

	for (size_t i = 0; i < a->n; i++)
		if (!a->v[i].missing && !b->v[i].missing)
			vec_push(&all, movement_of(va, &a->v[i], vb, &b->v[i], margin));
	vec_sort(&all, by_size);
	return all;
}

/* -- entries that moved together --------------------------------------------------------------- */

static double fit(const double *x, const double *base, size_t n)
{
	double left = 0, all = 0;

	for (size_t i = 0; i < n; i++) {
		left += (x[i] - base[i]) * (x[i] - base[i]);
		all += x[i] * x[i];
	}
	return all > 0 ? 1 - left / all : 0;
}

static void add_companion(struct companions *all, const struct osvec *const *machines, size_t n,
			  const struct osvec_entry *x, double margin)
{
	struct companion c = { .entry = x, .logs = xcalloc(n, sizeof(*c.logs)) };

	for (size_t i = 1; i < n; i++) {
		const struct osvec_entry *y = osvec_find(machines[i], x->name);

		if (!y) {
			free(c.logs);
			return;
		}
		struct estimate ratio = difference_between(x, y).ratio;
		c.logs[i] = log(ratio.centre);
		c.moved |= has_moved(&ratio, margin);
	}
	vec_push(all, c);
}

const struct companion *companions_find(const struct companions *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->v[i].entry->name, name))
			return &all->v[i];
	return NULL;
}

static void choose_base(const struct companions *all, struct companion *c, size_t n)
{
	for (const struct base *b = movement_bases; b->name; b++) {
		const struct companion *of = companions_find(all, b->entry);
		double f = of ? fit(c->logs, of->logs, n) : 0;

		if (f >= EXPLAINED && f > c->fit) {
			c->base = b;
			c->fit = f;
		}
	}
}

struct companions movement_companions(const struct osvec *const *machines, size_t n, double margin)
{
	struct companions all = { 0 };

	for (size_t i = 0; i < machines[0]->n; i++)
		add_companion(&all, machines, n, &machines[0]->entries[i], margin);
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].moved)
			choose_base(&all, &all.v[i], n);
	return all;
}

void companions_free(struct companions *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].logs);
	vec_free(c);
}
