/* SPDX-License-Identifier: MIT */
#include "counters/counts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "util/file.h"
#include "util/number.h"
#include "util/text.h"

static const char stack_line[] = "# cpistack ", command_line[] = "# command ";
static const char *const suffixes[COUNTS_MODES] = { "", ":u", ":k" };

/* ---- reading ---- */

enum { FIELDS = 32, MOST_UNITS = 4096 };

/* One row in the making. */
struct row {
	double from, time, count, running, percent;
	size_t unit, event, order;
	enum counts_mode mode;
};

static size_t split(char *line, char *fields[FIELDS])
{
	size_t n = 0;

	for (char *field; n < FIELDS && (field = strsep(&line, ","));)
		fields[n++] = field + strspn(field, " ");
	return n;
}

static bool is_value(const char *s)
{
	double ignored;

	return !strncmp(s, "<not ", 5) || number_parse_double(s, &ignored);
}

/* Names such as cpu/event=0x9c,umask=1/ have commas: joins them.  Returns the next field. */
static size_t join_name(char **fields, size_t n, size_t i, char **name)
{
	*name = xstrdup(fields[i]);
	for (bool open = false; i < n;) {
		for (const char *p = fields[i]; *p; p++)
			open ^= *p == '/';
		if (!open || ++i == n)
			break;
		*name = xappend(*name, ",%s", fields[i]);
	}
	return i + 1;
}

static const char *const words[COUNTS_MODES] = { "all", "user", "kernel" };

enum counts_mode counts_mode_of(const char *word)
{
	size_t mode = 0;

	while (mode < COUNTS_MODES && strcmp(word, words[mode]) != 0)
		mode++;
	return (enum counts_mode)mode;
}

const char *counts_modes(unsigned modes)
{
	return words[modes == 1U << COUNTS_USER	    ? COUNTS_USER
		     : modes == 1U << COUNTS_KERNEL ? COUNTS_KERNEL
						    : COUNTS_ALL];
}

enum counts_mode counts_take_mode(char *name)
{
	char *end = name + strlen(name), *at = end;

	while (at > name && strchr("ukhpGHPSDW", at[-1]))
		at--;
	if (at == end || at == name || (at[-1] != ':' && at[-1] != '/'))
		return COUNTS_ALL;
	bool user = strchr(at, 'u'), kernel = strchr(at, 'k');
	if (at[-1] == ':')
		at--;
	*at = '\0';
	return user == kernel ? COUNTS_ALL : user ? COUNTS_USER : COUNTS_KERNEL;
}

/* perf names events with the PMU that it chose, as on a processor with two kinds of cores, or that
 * it was told: cpu_core/cycles/ is cycles. */
static void take_pmu(char *name)
{
	const size_t n = strlen(name);
	const size_t skip = !strncmp(name, "cpu_core/", 9) ? 9 : !strncmp(name, "cpu/", 4) ? 4 : 0;

	if (!skip || n <= skip + 1 || name[n - 1] != '/' || strchr(name, '='))
		return;
	memmove(name, name + skip, n - skip - 1);
	name[n - skip - 1] = '\0';
}

/* 1: a row; 0: not counted; -1: no row. */
static int parse_row(struct counts *c, char *line, struct row *r)
{
	char *fields[FIELDS], *event;
	size_t n = split(line, fields), at = 1;
	const char *unit = "", *group = "";

	if (!strcmp(fields[0], "summary"))
		return 0; /* perf stat --summary: the intervals once more, added up */
	if (n < 6 || !number_parse_double(fields[0], &r->time))
		return -1;
	if (*fields[at] && !is_value(fields[at])) {
		unit = fields[at++];
		at += is_value(fields[at]) && is_value(fields[at + 1]); /* units in a core */
	}
	if (at + 4 < n && !*fields[at + 2] && !*fields[at + 3])
		return 0; /* a further ratio of the event before */
	if (at + 4 >= n || !is_value(fields[at]) || !*fields[at + 2])
		return -1;
	const char *count = fields[at];
	at = join_name(fields, n, at + 2, &event);
	if (at + 2 < n && !is_value(fields[at]) && is_value(fields[at + 1]))
		group = fields[at++];
	r->mode = counts_take_mode(event);
	take_pmu(event);
	if (!strcmp(count, "<not supported>"))
		names_add(&c->unsupported, event);
	char *who = xasprintf("%s%s%s", unit, *unit && *group ? " " : "", group);
	r->unit = names_add(&c->units, who);
	r->event = names_add(&c->events, event);
	free(who);
	free(event);
	bool known = number_parse_double(count, &r->count) && at + 1 < n &&
		     number_parse_double(fields[at], &r->running) &&
		     number_parse_double(fields[at + 1], &r->percent) &&
		     strchr(fields[at + 1], '.'); /* nor a comma, which would be another field */
	if (!known && *count != '<')
		return -1;
	return known && r->running > 0 && r->percent > 0 && r->count >= 0;
}

