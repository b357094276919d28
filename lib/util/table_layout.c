/* SPDX-License-Identifier: MIT */
/* Lays a table out as text for people: widths of columns, shortened names, wrapped lists. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "util/map.h"
#include "util/number.h"
#include "util/table_parts.h"
#include "util/wrap.h"

enum {
	NAME_LEAST = 12, /* columns that a name keeps at least */
	LIST_LEAST = 9,	 /* columns that a list keeps at least */
	NARROWEST = 60,	 /* a narrower terminal is treated as if it had this many columns */
};

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
			table_write_line(t, f);
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
	table_write_line(t, f);
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

void table_print_text(struct table *t, FILE *f)
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
