/* SPDX-License-Identifier: MIT */
#include "util/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "util/arena.h"
#include "util/map.h"
#include "util/number.h"
#include "util/vec.h"

enum {
	NAME_LEAST = 12, /* columns that a name keeps */
	LIST_LEAST = 9,	 /* and a list */
	NARROWEST = 60,	 /* terminal that is taken into account */
};

struct table_cell {
	const char *shown; /* in text; NULL: no value */
	double value;	   /* of a number that is not whole: for CSV and JSON */
	enum { CELL_TEXT, CELL_COUNT, CELL_NUMBER } kind;
};

struct table {
	const struct table_column *columns;
	size_t n;
	VEC(struct table_cell) cells;
	struct arena strings; /* of the cells */
	int *width;	      /* of each column, as printed so far */
	int room;	      /* for all */
	bool begun;	      /* a part was printed */
	char *group;	      /* printed last */
};

struct table *table_new(const struct table_column *columns, size_t n)
{
	struct table *t = xcalloc(1, sizeof(*t));

	t->columns = columns;
	t->n = n;
	t->width = xcalloc(n, sizeof(*t->width));
	return t;
}

static void add_cell(struct table *t, const char *s, struct table_cell cell)
{
	cell.shown = s ? arena_copy(&t->strings, s, strlen(s)) : NULL;
	vec_push(&t->cells, cell);
}

void table_text(struct table *t, const char *s)
{
	add_cell(t, s, (struct table_cell){ .kind = CELL_TEXT });
}

void table_shown(struct table *t, double v, const char *s)
{
	if (isnan(v))
		table_text(t, NULL);
	else
		add_cell(t, s, (struct table_cell){ .value = v, .kind = CELL_NUMBER });
}

void table_number(struct table *t, double v, const char *fmt)
{
	char s[64];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(s, sizeof(s), fmt, v);
#pragma GCC diagnostic pop
	table_shown(t, v, s);
}

void table_seconds(struct table *t, double seconds)
{
	char s[NUMBER_MAX];

	table_shown(t, seconds, number_format_duration(s, seconds));
}

void table_count(struct table *t, uint64_t v)
{
	char s[32];

	snprintf(s, sizeof(s), "%" PRIu64, v);
	add_cell(t, s, (struct table_cell){ .kind = CELL_COUNT });
}

/* Columns of s on a terminal: bytes that do not continue a UTF-8 character. */
static int width(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static const char *shown(const struct table_cell *c)
{
	return c->shown ? c->shown : "-";
}

/* Where the character n of s begins. */
static const char *character(const char *s, int n)
{
	for (; *s && (n || ((unsigned char)*s & 0xc0) == 0x80); s++)
		n -= ((unsigned char)s[1] & 0xc0) != 0x80;
	return s;
}

/* s in at most w columns: its beginning and its end, which distinguish names most often. */
static char *shorten(const char *s, int w)
{
	int n = width(s), kept = w - 2, head = kept - kept / 2;

	if (n <= w)
		return xstrdup(s);
	const char *tail = character(s, n - kept / 2);
	return xasprintf("%.*s..%s", (int)(character(s, head) - s), s, tail);
}

/* Whether the names of column c still differ when they are shortened to w. */
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

static void measure(const struct table *t, int *w)
{
	for (size_t c = 0; c < t->n; c++)
		if (width(t->columns[c].title) > w[c])
			w[c] = width(t->columns[c].title);
	for (size_t i = 0; i < t->cells.n; i++)
		if (width(shown(&t->cells.v[i])) > w[i % t->n])
			w[i % t->n] = width(shown(&t->cells.v[i]));
}

/* Narrows columns of names and lists until rows fit. */
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

/* A list, continued below its beginning; words wider than the column are split. */
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

static void print_blanks(FILE *f, int n)
{
	static const char blanks[] = "                                ";

	for (; n > 0; n -= (int)sizeof(blanks) - 1)
		fwrite(blanks, 1, n < (int)sizeof(blanks) ? (size_t)n : sizeof(blanks) - 1, f);
}

static void print_padded(FILE *f, const char *s, int w, bool left, bool last)
{
	int pad = w - width(s);

	if (!left)
		print_blanks(f, pad);
	fputs(s, f);
	if (left && !last)
		print_blanks(f, pad);
	if (last)
		putc('\n', f);
}

static void print_row(const struct table *t, FILE *f, const struct table_cell *row)
{
	int indent = 0;
	size_t last = t->n - 1;

	while (last && !is_visible(&t->columns[last]))
		last--;
	for (size_t c = 0; c <= last; c++) {
		const char *s = row ? shown(&row[c]) : t->columns[c].title;
		enum table_kind kind = t->columns[c].kind;

		if (!is_visible(&t->columns[c]))
			continue;
		fputs(indent && (kind != TABLE_LIST || *s) ? "  " : "", f);
		if (kind == TABLE_LIST) {
			print_list(t, f, s, indent);
			continue;
		}
		char *fits = kind == TABLE_NAME ? shorten(s, t->width[c]) : NULL;
		print_padded(f, fits ? fits : s, t->width[c], kind != TABLE_RIGHT, c == last);
		free(fits);
		indent += t->width[c] + 2;
	}
}

/* The heading of the row's group, when the row before is of another. */
static void print_group(struct table *t, FILE *f, const struct table_cell *row)
{
	for (size_t c = 0; c < t->n; c++) {
		if (t->columns[c].kind != TABLE_GROUP ||
		    (t->group && !strcmp(t->group, shown(&row[c]))))
			continue;
		fprintf(f, "\n%s\n", shown(&row[c]));
		free(t->group);
		t->group = xstrdup(shown(&row[c]));
	}
}

static void print_text(struct table *t, FILE *f)
{
	t->room = table_width(f);
	measure(t, t->width);
	fit(t, t->width);
	if (!t->begun)
		print_row(t, f, NULL);
	for (size_t i = 0; i < t->cells.n; i += t->n) {
		print_group(t, f, &t->cells.v[i]);
		print_row(t, f, &t->cells.v[i]);
	}
}

static const char *key(const struct table_column *c)
{
	return c->key ? c->key : c->title;
}

enum { EXACT = 32 }; /* bytes of a number with all digits */

static const char *exact(const struct table_cell *c, char out[EXACT])
{
	if (c->kind != CELL_NUMBER)
		return c->shown;
	snprintf(out, EXACT, "%.9g", c->value);
	return out;
}

static void print_field(FILE *f, const char *s, char separator)
{
	if (!s)
		return;
	if (separator == '\t' || !s[strcspn(s, ",\"\r\n")]) {
		fputs(s, f);
		return;
	}
	putc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', f);
		putc(*s, f);
	}
	putc('"', f);
}

