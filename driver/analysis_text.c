/* SPDX-License-Identifier: MIT */
/* An analysis as tables and paragraphs for people. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "util/number.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/wrap.h"

enum { COLUMNS = 7 }; /* of ratios fit on a line */

/* -- words ------------------------------------------------------------------------------------- */

/* A ratio with three digits. */
static const char *digits(char *out, double ratio)
{
	snprintf(out, NUMBER_MAX, ratio < 10 ? "%.2f" : "%.3g", ratio);
	return out;
}

static char *interval(const struct estimate *ratio)
{
	char low[NUMBER_MAX], high[NUMBER_MAX];

	if (isnan(ratio->low))
		return NULL;
	return xasprintf("%s-%s", digits(low, ratio->low), digits(high, ratio->high));
}

/* How far f is from its prediction: "4.00 us more" or "less". */
static char *deviation(const struct finding *f)
{
	double off = f->measured - f->predicted;
	char seconds[NUMBER_MAX];

	return xasprintf("%s %s", number_format_duration(seconds, fabs(off)),
			 off < 0 ? "less" : "more");
}

/* Adds the names of a list separated by commas. */
static char *add_names(char *text, const char *list)
{
	for (const char *p = list; *p; p++)
		text = xappend(text, *p == ',' ? ", " : "%c", *p);
	return text;
}

/* Adds "Of the prediction at 64k: copying 94 %, the call 6 %." */
static char *add_parts(char *text, const struct finding *f)
{
	text = xappend(text, " Of the prediction%s%s", *f->at ? " at " : "", f->at);
	for (size_t i = 0; i < f->nparts; i++)
		text = xappend(text, "%s %s %.0f %%", i ? "," : ":", f->parts[i].name,
			       100 * f->parts[i].seconds / f->predicted);
	return xappend(text, ".");
}

static char *row_name(const struct finding *f)
{
	return xasprintf("%s%s%s", f->rule->name, *f->at ? " " : "", f->at);
}

/* -- one machine ------------------------------------------------------------------------------- */

static void add_row(struct table *t, const struct finding *f)
{
	char *name = row_name(f), *range = interval(&f->ratio), ratio[NUMBER_MAX];
	char *verdict = xasprintf("%s%s", verdict_word(f->verdict), f->doubtful ? "?" : "");
	double off = f->measured - f->predicted;
	char seconds[NUMBER_MAX],
	    *signed_off =
		xasprintf("%c%s", off < 0 ? '-' : '+', number_format_duration(seconds, fabs(off)));

	table_text(t, name);
	table_seconds(t, f->measured);
	table_seconds(t, f->predicted);
	table_text(t, signed_off);
	table_number(t, 100 * (f->ratio.centre - 1), "%+.0f%%");
	table_text(t, digits(ratio, f->ratio.centre));
	table_text(t, range);
	table_text(t, verdict);
	free(name);
	free(range);
	free(verdict);
	free(signed_off);
}

static void print_missing(const struct finding *f)
{
	char *name = row_name(f), *text = xasprintf("not measured: %s needs ", name);

	text = add_names(text, f->missing);
	wrap_print(stdout, text, 4);
	free(name);
	free(text);
}

static void print_findings(const struct findings *all, bool missing)
{
	static const struct table_column columns[] = {
		{ "operation", NULL, TABLE_LEFT },  { "measured", NULL, TABLE_RIGHT },
		{ "predicted", NULL, TABLE_RIGHT }, { "deviation", NULL, TABLE_RIGHT },
		{ "", NULL, TABLE_RIGHT },	    { "ratio", NULL, TABLE_RIGHT },
		{ "interval", NULL, TABLE_LEFT },   { "verdict", NULL, TABLE_LEFT },
	};
	struct table *t = table_of(columns);
	size_t doubtful = 0, unexplained = 0;

	for (size_t i = 0; i < all->n; i++)
		if (!all->v[i].missing) {
			add_row(t, &all->v[i]);
			doubtful += all->v[i].doubtful != NULL;
		}
	table_end(t, stdout, TABLE_TEXT);
	if (doubtful)
		puts("?: rests on an entry that is BIMODAL, DISTURBED or DRIFT (hbench summary)");
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].missing) {
			unexplained++;
			if (missing)
				print_missing(&all->v[i]);
		}
	if (unexplained && !missing)
		printf("%zu operations need entries that were not measured: --all lists them\n",
		       unexplained);
}

