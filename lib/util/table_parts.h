/* SPDX-License-Identifier: MIT */
/* table_parts.h - declarations shared by table.c and table_layout.c. */
#ifndef UTIL_TABLE_PARTS_H
#define UTIL_TABLE_PARTS_H

#include "util/arena.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

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

/* Writes the line, which becomes empty.  Rows are assembled in memory because stdio per cell would
 * take most of the time of long tables. */
static inline void table_write_line(struct table *t, FILE *f)
{
	fwrite(t->line.v, 1, t->line.n, f);
	t->line.n = 0;
}

/* Prints the rows so far as text; columns are at least as wide as in an earlier part. */
void table_print_text(struct table *t, FILE *f);

#endif
