/* SPDX-License-Identifier: MIT */
/*
 * handshake.h - how a benchmark and `hbench peer` prove to each other that they share a secret.
 *
 * The peer greets with a fresh random number.  The benchmark answers with one of its own, what it
 * wants, and a proof: the HMAC-SHA256 of all of that under the secret.  Only then does the peer say
 * more than its greeting, with a proof of its own.  Both numbers are new each time, so that no
 * proof serves twice, and each kind of proof has a label, so that none serves as another.  What
 * follows is neither secret nor protected: it is bytes without meaning.
 *
 * Numbers are in network order (htobe64).
 */
#ifndef PEER_HANDSHAKE_H
#define PEER_HANDSHAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"
#include "util/hmac.h"

enum { HANDSHAKE_RANDOM = 32 };

/* From the peer. */
struct greeting {
	char protocol[16];
	uint8_t random[HANDSHAKE_RANDOM];
};

/* From the benchmark. */
struct request {
	uint8_t random[HANDSHAKE_RANDOM];
	uint64_t kind;	   /* enum channel_kind */
	uint64_t size;	   /* bytes of a message */
	uint64_t channels; /* to open; 0: only connections that are closed at once */
	uint8_t proof[HMAC_SIZE];
};

enum answer_status { ANSWER_READY, ANSWER_BUSY, ANSWER_REFUSED };

/* From the peer, if the request's proof is right. */
struct answer {
	uint64_t status;  /* enum answer_status */
	uint64_t port;	  /* where channels are connected */
	char system[128]; /* of the peer: "host Linux 6.1.0 x86_64" */
	uint8_t proof[HMAC_SIZE];
};

/* Both sides of one connection. */
struct handshake {
	struct greeting greeting;
	struct request request;
};

/* Takes the secret from $OSVEC_SECRET; 0, or -1 and *e if there is none, or too short a one. */
int handshake_init(struct error *e);
/* Puts the first line of a file into $OSVEC_SECRET; 0, or -1 and *e. */
int handshake_read_secret(const char *path, struct error *e);

/* A new greeting. */
void handshake_greet(struct greeting *g);
/* Whether it is one, of this version. */
bool handshake_is_greeting(const struct greeting *g);
/* Completes the request by its random number and its proof. */
void handshake_request(struct handshake *h);
/* Whether the request proves knowledge of the secret. */
bool handshake_is_request(const struct handshake *h);
/* Completes the answer by its proof. */
void handshake_answer(const struct handshake *h, struct answer *a);
/* Whether the answer proves it. */
bool handshake_is_answer(const struct handshake *h, const struct answer *a);
/* What each channel of TCP begins with, so that no other connection is taken for it. */
void handshake_token(const struct handshake *h, uint8_t token[HMAC_SIZE]);

#endif
