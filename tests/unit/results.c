/* SPDX-License-Identifier: MIT */
/* Tests of driver/results, history and reduce, on runs written by hand. */
#include "../../driver/results.h"

#include <sys/stat.h>
#include <unistd.h>

#include "../../driver/history.h"
#include "../../driver/reduction.h"
#include "../tap.h"
#include "util/file.h"
#include "util/xalloc.h"

static char root[] = "/tmp/osvec-results.XXXXXX";

/* A run line as hbench writes it; more: further members, from a comma on. */
static json_t *run_of(const char *entry, unsigned round, double seconds, const char *verdict,
		      const char *more)
{
	char *text = xasprintf("{\"entry\": \"%s\", \"round\": %u, \"seconds\": %.9g, "
			       "\"wall\": 0.5, \"verdict\": \"%s\"%s}",
			       entry, round, seconds, verdict, more);
	json_t *run = json_loads(text, 0, NULL);

	free(text);
	return run;
}

static void add_run(const struct results *r, const char *entry, unsigned round, double seconds,
		    const char *verdict, const char *more)
{
	json_t *run = run_of(entry, round, seconds, verdict, more);

	if (results_add_run(r, run, NULL))
		fail("results_add_run");
	json_decref(run);
}

static void add_counted(const struct results *r, const char *entry, unsigned round, double seconds)
{
	add_run(r, entry, round, seconds, "counted", "");
	if (results_add_value(r, entry, seconds, NULL))
		fail("results_add_value");
}

static void write_meta(const struct results *r, const char *status, const char *suite)
{
	struct error e = { "" };
	json_t *settings =
	    json_pack("{s:i, s:i, s:f, s:i, s:i, s:i, s:i}", "processes_min", 10, "processes_max",
		      10, "precision", 0.02, "batch", 0, "batches", 0, "budget", 0, "timeout", 60);
	json_t *meta =
	    json_pack("{s:s, s:s, s:o, s:{s:s, s:s, s:[]}}", "machine", r->machine, "status",
		      status, "settings", settings, "suite", "name", "t", "text", suite, "entries");

	ok(meta && !results_write_meta(r, meta, &e), "meta.json written %s", e.text);
	json_decref(meta);
}

static char *content(const struct results *r, const char *name)
{
	char *path = xasprintf("%s/%s", r->path, name);
	size_t n;
	char *text = file_read(path, 1 << 20, &n, NULL);

	free(path);
	return text ? text : xstrdup("(no file)");
}

static void append_bytes(const struct results *r, const char *name, const char *bytes, size_t n)
{
	char *path = xasprintf("%s/%s", r->path, name);

	FILE *f = fopen(path, "a");

	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
		fail("%s", path);
	free(path);
}

static void append_raw(const struct results *r, const char *name, const char *text)
{
	append_bytes(r, name, text, strlen(text));
}

static void is_content(const struct results *r, const char *name, const char *want,
		       const char *what)
{
	char *got = content(r, name);

	is_string(got, want, "%s", what);
	free(got);
}

static void test_writing(void)
{
	struct results r;
	struct error e;
	struct stat st;

	ok(!results_create(&r, root, "box", &e), "a run is made %s", e.text);
	ok(!stat(r.path, &st) && S_ISDIR(st.st_mode) && strstr(r.path, "/box/"), "%s", r.path);
	is_string(r.machine, "box", "its machine");
	ok(!results_add_value(&r, "lat_a", 1.23456789012e-7, &e) &&
	       !results_add_value(&r, "lat_a", 2, &e),
	   "two values");
	is_content(&r, "lat_a", "1.23456789e-07\n2\n", "one number a line, nine digits");
	ok(!results_add_skipped(&r, "lat_b", "no such call", &e), "a reason");
	is_content(&r, "skipped", "lat_b\tno such call\n", "entry, tab, reason");
	ok(!results_is_run(r.path), "no run without meta.json");

	struct results s;
	ok(!results_create(&s, root, "box", &e) && strcmp(r.path, s.path) < 0,
	   "a second run within the same second sorts behind the first");
	results_close(&s);

	char *directory = xasprintf("%s/lat_c", r.path);
	ok(!mkdir(directory, 0777) && results_add_value(&r, "lat_c", 1, &e) == -1, "an error: %s",
	   e.text);
	rmdir(directory);
	free(directory);
	results_close(&r);
	ok(results_create(&r, "/proc/none", "box", &e) == -1, "no place for results: %s", e.text);
}

