/* SPDX-License-Identifier: MIT */
/* Predictions by parts, levels of memory, and what moved with what: all with known answers. */
#include "stats/distribution.h"
#include "stats/random.h"
#include "util/number.h"
#include "util/vec.h"

#include "../../driver/decomposition.c"
#include "../../driver/hierarchy.c"
#include "../../driver/movement.c"

#include "../tap.h"

#define MARGIN 1.1

/* An entry measured n times with a standard error; a size puts it on the curve that has '*' in
 * place of it. */
static void add(struct osvec *v, const char *name, double seconds, double error, size_t n,
		const char *size)
{
	struct osvec_entry x = { .name = xstrdup(name),
				 .seconds = seconds,
				 .low = seconds,
				 .high = seconds,
				 .error = error,
				 .n = n,
				 .mean = seconds };
	const char *at = size ? strstr(name, size) : NULL;
	uint64_t bytes = 0;

	if (at && number_parse_size(size, &bytes))
		x.curve = xasprintf("%.*s*%s", (int)(at - name), name, at + strlen(size));
	x.size = (double)bytes;
	x.bytes = strncmp(name, "bw_", 3) ? 0 : (double)bytes;
	osvec_add(v, x);
}

static void finish(struct osvec *v)
{
	struct error e;

	v->correlation = 0;
	if (osvec_finish(v, &e))
		fail("%s", e.text);
}

/* -- the rules of the program ------------------------------------------------------------------ */

/* Costs that no two sums of a few have in common. */
static const struct {
	const char *name, *size;
	double seconds, faults;
} costs[] = {
	{ "bw_mem_rd_4k", "4k", 1.3e-7, 0 },
	{ "bw_mem_rd_16k", "16k", 6.1e-7, 0 },
	{ "bw_mem_rd_64k", "64k", 2.9e-6, 0 },
	{ "bw_mem_rd_512k", "512k", 2.7e-5, 0 },
	{ "bw_mem_rd_1m", "1m", 6.7e-5, 0 },
	{ "bw_mem_rd_4m", "4m", 3.1e-4, 0 },
	{ "bw_mem_rd_64m", "64m", 1.37e-2, 0 },
	{ "bw_mem_wr_4k", "4k", 1.7e-7, 0 },
	{ "bw_mem_wr_64k", "64k", 4.3e-6, 0 },
	{ "bw_mem_wr_4m", "4m", 4.7e-4, 0 },
	{ "bw_mem_wr_64m", "64m", 2.17e-2, 0 },
	{ "bw_mem_cp_4k_libc_aligned", "4k", 5.3e-8, 0 },
	{ "bw_mem_cp_64k_libc_aligned", "64k", 2.3e-6, 0 },
	{ "bw_mem_cp_1m_libc_aligned", "1m", 7.9e-5, 0 },
	{ "bw_bzero_4k", "4k", 3.7e-8, 0 },
	{ "lat_mem_rd_64m_random_2m", NULL, 1.51e-7, 0 },
	{ "lat_mem_rd_64m_random_4k", NULL, 1.97e-7, 0 },
	{ "bw_file_read_1", "1", 2.11e-7, 0 },
	{ "bw_file_read_64k", "64k", 5.9e-6, 0 },
	{ "bw_file_write_1", "1", 3.13e-7, 0 },
	{ "bw_file_write_64k", "64k", 6.7e-6, 0 },
	{ "bw_file_read_4k", "4k", 4.9e-7, 0 },
	{ "lat_pagefault_anon-free", NULL, 1.09e-6, 0 },
	{ "lat_pages_munmap_4k_0", NULL, 5.9e-7, 0 },
	{ "lat_fork_1m", NULL, 1.13e-4, 0 },
	{ "lat_exec_0", NULL, 5.3e-4, 110 },
	{ "lat_sync_mutex_0", NULL, 1.7e-8, 0 },
	{ "lat_mmap_64k", "64k", 3.37e-6, 0 },
	{ "lat_pagefault_file", NULL, 1.79e-6, 0 },
	{ "lat_pagefault_anon", NULL, 9.7e-7, 0 },
	{ "lat_pagefault_cow", NULL, 1.43e-6, 0 },
	{ "lat_send_pipe_1", NULL, 7.1e-7, 0 },
	{ "lat_send_tcp_64k", NULL, 1.91e-5, 0 },
	{ "lat_recv_pipe_1", NULL, 8.3e-7, 0 },
	{ "lat_syscall_getppid", NULL, 1.67e-7, 0 },
	{ "lat_syscall_gettimeofday", NULL, 2.39e-7, 0 },
	{ "lat_syscall_fstat", NULL, 2.77e-7, 0 },
	{ "lat_thread", NULL, 1.83e-5, 0 },
	{ "lat_path_open_1", NULL, 9.1e-7, 0 },
	{ "lat_mprotect_4k", NULL, 6.1e-7, 0 },
	{ "lat_proc_null_static", NULL, 2.03e-4, 40 },
	{ "lat_proc_simple_static", NULL, 2.57e-4, 47 },
	{ "lat_proc_simple_dynamic", NULL, 7.93e-4, 131 },
	{ "lat_ctx_shared_64k_8", NULL, 3.41e-6, 0 },
	{ "lat_ctx_shared_0_2", NULL, 1.73e-6, 0 },
	{ "lat_futex_wake", NULL, 2.19e-7, 0 },
	{ "lat_roundtrip_pipe_1", NULL, 5.03e-6, 0 },
};

