/* SPDX-License-Identifier: MIT */
/* Contention for disks.  The tape is read backward; see contention_share.h. */
#include <stdlib.h>

#include "graph/contention_share.h"

void contention_disk(struct graph *g, contention_take *take, void *arg)
{
	struct share s = share_begin(g, take, arg);
	/* By thread: where it runs next; there, too, is what it waited in before. */
	struct site *at = xcalloc(g->threads.n + 1, sizeof(*at));
	for (size_t i = 0; i < g->threads.n; i++)
		at[i] = (struct site){ UINT16_MAX, UINT16_MAX };
	for (uint64_t number = g->tape.n; number-- > 0;) {
		const struct piece *p = tape_read(&g->tape, number);
		struct site *site = &at[p->thread];

		if (p->kind == PIECE_RUN)
			*site =
			    (struct site){ p->before, p->start < p->enter ? p->before : p->state };
		if (p->kind != PIECE_DELAY || p->end == p->start ||
		    g->states.v[p->state].activity != WAITS_DISK)
			continue;
		if (site->user == UINT16_MAX) /* it does not run again */
			site->user = site->call = graph_user_state(g, p->state);
		share_use(&s, &(struct contention){ .resource = RESOURCE_DISK,
						    .waiter = { p->thread, *site },
						    .at = GRAPH_NOBODY,
						    .from = p->start,
						    .until = p->end });
	}
	share_flush(&s);
	share_free(&s);
	free(at);
}