/* Adds "Slower at 64m (13.1 ms, 5.10 GB/s, 1.31 times the prediction, 3.10 ms more), ... Consistent
 * with: what may be the cause." for the rows with that verdict of the rule that begins at f[0]. */
static char *add_sentence(char *text, const struct finding *f, size_t n, enum verdict verdict,
			  const char *meaning)
{
	char seconds[NUMBER_MAX], rate[NUMBER_MAX], ratio[NUMBER_MAX];
	const char *begin[] = { [VERDICT_SLOWER] = "Slower",
				[VERDICT_FASTER] = "Faster",
				[VERDICT_AGREES] = "As predicted" };
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		if (f[i].verdict != verdict)
			continue;
		text = xappend(text, "%s%s%s%s (%s, ", *text && !found ? " " : "",
			       found ? ", " : begin[verdict], *f[i].at ? found ? "" : " at " : "",
			       f[i].at, number_format_duration(seconds, f[i].measured));
		if (f[i].bytes >= 1024)
			text = xappend(text, "%sB/s, ",
				       number_format_si(rate, f[i].bytes / f[i].measured));
		char *off = deviation(&f[i]);
		text = xappend(text, "%s times the prediction, %s)",
			       digits(ratio, f[i].ratio.centre), off);
		free(off);
		found++;
	}
	if (!found)
		return text;
	return meaning ? xappend(text, ". Consistent with: %s", meaning) : xappend(text, ".");
}

/* The row that deviates most from its prediction. */
static size_t widest(const struct finding *f, size_t n)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++)
		if (!f[i].missing && (f[most].missing || fabs(log(f[i].ratio.centre)) >
							     fabs(log(f[most].ratio.centre))))
			most = i;
	return most;
}

/* A paragraph on a rule's rows f[n], if any says something. */
static void print_paragraph(const struct finding *f, size_t n)
{
	const struct rule *rule = f->rule;
	char *text = xstrdup("");

	text = add_sentence(text, f, n, VERDICT_SLOWER, rule->slower);
	text = add_sentence(text, f, n, VERDICT_FASTER, rule->faster);
	if (*text || rule->agrees)
		text = add_sentence(text, f, n, VERDICT_AGREES, rule->agrees);
	if (*text) {
		char *all = xasprintf("\n%s. Predicted: %s.", rule->name, rule->model);

		if (f[widest(f, n)].nparts > 1)
			all = add_parts(all, &f[widest(f, n)]);
		all = xappend(all, " %s", text);
		wrap_print(stdout, all, 4);
		free(all);
	}
	free(text);
}

static size_t rows_of_rule(const struct findings *all, size_t first)
{
	size_t n = 1;

	while (first + n < all->n && all->v[first + n].rule == all->v[first].rule)
		n++;
	return n;
}

static void print_levels(const struct analysis *a, size_t n)
{
	static const struct table_column columns[] = {
		{ "memory", NULL, TABLE_LEFT },	 { "level", NULL, TABLE_RIGHT },
		{ "holds", NULL, TABLE_RIGHT },	 { "not", NULL, TABLE_RIGHT },
		{ "a load", NULL, TABLE_RIGHT }, { "from", NULL, TABLE_RIGHT },
		{ "to", NULL, TABLE_RIGHT },
	};
	struct table *t = table_of(columns);
	size_t rows = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < a[i].memory.n; k++, rows++) {
			const struct level *l = &a[i].memory.v[k];
			char size[NUMBER_MAX];

			table_text(t, a[i].label);
			table_count(t, k + 1);
			table_text(t, number_format_size(size, (uint64_t)l->to));
			table_text(t, l->next > 0 ? number_format_size(size, (uint64_t)l->next)
						  : NULL);
			table_seconds(t, l->seconds);
			table_seconds(t, l->low);
			table_seconds(t, l->high);
		}
	putchar('\n');
	if (rows)
		table_print(t, stdout, TABLE_TEXT);
	table_free(t);
	for (size_t i = 0; i < n; i++)
		if (!a[i].memory.n)
			printf("memory of %s: not measured: needs %s at many sizes\n", a[i].label,
			       ANALYSIS_CURVE);
}