static void test_history(void)
{
	struct results r;
	struct error e;

	ok(!results_create(&r, root, "history", &e), "a run");
	struct history *h = history_read(r.path, &e);
	ok(h && h->n == 0 && h->rounds == 0, "nothing has happened yet");
	history_free(h);

	add_run(&r, "lat_a", 0, 1e-6, "counted",
		", \"program\": \"lat\", \"curve\": \"lat_*\", \"size\": 64, \"bytes\": 64, "
		"\"footprint\": 0, \"faults\": 1, \"ticks\": 0.012, \"user_ticks\": 0.004, "
		"\"flags\": [\"X\"]");
	add_run(&r, "lat_a", 1, 9e-6, "disturbed", ", \"reason\": \"stolen\"");
	add_run(&r, "lat_a", 1, 2e-6, "counted",
		", \"faults\": 3, \"switches\": 5, \"ticks\": 0.008, \"user_ticks\": 0.008");
	json_t *failed = json_pack("{s:s, s:i, s:s, s:s}", "entry", "lat_f", "round", 4, "verdict",
				   "failed", "reason", "it broke");
	results_add_run(&r, failed, &e);
	json_decref(failed);
	append_raw(&r, "runs.jsonl", "{\"entry\": \"lat_a\", \"rou");
	h = history_read(r.path, &e);
	if (ok(h != NULL, "a torn last line is left out %s", h ? "" : e.text)) {
		const struct history_entry *a = history_find(h, "lat_a"),
					   *f = history_find(h, "lat_f");

		ok(h->n == 2 && a && f && !history_find(h, "lat"), "two entries");
		cmp_int(h->rounds, 5, "five rounds were begun");
		ok(a->n == 2 && a->runs[0].round == 0 && a->runs[1].round == 1,
		   "the rounds of counted processes");
		cmp_int(a->processes, 3, "all its processes");
		ok(!strcmp(a->curve, "lat_*") && a->size == 64 && a->bytes == 64 &&
		       a->footprint == 0 && isnan(f->footprint),
		   "what the program reported");
		cmp_near(a->median.faults, 2, 0, "the median of faults");
		cmp_near(a->median.switches, 2.5, 0, "and of switches");
		cmp_near(a->ticks, 0.02, 1e-12, "the sum of ticks");
		cmp_near(a->user_ticks, 0.012, 1e-12, "and of those in user mode");
		cmp_near(a->wall, 1.5, 0, "the time of all its processes");
		is_string(a->flags, "X", "a flag that half of the processes raise");
		cmp_int(f->processes, 1, "a failure");
	}
	history_free(h);

	append_raw(&r, "runs.jsonl", "\n");
	ok(!history_read(r.path, &e) && strstr(e.text, "line 5"), "a broken line inside: %s",
	   e.text);
	results_close(&r);
}

static void test_locate(void)
{
	struct results old, new;
	struct error e;
	char *machine = xasprintf("%s/locate", root), *none = xasprintf("%s/none", root), *path;

	ok(!results_locate(none, false, &e) && strstr(e.text, none), "no such directory: %s",
	   e.text);
	ok(!results_create(&old, root, "locate", &e) && !results_create(&new, root, "locate", &e),
	   "two runs");
	ok(!results_locate(machine, false, &e), "none has begun: %s", e.text);
	write_meta(&old, "running", "lat_a\n");
	write_meta(&new, "complete", "lat_a\n");
	path = results_locate(machine, false, &e);
	is_string(path, new.path, "the newest of a machine");
	free(path);
	path = results_locate(machine, true, &e);
	is_string(path, old.path, "the newest unfinished one");
	free(path);
	path = results_locate(old.path, false, &e);
	is_string(path, old.path, "a run itself");
	free(path);
	ok(!results_locate(new.path, true, &e), "a run that has ended: %s", e.text);
	write_meta(&new, "interrupted", "lat_a\n");
	path = results_locate(root, true, &e);
	is_string(path, new.path, "an interrupted one can go on; found from the root");
	free(path);
	free(machine);
	free(none);
	results_close(&old);
	results_close(&new);
}

