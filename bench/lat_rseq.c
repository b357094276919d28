/* SPDX-License-Identifier: MIT */
/*
 * lat_rseq - adding to a counter of the current CPU in a restartable sequence (rseq(2)), without an
 * atomic instruction: what allocators and statistics do whose data are per CPU.
 *
 * The C library has registered the thread where it does so (glibc 2.35); else this program does.  A
 * sequence that the kernel interrupts begins again.
 */
#include <stddef.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/reason.h"
#include "util/xalloc.h"

#if defined(__x86_64__)
#define SIGNATURE 0x53053053 /* before the code for an interrupted sequence */
#define SYSTEM_CALL 334
#elif defined(__aarch64__)
#define SIGNATURE 0xd428bc00
#define SYSTEM_CALL 293
#endif

enum { FEWEST_CPUS = 1024, WORDS = 8 /* of a line */ };

/* As the kernel has it (linux/rseq.h). */
struct area {
	uint32_t cpu_id_start, cpu_id;
	uint64_t sequence;
	uint32_t flags, rest[3];
} __attribute__((aligned(32)));

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

static struct area own, *area;
static uint64_t *counters, cpus, done; /* one to a cache line */

#ifdef SIGNATURE
static char *thread_pointer(void)
{
	char *p;

#if defined(__x86_64__)
	__asm__("movq %%fs:0, %0" : "=r"(p));
#else
	__asm__("mrs %0, tpidr_el0" : "=r"(p));
#endif
	return p;
}

static const char *supported(void)
{
	if (&__rseq_size && __rseq_size)
		area = (struct area *)(void *)(thread_pointer() + __rseq_offset);
	else if (!syscall(SYSTEM_CALL, &own, sizeof(own), 0, SIGNATURE))
		area = &own;
	else
		return reason_errno("rseq");
	return NULL;
}

/* Adds 1 to the counter of the CPU on which it began and ended; false if it was interrupted. */
static inline bool add(void)
{
#if defined(__x86_64__)
	__asm__ goto(".pushsection __rseq_cs, \"aw\"\n"
		     ".balign 32\n"
		     "1: .long 0, 0\n"
		     ".quad 2f, 3f - 2f, 4f\n"
		     ".popsection\n"
		     "leaq 1b(%%rip), %%rax\n"
		     "movq %%rax, 8(%0)\n"
		     "2: movl 4(%0), %%eax\n"
		     "shlq $6, %%rax\n"
		     "incq (%1, %%rax)\n"
		     "3:\n"
		     ".pushsection __rseq_failure, \"ax\"\n"
		     ".byte 0x0f, 0xb9, 0x3d\n"
		     ".long %c2\n"
		     "4: jmp %l[interrupted]\n"
		     ".popsection\n"
		     :
		     : "r"(area), "r"(counters), "i"(SIGNATURE)
		     : "rax", "memory", "cc"
		     : interrupted);
#else
	__asm__ goto(".pushsection __rseq_cs, \"aw\"\n"
		     ".balign 32\n"
		     "1: .long 0, 0\n"
		     ".quad 2f, 3f - 2f, 4f\n"
		     ".popsection\n"
		     "adrp x9, 1b\n"
		     "add x9, x9, :lo12:1b\n"
		     "str x9, [%0, #8]\n"
		     "2: ldr w9, [%0, #4]\n"
		     "add x9, %1, x9, lsl #6\n"
		     "ldr x10, [x9]\n"
		     "add x10, x10, #1\n"
		     "str x10, [x9]\n"
		     "3: b 5f\n"
		     ".inst %c2\n"
		     "4: b %l[interrupted]\n"
		     "5:\n"
		     :
		     : "r"(area), "r"(counters), "i"(SIGNATURE)
		     : "x9", "x10", "memory", "cc"
		     : interrupted);
#endif
	return true;
interrupted:
	return false;
}
#else
static const char *supported(void)
{
	return "restartable sequences are written for x86-64 and arm64 only";
}

static bool add(void)
{
	return false;
}
#endif

static void setup(void)
{
	long configured = sysconf(_SC_NPROCESSORS_CONF);

	cpus = configured > FEWEST_CPUS ? (uint64_t)configured : FEWEST_CPUS;
	counters = xcalloc(cpus * WORDS, sizeof(*counters));
}

static void run(uint64_t n)
{
	done += n;
	while (n)
		n -= add();
}

static const char *check(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < cpus; i++)
		sum += counters[i * WORDS];
	return sum == done ? NULL : "the counters do not add up to the operations";
}

const struct bench bench = {
	.summary = "Counting per CPU in a restartable sequence, without an atomic instruction.",
	.operation = "one addition to a counter of this CPU",
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
};