/* perf prints an event of all units, then the next: those of a unit come together. */
static int by_unit(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	if (x->mode != y->mode)
		return x->mode < y->mode ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Whether the row was counted together with those of the last slice, and is not in it yet. */
static bool goes_with(const struct counts *c, const struct row *r)
{
	const struct counts_slice *s = c->slices.n ? &c->slices.v[c->slices.n - 1] : NULL;

	if (!s || s->to != r->time || s->unit != r->unit || s->mode != r->mode ||
	    s->running != r->running)
		return false;
	for (size_t i = s->first; i < s->first + s->n; i++)
		if (c->rows.v[i].event == r->event)
			return false;
	return true;
}

static void add_row(struct counts *c, const struct row *r)
{
	if (!goes_with(c, r))
		vec_push(&c->slices,
			 (struct counts_slice){ .from = r->from,
						.to = r->time,
						.unit = r->unit,
						.mode = r->mode,
						.running = r->running,
						.enabled = r->running / r->percent * 100,
						.first = c->rows.n });
	c->slices.v[c->slices.n - 1].n++;
	vec_push(&c->rows, (struct counts_row){ r->event, r->count * r->percent / 100 });
}

/* What follows the head of a comment, if that is its head. */
static void take(char **to, const char *line, const char *head)
{
	if (strncmp(line, head, strlen(head)) != 0)
		return;
	free(*to);
	*to = text_make_printable(xstrdup(line + strlen(head)));
}

/* The rows of a text, whose times begin at offset. */
struct rows {
	struct row *v;
	size_t n, cap;
};

static int parse_text(struct counts *c, char *text, const char *path, double offset,
		      struct rows *rows, struct error *e)
{
	double from = offset, last = 0;
	size_t number = 0;

	for (char *line = text, *next; line; line = next) {
		struct row r = { .time = last, .order = rows->n };

		next = strchr(line, '\n');
		if (!next)
			break; /* torn */
		*next++ = '\0';
		number++;
		line[strcspn(line, "\r")] = '\0';
		if (*line == '#' || !line[strspn(line, " \t")]) {
			take(&c->stack, line, stack_line);
			take(&c->command, line, command_line);
			continue;
		}
		int is_row = parse_row(c, line, &r);
		if (is_row < 0)
			return error_set(e,
					 "%s:%zu: is no row of perf stat -I -x, "
					 "(time,count,unit,event,running,percent), as "
					 "LC_ALL=C perf stat -o FILE writes them",
					 path, number);
		if (r.time < last)
			return error_set(e, "%s:%zu: goes back in time", path, number);
		if (is_row && !strncmp(c->events.v[r.event], "cpu_atom/", 9))
			return error_set(e,
					 "%s:%zu: %s was counted on cores of another kind than "
					 "cpu_core, which no stack is for: leave out the rows of "
					 "cpu_atom, or run on cores of one kind alone (taskset)",
					 path, number, c->events.v[r.event]);
		if (r.time > last)
			from = offset + last;
		last = r.time;
		r.from = from;
		r.time += offset;
		if (is_row)
			vec_push(rows, r);
	}
	return 0;
}

int counts_read(struct counts *c, const char *path, struct error *e)
{
	size_t n;
	char *text = file_read(path, (size_t)1 << 30, &n, e);
	double offset = c->slices.n ? c->slices.v[c->slices.n - 1].to : 0;
	struct rows rows = { 0 };

	if (!text)
		return -1;
	int status = strlen(text) == n ? parse_text(c, text, path, offset, &rows, e)
				       : error_set(e, "%s: holds NUL bytes", path);
	if (!status && c->units.n > MOST_UNITS)
		status = error_set(e, "%s: more than %d units", path, MOST_UNITS);
	if (!status && !rows.n)
		status = error_set(e, "%s: nothing was counted%s%s", path,
				   c->unsupported.n ? "; this machine had no event " : "",
				   c->unsupported.n ? c->unsupported.v[0] : "");
	if (!status)
		vec_sort(&rows, by_unit);
	for (size_t i = 0; !status && i < rows.n; i++)
		add_row(c, &rows.v[i]);
	vec_free(&rows);
	free(text);
	return status;
}

static int by_end(const void *a, const void *b)
{
	const struct counts_slice *x = a, *y = b;

	return (x->to > y->to) - (x->to < y->to);
}

void counts_sort(struct counts *c, size_t first)
{
	if (c->slices.n > first)
		qsort(c->slices.v + first, c->slices.n - first, sizeof(*c->slices.v), by_end);
}

void counts_free(struct counts *c)
{
	free(c->stack);
	free(c->command);
	names_free(&c->units);
	names_free(&c->events);
	names_free(&c->unsupported);
	vec_free(&c->slices);
	vec_free(&c->rows);
}

/* ---- writing ---- */

void counts_write_head(FILE *f, const char *stack, const char *command)
{
	char *line = text_make_printable(xstrdup(command));

	fprintf(f, "%s%s\n%s%s\n# seconds,who,count,,event,ns counted,percent of its turn\n",
		stack_line, stack, command_line, line);
	free(line);
}

void counts_write(FILE *f, double seconds, const char *unit, enum counts_mode mode,
		  const char *const *names, const struct group_slice *s)
{
	for (size_t i = 0; i < s->n && s->running > 0; i++)
		fprintf(f, "%.9f,%s,%.0f,,%s%s,%.0f,%.2f\n", seconds, unit,
			s->counts[i] * s->enabled / s->running, names[s->events[i]], suffixes[mode],
			s->running, 100 * s->running / s->enabled);
}