/* A run of ten rounds: a canary that moves in two of them, a control that is 10 % off. */
static void fill(const struct results *r)
{
	for (unsigned i = 0; i < 10; i++) {
		double jitter = 1 + 1e-4 * (i % 5);

		add_counted(r, "cpu_int", i, (i < 2 ? 1.1e-8 : 1e-8) * jitter);
		add_counted(r, "lat_a", i, 1e-6 * jitter);
		add_counted(r, "control_lat_a", i, 1.1e-6 * jitter);
		add_counted(r, "lat_b", i, (i < 3 ? 2e-6 : 1e-6) * jitter);
	}
	add_counted(r, "lat_few", 0, 3e-6);
	add_counted(r, "lat_few", 1, 5e-6);
	add_counted(r, "lat_few", 2, 4e-6);
	results_add_skipped(r, "lat_gone", "no such call", NULL);
	write_meta(r, "complete",
		   "set canary cpu_int\nset control lat_a\ncpu_int\nlat_a\nlat_b\n"
		   "lat_few\nlat_gone\n");
}

/* Two measurements of one thing, each within 1 %, may differ by 2 % and not by more. */
static void test_trust(void)
{
	static const struct {
		const char *name;
		double off, spread;
		unsigned n;
		bool judged, trusted;
	} cases[] = { { "near", 1.01, 1e-2, 10, true, true },
		      { "far", 1.04, 1e-2, 10, true, false },
		      /* without spread, what two calibrations may differ by */
		      { "exact", 1.0005, 0, 10, true, true },
		      { "exact-far", 1.002, 0, 10, true, false },
		      { "few", 1.5, 1e-2, 3, false, true } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct results r;
		struct error e;

		ok(!results_create(&r, root, cases[i].name, &e), "a run");
		for (unsigned j = 0; j < cases[i].n; j++) {
			double seconds = 1e-6 * (1 + cases[i].spread * (j % 5));

			add_counted(&r, "lat_a", j, seconds);
			add_counted(&r, "control_lat_a", j, cases[i].off * seconds);
		}
		write_meta(&r, "complete", "set control lat_a\nlat_a\n");
		struct reduction *d = reduction_of(r.path, ESTIMATE_HODGES_LEHMANN, &e);
		ok(d && d->ncontrols == 1 && d->controls[0].judged == cases[i].judged &&
		       d->controls[0].trusted == cases[i].trusted,
		   "a control that differs by %.2f %%", 100 * (cases[i].off - 1));
		reduction_free(d);
		results_close(&r);
	}
}

