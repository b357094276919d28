/* SPDX-License-Identifier: MIT */
#include "util/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/number.h"
#include "util/table_parts.h"

enum { DATA_PART = 1 << 16 }; /* bytes of CSV or JSON that are written at once */

struct table *table_new(const struct table_column *columns, size_t n)
{
	struct table *t = xcalloc(1, sizeof(*t));

	t->columns = columns;
	t->n = n;
	t->width = xcalloc(n, sizeof(*t->width));
	return t;
}

void table_head(struct table *t, uint64_t rows)
{
	t->head = rows;
}

void table_unlimit(struct table *t)
{
	t->unlimited = true;
}

/* ---- rows for programs ---- */

static const char *key(const struct table_column *c)
{
	return c->key ? c->key : c->title;
}

static void put_field(struct text *line, const char *s, size_t n, enum table_format format)
{
	if (format == TABLE_TSV || !s[strcspn(s, ",\"\r\n")]) {
		text_put_n(line, s, n);
		return;
	}
	text_put_n(line, "\"", 1);
	for (const char *quote; (quote = strchr(s, '"')); s = quote + 1) {
		text_put_n(line, s, (size_t)(quote - s) + 1);
		text_put_n(line, "\"", 1);
	}
	text_put(line, s);
	text_put_n(line, "\"", 1);
}

/* Appends the text or all digits of a cell that has a value. */
static void put_value(struct text *line, const struct table_cell *c, enum table_format format)
{
	char number[NUMBER_MAX];

	if (c->kind == CELL_TIME)
		text_put_signed(line, c->ns);
	else if (c->kind == CELL_NUMBER)
		text_put_n(line, number,
			   (size_t)snprintf(number, sizeof(number), "%.9g", c->number));
	else if (c->kind == CELL_COUNT)
		text_put_n(line, c->shown, c->n);
	else if (format == TABLE_JSON)
		text_put_json(line, c->shown);
	else
		put_field(line, c->shown, c->n, format);
}

/* Appends what separates two fields of CSV or TSV, or ends their row. */
static void put_separator(struct table *t, size_t column, enum table_format format)
{
	text_put_n(&t->line, column + 1 == t->n ? "\n" : format == TABLE_TSV ? "\t" : ",", 1);
}

/* Appends what is before the first row. */
static void begin_data(struct table *t, enum table_format format)
{
	if (format == TABLE_JSON)
		text_put_n(&t->line, "[", 1);
	for (size_t c = 0; c < t->n && format != TABLE_JSON; c++) {
		put_field(&t->line, key(&t->columns[c]), strlen(key(&t->columns[c])), format);
		put_separator(t, c, format);
	}
	t->begun = true;
}

/* Appends a cell with what surrounds it, and writes what has become long. */
static void put_data(struct table *t, const struct table_cell *cell, size_t column,
		     enum table_format format, FILE *f)
{
	const bool json = format == TABLE_JSON;
	struct text *line = &t->line;

	if (json) {
		text_put(line, column ? ", " : t->any ? ",\n  {" : "\n  {");
		text_put_json(line, key(&t->columns[column]));
		text_put_n(line, ": ", 2);
	}
	if (cell->shown || cell->kind == CELL_TIME)
		put_value(line, cell, format);
	else if (json)
		text_put_n(line, "null", 4);
	if (!json)
		put_separator(t, column, format);
	else if (column + 1 == t->n)
		text_put_n(line, "}", 1);
	t->any = true;
	if (line->n >= DATA_PART)
		table_write_line(t, f);
}

/* ---- cells ---- */

static void add_cell(struct table *t, const char *s, size_t n, struct table_cell cell)
{
	if (t->head && t->added++ / t->n >= t->head)
		return;
	cell.n = n;
	if (!t->stream) {
		cell.shown = s ? arena_copy(&t->strings, s, n) : NULL;
		vec_push(&t->cells, cell);
		return;
	}
	cell.shown = (char *)(uintptr_t)s; /* which put_data() only reads */
	put_data(t, &cell, t->column, t->format, t->stream);
	t->column = t->column + 1 == t->n ? 0 : t->column + 1;
}

