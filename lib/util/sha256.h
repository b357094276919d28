/* SPDX-License-Identifier: MIT */
/* sha256.h - SHA-256 (FIPS 180-4), for naming the exact programs and files behind a result, and
 * for lib/util/hmac.h. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

enum {
	SHA256_SIZE = 32, /* bytes of a digest */
	SHA256_HEX = 65,  /* in hexadecimal, terminated */
};

/* The digest of data[n] into out. */
void sha256(uint8_t out[SHA256_SIZE], const void *data, size_t n);
/* The same in hexadecimal; returns out. */
const char *sha256_hex(char out[SHA256_HEX], const void *data, size_t n);

#endif
