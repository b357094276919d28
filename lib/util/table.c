/* SPDX-License-Identifier: MIT */
#include "util/table.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "util/arena.h"
#include "util/map.h"
#include "util/number.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/wrap.h"

enum {
	NAME_LEAST = 12,     /* columns that a name keeps at least */
	LIST_LEAST = 9,	     /* columns that a list keeps at least */
	NARROWEST = 60,	     /* a narrower terminal is treated as if it had this many columns */
	DATA_PART = 1 << 16, /* bytes of CSV or JSON that are written at once */
};

struct table_cell {
	char *shown; /* as text; NULL: no value, or a CELL_TIME that is not measured yet */
	union {
		double number; /* of a CELL_NUMBER, for CSV and JSON */
		int64_t ns;    /* of a CELL_TIME */
	};
	size_t n;  /* bytes of shown */
	int width; /* as text, once it is measured */
	enum cell_kind { CELL_TEXT, CELL_COUNT, CELL_NUMBER, CELL_TIME } kind;
	int64_t step;	   /* of a CELL_TIME: how many ns the last decimal is */
	unsigned decimals; /* of a CELL_TIME */
};

struct table {
	const struct table_column *columns;
	size_t n;
	VEC(struct table_cell) cells;
	struct arena strings; /* of the cells */
	int *width;	      /* by column: the width printed so far */
	int room;	      /* columns available for a row */
	bool unlimited;	      /* rows are as long as they need to be */
	bool begun;	      /* the heading was printed already */
	bool any;	      /* and a row of data */
	char *group;	      /* group printed last */
	struct text line;
	uint64_t head, added; /* rows to print, 0: all; cells added so far */
	/* Of a table that is a stream, which keeps no cells: */
	FILE *stream;
	enum table_format format;
	size_t column; /* of the next cell */
};

struct table *table_new(const struct table_column *columns, size_t n)
{
	struct table *t = xcalloc(1, sizeof(*t));

	t->columns = columns;
	t->n = n;
	t->width = xcalloc(n, sizeof(*t->width));
	return t;
}

/* Rows are assembled in memory because stdio per cell would take most of the time of long
 * tables. */