static void test_reduce(void)
{
	struct results r;
	struct error e;

	ok(!results_create(&r, root, "reduce", &e), "a run");
	fill(&r);
	struct reduction *d = reduction_of(r.path, ESTIMATE_HODGES_LEHMANN, &e);
	if (!ok(d != NULL, "reduced %s", d ? "" : e.text))
		return;
	const struct cost *a = reduction_find(d, "lat_a"), *b = reduction_find(d, "lat_b"),
			  *few = reduction_find(d, "lat_few");
	ok(d->n == 5 && a && b && few && !reduction_find(d, "lat_gone"),
	   "five entries have numbers");
	ok(a->n == 10 && a->centre.centre >= 1e-6 && a->centre.centre <= 1.0004e-6 &&
	       a->precision < 0.001,
	   "centre and precision");
	is_string(a->flags, "", "a steady entry has no flag");
	cmp_near(a->minimum, 1e-6, 1e-9, "minimum");
	ok(b->modes.bimodal && osvec_has_flag(b->flags, "BIMODAL") &&
	       osvec_has_flag(b->flags, "WIDE") && osvec_has_flag(b->flags, "OUTLIERS") &&
	       osvec_has_flag(b->flags, "SKEWED"),
	   "two modes are flagged: %s", b->flags);
	ok(b->centre.centre < b->mean.centre && b->mean.centre < 1.301e-6,
	   "their centre is no mean");
	ok(osvec_has_flag(few->flags, "FEW") && few->n == 3, "fewer than wanted: %s", few->flags);
	ok(osvec_has_flag(few->flags, "DRIFT") && !osvec_has_flag(a->flags, "DRIFT"),
	   "most of them while a canary drifted");
	cmp_near(few->centre.centre, 4e-6, 1e-9, "three values have a centre");
	ok(isnan(few->precision), "but no interval");
	ok(d->ndrifts == 1 && d->drifts[0].rounds == 2, "the canary entry drifted in two rounds");
	cmp_near(a->drifted, 0.2, 1e-9, "a fifth of the values is from those");
	ok(d->ncontrols == 1 && !d->controls[0].trusted, "a control 10 %% off is not trusted");
	cmp_near(d->controls[0].ratio, 1.1, 1e-3, "by how much");
	ok(d->nskipped == 1 && !strcmp(d->skipped[0].reason, "no such call"), "what was skipped");

	struct osvec *v = reduction_vector(d, &e);
	if (ok(v != NULL, "a vector %s", v ? "" : e.text)) {
		const struct osvec_entry *x = osvec_find(v, "lat_b");

		ok(v->n == 4 && !osvec_find(v, "control_lat_a"), "without the control");
		cmp_near(osvec_find(v, "lat_few")->mean, 4e-6, 1e-9, "the mean of 3, 4 and 5 us");
		cmp_near(x ? x->mean : NAN, 1.30023e-6, 1e-9, "the mean of two modes");
		ok(x && strstr(x->flags, "BIMODAL") && x->n == 10, "flags and number of processes");
		ok(x && x->mean_error > b->cv / sqrt(10), "and its standard error");
		x = osvec_find(v, "lat_a");
		cmp_near(x ? x->error : NAN, estimate_log_error(a->values, a->n), 1e-6,
			 "the error of the centre");
		x = osvec_find(v, "lat_few");
		ok(x && x->low == x->seconds && x->high == x->seconds,
		   "no interval: the cost itself");
		ok(v->correlation >= 0 && v->correlation < 1, "correlation within rounds: %.2f",
		   v->correlation);
		ok(!json_object_get(v->meta, "suite"), "meta is short");
	}
	osvec_free(v);
	reduction_free(d);
	d = reduction_of(r.path, ESTIMATE_TRIMMED, &e);
	ok(d && !reduction_write_vector(d, NULL, &e), "written");
	v = osvec_read(r.path, &e);
	is_string(v ? v->estimator : e.text, "trimmed", "with the estimator that was asked for");
	osvec_free(v);
	reduction_free(d);
	results_close(&r);
}

/* A run of one entry with this rule; "lat_m" with a mean of its own in each process. */
static void write_rule(const struct results *r, int least, int most)
{
	json_t *meta = json_pack("{s:s, s:{s:i, s:i, s:f}}", "machine", "m", "settings",
				 "processes_min", least, "processes_max", most, "precision", 0.02);

	if (results_write_meta(r, meta, NULL))
		fail("meta.json");
	json_decref(meta);
}

static void add_means(const struct results *r, unsigned round, double seconds, double mean,
		      double cpu)
{
	char *more = xasprintf(", \"mean\": %.9g, \"cpu_seconds\": %.9g", mean, cpu);

	add_run(r, "lat_m", round, seconds, "counted", more);
	free(more);
}

/* How far two entries of a run move together. */
static double correlation_of(const char *run, unsigned lag)
{
	enum { ROUNDS = 20, PERIOD = 5 };
	struct results r;
	struct error e;
	double found = NAN;

	if (results_create(&r, root, run, &e))
		return NAN;
	write_rule(&r, ROUNDS, ROUNDS);
	for (unsigned i = 0; i < ROUNDS; i++) {
		add_counted(&r, "lat_x", i, 1e-6 * (1 + 0.01 * (i % PERIOD)));
		add_counted(&r, "lat_y", i, 1e-3 * (1 + 0.01 * ((i + lag) % PERIOD)));
	}
	struct reduction *d = reduction_of(r.path, ESTIMATE_HODGES_LEHMANN, &e);
	struct osvec *v = d ? reduction_vector(d, &e) : NULL;
	if (v)
		found = v->correlation;
	osvec_free(v);
	reduction_free(d);
	results_close(&r);
	return found;
}

static void test_correlation(void)
{
	cmp_near(correlation_of("together", 0), 1, 0.1, "two entries that move together");
	cmp_near(correlation_of("apart", 2), 0, 0.1, "and two that do not");
}

