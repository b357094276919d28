/* SPDX-License-Identifier: MIT */
#include "util/hmac.h"

#include <stdlib.h>
#include <string.h>

#include "util/sha256.h"
#include "util/xalloc.h"

enum { BLOCK = 64 }; /* bytes of a SHA-256 block */

_Static_assert((int)HMAC_SIZE == (int)SHA256_SIZE, "a code is a digest");

/* Hashes the key block, each byte xor'ed with `pad`, followed by data[n]. */
static void pass(uint8_t out[HMAC_SIZE], const uint8_t key[BLOCK], uint8_t pad, const void *data,
		 size_t n)
{
	uint8_t *text = xmalloc(BLOCK + n);

	for (size_t i = 0; i < BLOCK; i++)
		text[i] = key[i] ^ pad;
	if (n)
		memcpy(text + BLOCK, data, n);
	sha256(out, text, BLOCK + n);
	free(text);
}

void hmac(uint8_t out[HMAC_SIZE], const void *key, size_t nkey, const void *data, size_t n)
{
	uint8_t block[BLOCK] = { 0 }, inner[HMAC_SIZE];

	if (nkey > BLOCK)
		sha256(block, key, nkey);
	else if (nkey)
		memcpy(block, key, nkey);
	pass(inner, block, 0x36, data, n);
	pass(out, block, 0x5c, inner, sizeof(inner));
}

bool hmac_equal(const uint8_t a[HMAC_SIZE], const uint8_t b[HMAC_SIZE])
{
	volatile uint8_t differs = 0;

	for (size_t i = 0; i < HMAC_SIZE; i++)
		differs |= a[i] ^ b[i];
	return !differs;
}