static void write_line(struct table *t, FILE *f)
{
	fwrite(t->line.v, 1, t->line.n, f);
	t->line.n = 0;
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
		write_line(t, f);
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

/* Returns the terminal columns of s: the bytes that do not continue a UTF-8 character. */
static int width(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* Makes s printable; returns its terminal columns.  Nearly all that is shown is plain ASCII. */
static int clean(char *s)
{
	size_t n = 0;

	while ((unsigned char)(s[n] - ' ') < 0x7f - ' ')
		n++;
	return (int)n + (s[n] ? width(text_make_printable(s + n)) : 0);
}

static const char *shown(const struct table_cell *c)
{
	return c->shown ? c->shown : "-";
}

/* Returns where character number n of s begins. */
static const char *character(const char *s, int n)
{
	for (; *s && (n || ((unsigned char)*s & 0xc0) == 0x80); s++)
		n -= ((unsigned char)s[1] & 0xc0) != 0x80;
	return s;
}

/* Returns s in at most w columns: its beginning and its end, which distinguish names most often. */
static char *shorten(const char *s, int w)
{
	int n = width(s), kept = w - 2, head = kept - kept / 2;

	if (n <= w)
		return xstrdup(s);
	const char *tail = character(s, n - kept / 2);
	return xasprintf("%.*s..%s", (int)(character(s, head) - s), s, tail);
}

/* Whether the names in column c still differ when they are shortened to w columns. */
static bool differ(const struct table *t, size_t c, int w)
{
	struct names whole = { 0 }, shortened = { 0 };

	for (size_t i = c; i < t->cells.n; i += t->n) {
		char *s = shorten(shown(&t->cells.v[i]), w);

		names_add(&whole, shown(&t->cells.v[i]));
		names_add(&shortened, s);
		free(s);
	}
	bool same = whole.n == shortened.n;
	names_free(&whole);
	names_free(&shortened);
	return same;
}

static bool is_visible(const struct table_column *c)
{
	return c->kind != TABLE_GROUP && c->kind != TABLE_DATA;
}

/* Only text needs this, and programs read the longest tables. */
static void format_time(struct table *t, struct table_cell *c)
{
	char s[NUMBER_MAX];
	int64_t half = (c->ns < 0 ? -c->step : c->step) / 2;
	int64_t rounded = c->ns / c->step + (c->ns % c->step + half) / c->step;
	const char *shown = number_format_fixed(s, rounded, c->decimals);

	c->shown = arena_copy(&t->strings, shown, strlen(shown));
}

static void measure(struct table *t, int *w)
{
	for (size_t c = 0; c < t->n; c++)
		if (width(t->columns[c].title) > w[c])
			w[c] = width(t->columns[c].title);
	for (size_t i = 0, c = 0; i < t->cells.n; i++, c = c + 1 == t->n ? 0 : c + 1) {
		struct table_cell *cell = &t->cells.v[i];

		if (cell->kind == CELL_TIME)
			format_time(t, cell);
		cell->width = cell->shown ? clean(cell->shown) : width(shown(cell));
		w[c] = cell->width > w[c] ? cell->width : w[c];
	}
}

/* Narrows columns of names and lists until the rows fit. */
static void fit(const struct table *t, int *w)
{
	int excess = -t->room - 2;

	for (size_t c = 0; c < t->n; c++) {
		if (t->columns[c].kind == TABLE_LIST && w[c] > LIST_LEAST)
			w[c] = LIST_LEAST;
		excess += is_visible(&t->columns[c]) ? w[c] + 2 : 0;
	}
	for (size_t c = 0; c < t->n && excess > 0; c++) {
		if (t->columns[c].kind != TABLE_NAME)
			continue;
		int to = w[c] - excess > NAME_LEAST ? w[c] - excess : NAME_LEAST;
		while (to < w[c] && !differ(t, c, to))
			to++;
		if (to < w[c]) {
			excess -= w[c] - to;
			w[c] = to;
		}
	}
}

/* Prints a list, continued below its beginning; words wider than the column are split. */
static void print_list(const struct table *t, FILE *f, const char *s, int indent)
{
	int room = t->room - indent > LIST_LEAST ? t->room - indent : LIST_LEAST;
	int column = 0;

	for (const char *p = s; *p;) {
		int n = (int)strcspn(p, " ");

		if (column && column + 1 + n > room)
			column = fprintf(f, "\n%*s", indent, "") - 1 - indent;
		for (; n > room; n -= room, p += room)
			fprintf(f, "%.*s\n%*s", room, p, indent, "");
		column += fprintf(f, "%s%.*s", column ? " " : "", n, p);
		p += n;
		p += *p == ' ';
	}
	putc('\n', f);
}

static void put_blanks(struct text *line, int n)
{
	static const char blanks[] = "                                ";

	for (; n > 0; n -= (int)sizeof(blanks) - 1)
		text_put_n(line, blanks, n < (int)sizeof(blanks) ? (size_t)n : sizeof(blanks) - 1);
}

static void put_padded(struct text *line, const char *s, int pad, bool left, bool last)
{
	if (!left)
		put_blanks(line, pad);
	text_put(line, s);
	if (left && !last)
		put_blanks(line, pad);
	if (last)
		text_put_n(line, "\n", 1);
}

static void print_row(struct table *t, FILE *f, const struct table_cell *row)
{
	int indent = 0;
	size_t last = t->n - 1;
	struct text *line = &t->line;

	while (last && !is_visible(&t->columns[last]))
		last--;
	for (size_t c = 0; c <= last; c++) {
		const char *s = row ? shown(&row[c]) : t->columns[c].title;
		enum table_kind kind = t->columns[c].kind;

		if (!is_visible(&t->columns[c]))
			continue;
		text_put(line, indent && (kind != TABLE_LIST || *s) ? "  " : "");
		if (kind == TABLE_LIST) {
			write_line(t, f);
			print_list(t, f, s, indent);
			continue;
		}
		int own = row ? row[c].width : width(s);
		char *fits =
		    kind == TABLE_NAME && own > t->width[c] ? shorten(s, t->width[c]) : NULL;
		put_padded(line, fits ? fits : s, fits ? 0 : t->width[c] - own, kind != TABLE_RIGHT,
			   c == last);
		free(fits);
		indent += t->width[c] + 2;
	}
	write_line(t, f);
}

/* Prints the heading of the row's group if the previous row is of another group. */
static void print_group(struct table *t, FILE *f, const struct table_cell *row)
{
	for (size_t c = 0; c < t->n; c++) {
		if (t->columns[c].kind != TABLE_GROUP ||
		    (t->group && !strcmp(t->group, shown(&row[c]))))
			continue;
		fputc('\n', f);
		wrap_print(f, shown(&row[c]), 4);
		free(t->group);
		t->group = xstrdup(shown(&row[c]));
	}
}

static void print_text(struct table *t, FILE *f)
{
	t->room = t->unlimited ? INT_MAX / 2 : table_width(f);
	measure(t, t->width);
	fit(t, t->width);
	if (!t->begun)
		print_row(t, f, NULL);
	for (size_t i = 0; i < t->cells.n; i += t->n) {
		print_group(t, f, &t->cells.v[i]);
		print_row(t, f, &t->cells.v[i]);
	}
}

static void print_data(struct table *t, FILE *f, enum table_format format)
{
	if (!t->begun)
		begin_data(t, format);
	for (size_t i = 0, c = 0; i < t->cells.n; i++, c = c + 1 == t->n ? 0 : c + 1)
		put_data(t, &t->cells.v[i], c, format, f);
	write_line(t, f);
}

static void print_rows(struct table *t, FILE *f, enum table_format format)
{
	if (format == TABLE_TEXT)
		print_text(t, f);
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

int table_columns(FILE *f)
{
	struct winsize w;

	if (fileno(f) < 0 || ioctl(fileno(f), TIOCGWINSZ, &w) || !w.ws_col ||
	    w.ws_col >= TABLE_WIDTH)
		return TABLE_WIDTH;
	return w.ws_col;
}

int table_width(FILE *f)
{
	int columns = table_columns(f);

	return columns >= NARROWEST ? columns : NARROWEST;
}