static void print_hierarchy(const struct hierarchy *h)
{
	char seconds[NUMBER_MAX], size[NUMBER_MAX], ratio[NUMBER_MAX];
	char *text = xstrdup("\nmemory hierarchy. A load that waits for the one before it takes");

	for (size_t i = 0; i < h->n; i++) {
		text = xappend(text, "%s %s in a buffer of up to %s", i ? "," : "",
			       number_format_duration(seconds, h->v[i].seconds),
			       number_format_size(size, (uint64_t)h->v[i].to));
		if (i)
			text = xappend(text, " (%s times as long)",
				       digits(ratio, h->v[i].seconds / h->v[i - 1].seconds));
	}
	if (h->n && !(h->v[h->n - 1].next > 0))
		text = xappend(text, ", the largest measured: this is memory, or a larger cache");
	text = xappend(text, ". Data that outgrow a level pay these factors; each level ends "
			     "between the sizes under \"holds\" and \"not\".");
	if (h->n)
		wrap_print(stdout, text, 4);
	free(text);
}

static void print_machine(const struct analysis *a, bool all)
{
	const char *cpu = osvec_fact(a->vector, "cpu.model");
	const char *kernel = osvec_fact(a->vector, "kernel.release");

	char *title = xasprintf("%s%s%s%s%s", a->vector->machine, *cpu ? ": " : "", cpu,
				*kernel ? ", kernel " : "", kernel);

	printf("%s\n\n", text_make_printable(title));
	free(title);
	print_findings(&a->findings, all);
	print_levels(a, 1);
	for (size_t i = 0, n; i < a->findings.n; i += n) {
		n = rows_of_rule(&a->findings, i);
		print_paragraph(&a->findings.v[i], n);
	}
	print_hierarchy(&a->memory);
	if (a->line > 0)
		printf("\ncache line: %.0f bytes, from where on a second load misses as well\n",
		       a->line);
}

/* -- several machines -------------------------------------------------------------------------- */

static bool measured_somewhere(const struct analysis *a, size_t n, size_t row)
{
	for (size_t i = 0; i < n; i++)
		if (!a[i].findings.v[row].missing)
			return true;
	return false;
}

/* A row for each finding that one of a[n] has, a column for each of up to COLUMNS machines from
 * first on: the ratios, in parentheses within noise. */
static void print_ratios(const struct analysis *a, size_t n, size_t first)
{
	struct table_column columns[COLUMNS + 1] = { { "measured / predicted", NULL, TABLE_LEFT } };
	size_t last = first + COLUMNS < n ? first + COLUMNS : n;

	for (size_t i = first; i < last; i++)
		columns[i - first + 1] = (struct table_column){ a[i].label, NULL, TABLE_RIGHT };
	struct table *t = table_new(columns, last - first + 1);
	for (size_t k = 0; k < a->findings.n; k++) {
		char *name = row_name(&a->findings.v[k]), ratio[NUMBER_MAX];

		if (measured_somewhere(a, n, k))
			table_text(t, name);
		for (size_t i = first; i < last && measured_somewhere(a, n, k); i++) {
			const struct finding *f = &a[i].findings.v[k];
			bool noise = f->verdict == VERDICT_NOISE;
			char *cell =
			    xasprintf(noise ? "(%s)" : "%s", digits(ratio, f->ratio.centre));

			table_text(t, f->missing ? NULL : cell);
			free(cell);
		}
		free(name);
	}
	putchar('\n');
	table_end(t, stdout, TABLE_TEXT);
}

/* The names that stand for the machines, and what no table shows. */
static void print_legend(const struct analysis *a, size_t n)
{
	size_t missing = 0;

	for (size_t i = 0; i < n; i++)
		printf("%s: %s %s\n", a[i].label, a[i].vector->machine, a[i].vector->path);
	for (size_t k = 0; k < a->findings.n; k++)
		missing += !measured_somewhere(a, n, k);
	puts("\nRatios in parentheses are within noise.");
	if (missing)
		printf(
		    "Not measured on any: %zu operations; hbench analyze of one machine lists what "
		    "they need.\n",
		    missing);
}

/* "file read 64k (bw_file_read_64k) is 1.80 times slower on B (1.75 to 1.86): 1.70 x by copying,
 * 1.02 x by the call, 1.04 x by what is in no part." */
