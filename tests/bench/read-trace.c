/* SPDX-License-Identifier: MIT */
/*
 * read-trace TRACE...: how fast a trace is read, by processor time: one line per file with its calls,
 * bytes, seconds, millions of calls per second, megabytes per second and the largest resident set.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "trace/source.h"
#include "util/opt.h"

static const struct opt_usage usage = {
	.program = "read-trace", .operands = "TRACE...",
	.summary = "Measures how fast traces are read.",
	.example = "read-trace server.ktr",
};

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void measure(const char *path)
{
	double start = processor_seconds(), seconds;
	uint64_t calls = 0, at, total;
	struct error e;
	struct event event;
	struct rusage usage_now;
	int got;

	struct source *s = source_open(path, &e);
	if (!s)
		errx(1, "%s", e.text);
	while ((got = source_next(s, &event, &e)) == 1)
		calls += event.type == EVENT_SYSCALL;
	if (got < 0)
		errx(1, "%s", e.text);
	source_position(s, &at, &total);
	const struct source_losses *losses = source_losses(s);
	if (losses->torn_bytes || losses->bad_lines)
		warnx("%s: %" PRIu64 " bytes torn, %" PRIu64 " bad lines: %s", path,
		      losses->torn_bytes, losses->bad_lines, losses->first_bad_reason);
	source_close(s);
	seconds = processor_seconds() - start;
	getrusage(RUSAGE_SELF, &usage_now);
	printf("%s\t%" PRIu64 " calls\t%" PRIu64 " bytes\t%.3f s\t%.2f M calls/s\t%.0f MB/s"
	       "\t%ld kB\n", path, calls, at, seconds, (double)calls / seconds * 1e-6,
	       (double)at / seconds * 1e-6, usage_now.ru_maxrss);
}

int main(int argc, char **argv)
{
	int first = opt_parse(argc, argv, &usage, NULL, NULL);

	if (first == argc)
		opt_bad_usage(&usage, "name a trace");
	for (int i = first; i < argc; i++)
		measure(argv[i]);
	return opt_finish(0);
}