static void print_fields(const struct table *t, FILE *f, char separator)
{
	for (size_t c = 0; !t->begun && c < t->n; c++) {
		print_field(f, key(&t->columns[c]), separator);
		putc(c + 1 == t->n ? '\n' : separator, f);
	}
	for (size_t i = 0; i < t->cells.n; i++) {
		char number[EXACT];

		print_field(f, exact(&t->cells.v[i], number), separator);
		putc((i + 1) % t->n == 0 ? '\n' : separator, f);
	}
}

/* A JSON string; bytes outside ASCII are taken as Latin-1 so that any file name stays valid. */
static void print_json_string(FILE *f, const char *s)
{
	putc('"', f);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < 0x20 || c > 0x7e)
			fprintf(f, "\\u%04x", c);
		else
			putc(c, f);
	}
	putc('"', f);
}

/* The rows of an array, without its end. */
static void print_json(const struct table *t, FILE *f)
{
	if (!t->begun)
		fputs("[", f);
	for (size_t i = 0; i < t->cells.n; i++) {
		const struct table_cell *cell = &t->cells.v[i];
		size_t c = i % t->n;
		char number[EXACT];

		fputs(c ? ", " : i || t->begun ? ",\n  {" : "\n  {", f);
		print_json_string(f, key(&t->columns[c]));
		fputs(": ", f);
		if (!cell->shown)
			fputs("null", f);
		else if (cell->kind == CELL_TEXT)
			print_json_string(f, cell->shown);
		else
			fputs(exact(cell, number), f);
		if (c + 1 == t->n)
			putc('}', f);
	}
}

static void print_rows(struct table *t, FILE *f, enum table_format format)
{
	switch (format) {
	case TABLE_TEXT: print_text(t, f); break;
	case TABLE_CSV: print_fields(t, f, ','); break;
	case TABLE_TSV: print_fields(t, f, '\t'); break;
	case TABLE_JSON: print_json(t, f); break;
	}
}

void table_print(struct table *t, FILE *f, enum table_format format)
{
	print_rows(t, f, format);
	if (format == TABLE_JSON)
		fputs(t->cells.n || t->begun ? "\n]\n" : "]\n", f);
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

void table_free(struct table *t)
{
	if (!t)
		return;
	arena_free(&t->strings);
	vec_free(&t->cells);
	free(t->group);
	free(t->width);
	free(t);
}

int table_width(FILE *f)
{
	struct winsize w;

	if (fileno(f) < 0 || ioctl(fileno(f), TIOCGWINSZ, &w) || !w.ws_col ||
	    w.ws_col >= TABLE_WIDTH)
		return TABLE_WIDTH;
	return w.ws_col >= NARROWEST ? w.ws_col : NARROWEST;
}
