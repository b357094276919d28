/* SPDX-License-Identifier: MIT */
/*
 * What ktranal vector reads and writes: an application vector or time file that is read holds
 * counts and times, never a NaN where one must be known; a basis matches any call with sound terms.
 */
#include "vector/appvec.h"
#include "vector/basis.h"
#include "vector/timefile.h"

#include <errno.h>
#include <math.h>

#include "trace/syscalls.h"

#include "../vector_texts.h"
#include "fuzz.h"

#define DEMAND(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

static void check_trace(const struct appvec_trace *t)
{
	DEMAND(t->calls >= 0);
	for (size_t i = 0; i < t->nitems; i++) {
		const struct appvec_item *item = &t->items[i];
		double calls = 0;

		DEMAND(*item->entry && isfinite(item->weight) && item->calls >= 0 &&
		       item->bytes >= 0);
		for (size_t k = 0; k < item->nsizes; k++) {
			DEMAND(item->sizes[k].size >= 0 && item->sizes[k].calls > 0);
			calls += item->sizes[k].calls;
		}
		DEMAND(!item->nsizes || fabs(calls - item->calls) <= 1e-6 * calls);
	}
}

static void check_usage(const struct time_usage *u)
{
	DEMAND(u->user >= 0 && u->system >= 0 && u->voluntary >= 0 && u->involuntary >= 0 &&
	       u->minor_faults >= 0 && u->major_faults >= 0);
}

static void check_run(const struct time_run *r)
{
	check_usage(&r->usage);
	for (size_t i = 0; i < r->nprograms; i++) {
		check_usage(&r->programs[i].usage);
		DEMAND(r->programs[i].program && r->programs[i].end <= TIME_RUNNING);
	}
}

static void check_call(const struct basis *b, const struct event *call)
{
	const struct basis_rule *rule = basis_match(b, call);

	if (!rule)
		return;
	double size = basis_size_of(rule, call);
	DEMAND(rule->nterms && (rule->size == BASIS_NO_SIZE) == isnan(size));
	for (size_t i = 0; i < rule->nterms; i++)
		DEMAND(*rule->terms[i].entry && isfinite(rule->terms[i].weight) &&
		       !(strchr(rule->terms[i].entry, '*') && isnan(size)));
}

static void check_basis(const struct basis *b)
{
	static const char *const names[] = { "read", "openat", "munmap", "fsync", "getpid" };
	static const int64_t results[] = { 4096, 0, -EAGAIN };

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (int kind = 0; kind < FD_KINDS; kind++)
			for (unsigned k = 0; k < sizeof(results) / sizeof(*results); k++) {
				const struct event call = {
					.type = EVENT_SYSCALL,
					.call = { .id = syscall_by_name(names[i]),
						  .result = results[k],
						  .args = { 1, 2, 64 },
						  .kind = (enum fd_kind)kind,
						  .path = "/a/b" },
				};

				check_call(b, &call);
			}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *text = (const char *)data;
	struct error e;
	struct appvec *a = appvec_parse(text, n, "fuzz", &e);
	struct timefile *t = timefile_parse(text, n, "fuzz", &e);
	struct basis *b = basis_parse(text, n, "fuzz", &e);

	DEMAND(!a || (a->ntraces && a->units >= 1));
	for (size_t i = 0; a && i < a->ntraces; i++)
		check_trace(&a->traces[i]);
	DEMAND(!t || t->nruns);
	for (size_t i = 0; t && i < t->nruns; i++)
		check_run(&t->runs[i]);
	if (t && t->calls)
		check_run(t->calls);
	if (b)
		check_basis(b);
	appvec_free(a);
	timefile_free(t);
	basis_free(b);
	return 0;
}

static const struct fuzz_seed seeds[] = {
	FUZZ_TEXT(APPVEC_TEXT),
	FUZZ_TEXT(TIMEFILE_TEXT),
	FUZZ_TEXT(BASIS_TEXT),
	FUZZ_TEXT("@null a\n* - -> b\n"),
};

FUZZ_MAIN(seeds)
