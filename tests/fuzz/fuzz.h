/* SPDX-License-Identifier: MIT */
/*
 * fuzz.h - what every fuzz target shares.
 *
 *	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) { parse(data, n); return 0; }
 *	static const struct fuzz_seed seeds[] = { FUZZ_TEXT("valid input\n"), ... };
 *	FUZZ_MAIN(seeds)
 *
 * Built as usual, the target is a TAP test: it takes the seeds and a fixed series of mutations of
 * them, so that `make check` runs each target a little, always the same way; files named as
 * arguments are fed as they stand.  An input that kills it is left in $TMPDIR and named.  For a
 * real campaign libFuzzer brings main():
 *
 *	make CC=clang O=build-fuzz SAN=address,undefined FUZZ=1 build-fuzz/tests/fuzz/osvec
 *	mkdir corpus; build-fuzz/tests/fuzz/osvec -max_total_time=1800 corpus
 *
 * The seeds are put into the first directory that is named.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <err.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "util/file.h"
#include "util/xalloc.h"

struct fuzz_seed {
	const void *data;
	size_t n;
};

/* A seed from a string literal. */
#define FUZZ_TEXT(s) \
	{ \
		s, sizeof(s) - 1 \
	}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#ifdef FUZZ_LIBFUZZER
int LLVMFuzzerInitialize(int *argc, char ***argv);

#define FUZZ_MAIN(seeds) \
	int LLVMFuzzerInitialize(int *argc, char ***argv) \
	{ \
		return fuzz_give_seeds(*argc, *argv, (seeds), sizeof(seeds) / sizeof(*(seeds))); \
	}

static inline int fuzz_give_seeds(int argc, char **argv, const struct fuzz_seed *seeds, size_t n)
{
	struct error e;
	char path[4096];
	int i = 1;

	while (i < argc && *argv[i] == '-')
		i++;
	snprintf(path, sizeof(path), "%s/.", i < argc ? argv[i] : "");
	if (i == argc || access(path, W_OK) < 0)
		return 0; /* no corpus, or a file to be read once */
	for (size_t k = 0; k < n; k++) {
		snprintf(path, sizeof(path), "%s/seed-%zu", argv[i], k + 1);
		if (file_write(path, seeds[k].data, seeds[k].n, &e) < 0)
			errx(1, "%s", e.text);
	}
	return 0;
}
#else
#define FUZZ_MAIN(seeds) \
	int main(int argc, char **argv) \
	{ \
		return fuzz_main(argc, argv, (seeds), sizeof(seeds) / sizeof(*(seeds))); \
	}

/* A sanitizer makes a mutant up to 25 times as slow. */
#ifdef __SANITIZE_ADDRESS__
enum { FUZZ_MUTANTS = 3000 }; /* per seed */
#else
enum { FUZZ_MUTANTS = 10000 };
#endif
enum {
	FUZZ_GROWTH = 4096, /* bytes a mutant may be longer than its seed */
	FUZZ_SECONDS = 20,  /* of CPU: a target that takes longer for one input hangs */
};

static struct {
	uint64_t random;
	const uint8_t *data; /* the input at hand, for the one that kills */
	size_t n;
	char path[4096]; /* of its copy: a template of mkstemp until then */
} fuzz = { .random = 88172645463325252u };

/* xorshift64 (Marsaglia 2003); below n > 0. */
static inline size_t fuzz_below(size_t n)
{
	fuzz.random ^= fuzz.random << 13;
	fuzz.random ^= fuzz.random >> 7;
	fuzz.random ^= fuzz.random << 17;
	return (size_t)(fuzz.random % n);
}

static inline void fuzz_killed(int signal)
{
	int fd = mkstemp(fuzz.path);

	if (fd >= 0 && write(fd, fuzz.data, fuzz.n) == (ssize_t)fuzz.n)
		dprintf(1, "# the input that did it is in %s\n", fuzz.path);
	raise(signal);
}

