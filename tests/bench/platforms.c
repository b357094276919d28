/* SPDX-License-Identifier: MIT */
/*
 * platforms N DIR - writes the vectors of N invented machines, DIR/0001.json and so on, as large as
 * those that hbench writes (150 entries), and DIR/app.json, an application that uses sixty of the
 * entries, eight of them curves.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>

#include "stats/random.h"
#include "util/file.h"
#include "util/number.h"
#include "util/xalloc.h"
#include "vector/appvec.h"
#include "vector/osvec.h"

enum { SINGLES = 70, CURVES = 8, POINTS = 10, RUNS = 5, USED = 52 };

static const char *const user_entries[] = { "cpu_int", "cpu_branch", "cpu_hash" };

enum { USER_ENTRIES = sizeof(user_entries) / sizeof(*user_entries) };

/* Adds an entry, which takes name, measured to about 1 % in 15 processes. */
static struct osvec_entry *add_entry(struct osvec *v, char *name, double seconds)
{
	return osvec_add(v, (struct osvec_entry){
				.name = name,
				.seconds = seconds,
				.error = 0.0025,
				.n = 15,
				.low = seconds * 0.995,
				.high = seconds * 1.005,
				.mean = seconds * 1.001,
			    });
}

static void add_curve(struct osvec *v, unsigned number, double seconds)
{
	for (unsigned i = 0; i < POINTS; i++) {
		unsigned size = 1u << (2 * i);
		struct osvec_entry *e = add_entry(v, xasprintf("lat_curve%u_%u", number, size),
						  seconds * (1 + size / 4096.0));

		e->curve = xasprintf("lat_curve%u_*", number);
		e->size = e->bytes = size;
	}
}

static void write_platform(const char *directory, unsigned number)
{
	char *name = xasprintf("platform%04u", number);
	char *path = xasprintf("%s/%04u.json", directory, number);
	struct osvec *v = osvec_new(name);
	struct random r;
	struct error e;

	random_seed(&r, number);
	double speed = exp(0.3 * random_normal(&r));
	for (unsigned i = 0; i < SINGLES; i++)
		add_entry(v, xasprintf("lat_call%u", i),
			  1e-7 * (i + 1) * speed * exp(0.1 * random_normal(&r)));
	for (unsigned i = 0; i < CURVES; i++)
		add_curve(v, i, 1e-6 * speed * exp(0.1 * random_normal(&r)));
	for (size_t i = 0; i < USER_ENTRIES; i++)
		add_entry(v, xstrdup(user_entries[i]), 1e-9 * speed);
	if (osvec_finish(v, &e) || osvec_write(v, path, &e))
		errx(1, "%s", e.text);
	osvec_free(v);
	free(path);
	free(name);
}

static struct appvec_item make_item(struct random *r, unsigned i)
{
	struct appvec_item item = {
		.weight = 1,
		.part = PART_KERNEL,
		.calls = 1000 + (double)random_below(r, 100),
		.from = xstrdup("read"),
	};

	item.time = item.calls * 1e-6;
	if (i >= USED) {
		item.entry = xasprintf("lat_curve%u_*", i - USED);
		item.nsizes = 4;
		item.sizes = xcalloc(item.nsizes, sizeof(*item.sizes));
		for (size_t k = 0; k < item.nsizes; k++) {
			item.sizes[k] = (struct appvec_size){ 100 << 2 * k, item.calls / 4 };
			item.bytes += item.sizes[k].size * item.sizes[k].calls;
		}
	} else {
		item.entry = xasprintf("lat_call%u", i);
	}
	return item;
}

static void add_run(struct appvec_trace *trace, struct appvec_run *run, struct random *r)
{
	*run = (struct appvec_run){ .user = 0.05, .system = 0.1, .wall = 0.2 };
	*trace = (struct appvec_trace){
		.trace = xstrdup("generated.ktr"),
		.processes = 1,
		.threads = 1,
		.nitems = USED + CURVES,
		.items = xcalloc(USED + CURVES, sizeof(*trace->items)),
	};
	for (unsigned i = 0; i < trace->nitems; i++) {
		trace->items[i] = make_item(r, i);
		trace->calls += trace->items[i].calls;
		trace->call_time += trace->items[i].time;
	}
	trace->mapped_calls = trace->calls;
	trace->mapped_time = trace->call_time;
}

static void write_application(const char *directory)
{
	char *path = xasprintf("%s/app.json", directory);
	struct appvec *a = appvec_new("generated");
	struct random r;
	struct error e;

	random_seed(&r, 0);
	a->nuser_entries = USER_ENTRIES;
	a->user_entries = xcalloc(USER_ENTRIES, sizeof(*a->user_entries));
	for (size_t i = 0; i < USER_ENTRIES; i++)
		a->user_entries[i] = xstrdup(user_entries[i]);
	a->ntraces = a->nruns = RUNS;
	a->traces = xcalloc(RUNS, sizeof(*a->traces));
	a->runs = xcalloc(RUNS, sizeof(*a->runs));
	for (size_t i = 0; i < RUNS; i++)
		add_run(&a->traces[i], &a->runs[i], &r);
	if (appvec_write(a, path, &e))
		errx(1, "%s", e.text);
	appvec_free(a);
	free(path);
}

int main(int argc, char **argv)
{
	struct error e;
	uint64_t n;

	if (argc != 3 || !number_parse_u64(argv[1], &n) || n > 9999) {
		fprintf(stderr, "usage: platforms N DIR\n");
		return 2;
	}
	if (file_make_directory(argv[2], &e))
		errx(1, "%s", e.text);
	write_application(argv[2]);
	for (unsigned i = 1; i <= n; i++)
		write_platform(argv[2], i);
	return 0;
}
