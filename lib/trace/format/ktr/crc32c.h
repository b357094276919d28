/* SPDX-License-Identifier: MIT */
/* crc32c.h - the CRC of iSCSI (RFC 3720, polynomial 0x1edc6f41), in hardware where there is one. */
#ifndef CRC32C_H
#define CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of data[n]; of "123456789" it is 0xe3069283. */
uint32_t crc32c(const void *data, size_t n);
/* The same by tables alone. */
uint32_t crc32c_portable(const void *data, size_t n);

#endif
