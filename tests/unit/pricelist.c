/* SPDX-License-Identifier: MIT */
/* Tests of lib/model/pricelist: it says what lib/model/prediction says, machine by machine. */
#include "model/pricelist.h"

#include <math.h>
#include <string.h>

#include "../tap.h"
#include "model/prediction.h"
#include "stats/random.h"
#include "util/xalloc.h"

enum { MACHINES = 300, TRACES = 2 };

static struct random chance;

static double among(double low, double high)
{
	return low + (high - low) * (double)random_below(&chance, 1000) / 1000;
}

static void add(struct osvec *v, const char *name, const char *curve, double size, double footprint,
		double seconds)
{
	const bool few = random_below(&chance, 4) > 0;

	osvec_add(v, (struct osvec_entry){ .name = xstrdup(name),
					   .curve = curve ? xstrdup(curve) : NULL,
					   .size = size,
					   .bytes = strstr(name, "_bytes_") ? size : 0,
					   .footprint = footprint,
					   .seconds = seconds,
					   .low = seconds,
					   .high = seconds,
					   .error = 0.01,
					   .n = 20,
					   .cpu = seconds * (few ? 1 : 0.5),
					   .switches = few ? 0 : among(0, 0.5),
					   .faults = few ? 0 : among(0, 0.2) });
}

/* A curve over some of the sizes, or from 0 over all of them; costs may fall. */
static void add_curve(struct osvec *v, const char *name, bool zero)
{
	static const double sizes[] = { 0, 1, 128, 4096, 65536, 1 << 20 };
	char *curve = xasprintf("%s*", name);

	for (size_t i = !zero; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char *entry = xasprintf("%s%.0f", name, sizes[i]);

		if (zero || random_below(&chance, 3))
			add(v, entry, curve, sizes[i], NAN,
			    among(1, 2) * (1 + sizes[i] / 8192) * 1e-6);
		free(entry);
	}
	free(curve);
}

/* Points of a curve at those sizes, whose cost grows by a factor from the first to the last one,
 * and the oftener switches the larger they are. */
static void add_points(struct osvec *v, const char *name, const double *sizes, size_t n,
		       double grows)
{
	for (size_t i = 0; i < n; i++) {
		const double seconds = 1e-6 * (1 + (grows - 1) * (double)i / (double)(n - 1));

		osvec_add(v, (struct osvec_entry){ .name = xasprintf("%s%.0f", name, sizes[i]),
						   .curve = xasprintf("%s*", name),
						   .size = sizes[i],
						   .bytes = sizes[i],
						   .seconds = seconds,
						   .low = seconds,
						   .high = seconds,
						   .switches = 0.2 * (double)i });
	}
}

/* A steep curve, and some of one height, but that every seventh machine did not measure the largest
 * size, so that its cost is a line up to that, but for machine 0, on which it goes on as on the
 * next one; and machine 8 nothing between size 0 and the largest. */
static void add_others(struct osvec *v, size_t machine)
{
	static const double sizes[] = { 1, 4096, 65536 }, few[] = { 0, 65536 };

	add_points(v, "lat_steep_", sizes, 3, 16);
	add_points(v, "lat_flat_", sizes, 3, 1);
	add_points(v, "lat_line_", sizes, machine % 7 ? 3 : 2, machine % 7 ? 1 : 1.1);
	if (machine == 8)
		add_points(v, "lat_zero_", few, 2, 3);
	else
		add_points(v, "lat_zero_", sizes, 3, 1);
}

/* Most have most entries, at one of several footprints; all have the null call. */
static struct osvec *machine(size_t i)
{
	static const char *const entries[] = { "cpu_code",    "cpu_int",       "lat_ctx",
					       "lat_fault",   "lat_fsync",     "lat_fsync-cpu_1",
					       "lat_fsync_1", "lat_path_stat", "lat_sig_x@same" };
	static const double footprints[] = { 65536, 262144, 4194304 };
	char *name = xasprintf("m%zu", i);
	struct osvec *v = osvec_new(name);

