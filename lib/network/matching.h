/* SPDX-License-Identifier: MIT */
/*
 * matching.h - which receive gets which message, in constant time however many wait.
 *
 * As in MPI, a receive names its source and tag or takes any, and messages of one source and tag
 * are received in the order they were sent.  A receive that names both gets its message as soon as
 * it is sent; one that takes any gets what has been announced first: a message is announced when
 * its receiver could know of it.
 */
#ifndef MATCHING_H
#define MATCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct matching;

#define MATCH_NONE UINT32_MAX

/* No message and no receive yet.  To be freed with matching_free(). */
struct matching *matching_new(uint32_t ranks);
/* A message is sent.  Returns what matching_receive() was given by the receive that gets it, or
 * MATCH_NONE: it waits, and *waiting is its place for matching_announce(). */
uint32_t matching_send(struct matching *m, uint32_t dst, uint32_t src, uint32_t tag, bool announced,
		       uint32_t message, uint32_t *waiting);
/* A receive is posted; src may be PEER_ANY, tag TAG_ANY.  Returns the message that it gets, or
 * MATCH_NONE: it waits. */
uint32_t matching_receive(struct matching *m, uint32_t dst, uint32_t src, uint32_t tag,
			  uint32_t receive);
/* A waiting message becomes visible to receives that take any.  True: one was there; *receive gets
 * *message, which may be an earlier one of the same source and tag. */
bool matching_announce(struct matching *m, uint32_t waiting, uint32_t *message, uint32_t *receive);
/* Tells arg of the oldest waiter of each source, destination and tag: the number of a receive, or
 * of a message.  Not of receives that take any. */
void matching_each(const struct matching *m,
		   void (*fn)(void *arg, uint32_t dst, uint32_t src, bool receives, uint32_t what),
		   void *arg);
/* Messages that nobody received. */
size_t matching_unreceived(const struct matching *m);
/* Returns the memory. */
void matching_free(struct matching *m);

#endif