void table_text(struct table *t, const char *s)
{
	add_cell(t, s, s ? strlen(s) : 0, (struct table_cell){ .kind = CELL_TEXT });
}

void table_shown(struct table *t, double v, const char *s)
{
	if (!isfinite(v))
		table_text(t, NULL);
	else
		add_cell(t, s, strlen(s), (struct table_cell){ .number = v, .kind = CELL_NUMBER });
}

void table_scaled(struct table *t, double v, double scale, const char *fmt)
{
	char s[64];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(s, sizeof(s), fmt, v * scale);
#pragma GCC diagnostic pop
	bool zero = !strpbrk(s, "123456789");
	table_shown(t, v, s + (zero && *s == '-'));
}

void table_number(struct table *t, double v, const char *fmt)
{
	table_scaled(t, v, 1, fmt);
}

void table_percent(struct table *t, double share, const char *fmt)
{
	table_scaled(t, share, 100, fmt);
}

void table_time(struct table *t, int64_t ns, int64_t unit, unsigned decimals)
{
	struct table_cell cell = {
		.kind = CELL_TIME, .ns = ns, .step = unit, .decimals = decimals
	};

	while (decimals--)
		cell.step /= 10;
	add_cell(t, NULL, 0, cell);
}

void table_seconds(struct table *t, double seconds)
{
	char s[NUMBER_MAX];

	table_shown(t, seconds, number_format_duration(s, seconds));
}

/* Fills a cell with the digits s, which end where every formatted number ends in its buffer. */
static void add_digits(struct table *t, const char *s, const char *buffer)
{
	add_cell(t, s, (size_t)(buffer + NUMBER_MAX - 1 - s),
		 (struct table_cell){ .kind = CELL_COUNT });
}

void table_integer(struct table *t, int64_t v)
{
	char s[NUMBER_MAX];

	add_digits(t, number_format_fixed(s, v, 0), s);
}

void table_count(struct table *t, uint64_t v)
{
	char s[NUMBER_MAX];

	add_digits(t, number_format_count(s, v), s);
}

static void print_data(struct table *t, FILE *f, enum table_format format)
{
	if (!t->begun)
		begin_data(t, format);
	for (size_t i = 0, c = 0; i < t->cells.n; i++, c = c + 1 == t->n ? 0 : c + 1)
		put_data(t, &t->cells.v[i], c, format, f);
	table_write_line(t, f);
}

static void print_rows(struct table *t, FILE *f, enum table_format format)
{
	if (format == TABLE_TEXT)
		table_print_text(t, f);
	else
		print_data(t, f, format);
}

void table_print(struct table *t, FILE *f, enum table_format format)
{
	print_rows(t, f, format);
	if (format == TABLE_JSON)
		fputs(t->any ? "\n]\n" : "]\n", f);
	t->begun = t->any = false;
}

static void forget_rows(struct table *t)
{
	arena_reset(&t->strings);
	t->cells.n = 0;
}

void table_print_part(struct table *t, FILE *f, enum table_format format)
{
	if (!t->cells.n)
		return;
	print_rows(t, f, format);
	forget_rows(t);
	t->begun = true;
}

void table_stream(struct table *t, FILE *f, enum table_format format)
{
	t->stream = f;
	t->format = format;
	begin_data(t, format);
}

void table_free(struct table *t)
{
	if (!t)
		return;
	arena_free(&t->strings);
	vec_free(&t->cells);
	free(t->group);
	free(t->width);
	text_free(&t->line);
	free(t);
}

void table_end(struct table *t, FILE *f, enum table_format format)
{
	table_print(t, f, format);
	table_free(t);
}