	json_object_set_new(v->meta, "environment",
			    json_pack("{s:s, s:s, s:s}", "host.name", "h", "kernel.release", "6",
				      "cpu.model", i % 2 ? "a" : "b"));
	free(v->path);
	v->path = name;
	add(v, "lat_syscall_getppid", NULL, NAN, NAN, among(1, 3) * 1e-7);
	for (size_t k = 0; k < sizeof(entries) / sizeof(*entries); k++)
		if (!i || random_below(&chance, 5))
			add(v, entries[k], NULL, NAN, NAN, among(1, 2) * 1e-6);
	for (size_t k = 0; k < 3; k++)
		if (random_below(&chance, 2)) {
			char *after = xasprintf("lat_syscall_getppid@after=%.0f", footprints[k]);

			add(v, after, NULL, NAN, footprints[k], among(2, 9) * 1e-7);
			free(after);
		}
	add_curve(v, "lat_bytes_", false);
	add_curve(v, "lat_read_", true);
	add_others(v, i);
	osvec_finish(v, NULL);
	return v;
}

#define ITEM(entry, weight, part, calls, more) \
	"{\"entry\": \"" entry "\", \"weight\": " weight ", \"part\": \"" part \
	"\", \"calls\": " calls ", \"bytes\": 0" more "}"
/* clang-format off */
#define TRACE(asleep, calls, sizes) \
	"{\"processes\": 1, \"threads\": 1, \"lost\": 0, \"unfinished\": 0, \"calls\": 100, " \
	"\"mapped_calls\": 90, \"asleep\": " asleep ", \"items\": [" \
	ITEM("lat_bytes_*", "1", "kernel", "30", sizes) "," \
	ITEM("lat_read_*", "2", "kernel", "30", sizes) "," \
	ITEM("lat_path_stat", "1", "kernel", calls, "") "," \
	ITEM("lat_path_stat", "-0.5", "kernel", "5", "") "," \
	ITEM("lat_sig_x", "1", "kernel", "3", "") "," \
	ITEM("lat_fsync-cpu_1", "1", "kernel", "2", "") "," \
	ITEM("lat_fsync_1", "1", "wait", "2", "") "," \
	ITEM("lat_fsync-cpu_1", "-1", "wait", "2", "") "," \
	ITEM("lat_nobody", "1", "kernel", "4", "") "," \
	ITEM("cpu_code", "1", "user", "3", "") "," \
	ITEM("lat_nobody_*", "1", "kernel", "30", sizes) "," \
	ITEM("lat_syscall_getppid", "1", "kernel", "10", ", \"fallback\": true") "]}"

static const char text[] =
	"{\"schema\": \"osvec-application/1\", \"name\": \"app\", \"units\": 1, "
	"\"user_entries\": [\"cpu_int\", \"cpu_code\"], "
	"\"switch_entry\": \"lat_ctx\", \"fault_entry\": \"lat_fault\", \"traces\": ["
	TRACE("3e-4", "20", ", \"sizes\": [[0.5, 5], [1, 5], [100, 5], [5000, 5], [90000, 5], [3e6, 5]]") ","
	TRACE("0", "9", ", \"sizes\": [[64, 10], [4096, 10], [700000, 10]]") "], "
	"\"runs\": ["
	"{\"user\": 1e-4, \"system\": 1e-3, \"voluntary\": 30, \"involuntary\": 1, \"minor_faults\": 2}, "
	"{\"user\": 2e-4, \"system\": 1e-3, \"voluntary\": 20, \"involuntary\": 1, \"minor_faults\": 30}, "
	"{\"user\": 2e-4, \"system\": 1e-3, \"voluntary\": 0, \"involuntary\": 0, \"minor_faults\": 0}]}";
#define CURVE(name) \
	"{\"schema\": \"osvec-application/1\", \"name\": \"app\", \"units\": 1, " \
	"\"switch_entry\": \"lat_ctx\", \"runs\": [{\"user\": 0, \"voluntary\": 20}], " \
	"\"traces\": [{\"processes\": 1, \"threads\": 1, \"lost\": 0, \"unfinished\": 0, \"calls\": 40, " \
	"\"mapped_calls\": 40, \"items\": [" ITEM(name, "1", "kernel", "40", \
	", \"sizes\": [[0.5, 5], [7, 5], [100, 10], [5000, 10], [9000, 5], [3e6, 5]]") "]}]}"
