/* SPDX-License-Identifier: MIT */
/* hmac.h - HMAC-SHA256 (RFC 2104): proves that the sender of a message knows a key without
 * revealing the key. */
#ifndef UTIL_HMAC_H
#define UTIL_HMAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HMAC_SIZE = 32 }; /* bytes */

/* Computes the authentication code of data[n] with key[nkey]. */
void hmac(uint8_t out[HMAC_SIZE], const void *key, size_t nkey, const void *data, size_t n);
/* Compares two codes in constant time, so that an attacker cannot find the right one byte by
 * byte. */
bool hmac_equal(const uint8_t a[HMAC_SIZE], const uint8_t b[HMAC_SIZE]);

#endif
