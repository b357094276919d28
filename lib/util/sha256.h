/* SPDX-License-Identifier: MIT */
/* sha256.h - SHA-256 (FIPS 180-4), for naming the exact programs and files behind a result. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>

enum { SHA256_HEX = 65 }; /* bytes of a digest in hexadecimal, terminated */

/* The digest of data[n] into out; returns out. */
const char *sha256_hex(char out[SHA256_HEX], const void *data, size_t n);

#endif