/* Means and CPU time come from the log, also when a kill lost a value between the two files or
 * one was typed in. */
static void test_means(void)
{
	struct results r;
	struct error e;

	ok(!results_create(&r, root, "means", &e), "a run");
	write_rule(&r, 3, 3);
	for (unsigned i = 0; i < 4; i++) {
		add_means(&r, i, (1 + i) * 1e-6, (2 + i) * 1e-6, (3 + i) * 1e-6);
		if (i != 1)
			results_add_value(&r, "lat_m", (1 + i) * 1e-6, NULL);
	}
	struct reduction *d = reduction_of(r.path, ESTIMATE_HODGES_LEHMANN, &e);
	const struct cost *m = d ? reduction_find(d, "lat_m") : NULL;
	if (ok(m != NULL, "reduced")) {
		cmp_near(m->mean.centre, (2 + 4 + 5) / 3.0 * 1e-6, 1e-15, "the mean of the means");
		cmp_near(m->cpu, (3 + 5 + 6) / 3.0 * 1e-6, 1e-15, "CPU seconds");
		cmp_near(m->mean_error, estimate_mean_error((double[]){ 2e-6, 4e-6, 5e-6 }, 3),
			 1e-12, "the error of the mean");
		cmp_near(m->tail_excess, m->mean.centre / m->centre.centre - 1, 1e-12,
			 "the tail is that of the mean");
	}
	reduction_free(d);
	append_raw(&r, "lat_m", "6e-6\n");
	d = reduction_of(r.path, ESTIMATE_HODGES_LEHMANN, &e);
	m = d ? reduction_find(d, "lat_m") : NULL;
	cmp_near(m ? m->mean.centre : NAN, (2 + 4 + 5 + 6) / 4.0 * 1e-6, 1e-15,
		 "a value that was typed in is its own mean");
	ok(m && isnan(m->cpu), "and has no CPU seconds");
	reduction_free(d);
	results_close(&r);
}

/* A canary entry that drifts in the rounds of the pilot has drifted for nothing that counts. */
static void test_drifted_pilot(void)
{
	struct results r;
	struct error e;

	ok(!results_create(&r, root, "drifted", &e), "a run");
	write_meta(&r, "complete", "set canary cpu_int\ncpu_int\nlat_p\n");
	json_t *meta = results_read_meta(r.path, &e);
	json_t *settings = json_object_get(meta, "settings");
	json_object_set_new(settings, "processes_min", json_integer(15));
	json_object_set_new(settings, "processes_max", json_integer(60));
	ok(!results_write_meta(&r, meta, &e), "15 to 60 processes");
	json_decref(meta);
	for (unsigned i = 0; i < 30; i++) {
		add_counted(&r, "cpu_int", i, i < 4 ? 2e-8 : 1e-8);
		if (i < 15)
			add_counted(&r, "lat_p", i, 1e-6);
	}
	struct reduction *d = reduction_of(r.path, ESTIMATE_HODGES_LEHMANN, &e);
	const struct cost *p = d ? reduction_find(d, "lat_p") : NULL;
	ok(d && d->ndrifts == 1 && d->drifts[0].rounds >= 2, "the canary entry drifted at first");
	ok(p && p->n == 10, "when lat_p decided");
	cmp_near(p ? p->drifted : NAN, 0, 0, "but not in what counts of it");
	reduction_free(d);
	results_close(&r);
}

/* Values that end an entry are not part of it; without a log the earlier vector knows the rest. */
static void test_pilot(void)
{
	struct results r;
	struct error e;

	ok(!results_create(&r, root, "pilot", &e), "a run");
	write_rule(&r, 15, 60);
	for (unsigned i = 0; i < 15; i++) {
		add_run(&r, "lat_p", i, i < 5 ? 2e-6 : 1e-6, "counted",
			", \"flags\": [\"SKEWED\"], \"mean\": 3e-6, \"cpu_seconds\": 5e-7");
		results_add_value(&r, "lat_p", i < 5 ? 2e-6 : 1e-6, NULL);
	}
	char *log = xasprintf("%s/runs.jsonl", r.path);
	for (int logged = 1; logged >= 0; logged--) {
		struct reduction *d = reduction_of(r.path, ESTIMATE_HODGES_LEHMANN, &e);
		const struct cost *p = d ? reduction_find(d, "lat_p") : NULL;

		if (ok(p != NULL, "reduced, %d logs", logged)) {
			ok(p->n == 10 && p->processes == 15, "five of 15 processes decided");
			cmp_near(p->centre.centre, 1e-6, 1e-18, "the others are the result");
			is_string(p->flags, "SKEWED", "with the flags of the processes");
			cmp_near(p->mean.centre, 3e-6, 1e-10, "their mean");
			cmp_near(p->cpu, 5e-7, 1e-12, "and CPU seconds");
			ok(!reduction_write_vector(d, NULL, &e), "written");
		}
		reduction_free(d);
		unlink(log);
	}
	free(log);
	results_close(&r);
}

