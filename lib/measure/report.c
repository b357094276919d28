/* SPDX-License-Identifier: MIT */
#include "measure/report.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "machine/cpus.h"
#include "measure/clock.h"
#include "measure/copies.h"
#include "measure/pmu.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

static VEC(const char *) words; /* flags that the benchmark added */

void report_add_flag(const char *word)
{
	vec_push(&words, word);
}

/* Prints s as a JSON string, NULL as null. */
static void string(FILE *f, const char *s)
{
	struct text t = { 0 };

	if (s)
		text_put_json(&t, s);
	fputs(s ? t.v : "null", f);
	text_free(&t);
}

static void text_member(FILE *f, const char *key, const char *value)
{
	fprintf(f, ", \"%s\": ", key);
	string(f, value);
}

/* A count, or null if it is negative. */
static void count_member(FILE *f, const char *key, int64_t count)
{
	if (count < 0)
		fprintf(f, ", \"%s\": null", key);
	else
		fprintf(f, ", \"%s\": %" PRId64, key, count);
}

/* A number, or null if it is not known. */
static void number(FILE *f, double value)
{
	if (isnan(value))
		fputs("null", f);
	else
		fprintf(f, "%.9g", value);
}

static void number_member(FILE *f, const char *key, double value)
{
	fprintf(f, ", \"%s\": ", key);
	number(f, value);
}

/* The entry or, with star, the curve; a placement other than the default, a second thread, what the
 * caches hold and copies are part of the name. */
static void name_member(FILE *f, const char *before, const struct invocation *s, bool star)
{
	enum placement placement = s->placed.placement;
	char *entry = parameter_entry(s->program, s->bench->parameters, s->values, star);

	if (placement != s->usual)
		entry = xappend(entry, "@%s", placement_name(placement));
	if (s->threaded)
		entry = xappend(entry, "@threaded");
	if (s->cold)
		entry = xappend(entry, "@cold");
	if (s->footprint) {
		char size[NUMBER_MAX];

		entry = xappend(entry, "@after=%s", number_format_size(size, *s->footprint));
	}
	if (s->shared)
		entry = xappend(entry, "@shared");
	if (s->copies > 1)
		entry = xappend(entry, "x%" PRIu64, s->copies);
	fputs(before, f);
	string(f, entry);
	free(entry);
}

/* Where the peer is, seen from this process, as the name of a placement. */
static const char *relation(const struct invocation *s)
{
	if (s->placed.placement == PLACEMENT_REMOTE)
		return placement_name(PLACEMENT_REMOTE);
	return placement_name((enum placement)cpus_relation(s->placed.cpu, s->placed.peer));
}

static void print_identity(FILE *f, const struct invocation *s)
{
	const struct bench *b = s->bench;
	size_t axis = parameter_axis(b->parameters);

	name_member(f, "{\"entry\": ", s, false);
	text_member(f, "program", s->program);
	fputs(", \"parameters\": [", f);
	for (size_t i = 0; i < s->values->n; i++) {
		fputs(i ? ", " : "", f);
		string(f, s->values->v[i].text);
	}
	fputs("]", f);
	text_member(f, "placement", placement_name(s->placed.placement));
	text_member(f, "peer", b->parties == BENCH_ONE || s->placed.peer < 0 ? NULL : relation(s));
	if (axis == SIZE_MAX)
		fputs(", \"curve\": null", f);
	else
		name_member(f, ", \"curve\": ", s, true);
	count_member(f, "size", axis == SIZE_MAX ? -1 : (int64_t)s->values->v[axis].number);
	count_member(f, "footprint", s->footprint ? (int64_t)*s->footprint : -1);
	text_member(f, "operation", b->operation);
}

static const struct {
	enum measurement_flag flag;
	const char *name;
} flag_names[] = {
	{ FLAG_OVERHEAD, "OVERHEAD" },	 { FLAG_NOT_STEADY, "NOTSTEADY" },
	{ FLAG_DISTURBED, "DISTURBED" }, { FLAG_SKEWED, "SKEWED" },
	{ FLAG_DRIFT, "DRIFT" },
};

enum { FLAGS = sizeof(flag_names) / sizeof(*flag_names) };

