/* SPDX-License-Identifier: MIT */
/* tap.h - the Test Anything Protocol in one header, with the names that TAP libraries share. */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned tap_run, tap_failed;

/* ok(condition, "what holds %d", n): one test. */
#define ok(condition, ...) tap_ok(!!(condition), __FILE__, __LINE__, __VA_ARGS__)
#define pass(...) tap_ok(1, __FILE__, __LINE__, __VA_ARGS__)
#define fail(...) tap_ok(0, __FILE__, __LINE__, __VA_ARGS__)
/* Integers, 64 bits wide. */
#define cmp_int(got, want, ...) \
	tap_cmp_int((int64_t)(got), (int64_t)(want), __FILE__, __LINE__, __VA_ARGS__)
/* Strings; NULL equals NULL. */
#define is_string(got, want, ...) tap_is((got), (want), __FILE__, __LINE__, __VA_ARGS__)
/* Doubles within a relative tolerance (absolute when want is 0); NaN equals NaN. */
#define cmp_near(got, want, tolerance, ...) \
	tap_near((got), (want), (tolerance), __FILE__, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 4, 0))) static inline int tap_vok(int passed, const char *file,
								int line, const char *fmt,
								va_list ap)
{
	printf("%sok %u - ", passed ? "" : "not ", ++tap_run);
	vprintf(fmt, ap);
	putchar('\n');
	if (!passed) {
		tap_failed++;
		printf("#   at %s:%d\n", file, line);
	}
	fflush(stdout);
	return passed;
}

#define TAP_FORWARD(passed) \
	va_list tap_ap; \
	va_start(tap_ap, fmt); \
	int tap_passed = tap_vok((passed), file, line, fmt, tap_ap); \
	va_end(tap_ap)

__attribute__((format(printf, 4, 5))) static inline int tap_ok(int passed, const char *file,
							       int line, const char *fmt, ...)
{
	TAP_FORWARD(passed);
	return tap_passed;
}

__attribute__((format(printf, 5, 6))) static inline int tap_cmp_int(int64_t got, int64_t want,
								    const char *file, int line,
								    const char *fmt, ...)
{
	TAP_FORWARD(got == want);
	if (!tap_passed)
		printf("#   got %" PRId64 ", want %" PRId64 "\n", got, want);
	return tap_passed;
}

__attribute__((format(printf, 5, 6))) static inline int tap_is(const char *got, const char *want,
							       const char *file, int line,
							       const char *fmt, ...)
{
	TAP_FORWARD(got == want || (got && want && !strcmp(got, want)));
	if (!tap_passed)
		printf("#   got '%s', want '%s'\n", got ? got : "(null)", want ? want : "(null)");
	return tap_passed;
}

__attribute__((format(printf, 6, 7))) static inline int tap_near(double got, double want,
								 double tolerance, const char *file,
								 int line, const char *fmt, ...)
{
	double scale = want != 0 ? fabs(want) : 1;

	TAP_FORWARD((isnan(got) && isnan(want)) || got == want ||
		    fabs(got - want) <= tolerance * scale);
	if (!tap_passed)
		printf("#   got %.17g, want %.17g within %g\n", got, want, tolerance);
	return tap_passed;
}

/* skip("reason", n): n tests that cannot run here. */
static inline void skip(const char *why, unsigned n)
{
	while (n--)
		printf("ok %u # SKIP %s\n", ++tap_run, why);
}

static inline void diag(const char *s)
{
	printf("# %s\n", s);
}

/* A whole test program that cannot run here says why and stops. */
static inline _Noreturn void skip_all(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	exit(0);
}

/* The plan is printed last, so a test that dies early is a failure.  Returns the exit status. */
static inline int done_testing(void)
{
	printf("1..%u\n", tap_run);
	return tap_failed != 0;
}

#endif