/* Numbers added by hand count, what only the log has does not; a shipped run has no log at all. */
static void test_sources(void)
{
	struct results r;
	struct error e;

	ok(!results_create(&r, root, "edited", &e), "a run");
	fill(&r);
	add_run(&r, "lat_b", 10, 1e-6, "counted", "");
	append_raw(&r, "lat_a", "4e-6\n");
	append_raw(&r, "lat_typed", "# from a paper\n1e-6\n7e-0");
	char *log = xasprintf("%s/runs.jsonl", r.path);
	for (int logged = 1; logged >= 0; logged--) {
		struct reduction *d = reduction_of(r.path, ESTIMATE_MEDIAN, &e);

		if (ok(d != NULL, "reduced, %d logs %s", logged, d ? "" : e.text)) {
			const struct cost *a = reduction_find(d, "lat_a"),
					  *b = reduction_find(d, "lat_b"),
					  *t = reduction_find(d, "lat_typed");

			ok(a && a->n == 11 && a->centre.centre < 1.1e-6, "a value added by hand");
			ok(b && b->n == 10, "a value in the log only does not count");
			ok(t && t->n == 1 && !t->history,
			   "an entry added by hand; a torn line is not");
			ok(d->rounds == 11 && d->ndrifts == 1 && d->drifts[0].rounds == 2 &&
			       d->ncontrols == 1 && !d->controls[0].trusted,
			   "canaries and controls are judged");
			struct osvec *v = reduction_vector(d, &e);
			ok(v && v->n == 5, "the vector %s", v ? "" : e.text);
			osvec_free(v);
		}
		reduction_free(d);
		unlink(log);
	}
	free(log);
	append_raw(&r, "lat_a", "-1e-6\n");
	ok(!reduction_of(r.path, ESTIMATE_MEDIAN, &e) && strstr(e.text, "lat_a:12"),
	   "a negative time is an error: %s", e.text);
	results_close(&r);
}

/* A run without runs.jsonl has its adjusted costs from its vector, if that has canaries. */
static void test_shipped(void)
{
	for (int canaries = 0; canaries < 2; canaries++) {
		const struct osvec_canary calm = { 2e-9, 1e-9, 3e-9, 2e-9 };
		struct osvec *v = osvec_new("m");
		struct results r;
		struct error e;

		ok(!results_create(&r, root, "shipped", &e), "a run");
		write_meta(&r, "complete", "set control lat_x\nlat_x\n");
		for (int i = 0; i < 3; i++) {
			results_add_value(&r, "lat_x", 1e-6, &e);
			results_add_value(&r, "control_lat_x", 1.1e-6, &e);
		}
		osvec_add(v, (struct osvec_entry){ .name = xstrdup("lat_x"),
						   .seconds = 2e-6,
						   .low = 1.9e-6,
						   .high = 2.1e-6,
						   .error = 0.02,
						   .n = 3,
						   .mean_error = NAN });
		for (size_t i = 0; canaries && i < OSVEC_CANARIES; i++)
			osvec_set_canary(v, i, &calm);
		char *path = xasprintf("%s/osvec.json", r.path);
		ok(!osvec_write(v, path, &e), "its vector");
		struct reduction *d = reduction_of(r.path, ESTIMATE_HODGES_LEHMANN, &e);
		const struct cost *x = d ? reduction_find(d, "lat_x") : NULL;
		cmp_near(x ? x->centre.centre : NAN, canaries ? 2e-6 : 1e-6, 1e-9, "%d: the cost",
			 canaries);
		ok(x && (canaries ? fabs(x->precision - 0.05) < 1e-6 && fabs(x->error - 0.02) < 1e-6
				  : !(x->precision > 0.04)),
		   "and how precise it is");
		cmp_near(d && d->ncontrols ? d->controls[0].ratio : NAN, 1.1, 1e-9,
			 "its control is compared with the values, which were not adjusted either");
		reduction_free(d);
		osvec_free(v);
		free(path);
		results_close(&r);
	}
}