/* clang-format on */

/* The largest difference from the predictions, relative to their totals. */
static double compare(const struct demand *d, const struct osvec *const *v,
		      const struct osvec *reference, double footprint)
{
	const struct lenders lenders = { v, MACHINES };
	struct pricelist *l = pricelist_new(v, MACHINES, reference, lenders, d->null_entry);
	struct host hosts[MACHINES];
	struct pricelist_times t;
	double most = 0;

	hosts_find(v, MACHINES, d->application->user_entries, d->application->nuser_entries, hosts);
	pricelist_add(l, d, 0);
	pricelist_add(l, d, footprint);
	pricelist_fill(l);
	for (size_t i = 0; i < MACHINES; i++) {
		struct error e;
		struct prediction *p = prediction_new(d, v[i], reference, footprint, lenders, &e);
		const size_t at = i % PRICETABLE_BLOCK;

		if (!at)
			pricelist_times(l, 1, i / PRICETABLE_BLOCK, &t);
		if (!p) {
			fail("%s", e.text);
			continue;
		}
		most = fmax(most, fabs(p->kernel - t.kernel[at]) / p->total);
		most = fmax(most, fabs(p->user - t.user[at]) / p->total);
		most = fmax(most, fabs(p->wait - t.wait[at]) / p->total);
		most = fmax(most, fabs(hosts[i].factor - t.host[at]));
		prediction_free(p);
	}
	pricelist_free(l);
	return most;
}

/* An application that makes calls of one curve alone. */
static void test_curve(const char *name, const char *all, double most, const struct osvec *const *v)
{
	struct error e;
	struct appvec *a = appvec_parse(all, strlen(all), name, &e);

	if (!ok(a != NULL, "%s %s", name, a ? "" : e.text))
		return;
	struct demand *d = demand_new(a);
	const double off = compare(d, v, NULL, 0);
	ok(off < most, "calls of %s alone, off by %g", name, off);
	demand_free(d);
	appvec_free(a);
}

int main(void)
{
	const struct osvec *v[MACHINES];
	struct error e;

	random_seed(&chance, 1);
	for (size_t i = 0; i < MACHINES; i++)
		v[i] = machine(i);
	struct appvec *a = appvec_parse(text, strlen(text), "app", &e);
	if (!ok(a != NULL, "an application %s", a ? "" : e.text))
		return done_testing();
	struct demand *d = demand_new(a);
	static const double footprints[] = { 0, 16384, 40000, 262144, 1e6, 1e8 };
	for (size_t i = 0; i < sizeof(footprints) / sizeof(*footprints); i++) {
		const double off = compare(d, v, v[0], footprints[i]);

		ok(off < 1e-5, "after %.0f bytes, off by %g", footprints[i], off);
	}
	ok(compare(d, v, NULL, 0) < 1e-5, "without a reference");
	for (size_t i = 0; i < d->items.n; i++)
		d->items.v[i].insitu = d->items.v[i].kind == LINE_WAIT ? 3 : 1; /* or split below */
	demand_split_user(d, v[0]);
	ok(compare(d, v, v[0], 0) < 1e-5, "with waits as they were traced, and user time of calls");
	test_curve("lat_bytes_*", CURVE("lat_bytes_*"), 1e-5, v);
	test_curve("lat_steep_*", CURVE("lat_steep_*"), 1e-5, v);
	test_curve("lat_flat_*", CURVE("lat_flat_*"), 1e-5, v);
	test_curve("lat_line_*", CURVE("lat_line_*"), 1e-5, v);
	test_curve("lat_zero_*", CURVE("lat_zero_*"), 1e-5, v);
	demand_free(d);
	appvec_free(a);
	for (size_t i = 0; i < MACHINES; i++)
		osvec_free((struct osvec *)v[i]);
	return done_testing();
}
