/* SPDX-License-Identifier: MIT */
/* answer.h - what a run says, as text, JSON or CSV on stdout. */
#ifndef ANSWER_H
#define ANSWER_H

#include "setup.h"

struct answer {
	const struct setup *s;
	struct engine_result real;
	uint32_t *order;	  /* links, those that cost messages most time first */
	double alone;		  /* seconds if every message were alone */
	double faster;		  /* seconds if the first link of order were twice as fast */
	uint64_t runs;		  /* with different seeds */
	double best, mean, worst; /* seconds, of the runs */
	uint64_t top;		  /* links to print */
};

/* Fills a->order from a->real. */
void answer_rank_links(struct answer *a);
/* The share of a link's capacity that the run used. */
double answer_use(const struct answer *a, uint32_t link);
/* Tables of the first n links, of all ranks, and of what is used of links in each of n pieces of
 * the run, from bytes[link * n + piece]. */
void answer_links(const struct answer *a, size_t n);
void answer_ranks(const struct answer *a);
void answer_loads(const struct answer *a, const double *bytes, size_t n);
/* One screen, or one JSON object, about all. */
void answer_summary(const struct answer *a);
void answer_json(const struct answer *a);
void answer_free(struct answer *a);

#endif