#define BYTES(s) s, sizeof(s) - 1

/* What a power failure or another program leaves in a file is never a value less. */
static void test_damage(void)
{
	static const struct {
		const char *file, *bytes;
		size_t n;
		const char *message; /* NULL: no damage */
	} rows[] = {
		{ "lat_x", BYTES("1e-6\n3e-"), NULL },
		{ "lat_x", BYTES("1e-6\n# unfini"), NULL },
		{ "lat_x", BYTES("1e-6\n0\n"), "lat_x:2: '0' is no time" },
		{ "lat_x", BYTES("\0\0\0\0"), "lat_x:1: damaged: a zero byte" },
		{ "lat_x", BYTES("1e-6\n2\0-6\n3e-6\n"), "lat_x:2: damaged: a zero byte" },
		{ "lat_x", BYTES("1e-6\n2e-6\n\0"), "lat_x:3: damaged: a zero byte" },
		{ "lat_x", BYTES("\x8f\x01k"), "lat_x:1: damaged: no number" },
		{ "lat_x", BYTES("1e-6\nELF"), "lat_x:2: damaged: no number" },
		{ "skipped", BYTES("lat_y\tno\0e\nlat_z\tno\n"), "skipped:1: damaged: a zero" },
		{ "runs.jsonl", BYTES("{\0}\n"), "runs.jsonl: line 1" },
		{ "runs.jsonl",
		  BYTES("{\"entry\": \"a\", \"verdict\": \"failed\", \"round\": 2000000000}\n"),
		  "line 1.round" },
	};
	struct results r;
	struct error e;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ok(!results_create(&r, root, "damage", &e), "a run");
		write_rule(&r, 3, 3);
		append_bytes(&r, rows[i].file, rows[i].bytes, rows[i].n);
		struct reduction *d = reduction_of(r.path, ESTIMATE_MEDIAN, &e);
		ok(rows[i].message ? !d && strstr(e.text, rows[i].message) : d && d->n == 1, "%s",
		   d ? "read" : e.text);
		reduction_free(d);
		results_close(&r);
	}
	ok(!results_create(&r, root, "damage", &e), "a run");
	write_rule(&r, 3, 3);
	add_run(&r, "lat_x", 0, 1e-6, "counted", "");
	append_raw(&r, "lat_x", "");
	struct reduction *d = reduction_of(r.path, ESTIMATE_MEDIAN, &e);
	ok(d && d->n == 0, "a kill before the first value");
	reduction_free(d);
	add_run(&r, "lat_x", 1, 1e-6, "counted", "");
	ok(!reduction_of(r.path, ESTIMATE_MEDIAN, &e) && strstr(e.text, "lat_x:1: no value, of 2"),
	   "an empty file is none: %s", e.text);
	for (int i = 0; i < 2; i++) {
		char *file = xasprintf("%s/%s", r.path, i ? "runs.jsonl" : "lat_x");

		ok(!unlink(file) && !mkfifo(file, 0666) &&
		       !reduction_of(r.path, ESTIMATE_MEDIAN, &e) &&
		       strstr(e.text, "not a regular file"),
		   "a FIFO is not waited for: %s", e.text);
		free(file);
	}
	results_close(&r);
}

int main(void)
{
	if (!mkdtemp(root)) {
		fail("mkdtemp");
		return done_testing();
	}
	test_writing();
	test_history();
	test_locate();
	test_trust();
	test_reduce();
	test_means();
	test_correlation();
	test_pilot();
	test_drifted_pilot();
	test_sources();
	test_shipped();
	test_damage();
	char *clean = xasprintf("rm -rf %s", root);
	ok(system(clean) == 0, "removed");
	free(clean);
	return done_testing();
}