static double cost(const char *name)
{
	for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++)
		if (!strcmp(costs[i].name, name))
			return costs[i].seconds;
	fail("no cost of %s", name);
	return NAN;
}

/* What each rule predicts, written a second time. */
static void predict_all(void (*expect)(const char *rule, const char *at, const char *measured,
				       double predicted))
{
	double copy = cost("bw_mem_cp_64k_libc_aligned"), floor = cost("lat_syscall_getppid");
	double null = cost("lat_proc_null_static"), simple = cost("lat_proc_simple_static");
	double dynamic = cost("lat_proc_simple_dynamic"), cow = cost("lat_pagefault_cow");
	double far_read = cost("bw_mem_rd_4m") / 64 - cost("bw_mem_rd_64k");
	double far_write = cost("bw_mem_wr_4m") / 64 - cost("bw_mem_wr_64k");
	double pipe = cost("lat_send_pipe_1") + cost("lat_recv_pipe_1");

	expect("memory write", "64m", "bw_mem_wr_64m", 2 * cost("bw_mem_rd_64m"));
	/* Half the harmonic mean of two bandwidths. */
	expect("memory copy", "64k", "bw_mem_cp_64k_libc_aligned",
	       65536 /
		   (0.5 * 2 /
		    (1 / (65536 / cost("bw_mem_rd_64k")) + 1 / (65536 / cost("bw_mem_wr_64k")))));
	expect("page walks", "64m", "lat_mem_rd_64m_random_4k", cost("lat_mem_rd_64m_random_2m"));
	expect("ascending loads", "64m", "lat_mem_rd_64m_stride_4k",
	       cost("lat_mem_rd_64m_random_4k"));
	expect("file read", "64k", "bw_file_read_64k", cost("bw_file_read_1") + copy + far_read);
	expect("file write", "64k", "bw_file_write_64k",
	       cost("bw_file_write_1") + copy + far_write);
	expect("mapped file", "64k", "bw_mmap_rd_64k",
	       cost("lat_mmap_64k") + 3 * cost("lat_pagefault_file") + cost("bw_mem_rd_64k"));
	expect("memory mapped and touched", "64k", "lat_pages_touch_64k_0",
	       cost("lat_mmap_64k") + 3 * cost("lat_pagefault_anon-free"));
	expect("unmapping beside a thread", "4k", "lat_pages_munmap_4k_1",
	       cost("lat_pages_munmap_4k_0"));
	expect("file copied in the kernel", "splice", "bw_copy_splice_64k",
	       cost("bw_file_read_64k") + cost("bw_file_write_64k"));
	expect("file not in the page cache", "random", "bw_file_cold_random_4k",
	       cost("bw_file_read_4k"));
	expect("fork of a large process", "64m", "lat_fork_64m",
	       cost("lat_fork_1m") + copy / 65536 * 8 * (63 << 20) / 4096);
	expect("waking a process elsewhere", "futex", "lat_wake_futex", cost("lat_futex_wake"));
	expect("lock with one rival", "mutex", "lat_sync_mutex_1", 2 * cost("lat_sync_mutex_0"));
	expect("TCP stream", "64k", "bw_stream_tcp_64k", 3 * copy);
	expect("pipe and socket stream", "unix/1m", "bw_stream_unix_1m",
	       2 * cost("bw_mem_cp_1m_libc_aligned"));
	expect("sending 64k", "pipe", "lat_send_pipe_64k", cost("lat_send_pipe_1") + copy);
	expect("receiving 64k", "pipe", "lat_recv_pipe_64k", cost("lat_recv_pipe_1") + copy);
	expect("sendfile", "64k", "lat_sendfile_64k",
	       cost("bw_file_read_64k") + cost("lat_send_tcp_64k"));
	expect("system call", "fstat", "lat_syscall_fstat", floor);
	expect("reading the clock", "monotonic", "lat_clock_monotonic",
	       cost("lat_syscall_gettimeofday"));
	expect("signal handler", "", "lat_sig_handle", floor);
	expect("signal installation", "", "lat_sig_install", floor);
	expect("page fault", "anon", "lat_pagefault_anon", floor + cost("bw_bzero_4k"));
	expect("page copied on write", "cow", "lat_pagefault_cow",
	       cost("lat_pagefault_anon") - cost("bw_bzero_4k") +
		   cost("bw_mem_cp_4k_libc_aligned"));
	expect("fork and exit", "", "lat_proc_null_static", cost("lat_thread") + 40 * cow);
	expect("exec of a static program", "", "lat_proc_simple_static",
	       null + cost("lat_path_open_1") + 7 * cost("lat_pagefault_anon"));
	expect("dynamic program", "", "lat_proc_simple_dynamic",
	       simple + 2 * cost("lat_path_open_1") + 8 * cost("lat_mmap_64k") +
		   3 * cost("lat_mprotect_4k") + 12 * cost("lat_syscall_fstat") + 84 * cow);
	expect("30 shared libraries", "", "lat_exec_30",
	       cost("lat_exec_0") + 30 * cost("lat_path_open_1") + 120 * cost("lat_mmap_64k") +
		   30 * cost("lat_mprotect_4k") + 60 * cost("lat_syscall_fstat") + 250 * cow);
	expect("system call under a filter", "256", "lat_seccomp_256_argument", floor);
	expect("program run by a shell", "static", "lat_proc_sh_static", dynamic + simple);
	expect("start without copying", "vfork", "lat_proc_vfork_static", simple);
	expect("refill after a switch", "64k/8", "lat_ctx_private_64k_8",
	       cost("lat_ctx_shared_64k_8") + cost("bw_mem_rd_512k") / 8 - cost("bw_mem_rd_64k"));
	expect("futex handover", "", "lat_futex_pingpong",
	       2 * (cost("lat_ctx_shared_0_2") + cost("lat_futex_wake") + floor));
	expect("round trip", "pipe", "lat_roundtrip_pipe_1",
	       2 * (pipe + cost("lat_ctx_shared_0_2")));
	expect("wakeup across CPUs", "pipe", "lat_roundtrip_pipe_1@apart",
	       cost("lat_roundtrip_pipe_1"));
	expect("two copies at once", "getppid", "lat_syscall_getppidx2", floor);
}

