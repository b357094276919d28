/* SPDX-License-Identifier: MIT */
#include "measure/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/clock.h"
#include "measure/pmu.h"
#include "util/vec.h"
#include "util/xalloc.h"

static VEC(const char *) words; /* flags that the benchmark added */

void report_add_flag(const char *word)
{
	vec_push(&words, word);
}

/* s as a JSON string; NULL as null.  A byte that is not ASCII may be half a character: '?'. */
static void string(FILE *f, const char *s)
{
	if (!s) {
		fputs("null", f);
		return;
	}
	putc('"', f);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if ((unsigned char)*s < ' ')
			fprintf(f, "\\u%04x", *s);
		else
			putc((unsigned char)*s < 127 ? *s : '?', f);
	}
	putc('"', f);
}

static void text_member(FILE *f, const char *key, const char *value)
{
	fprintf(f, ", \"%s\": ", key);
	string(f, value);
}

static void number_member(FILE *f, const char *key, double value)
{
	fprintf(f, ", \"%s\": %.9g", key, value);
}

static void count_member(FILE *f, const char *key, uint64_t value)
{
	fprintf(f, ", \"%s\": %" PRIu64, key, value);
}

/* A CPU, or null when not pinned. */
static void cpu_member(FILE *f, const char *key, int cpu)
{
	if (cpu < 0)
		fprintf(f, ", \"%s\": null", key);
	else
		fprintf(f, ", \"%s\": %d", key, cpu);
}

/* The entry (or, with star, the curve): the placement is part of it unless it is the default. */
static void name_member(FILE *f, const char *before, const struct subject *s, bool star)
{
	enum placement placement = s->placed.placement;
	char *entry = parameter_entry(s->program, s->bench->parameters, s->values, star);
	char *full = placement == s->usual ? xstrdup(entry)
					   : xasprintf("%s@%s", entry, placement_name(placement));

	fputs(before, f);
	string(f, full);
	free(full);
	free(entry);
}

static void print_identity(FILE *f, const struct subject *s)
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
	if (axis == SIZE_MAX) {
		fputs(", \"curve\": null, \"size\": null", f);
	} else {
		name_member(f, ", \"curve\": ", s, true);
		count_member(f, "size", s->values->v[axis].number);
	}
	text_member(f, "operation", b->operation);
}

static void print_flags(FILE *f, unsigned flags)
{
	static const struct {
		enum measurement_flag flag;
		const char *name;
	} names[] = {
		{ FLAG_OVERHEAD, "OVERHEAD" },	 { FLAG_NOT_STEADY, "NOTSTEADY" },
		{ FLAG_DISTURBED, "DISTURBED" }, { FLAG_SKEWED, "SKEWED" },
		{ FLAG_DRIFT, "DRIFT" },
	};
	const char *comma = "";

	fputs(", \"flags\": [", f);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (flags & names[i].flag) {
			fprintf(f, "%s\"%s\"", comma, names[i].name);
			comma = ", ";
		}
	for (size_t i = 0; i < words.n; i++) {
		fputs(comma, f);
		string(f, words.v[i]);
		comma = ", ";
	}
	fputs("]", f);
}

/* Counts per operation; what never got its turn on the hardware is null. */
static void print_events(FILE *f, double operations)
{
	fputs(", \"events\": ", f);
	if (!pmu_count()) {
		fputs("null", f);
		return;
	}
	for (size_t i = 0; i < pmu_count(); i++) {
		double value = pmu_value(i);

		fputs(i ? ", " : "{", f);
		string(f, pmu_name(i));
		if (isnan(value))
			fputs(": null", f);
		else
			fprintf(f, ": %.9g", value / operations);
	}
	fputs("}", f);
}

static void print_batches(FILE *f, const struct measurement *m)
{
	count_member(f, "iterations", m->iterations);
	fputs(", \"batches\": [", f);
	for (size_t i = 0; i < m->n; i++)
		fprintf(f, "%s%.9g", i ? ", " : "", m->batches[i]);
	fputs("]", f);
	number_member(f, "minimum", m->minimum);
	number_member(f, "median", m->seconds);
	number_member(f, "mean", m->mean);
	number_member(f, "batch_sd", m->deviation);
}

static void print_method(FILE *f, const struct measurement *m)
{
	static const char *const methods[] = {
		[METHOD_SUBTRACT] = "subtract",
		[METHOD_SLOPE] = "slope",
		[METHOD_COLD] = "cold",
	};

	number_member(f, "overhead", m->overhead);
	number_member(f, "overhead_uncertainty", m->uncertainty);
	text_member(f, "method", methods[m->method]);
	fprintf(f, ", \"steady\": %s", m->flags & FLAG_NOT_STEADY ? "false" : "true");
}

static void print_counts(FILE *f, const struct measurement *m)
{
	double n = (double)m->total.n;

	number_member(f, "faults", (double)m->total.minor_faults / n);
	number_member(f, "switches", (double)(m->total.voluntary + m->total.involuntary) / n);
	count_member(f, "major_faults", m->total.major_faults);
	count_member(f, "involuntary", m->total.involuntary);
	count_member(f, "disturbed", m->disturbed);
}

void report_json(FILE *f, const struct subject *s, const struct measurement *m, double steal,
		 double wall)
{
	const struct bench *b = s->bench;

	print_identity(f, s);
	number_member(f, "seconds", m->seconds);
	if (b->transfers)
		count_member(f, "bytes",
			     b->transfers * s->values->v[parameter_axis(b->parameters)].number);
	else
		fputs(", \"bytes\": null", f);
	count_member(f, "kernel_entries", b->kernel_entries);
	print_batches(f, m);
	print_method(f, m);
	print_counts(f, m);
	cpu_member(f, "cpu", s->placed.cpu);
	cpu_member(f, "partner_cpu", b->parties == BENCH_ONE ? -1 : s->placed.peer);
	number_member(f, "steal", steal);
	number_member(f, "wall", wall);
	text_member(f, "clock", clock_name());
	number_member(f, "tick", m->tick);
	number_member(f, "calibration_error", calibration_error(&m->calibration));
	print_events(f, (double)m->total.n);
	print_flags(f, m->flags);
	fputs("}\n", f);
}

void report_line(FILE *f, const struct measurement *m)
{
	static const struct {
		double below, factor;
		const char *unit;
	} units[] = {
		{ 1e-6, 1e9, "ns" },
		{ 1e-3, 1e6, "us" },
		{ 1, 1e3, "ms" },
		{ 0, 1, "s" },
	};
	size_t i = 0;

	while (units[i].below && m->seconds >= units[i].below)
		i++;
	fprintf(f, "%.4g %s/op\n", m->seconds * units[i].factor, units[i].unit);
}

void report_unsupported(FILE *f, const struct subject *s, const char *reason)
{
	print_identity(f, s);
	text_member(f, "unsupported", reason);
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
	count_member(f, "parties", bench->parties == BENCH_ONE ? 1 : 2);
	fputs(", \"parameters\": [", f);
	for (size_t i = 0; i < parameter_count(bench->parameters); i++) {
		const struct bench_parameter *p = &bench->parameters[i];

		fprintf(f, "%s{\"name\": ", i ? ", " : "");
		string(f, p->name);
		text_member(f, "kind", kinds[p->kind]);
		print_values(f, p->values);
		text_member(f, "fallback", p->fallback);
		fprintf(f, ", \"axis\": %s", p->axis ? "true" : "false");
		text_member(f, "help", p->help);
		putc('}', f);
	}
	fputs("]}\n", f);
}