static void print_flags(FILE *f, unsigned flags)
{
	const char *comma = "";

	fputs(", \"flags\": [", f);
	for (size_t i = 0; i < FLAGS; i++)
		if (flags & flag_names[i].flag) {
			fprintf(f, "%s\"%s\"", comma, flag_names[i].name);
			comma = ", ";
		}
	for (size_t i = 0; i < words.n; i++) {
		fputs(comma, f);
		string(f, words.v[i]);
		comma = ", ";
	}
	fputs("]", f);
}

/* A member of the events' estimates by name; null where it is not known. */
static void print_estimates(FILE *f, const char *key, size_t member)
{
	fprintf(f, ", \"%s\": ", key);
	if (!pmu_count()) {
		fputs("null", f);
		return;
	}
	for (size_t i = 0; i < pmu_count(); i++) {
		struct counter_estimate e = pmu_estimate(i);
		double value;

		memcpy(&value, (const char *)&e + member, sizeof(value));
		fputs(i ? ", " : "{", f);
		string(f, pmu_name(i));
		fputs(": ", f);
		number(f, value);
	}
	fputs("}", f);
}

/* Counts per operation, their standard errors, and the shares of the time that were counted. */
static void print_events(FILE *f)
{
	print_estimates(f, "events", offsetof(struct counter_estimate, count));
	print_estimates(f, "event_errors", offsetof(struct counter_estimate, error));
	print_estimates(f, "event_shares", offsetof(struct counter_estimate, share));
}

/* Seconds per step in each gap. */
static void print_canaries(FILE *f, const struct canaries *c, double tick)
{
	static const char *const canaries[] = {
		[CANARY_CODE] = "code",
		[CANARY_CALL] = "call",
	};

	for (size_t k = 0; k < CANARIES; k++) {
		fprintf(f, "%s\"%s\": [", k ? ", " : ", \"canaries\": {", canaries[k]);
		for (size_t i = 0; i < c->ticks[k].n; i++) {
			fputs(i ? ", " : "", f);
			number(f, c->ticks[k].v[i] * tick);
		}
		fputs("]", f);
	}
	fputs("}", f);
}

static void print_measurement(FILE *f, const struct invocation *s, const struct measurement *m)
{
	static const char *const methods[] = {
		[METHOD_SUBTRACT] = "subtract",
		[METHOD_SLOPE] = "slope",
		[METHOD_SINGLE] = "single",
	};
	const struct account *a = &m->total.account;
	double n = (double)m->total.n;

	fprintf(f, ", \"iterations\": %" PRIu64 ", \"batches\": [", m->iterations);
	for (size_t i = 0; i < m->n; i++)
		fprintf(f, "%s%.9g", i ? ", " : "", m->batches[i]);
	fprintf(f, "], \"minimum\": %.9g, \"mean\": %.9g, \"batch_sd\": %.9g", m->minimum, m->mean,
		m->deviation);
	fprintf(f, ", \"overhead\": %.9g, \"overhead_uncertainty\": %.9g, \"method\": \"%s\"",
		m->overhead, m->uncertainty, methods[m->method]);
	number_member(f, "cpu_seconds", m->cpu);
	if (m->method != METHOD_SINGLE) { /* what precedes these takes most of the time */
		number_member(f, "ticks", m->ticks);
		number_member(f, "user_ticks", m->user_ticks);
	}
	fprintf(f, ", \"faults\": %.9g, \"switches\": %.9g", (double)a->minor_faults / n,
		(double)(a->voluntary + a->involuntary) / n);
	fprintf(f, ", \"major_faults\": %" PRIu64 ", \"involuntary\": %" PRIu64, a->major_faults,
		a->involuntary);
	fprintf(f, ", \"disturbed\": %zu", m->interrupted);
	number_member(f, "waited", a->waited);
	/* The threads of copies that took turns on one CPU may show too little time. */
	bool threaded = (s->copies > 1 && s->threaded) || account_is_threaded(a);
	fprintf(f, ", \"threaded\": %s", threaded ? "true" : "false");
	print_canaries(f, &m->canaries, m->tick);
}

/* Seconds per operation of each copy, what they share, and for which part of the time all ran. */
static void print_copies(FILE *f, const struct invocation *s, const struct measurement *m)
{
	const char *comma = "";

	fprintf(f, ", \"copies\": %" PRIu64, s->copies);
	if (s->copies == 1)
		return;
	text_member(f, "shared", s->shared ? s->bench->shares() : NULL);
	number_member(f, "together", copies_together());
	fputs(", \"copy_seconds\": [", f);
	for (size_t i = 0; i < s->copies; i++, comma = ", ") {
		fputs(comma, f);
		number(f, copies_ticks(i) * m->tick - m->overhead);
	}
	fputs("]", f);
}

