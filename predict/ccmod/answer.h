/* SPDX-License-Identifier: MIT */
/* answer.h - prints the results of a run on stdout as text, JSON or CSV. */
#ifndef CCMOD_ANSWER_H
#define CCMOD_ANSWER_H

#include "setup.h"

struct answer {
	const struct setup *s;
	struct engine_result real;
	uint32_t *order;	/* links, those that caused most delay first */
	const char *bottleneck; /* name of the first; NULL: no message used a link */
	double alone;		/* run time in seconds if every message had the network to itself */
	double faster; /* run time in seconds if the first link of `order` were twice as fast */
	uint64_t runs; /* number of runs with different seeds */
	double best, mean, worst; /* run times in seconds */
	uint64_t top;		  /* links to print */
	char name[2 * TOPOLOGY_NAME];
};

/* Fills a->order and a->bottleneck from a->real. */
void answer_rank_links(struct answer *a);
/* Returns the share of a link's capacity that the run used. */
double answer_use(const struct answer *a, uint32_t link);
/* Print tables: of the first n links; of all ranks; and of how much of each link is used in each of
 * n equal parts of the run, from bytes[link * n + part]. */
void answer_links(const struct answer *a, size_t n);
void answer_ranks(const struct answer *a);
void answer_loads(const struct answer *a, const double *bytes, size_t n);
/* Print the whole result on one screen, or as one JSON object. */
void answer_summary(const struct answer *a);
void answer_json(const struct answer *a);
void answer_free(struct answer *a);

#endif