static inline void fuzz_one(const uint8_t *data, size_t n)
{
	/* A copy of its own size lets a sanitizer see one byte too many. */
	uint8_t *exact = xmalloc(n);

	memcpy(exact, data, n);
	fuzz.data = exact;
	fuzz.n = n;
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = FUZZ_SECONDS }, NULL);
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
}

/* Changes data[n], which has room for FUZZ_GROWTH more, in one of the usual ways; the new n. */
static inline size_t fuzz_mutate(uint8_t *data, size_t n, size_t limit)
{
	static const char *const words[] = {
		"0",	 "-1",	     "99999999999999999999",
		"1e999", "nan",	     "null",
		"\"",	 "[",	     "]",
		"{",	 "}",	     ",",
		":",	 "\n",	     "\t",
		"#",	 "*",	     "/",
		"../",	 "\xff\xfe", "%s",
		"@",	 "x",
	};
	size_t at = n ? fuzz_below(n) : 0, length = n ? 1 + fuzz_below(n - at) : 0;

	switch (fuzz_below(7)) {
	case 0: /* one bit */
		if (n)
			data[at] ^= (uint8_t)(1u << fuzz_below(8));
		return n;
	case 1: /* one byte, often an extreme */
		if (n)
			data[at] = (uint8_t)(fuzz_below(2) ? fuzz_below(256) : 0u - fuzz_below(2));
		return n;
	case 2: /* the end is missing */ return at;
	case 3: /* a piece is missing */
		memmove(data + at, data + at + length, n - at - length);
		return n - length;
	case 4: /* a piece is there twice */
		if (n + length > limit)
			return n;
		memmove(data + at + length, data + at, n - at);
		return n + length;
	case 5: { /* a word is put in */
		const char *word = words[fuzz_below(sizeof(words) / sizeof(*words))];
		size_t w = strlen(word);

		if (n + w > limit)
			return n;
		memmove(data + at + w, data + at, n - at);
		memcpy(data + at, word, w);
		return n + w;
	}
	default: { /* two pieces change places, byte by byte */
		size_t to = n ? fuzz_below(n) : 0;

		for (size_t i = 0; i < length && to + i < n; i++) {
			uint8_t swap = data[at + i];

			data[at + i] = data[to + i];
			data[to + i] = swap;
		}
		return n;
	}
	}
}

static inline void fuzz_seed_and_mutants(const struct fuzz_seed *seed)
{
	uint8_t *mutant = xmalloc(seed->n + FUZZ_GROWTH);

	fuzz_one(seed->data, seed->n);
	for (int i = 0; i < FUZZ_MUTANTS; i++) {
		size_t n = seed->n;

		memcpy(mutant, seed->data, n);
		for (size_t changes = 1 + fuzz_below(4); changes; changes--)
			n = fuzz_mutate(mutant, n, seed->n + FUZZ_GROWTH);
		fuzz_one(mutant, n);
	}
	free(mutant);
}

static inline int fuzz_main(int argc, char **argv, const struct fuzz_seed *seeds, size_t nseeds)
{
	static const int deadly[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPROF };
	struct sigaction action = { .sa_handler = fuzz_killed, .sa_flags = (int)SA_RESETHAND };
	const char *directory = getenv("TMPDIR");

	snprintf(fuzz.path, sizeof(fuzz.path), "%s/osvec-fuzz-XXXXXX",
		 directory ? directory : "/tmp");
	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		sigaction(deadly[i], &action, NULL);
	for (int i = 1; i < argc; i++) {
		struct error e;
		size_t n;
		char *data = file_read(argv[i], (size_t)1 << 30, &n, &e);

		if (!data) {
			fprintf(stderr, "%s\n", e.text);
			return 1;
		}
		fuzz_one((const uint8_t *)data, n);
		free(data);
	}
	if (argc > 1)
		return 0;
	for (size_t i = 0; i < nseeds; i++) {
		fuzz_seed_and_mutants(&seeds[i]);
		printf("ok %zu - seed %zu and %d mutants of it neither crash nor hang\n", i + 1,
		       i + 1, FUZZ_MUTANTS);
		fflush(stdout);
	}
	printf("1..%zu\n", nseeds);
	return 0;
}
#endif

#endif
