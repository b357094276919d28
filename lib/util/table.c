/* SPDX-License-Identifier: MIT */
#include "util/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

struct cell {
	char *shown; /* in text; NULL: no value */
	char *exact; /* in CSV and JSON; NULL: the same as shown */
	bool number;
};

struct table {
	const struct table_column *columns;
	size_t n;
	VEC(struct cell) cells;
	int *width;	/* of each column, as printed so far */
	bool begun;	/* a part was printed */
};

struct table *table_new(const struct table_column *columns, size_t n)
{
	struct table *t = xcalloc(1, sizeof(*t));

	t->columns = columns;
	t->n = n;
	t->width = xcalloc(n, sizeof(*t->width));
	return t;
}

void table_text(struct table *t, const char *s)
{
	vec_push(&t->cells, (struct cell){ .shown = s ? xstrdup(s) : NULL });
}

void table_shown(struct table *t, double v, const char *s)
{
	if (isnan(v))
		table_text(t, NULL);
	else
		vec_push(&t->cells, (struct cell){ xstrdup(s), xasprintf("%.9g", v), true });
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

void table_count(struct table *t, uint64_t v)
{
	vec_push(&t->cells, (struct cell){ .shown = xasprintf("%" PRIu64, v), .number = true });
}

/* Columns of s on a terminal: bytes that do not continue a UTF-8 character. */
static int width(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static const char *shown(const struct cell *c)
{
	return c->shown ? c->shown : "-";
}

static void print_padded(FILE *f, const char *s, int w, bool left, bool last)
{
	int pad = w - width(s);

	if (left)
		fprintf(f, "%s%*s", s, last ? 0 : pad, "");
	else
		fprintf(f, "%*s%s", pad, "", s);
	fputs(last ? "\n" : "  ", f);
}

static void print_text(const struct table *t, FILE *f)
{
	int *w = t->width;

	for (size_t c = 0; c < t->n; c++)
		if (width(t->columns[c].title) > w[c])
			w[c] = width(t->columns[c].title);
	for (size_t i = 0; i < t->cells.n; i++)
		if (width(shown(&t->cells.v[i])) > w[i % t->n])
			w[i % t->n] = width(shown(&t->cells.v[i]));
	for (size_t c = 0; !t->begun && c < t->n; c++)
		print_padded(f, t->columns[c].title, w[c], t->columns[c].left, c + 1 == t->n);
	for (size_t i = 0; i < t->cells.n; i++) {
		size_t c = i % t->n;

		print_padded(f, shown(&t->cells.v[i]), w[c], t->columns[c].left, c + 1 == t->n);
	}
}

static const char *key(const struct table_column *c)
{
	return c->key ? c->key : c->title;
}

static const char *exact(const struct cell *c)
{
	return c->exact ? c->exact : c->shown;
}

static void print_csv_field(FILE *f, const char *s)
{
	if (!s)
		return;
	if (!s[strcspn(s, ",\"\r\n")]) {
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

static void print_csv(const struct table *t, FILE *f)
{
	for (size_t c = 0; !t->begun && c < t->n; c++) {
		print_csv_field(f, key(&t->columns[c]));
		fputs(c + 1 == t->n ? "\n" : ",", f);
	}
	for (size_t i = 0; i < t->cells.n; i++) {
		print_csv_field(f, exact(&t->cells.v[i]));
		fputs((i + 1) % t->n == 0 ? "\n" : ",", f);
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
		const struct cell *cell = &t->cells.v[i];
		size_t c = i % t->n;

		fputs(c ? ", " : i || t->begun ? ",\n  {" : "\n  {", f);
		print_json_string(f, key(&t->columns[c]));
		fputs(": ", f);
		if (!cell->shown)
			fputs("null", f);
		else if (cell->number)
			fputs(exact(cell), f);
		else
			print_json_string(f, exact(cell));
		if (c + 1 == t->n)
			putc('}', f);
	}
}

static void print_rows(const struct table *t, FILE *f, enum table_format format)
{
	switch (format) {
	case TABLE_TEXT:
		print_text(t, f);
		break;
	case TABLE_CSV:
		print_csv(t, f);
		break;
	case TABLE_JSON:
		print_json(t, f);
		break;
	}
}

void table_print(const struct table *t, FILE *f, enum table_format format)
{
	print_rows(t, f, format);
	if (format == TABLE_JSON)
		fputs(t->cells.n || t->begun ? "\n]\n" : "]\n", f);
}

static void forget_rows(struct table *t)
{
	for (size_t i = 0; i < t->cells.n; i++) {
		free(t->cells.v[i].shown);
		free(t->cells.v[i].exact);
	}
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
	forget_rows(t);
	vec_free(&t->cells);
	free(t->width);
	free(t);
}