static void print_movement(const struct movement *m, const char *label)
{
	bool slower = m->ratio.centre > 1;
	double sign = slower ? 1 : -1;
	char ratio[NUMBER_MAX], low[NUMBER_MAX], high[NUMBER_MAX], *name = row_name(m->a);
	char *text = xasprintf("%s (%s) is %s times %s on %s", name, m->a->entry,
			       digits(ratio, pow(m->ratio.centre, sign)),
			       slower ? "slower" : "faster", label);

	if (!isnan(m->ratio.low))
		text = xappend(text, " (%s to %s)",
			       digits(low, pow(slower ? m->ratio.low : m->ratio.high, sign)),
			       digits(high, pow(slower ? m->ratio.high : m->ratio.low, sign)));
	for (size_t i = 0; i < m->a->nparts; i++)
		text = xappend(text, "%s %s x by %s", i ? "," : ":",
			       digits(ratio, pow(m->factors[i], sign)), m->a->parts[i].name);
	text = xappend(text, ", %s x by what is in no part.", digits(ratio, pow(m->rest, sign)));
	wrap_print(stdout, text, 4);
	free(text);
	free(name);
}

static void print_moved(const struct analysis *a, const struct analysis *b, double margin)
{
	struct movements all =
	    movements_of(a->vector, &a->findings, b->vector, &b->findings, margin);
	size_t moved = 0;

	for (size_t i = 0; i < all.n; i++)
		moved += all.v[i].moved;
	printf("\n%s against %s: %zu of %zu operations with a known prediction differ\n", b->label,
	       a->label, moved, all.n);
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].moved)
			print_movement(&all.v[i], b->label);
	vec_free(&all);
}

/* "cpu_int: 1.20 on B, 1.31 on C" */
static char *ratios_text(const struct companion *c, const struct analysis *a, size_t n)
{
	char *text = xstrdup(c->entry->name), ratio[NUMBER_MAX];

	for (size_t i = 1; i < n; i++)
		text = xappend(text, "%s%s on %s", i > 1 ? ", " : ": ",
			       digits(ratio, exp(c->logs[i])), a[i].label);
	return text;
}

/* The entries that moved together with base (NULL: with none). */
static void print_group(const struct companions *all, const struct base *base,
			const struct analysis *a, size_t n)
{
	const struct companion *of = base ? companions_find(all, base->entry) : NULL;
	char *ratios = of ? ratios_text(of, a, n) : NULL, *text;
	size_t members = 0;

	text = base ? xasprintf("\n%s (%s times the cost on %s). With it moved", base->name, ratios,
				a->label)
		    : xstrdup("\nWith none of these moved");
	for (size_t i = 0; i < all->n; i++) {
		const struct companion *c = &all->v[i];

		if (!c->moved || c->base != base || c == of)
			continue;
		text = xappend(text, "%s %s", members++ ? "," : "", c->entry->name);
		if (n == 2)
			text = xappend(text, " %.3g", exp(c->logs[1]));
	}
	if (members)
		wrap_print(stdout, text, 4);
	free(ratios);
	free(text);
}

static void print_companions(const struct analysis *a, size_t n, double margin)
{
	const struct osvec **vectors = xcalloc(n, sizeof(*vectors));
	size_t moved = 0;

	for (size_t i = 0; i < n; i++)
		vectors[i] = a[i].vector;
	struct companions all = movement_companions(vectors, n, margin);
	for (size_t i = 0; i < all.n; i++)
		moved += all.v[i].moved;
	printf("\n%zu of %zu entries on all machines differ from %s\n", moved, all.n, a->label);
	for (const struct base *b = movement_bases; b->name; b++)
		print_group(&all, b, a, n);
	print_group(&all, NULL, a, n);
	companions_free(&all);
	free(vectors);
}

void analysis_print(const struct analysis *a, size_t n, double margin, bool all)
{
	if (n == 1) {
		print_machine(a, all);
		return;
	}
	print_legend(a, n);
	for (size_t i = 0; i < n; i += COLUMNS)
		print_ratios(a, n, i);
	print_levels(a, n);
	for (size_t i = 1; i < n; i++)
		print_moved(a, &a[i], margin);
	print_companions(a, n, margin);
}
