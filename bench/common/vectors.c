/* SPDX-License-Identifier: MIT */
#include "vectors.h"

#include <stdatomic.h>
#include <stddef.h>

#include "measure/bench.h"

/*
 * The passes by vectors of WIDTH bytes, compiled for a TARGET.  Four vectors a turn, added to four
 * sums, as one chain of additions is slower than loads from the first cache.
 */
#define PASSES(ID, WIDTH, TARGET) \
	typedef uint64_t ID##_vector __attribute__((vector_size(WIDTH), aligned(1), may_alias)); \
\
	TARGET static uint64_t ID##_sum(const void *from, uint64_t size, uint64_t passes) \
	{ \
		ID##_vector a = { 0 }, b = a, c = a, d = a; \
		uint64_t sum = 0; \
\
		while (passes--) { \
			const volatile ID##_vector *p = from, *end = p + size / (WIDTH); \
\
			for (; end - p >= 4; p += 4) { \
				a += p[0]; \
				b += p[1]; \
				c += p[2]; \
				d += p[3]; \
			} \
			for (; p < end; p++) \
				a += *p; \
		} \
		a += b + c + d; \
		for (int i = 0; i < (WIDTH) / 8; i++) \
			sum += a[i]; \
		return sum; \
	} \
\
	TARGET static void ID##_fill(void *to, uint64_t size, uint64_t word, uint64_t passes) \
	{ \
		const ID##_vector v = (ID##_vector){ 0 } + word; \
\
		while (passes--) { \
			volatile ID##_vector *p = to, *end = p + size / (WIDTH); \
\
			for (; end - p >= 4; p += 4) { \
				p[0] = v; \
				p[1] = v; \
				p[2] = v; \
				p[3] = v; \
			} \
			for (; p < end; p++) \
				*p = v; \
		} \
	} \
\
	TARGET static void ID##_copy(void *to, const void *from, uint64_t size, uint64_t passes) \
	{ \
		while (passes--) { \
			const volatile ID##_vector *p = from, *end = p + size / (WIDTH); \
			volatile ID##_vector *q = to; \
\
			for (; end - p >= 4; p += 4, q += 4) { \
				q[0] = p[0]; \
				q[1] = p[1]; \
				q[2] = p[2]; \
				q[3] = p[3]; \
			} \
			for (; p < end; p++, q++) \
				*q = *p; \
		} \
	}

#define ROW(ID, NAME) \
	{ \
		NAME, ID##_sum, ID##_fill, ID##_copy \
	}

/* Vectors of 16 bytes are in every x86-64 and arm64; elsewhere the compiler makes words of them. */
PASSES(base, 16, )

#if defined(__x86_64__)
PASSES(avx2, 32, __attribute__((target("avx2"))))
PASSES(avx512, 64, __attribute__((target("avx512f"))))
#endif

/* Two vectors to p, which is aligned. */
#if defined(__x86_64__)
#define NONTEMPORAL(p, a, b) \
	__asm__ volatile("movntdq %1, (%0)\n\tmovntdq %2, 16(%0)" \
			 : \
			 : "r"(p), "x"(a), "x"(b) \
			 : "memory")
#elif defined(__aarch64__)
#define NONTEMPORAL(p, a, b) \
	__asm__ volatile("stnp %q1, %q2, [%0]" : : "r"(p), "w"(a), "w"(b) : "memory")
#endif

#ifdef NONTEMPORAL
static void fill_nontemporal(void *to, uint64_t size, uint64_t word, uint64_t passes)
{
	const base_vector v = (base_vector){ 0 } + word;

	while (passes--)
		for (base_vector *p = to, *end = p + size / sizeof(v); p < end; p += 2)
			NONTEMPORAL(p, v, v);
	/* They may wait for the rest of their line, and are not in the order of other stores. */
	atomic_thread_fence(memory_order_seq_cst);
}

static void copy_nontemporal(void *to, const void *from, uint64_t size, uint64_t passes)
{
	while (passes--) {
		const volatile base_vector *p = from, *end = p + size / sizeof(*p);

		for (base_vector *q = to; p < end; p += 2, q += 2)
			NONTEMPORAL(q, p[0], p[1]);
	}
	atomic_thread_fence(memory_order_seq_cst);
}

const struct vectors vectors_nontemporal = { .fill = fill_nontemporal, .copy = copy_nontemporal };
#else
const struct vectors vectors_nontemporal;
#endif

const char *vectors_nontemporal_reason(void)
{
	return vectors_nontemporal.fill
		   ? NULL
		   : "stores past the caches are known for x86-64 and arm64 only";
}

const struct vectors *vectors_choose(void)
{
	static const struct vectors all[] = {
#if defined(__x86_64__)
		ROW(base, "SSE2"),
		ROW(avx2, "AVX2"),
		ROW(avx512, "AVX512"),
#elif defined(__aarch64__)
		ROW(base, "NEON"),
#else
		ROW(base, "NOVECTORS"),
#endif
	};
	const struct vectors *widest = all;

#if defined(__x86_64__)
	__builtin_cpu_init();
	widest += __builtin_cpu_supports("avx512f") ? 2 : __builtin_cpu_supports("avx2") ? 1 : 0;
#endif
	bench_flag(widest->name);
	return widest;
}
