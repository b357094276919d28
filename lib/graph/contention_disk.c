/* SPDX-License-Identifier: MIT */
/* Contention for disks.  The tape is read backward; see contention_share.h. */
#include <stdlib.h>

#include "graph/contention_share.h"

/* Whether *p, a copy of the piece of that number, is a wait for a disk: for a request that was made
 * at its start, or earlier by any thread.  A wait in a call on a file that ends with what another
 * thread did at that moment was for that thread. */
static bool is_use(struct graph *g, const struct piece *p, uint64_t number)
{
	if (p->end == p->start || g->states.v[p->state].activity != WAITS_DISK ||
	    !piece_waits_in(p))
		return false;
	const struct piece *cause = tape_cause(&g->tape, p, number);
	return !cause || cause->end < p->end;
}

void contention_disk(struct graph *g, contention_take *take, void *arg)
{
	struct share s = share_begin(g, take, arg);
	/* By thread: where it runs next; there, too, is what it waited in before. */
	struct site *at = xcalloc(g->threads.n + 1, sizeof(*at));
	for (size_t i = 0; i < g->threads.n; i++)
		at[i] = (struct site){ UINT16_MAX, UINT16_MAX };
	for (uint64_t number = g->tape.n; number-- > 0;) {
		/* Copied, because reading the cause may replace the page that the piece is in. */
		const struct piece p = *tape_read(&g->tape, number);
		struct site *site = &at[p.thread];

		if (p.kind == PIECE_RUN)
			*site = (struct site){ p.before, p.start < p.enter ? p.before : p.state };
		if (!is_use(g, &p, number))
			continue;
		if (site->user == UINT16_MAX) /* it does not run again */
			site->user = site->call = graph_user_state(g, p.state);
		share_use(&s, &(struct contention){ .resource = RESOURCE_DISK,
						    .waiter = { p.thread, *site },
						    .at = GRAPH_NOBODY,
						    .from = p.start,
						    .until = p.end });
	}
	share_flush(&s);
	share_free(&s);
	free(at);
}