enum { RULES = 64 };

static bool covered[RULES]; /* by the number of the rule */

/* All costs, with measured taking so many seconds. */
static struct osvec *vector_of(const char *measured, double seconds)
{
	struct osvec *v = osvec_new("m");

	for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++)
		if (strcmp(costs[i].name, measured)) {
			add(v, costs[i].name, costs[i].seconds, 0.01, 20, costs[i].size);
			v->entries[v->n - 1].faults = costs[i].faults;
		}
	add(v, measured, seconds, 0.01, 20, NULL);
	for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++)
		if (!strcmp(costs[i].name, measured))
			v->entries[v->n - 1].faults = costs[i].faults;
	if (!strcmp(measured, "lat_exec_30"))
		v->entries[v->n - 1].faults = 360;
	if (!strncmp(measured, "bw_mmap", 7) || !strncmp(measured, "lat_pages_touch", 15))
		v->entries[v->n - 1].faults = 3;
	finish(v);
	return v;
}

static const struct finding *find(const struct findings *all, const char *rule, const char *at)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->v[i].rule->name, rule) && !strcmp(all->v[i].at, at))
			return &all->v[i];
	return NULL;
}

/* A deviation of 1.5, and of 1 / 1.5, is found as such. */
static void expect(const char *rule, const char *at, const char *measured, double predicted)
{
	static const struct {
		double planted;
		enum verdict verdict;
	} cases[] = { { 1.5, VERDICT_SLOWER }, { 1 / 1.5, VERDICT_FASTER }, { 1, VERDICT_AGREES } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct osvec *v = vector_of(measured, cases[i].planted * predicted);
		struct findings all = decompose(v, decomposition_rules, MARGIN);
		const struct finding *f = find(&all, rule, at);

		if (ok(f, "there is a rule '%s' at '%s'", rule, at)) {
			is_string(f->missing, NULL, "%s %s: nothing is missing", rule, at);
			cmp_near(f->predicted, predicted, 1e-9, "%s %s: predicted", rule, at);
			cmp_near(f->ratio.centre, cases[i].planted, 1e-9, "%s %s: the ratio", rule,
				 at);
			cmp_int(f->verdict, cases[i].verdict, "%s %s: the verdict", rule, at);
			covered[(f->rule - decomposition_rules) % RULES] = true;
		}
		findings_free(&all);
		osvec_free(v);
	}
}

