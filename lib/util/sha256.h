/* SPDX-License-Identifier: MIT */
/* sha256.h - SHA-256 (FIPS 180-4), to identify the exact programs and files behind a result, and
 * for hmac.h. */
#ifndef UTIL_SHA256_H
#define UTIL_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum {
	SHA256_SIZE = 32, /* bytes of a digest */
	SHA256_HEX = 65,  /* bytes in hexadecimal, including the NUL */
};

/* Writes the digest of data[n] to out. */
void sha256(uint8_t out[SHA256_SIZE], const void *data, size_t n);
/* Writes the digest of data[n] in hexadecimal to out and returns out. */
const char *sha256_hex(char out[SHA256_HEX], const void *data, size_t n);

#endif