void report_json(FILE *f, const struct invocation *s, const struct measurement *m, double steal,
		 double wall)
{
	const struct bench *b = s->bench;
	uint64_t bytes =
	    b->transfers ? b->transfers * s->values->v[parameter_axis(b->parameters)].number : 0;

	print_identity(f, s);
	fprintf(f, ", \"seconds\": %.9g", m->seconds);
	count_member(f, "bytes", b->transfers ? (int64_t)bytes : -1);
	count_member(f, "kernel_entries", b->kernel_entries);
	print_measurement(f, s, m);
	count_member(f, "cpu", s->placed.cpu);
	bool has_cpu = b->parties != BENCH_ONE && s->placed.placement != PLACEMENT_REMOTE;
	count_member(f, "peer_cpu", has_cpu ? s->placed.peer : -1);
	number_member(f, "steal", steal);
	fprintf(f, ", \"wall\": %.9g, \"clock\": \"%s\"", wall, clock_name());
	fprintf(f, ", \"tick\": %.9g, \"calibration_error\": %.9g", m->tick,
		calibration_error(&m->calibration));
	print_copies(f, s, m);
	print_events(f);
	print_flags(f, m->flags);
	fputs("}\n", f);
}

void report_line(FILE *f, const struct measurement *m)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = m->seconds * 1e9;
	size_t i = 0;

	for (; i < 3 && value >= 1000; i++)
		value /= 1000;
	fprintf(f, "%.4g %s/op", value, units[i]);
	for (size_t k = 0; k < FLAGS; k++)
		if (m->flags & flag_names[k].flag)
			fprintf(f, " %s", flag_names[k].name);
	putc('\n', f);
}

void report_unsupported(FILE *f, const struct invocation *s, const char *reason)
{
	print_identity(f, s);
	text_member(f, "unsupported", reason);
	fputs("}\n", f);
}

void report_entry(FILE *f, const struct invocation *s)
{
	print_identity(f, s);
	fputs("}\n", f);
}

static void print_values(FILE *f, const char *values)
{
	const char *comma = "";

	fputs(", \"values\": [", f);
	for (size_t n; values && *values; values += n + strspn(values + n, " ")) {
		n = strcspn(values, " ");
		fprintf(f, "%s\"%.*s\"", comma, (int)n, values);
		comma = ", ";
	}
	fputs("]", f);
}

/* The entries whose prices add up to that of one operation. */
static void print_sequence(FILE *f, const struct bench_step *steps)
{
	const char *comma = "";

	fputs(", \"sequence\": [", f);
	for (; steps->call; steps++)
		if (steps->entry) {
			fputs(comma, f);
			string(f, steps->entry);
			comma = ", ";
		}
	fputs("]", f);
}

void report_description(FILE *f, const char *program, const struct bench *bench)
{
	static const char *const kinds[] = {
		[BENCH_CHOICE] = "choice",
		[BENCH_SIZE] = "size",
		[BENCH_COUNT] = "count",
	};

	fputs("{\"program\": ", f);
	string(f, program);
	text_member(f, "summary", bench->summary);
	text_member(f, "operation", bench->operation);
	fprintf(f, ", \"parties\": %d, \"apart\": %s", bench->parties == BENCH_ONE ? 1 : 2,
		bench->parties == BENCH_APART ? "true" : "false");
	fputs(", \"parameters\": [", f);
	for (size_t i = 0; i < parameter_count(bench->parameters); i++) {
		const struct bench_parameter *p = &bench->parameters[i];

		fprintf(f, "%s{\"name\": ", i ? ", " : "");
		string(f, p->name);
		text_member(f, "kind", kinds[p->kind]);
		print_values(f, p->values);
		text_member(f, "fallback", p->fallback);
		fprintf(f, ", \"axis\": %s, \"silent\": %s", p->axis ? "true" : "false",
			p->silent ? "true" : "false");
		text_member(f, "help", p->help);
		putc('}', f);
	}
	fputs("]", f);
	if (bench->sequence)
		print_sequence(f, bench->sequence);
	fputs("}\n", f);
}