static void test_rules(void)
{
	static const char mixtures[] = "mix_"; /* analyze.t asks their programs */

	predict_all(expect);
	for (size_t i = 0; decomposition_rules[i].name; i++)
		if (strncmp(decomposition_rules[i].measured, mixtures, strlen(mixtures)))
			ok(i < RULES && covered[i], "the rule '%s' is tested",
			   decomposition_rules[i].name);
}

/* -- one rule ---------------------------------------------------------------------------------- */

static const struct rule sums[] = {
	{ "sum",
	  NULL,
	  "whole",
	  { { 2, "a", "first", 0, 0 }, { 1, "b", "second", 0, 0 } },
	  "",
	  0,
	  0,
	  0,
	  0 },
	{ "self",
	  NULL,
	  "whole",
	  { { 1, "whole", "first", 0, 0 }, { 1, "b", "second", 0, 0 } },
	  "",
	  0,
	  0,
	  0,
	  0 },
	{ "curve", "48k", "whole", { { 1, "bw_c_$1_x", "first", "12k", 0 } }, "", 0, 0, 0, 0 },
	{ "far", "1m", "whole", { { 1, "bw_c_$1_x", "first", 0, 0 } }, "", 0, 0, 0, 0 },
	{ "negative",
	  NULL,
	  "b",
	  { { 1, "a", "first", 0, 0 }, { -9, "b", "second", 0, 0 } },
	  "",
	  0,
	  0,
	  0,
	  0 },
	{ "gap", "256k", "whole", { { 1, "bw_d_$1", "first", 0, 0 } }, "", 0, 0, 0, 0 },
	{ "faults", NULL, "whole", { { 1, "a", "first", 0, "b" } }, "", 0, 0, 0, 0 },
	{ 0 },
};

static struct osvec *parts(double whole)
{
	struct osvec *v = osvec_new("m");

	add(v, "whole", whole, 0.04, 16, NULL);
	add(v, "a", 3, 0.03, 31, NULL);
	add(v, "b", 4, 0.05, 61, NULL);
	add(v, "bw_c_32k_x", 2, 0.02, 20, "32k");
	add(v, "bw_c_64k_x", 8, 0.03, 20, "64k");
	add(v, "bw_d_128k", 2, 0.02, 20, "128k");
	add(v, "bw_d_1m", 8, 0.02, 20, "1m");
	finish(v);
	return v;
}

/* The interval is as wide as ratios drawn with the entries' errors are. */
static void test_interval(void)
{
	struct osvec *v = parts(20);
	struct findings all = decompose(v, sums, MARGIN);
	const struct finding *f = &all.v[0];
	double width = log(f->ratio.high / f->ratio.low) / 2, sum = 0, squares = 0;
	struct random r;
	enum { DRAWS = 20000 };

	random_seed(&r, 1);
	for (int i = 0; i < DRAWS; i++) {
		double whole = 20 * exp(0.04 * random_normal(&r));
		double predicted = 2 * 3 * exp(0.03 * random_normal(&r));
		double x = log(whole / (predicted + 4 * exp(0.05 * random_normal(&r))));

		sum += x;
		squares += x * x;
	}
	double sd = sqrt(squares / DRAWS - sum / DRAWS * (sum / DRAWS));
	cmp_near(f->ratio.centre, 2, 1e-12, "2 a + b is half of the whole");
	cmp_near(width, sd * distribution_student_quantile(0.975, 15), 0.03,
		 "the interval's width is that of drawn costs, by Student's t of 16 processes");
	cmp_near(f->parts[0].seconds, 6, 1e-12, "the first part");
	cmp_near(f->parts[1].seconds, 4, 1e-12, "the second part");
	/* d log(w / (w + b)): of w by 1 - w / (w + b), of b by the same, negative. */
	cmp_near(log(all.v[1].ratio.high / all.v[1].ratio.centre),
		 (1 - 20.0 / 24) * hypot(0.04, 0.05) * distribution_student_quantile(0.975, 15),
		 1e-9, "the errors of an entry on both sides cancel as far as they do");
	findings_free(&all);

	v->correlation = 0.9;
	all = decompose(v, sums, MARGIN);
	cmp_near(log(all.v[0].ratio.high / all.v[0].ratio.low) / 2, width, 1e-9,
		 "a correlation that would make the interval narrower is not believed");
	findings_free(&all);
	osvec_free(v);
}

