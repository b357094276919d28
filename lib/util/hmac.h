/* SPDX-License-Identifier: MIT */
/* hmac.h - HMAC-SHA256 (RFC 2104): proves that its maker knows a key, without telling the key. */
#ifndef HMAC_H
#define HMAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HMAC_SIZE = 32 }; /* bytes */

/* The code of data[n] under key[nkey] into out. */
void hmac(uint8_t out[HMAC_SIZE], const void *key, size_t nkey, const void *data, size_t n);
/* Whether two codes are equal; takes the same time wherever they differ, so that nobody can find
 * the right one byte by byte. */
bool hmac_equal(const uint8_t a[HMAC_SIZE], const uint8_t b[HMAC_SIZE]);

#endif
