/* SPDX-License-Identifier: MIT */
/*
 * matching.h - decides which receive gets which message, by the rules of MPI, in constant time for
 * receives without wildcards.
 *
 * A receive names source and tag or uses wildcards; messages with the same source and tag are
 * received in the order in which they were sent.  A receive without wildcards gets its message as
 * soon as that is sent.  A wildcard receive gets the message that was announced first; a message is
 * announced when its receiver can know of it.
 */
#ifndef NETWORK_MATCHING_H
#define NETWORK_MATCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct matching;

#define MATCH_NONE UINT32_MAX

/* Returns a new, empty matching, to be freed with matching_free(). */
struct matching *matching_new(uint32_t ranks);
/*
 * Registers a message that is sent.  Returns the number that the receive which gets it passed to
 * matching_receive(), or MATCH_NONE if the message has to wait; *waiting is then its number for
 * matching_announce().
 */
uint32_t matching_send(struct matching *m, uint32_t dst, uint32_t src, uint32_t tag, bool announced,
		       uint32_t message, uint32_t *waiting);
/* Registers a receive; src may be PEER_ANY and tag TAG_ANY.  Returns the message that it gets, or
 * MATCH_NONE if it has to wait. */
uint32_t matching_receive(struct matching *m, uint32_t dst, uint32_t src, uint32_t tag,
			  uint32_t receive);
/* Makes a waiting message visible to wildcard receives.  Returns true if one of them was waiting:
 * *receive gets *message, which may be an earlier message with the same source and tag. */
bool matching_announce(struct matching *m, uint32_t waiting, uint32_t *message, uint32_t *receive);
/* Calls fn for the oldest waiter of each source, destination and tag; `what` is the number of a
 * receive or of a message.  Wildcard receives are left out. */
void matching_each(const struct matching *m,
		   void (*fn)(void *arg, uint32_t dst, uint32_t src, bool receives, uint32_t what),
		   void *arg);
/* Returns how many messages were not received. */
size_t matching_unreceived(const struct matching *m);
/* Frees the matching; NULL is allowed. */
void matching_free(struct matching *m);

#endif