static void test_verdicts(void)
{
	static const struct {
		double centre, low, high;
		enum verdict verdict;
	} cases[] = {
		{ 1.0, 0.95, 1.05, VERDICT_AGREES }, { 1.05, 1.04, 1.06, VERDICT_AGREES },
		{ 1.3, 0.9, 1.9, VERDICT_NOISE },    { 0.7, 0.4, 1.01, VERDICT_NOISE },
		{ 1.3, 1.05, 1.6, VERDICT_SLOWER },  { 0.8, 0.7, 0.95, VERDICT_FASTER },
		{ 1.5, NAN, NAN, VERDICT_SLOWER },   { 0.5, NAN, NAN, VERDICT_FASTER },
		{ 1.05, NAN, NAN, VERDICT_AGREES },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct estimate e = { cases[i].centre, cases[i].low, cases[i].high };

		cmp_int(verdict_of(&e, MARGIN), cases[i].verdict, "%g in %g to %g", e.centre, e.low,
			e.high);
	}
}

static void test_lookups(void)
{
	struct osvec *v = parts(20);
	struct findings all = decompose(v, sums, MARGIN);

	/* Between 2 and 8 at log(48/32) / log(2); a quarter of the 48k. */
	cmp_near(all.v[2].predicted, 2 * pow(4, log(1.5) / log(2)) / 4, 1e-9, "on the curve");
	ok(all.v[2].interpolated && !all.v[0].interpolated, "which is said");
	double of_64k = log(1.5) / log(2);
	double error = hypot(0.04, hypot((1 - of_64k) * 0.02, of_64k * 0.03));
	cmp_near(log(all.v[2].ratio.high / all.v[2].ratio.centre),
		 error * distribution_student_quantile(0.975, 15), 1e-6,
		 "with the errors of both points, by their shares");
	cmp_int(all.v[3].verdict, VERDICT_MISSING, "not beyond the curve");
	is_string(all.v[3].missing, "bw_c_1m_x", "which is named");
	cmp_int(all.v[4].verdict, VERDICT_MISSING, "a negative sum predicts nothing");
	cmp_int(all.v[5].verdict, VERDICT_MISSING, "not between distant sizes");
	is_string(all.v[6].missing, "the page faults of b", "unknown faults are missing");
	findings_free(&all);
	osvec_free(v);

	v = osvec_new("m");
	add(v, "a", 3, 0.03, 31, NULL);
	finish(v);
	all = decompose(v, sums, MARGIN);
	is_string(all.v[0].missing, "whole,b", "all that is missing is named");
	is_string(all.v[1].missing, "whole,b", "each once");
	findings_free(&all);
	osvec_free(v);
}

static void test_doubts(void)
{
	struct osvec *v = parts(20);
	struct findings all;

	v->entries[0].flags = osvec_own(v, xstrdup("WIDE,DISTURBED"));
	v->entries[1].error = NAN;
	all = decompose(v, sums, MARGIN);
	is_string(all.v[0].doubtful, "a", "a flagged entry is named");
	is_string(all.v[1].doubtful, NULL, "where it counts");
	ok(isnan(all.v[0].ratio.low) && isnan(all.v[0].ratio.high),
	   "an unknown error makes no interval");
	findings_free(&all);
	osvec_free(v);
}

/* -- memory ------------------------------------------------------------------------------------ */

static struct hierarchy levels(const double *latencies, size_t n)
{
	struct osvec *v = osvec_new("m");

