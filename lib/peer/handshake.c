/* SPDX-License-Identifier: MIT */
#include "handshake.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "util/file.h"

enum { SECRET_LEAST = 16, SECRET_MOST = 4096 }; /* bytes */

static const char variable[] = "OSVEC_SECRET";
static const char protocol[sizeof(((struct greeting *)0)->protocol)] = "osvec-peer/1\r\n";

static const char *secret;

int handshake_init(struct error *e)
{
	secret = getenv(variable);
	if (!secret)
		return error_set(e, "no secret: $%s is not set", variable);
	if (strlen(secret) < SECRET_LEAST)
		return error_set(e, "$%s: a secret has at least %d bytes", variable, SECRET_LEAST);
	return 0;
}

int handshake_read_secret(const char *path, struct error *e)
{
	struct stat st;
	size_t n;
	char *text = file_read(path, SECRET_MOST, &n, e);

	if (!text)
		return -1;
	text[strcspn(text, "\r\n")] = '\0';
	int failed;
	if (!stat(path, &st) && st.st_mode & (S_IRWXG | S_IRWXO))
		failed = error_set(e, "%s: other users may read or change it: chmod go=", path);
	else if (strlen(text) < SECRET_LEAST)
		failed =
		    error_set(e, "%s: the first line has less than %d bytes", path, SECRET_LEAST);
	else
		failed = setenv(variable, text, 1);
	free(text);
	return failed;
}

static void fill(uint8_t bytes[HANDSHAKE_RANDOM])
{
	if (getrandom(bytes, HANDSHAKE_RANDOM, 0) != HANDSHAKE_RANDOM)
		err(1, "getrandom");
}

/* The proof of kind `label` over all that was said; answer may be NULL. */
static void prove(uint8_t proof[HMAC_SIZE], const char *label, const struct handshake *h,
		  const struct answer *answer)
{
	struct {
		char label[16];
		struct greeting greeting;
		struct request request;
		struct answer answer;
	} said = { .greeting = h->greeting, .request = h->request };

	_Static_assert(sizeof(said) == 16 + 48 + 88 + 176, "nothing between the members");
	strcpy(said.label, label);
	if (answer)
		said.answer = *answer;
	memset(said.request.proof, 0, HMAC_SIZE);
	memset(said.answer.proof, 0, HMAC_SIZE);
	hmac(proof, secret, strlen(secret), &said, sizeof(said));
}

void handshake_greet(struct greeting *g)
{
	memcpy(g->protocol, protocol, sizeof(protocol));
	fill(g->random);
}

bool handshake_is_greeting(const struct greeting *g)
{
	return !memcmp(g->protocol, protocol, sizeof(protocol));
}

void handshake_request(struct handshake *h)
{
	fill(h->request.random);
	prove(h->request.proof, "request", h, NULL);
}

bool handshake_is_request(const struct handshake *h)
{
	uint8_t proof[HMAC_SIZE];

	prove(proof, "request", h, NULL);
	return hmac_equal(proof, h->request.proof);
}

void handshake_answer(const struct handshake *h, struct answer *a)
{
	prove(a->proof, "answer", h, a);
}

bool handshake_is_answer(const struct handshake *h, const struct answer *a)
{
	uint8_t proof[HMAC_SIZE];

	prove(proof, "answer", h, a);
	return hmac_equal(proof, a->proof);
}

void handshake_token(const struct handshake *h, uint8_t token[HMAC_SIZE])
{
	prove(token, "channel", h, NULL);
}
