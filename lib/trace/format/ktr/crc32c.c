/* SPDX-License-Identifier: MIT */

#include "trace/format/ktr/ktr_block.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

/* The polynomial with its bits reversed: the CRC is defined on the lowest bit first. */
#define POLYNOMIAL 0x82f63b78u

static uint32_t table[256]; /* the CRC of each byte */

static void make_table(void)
{
	for (uint32_t b = 0; b < 256; b++) {
		table[b] = b;
		for (int i = 0; i < 8; i++)
			table[b] = table[b] >> 1 ^ (table[b] & 1 ? POLYNOMIAL : 0);
	}
}

uint32_t crc32c_portable(const void *data, size_t n)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const unsigned char *p = data;
	uint32_t c = ~0u;

	pthread_once(&once, make_table);
	while (n--)
		c = c >> 8 ^ table[(c ^ *p++) & 0xff];
	return ~c;
}

#if defined(__x86_64__)
#define HARDWARE __attribute__((target("sse4.2")))
#define STEP8(c, v) (uint32_t) _mm_crc32_u64(c, v)
#define STEP1(c, v) _mm_crc32_u8(c, v)

static bool have_hardware(void)
{
	return __builtin_cpu_supports("sse4.2");
}
#elif defined(__aarch64__)
#define HARDWARE __attribute__((target("+crc")))
#define STEP8(c, v) __crc32cd(c, v)
#define STEP1(c, v) __crc32cb(c, v)

static bool have_hardware(void)
{
	return getauxval(AT_HWCAP) & HWCAP_CRC32;
}
#endif

#ifdef HARDWARE
HARDWARE static uint32_t crc32c_hardware(const void *data, size_t n)
{
	const unsigned char *p = data;
	uint32_t c = ~0u;

	for (; n >= 8; p += 8, n -= 8) {
		uint64_t v;

		memcpy(&v, p, 8);
		c = STEP8(c, v);
	}
	while (n--)
		c = STEP1(c, *p++);
	return ~c;
}
#endif

uint32_t crc32c(const void *data, size_t n)
{
#ifdef HARDWARE
	if (have_hardware())
		return crc32c_hardware(data, n);
#endif
	return crc32c_portable(data, n);
}