	for (size_t i = 0; i < n; i++) {
		char size[NUMBER_MAX], *name;

		name = xasprintf("lat_mem_rd_%s_random_4k",
				 number_format_size(size, UINT64_C(4096) << i));
		add(v, name, latencies[i] * 1e-9, 0.01, 20, size);
		free(name);
	}
	finish(v);
	struct hierarchy h = hierarchy_find(v, "lat_mem_rd_*_random_4k");
	osvec_free(v);
	return h;
}

#define LEVELS(...) \
	levels((const double[]){ __VA_ARGS__ }, \
	       sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

static double line_of(double at16, double at32, double at64)
{
	struct osvec *v = osvec_new("m");

	add(v, "lat_line_16", at16, 0.01, 20, "16");
	add(v, "lat_line_32", at32, 0.01, 20, "32");
	add(v, "lat_line_64", at64, 0.01, 20, "64");
	finish(v);
	double line = hierarchy_line(v);
	osvec_free(v);
	return line;
}

static void test_line(void)
{
	struct osvec *none = osvec_new("m");

	cmp_near(line_of(1.9e-7, 2.0e-7, 3.8e-7), 64, 0, "the second load misses 64 bytes away");
	cmp_near(line_of(1.9e-7, 3.7e-7, 3.8e-7), 32, 0, "or 32");
	cmp_near(line_of(1.9e-7, 2.0e-7, 2.1e-7), 0, 0, "or farther than measured");
	finish(none);
	cmp_near(hierarchy_line(none), 0, 0, "without strides nothing is known");
	osvec_free(none);
}

static void test_hierarchy(void)
{
	struct hierarchy h = LEVELS(2, 2, 2, 2, 4, 7, 7, 7, 9.5, 9.5, 30, 60, 61, 62, 60);

	if (cmp_int(h.n, 3, "three levels")) {
		cmp_near(h.v[0].to, 32 << 10, 0, "the first holds 32k");
		cmp_near(h.v[0].next, 64 << 10, 0, "and not 64k");
		cmp_near(h.v[0].seconds, 2e-9, 1e-9, "at 2 ns");
		cmp_near(h.v[1].from, 128 << 10, 0, "a climb belongs to no level");
		cmp_near(h.v[1].to, 2 << 20, 0, "TLB misses make no level");
		cmp_near(h.v[1].seconds, 1e-9 * pow(7 * 7 * 7 * 9.5 * 9.5, 0.2), 1e-6,
			 "the geometric mean");
		cmp_near(h.v[1].low, 7e-9, 1e-9, "from the fastest");
		cmp_near(h.v[1].high, 9.5e-9, 1e-9, "to the slowest");
		cmp_near(h.v[2].from, 8 << 20, 0, "memory from 8m on");
		cmp_near(h.v[2].next, 0, 0, "has no end");
	}
	hierarchy_free(&h);
	h = LEVELS(5, 5, 5, 5);
	cmp_int(h.n, 1, "a flat curve is one level");
	hierarchy_free(&h);
	h = LEVELS(1, 2, 4, 8, 16);
	cmp_int(h.n, 0, "a slope has no levels");
	hierarchy_free(&h);
	h = levels(NULL, 0);
	cmp_int(h.n, 0, "no curve, no levels");
	hierarchy_free(&h);
}

/* -- machines ---------------------------------------------------------------------------------- */

static double product(const struct movement *m)
{
	double p = m->rest;

	for (size_t i = 0; i < m->a->nparts; i++)
		p *= m->factors[i];
	return p;
}

/* whole = 2 a + b + rest on both machines. */
static struct osvec *machine(double whole, double a, double b)
{
	struct osvec *v = osvec_new("m");

	add(v, "whole", whole, 0.01, 20, NULL);
	add(v, "a", a, 0.01, 20, NULL);
	add(v, "b", b, 0.01, 20, NULL);
	finish(v);
	return v;
}

static void test_split(double wa, double aa, double ba, double wb, double ab, double bb,
		       double first, double second, double rest, const char *what)
{
	struct osvec *va = machine(wa, aa, ba), *vb = machine(wb, ab, bb);
	struct findings fa = decompose(va, sums, MARGIN), fb = decompose(vb, sums, MARGIN);
	struct movements there = movements_of(va, &fa, vb, &fb, MARGIN);
	struct movements back = movements_of(vb, &fb, va, &fa, MARGIN);
	const struct movement *m = NULL, *w = NULL;

	for (size_t i = 0; i < there.n; i++)
		if (!strcmp(there.v[i].a->rule->name, "sum"))
			m = &there.v[i];
	for (size_t i = 0; i < back.n; i++)
		if (!strcmp(back.v[i].a->rule->name, "sum"))
			w = &back.v[i];
	if (ok(m && w, "%s: compared", what)) {
		cmp_near(m->ratio.centre, wb / wa, 1e-12, "%s: the ratio", what);
		cmp_near(product(m), wb / wa, 1e-9, "%s: the factors multiply to it", what);
		cmp_near(m->factors[0], first, 2e-3, "%s: the first part", what);
		cmp_near(m->factors[1], second, 2e-3, "%s: the second part", what);
		cmp_near(m->rest, rest, 2e-3, "%s: the rest", what);
		cmp_near(w->rest * m->rest, 1, 1e-9, "%s: the way back is the inverse", what);
		cmp_int(m->moved, fabs(log(wb / wa)) > 0.2, "%s: moved", what);
	}
	vec_free(&there);
	vec_free(&back);
	findings_free(&fa);
	findings_free(&fb);
	osvec_free(va);
	osvec_free(vb);
}

static void test_splits(void)
{
	test_split(10, 3, 4, 20, 6, 8, pow(2, 0.6), pow(2, 0.4), 1, "all parts doubled");
	test_split(10, 3, 4, 16, 6, 4, 1.6, 1, 1, "one part doubled");
	test_split(10, 3, 4, 16, 3, 4, 1, 1, 1.6, "no part moved");
	test_split(5, 3, 4, 10, 6, 8, pow(2, 0.6), pow(2, 0.4), 1, "parts that overlap");
	test_split(5, 3, 4, 10, 3, 4, 1, 1, 2, "parts that overlap and did not move");
	test_split(100, 3, 4, 106, 6, 4, 1.06, 1, 1, "a small part doubled");
	test_split(8, 3, 4, 12, 3, 4, 1, 1, 1.5, "below and above the prediction");
	test_split(10, 3, 4, 10, 3, 4, 1, 1, 1, "nothing moved");
}

static void test_companions(void)
{
	static const struct {
		const char *name;
		double there, elsewhere; /* times the cost on the first machine */
		const char *with;
		bool moved;
	} cases[] = {
		{ "lat_syscall_getppid", 3, 0.5, "lat_syscall_getppid", true },
		{ "bw_mem_cp_ram_libc_aligned", 1.8, 2.5, "bw_mem_cp_ram_libc_aligned", true },
		{ "cpu_int", 1, 1.02, NULL, false },
		{ "lat_syscall_dup", 2.9, 0.51, "lat_syscall_getppid", true },
		{ "bw_file_read_64k", 1.7, 2.5, "bw_mem_cp_ram_libc_aligned", true },
		{ "lat_both", 3, 2.5, NULL, true },
		{ "lat_against", 1 / 3.0, 2, NULL, true },
		{ "lat_still", 1.01, 0.99, NULL, false },
	};
	struct osvec *v[3] = { osvec_new("a"), osvec_new("b"), osvec_new("c") };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		add(v[0], cases[i].name, 1e-6, 0.01, 20, NULL);
		add(v[1], cases[i].name, 1e-6 * cases[i].there, 0.01, 20, NULL);
		add(v[2], cases[i].name, 1e-6 * cases[i].elsewhere, 0.01, 20, NULL);
	}
	add(v[0], "lat_only_here", 1, 0.01, 20, NULL);
	for (size_t i = 0; i < 3; i++)
		finish(v[i]);
	struct companions all = movement_companions((const struct osvec *const *)v, 3, MARGIN);
	cmp_int(all.n, sizeof(cases) / sizeof(*cases), "the entries of all machines");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t k = 0;

		while (strcmp(all.v[k].entry->name, cases[i].name))
			k++;
		is_string(all.v[k].base ? all.v[k].base->entry : NULL, cases[i].with,
			  "%s moved with", cases[i].name);
		cmp_int(all.v[k].moved, cases[i].moved, "%s moved", cases[i].name);
		cmp_near(exp(all.v[k].logs[1]), cases[i].there, 1e-9, "%s: by", cases[i].name);
	}
	companions_free(&all);
	for (size_t i = 0; i < 3; i++)
		osvec_free(v[i]);
}

int main(void)
{
	test_rules();
	test_interval();
	test_verdicts();
	test_lookups();
	test_doubts();
	test_line();
	test_hierarchy();
	test_splits();
	test_companions();
	return done_testing();
}
