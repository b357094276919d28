/* SPDX-License-Identifier: MIT */
/*
 * order.h - calls come in as they end and leave in the order in which they began, as far as a window of
 * memory allows: a call that lasts longer than the window holds comes out late, and is counted.
 */
#ifndef ORDER_H
#define ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/callrow.h"

/* Zeroed is valid and empty but for the window. */
struct order {
	size_t window; /* bytes that rows may take */
	size_t held;
	struct callrow **v; /* a heap, the earliest on top */
	size_t n, cap;
	int64_t last; /* time of the latest row that left */
	bool begun;
	uint64_t late; /* rows that left after a later one */
};

/* Takes the row over. */
void order_push(struct order *o, struct callrow *row);
/* The next row that must leave: when the window is exceeded or, once all came in, any.  NULL when
 * there is none.  The caller frees it. */
struct callrow *order_pop(struct order *o, bool all_in);
/* Returns the memory. */
void order_free(struct order *o);

#endif
