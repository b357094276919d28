/* SPDX-License-Identifier: MIT */
/* Tests of lib/util/table: three dresses, and rows of text that fit. */
#include "util/table.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../tap.h"

static void test_table(void)
{
	static const struct table_column columns[] = { { "name", NULL, TABLE_LEFT },
						       { "n", "count", TABLE_RIGHT } };
	struct table *t = table_new(columns, 2);
	char out[512] = "";

	table_text(t, "a,\"b\"");
	table_count(t, 12);
	table_text(t, "long name");
	table_number(t, 0.5, "%.2f");
	table_text(t, NULL);
	table_number(t, NAN, "%.2f");

	static const char *const want[] = {
		"name          n\na,\"b\"        12\nlong name  0.50\n-             -\n",
		"name,count\n\"a,\"\"b\"\"\",12\nlong name,0.5\n,\n",
		("[\n  {\"name\": \"a,\\\"b\\\"\", \"count\": 12},\n"
		 "  {\"name\": \"long name\", \"count\": 0.5},\n  {\"name\": null, \"count\": "
		 "null}\n]\n"),
	};
	for (int f = TABLE_TEXT; f <= TABLE_JSON; f++) {
		FILE *m = fmemopen(out, sizeof(out), "w");

		table_print(t, m, (enum table_format)f);
		fclose(m);
		is_string(out, want[f], "format %d", f);
	}
	table_free(t);
}

/* What is rounded to 0 has no sign; programs get all digits. */
static void test_zero(void)
{
	static const struct table_column column = { "N", NULL, TABLE_RIGHT };
	struct table *t = table_new(&column, 1);
	char out[64] = "";
	FILE *m = fmemopen(out, sizeof(out), "w");

	table_percent(t, -0.0004, "%+.1f%%");
	table_percent(t, -0.0006, "%+.1f%%");
	table_print(t, m, TABLE_TEXT);
	table_print(t, m, TABLE_CSV);
	fclose(m);
	is_string(out, "    N\n 0.0%\n-0.1%\nN\n-0.0004\n-0.0006\n", "a zero has no sign");
	table_free(t);
}

/* Text rounds times alike on both sides of 0; programs get all digits, of which a double of
 * nanoseconds since 1970 would lose some. */
static void test_times(void)
{
	static const struct table_column column = { "START", NULL, TABLE_RIGHT };
	static const int64_t times[] = { -1500, -1499, 1499, 1500, 1700000000123456789 };
	static const struct {
		enum table_format format;
		const char *want;
	} rows[] = {
		{ TABLE_TEXT, "            START\n        -0.000002\n        -0.000001\n"
			      "         0.000001\n         0.000002\n1700000000.123457\n" },
		{ TABLE_CSV, "START\n-1500\n-1499\n1499\n1500\n1700000000123456789\n" },
	};
	struct table *t = table_new(&column, 1);

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		table_time(t, times[i], 1000000000, 6);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char out[256] = "";
		FILE *m = fmemopen(out, sizeof(out), "w");

		table_print(t, m, rows[i].format);
		fclose(m);
		is_string(out, rows[i].want, "times in format %d", rows[i].format);
	}
	table_free(t);
}

/* Rows of a group stand below its heading, data that text leaves out are for programs. */
static void test_groups(void)
{
	static const struct table_column columns[] = {
		{ "entry", NULL, TABLE_NAME },	{ "n", NULL, TABLE_RIGHT },
		{ "flags", NULL, TABLE_LIST },	{ "data", NULL, TABLE_DATA },
		{ "group", NULL, TABLE_GROUP },
	};
	static const struct {
		enum table_format format;
		const char *want;
	} rows[] = {
		{ TABLE_TEXT, "entry   n  flags\n\nfirst\na       1  FEW\nbb     22\n"
			      "\nsecond\nc       3  OLD WIDE\n" },
		{ TABLE_CSV, "entry,n,flags,data,group\na,1,FEW,0.5,first\n"
			     "bb,22,,,first\nc,3,OLD WIDE,2,second\n" },
		{ TABLE_TSV, "entry\tn\tflags\tdata\tgroup\na\t1\tFEW\t0.5\tfirst\n"
			     "bb\t22\t\t\tfirst\nc\t3\tOLD WIDE\t2\tsecond\n" },
	};
	static const struct {
		const char *entry, *flags, *group;
		unsigned n;
		double data;
	} cells[] = {
		{ "a", "FEW", "first", 1, 0.5 },
		{ "bb", "", "first", 22, NAN },
		{ "c", "OLD WIDE", "second", 3, 2 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct table *t = table_new(columns, 5);
		char out[512] = "";
		FILE *m = fmemopen(out, sizeof(out), "w");

		for (size_t j = 0; j < sizeof(cells) / sizeof(*cells); j++) {
			table_text(t, cells[j].entry);
			table_count(t, cells[j].n);
			table_text(t, cells[j].flags);
			table_number(t, cells[j].data, "%g");
			table_text(t, cells[j].group);
		}
		table_print(t, m, rows[i].format);
		fclose(m);
		is_string(out, rows[i].want, "groups, format %d", (int)rows[i].format);
		table_free(t);
	}
}

/* A terminal narrower than usual decides; a very narrow one, or none, does not. */
static void test_width(void)
{
	static const struct {
		unsigned short columns;
		int want;
	} rows[] = { { 80, 80 }, { 200, TABLE_WIDTH }, { 10, 60 }, { 0, TABLE_WIDTH } };
	int fd = posix_openpt(O_RDWR | O_NOCTTY);
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	for (size_t i = 0; f && i < sizeof(rows) / sizeof(*rows); i++) {
		struct winsize size = { .ws_row = 24, .ws_col = rows[i].columns };

		ioctl(fd, TIOCSWINSZ, &size);
		cmp_int(table_width(f), rows[i].want, "a terminal of %d columns", rows[i].columns);
	}
	if (f)
		fclose(f);
	f = fopen("/dev/null", "w");
	cmp_int(table_width(f), TABLE_WIDTH, "no terminal");
	fclose(f);
}

static void test_table_parts(void)
{
	static const struct table_column columns[] = { { "n", NULL, TABLE_RIGHT },
						       { "m", NULL, TABLE_RIGHT } };
	static const char *const want[] = {
		"n  m\n1  1\n10  10\n 2   2\n",
		"n,m\n1,1\n10,10\n2,2\n",
		("[\n  {\"n\": 1, \"m\": 1},\n  {\"n\": 10, \"m\": 10},\n"
		 "  {\"n\": 2, \"m\": 2}\n]\n"),
	};

	for (int f = TABLE_TEXT; f <= TABLE_JSON; f++) {
		struct table *t = table_new(columns, 2);
		char out[256] = "";
		FILE *m = fmemopen(out, sizeof(out), "w");

		for (uint64_t v = 1; v <= 10; v += 9) {
			table_count(t, v);
			table_count(t, v);
			table_print_part(t, m, (enum table_format)f);
		}
		table_print_part(t, m, (enum table_format)f);
		table_count(t, 2);
		table_count(t, 2);
		table_print(t, m, (enum table_format)f);
		fclose(m);
		is_string(out, want[f], "format %d in parts", f);
		table_free(t);
	}
}

/* Prints rows of each kind of cell, as a stream or not; the string is for the caller to free. */
static char *print_stream(enum table_format format, uint64_t rows, uint64_t head, bool stream)
{
	static const struct table_column columns[] = { { "text", NULL, TABLE_LEFT },
						       { "a,b", NULL, TABLE_RIGHT },
						       { "c", NULL, TABLE_RIGHT },
						       { "d", NULL, TABLE_RIGHT } };
	static const char *const texts[] = { "plain", NULL, "say \"no\", twice\"", "", "tab\t" };
	struct table *t = table_new(columns, 4);
	char *out = NULL;
	size_t size;
	FILE *m = open_memstream(&out, &size);

	table_head(t, head);
	if (stream)
		table_stream(t, m, format);
	for (uint64_t i = 0; i < rows; i++) {
		table_text(t, texts[i % 5]);
		table_integer(t, (int64_t)i - 3);
		table_time(t, (int64_t)i * 1000, 1000, 2);
		table_number(t, i % 3 ? (double)i / 3 : NAN, "%.1f");
	}
	table_end(t, m, format);
	fclose(m);
	return out;
}

/* 20,000 rows are more than is written at once. */
static void test_stream(void)
{
	static const struct {
		uint64_t rows, head;
	} cases[] = { { 0, 0 }, { 7, 0 }, { 7, 3 }, { 20000, 0 } };

	for (int f = TABLE_CSV; f <= TABLE_TSV; f++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			enum table_format format = (enum table_format)f;
			char *kept = print_stream(format, cases[i].rows, cases[i].head, false);
			char *streamed = print_stream(format, cases[i].rows, cases[i].head, true);

			ok(!strcmp(kept, streamed), "format %d, %d rows, as a stream", f,
			   (int)cases[i].rows);
			free(kept);
			free(streamed);
		}
	char *few = print_stream(TABLE_CSV, 3, 0, true);
	is_string(few,
		  "text,\"a,b\",c,d\nplain,-3,0,\n,-2,1000,0.333333333\n"
		  "\"say \"\"no\"\", twice\"\"\",-1,2000,0.666666667\n",
		  "quotes in a stream");
	free(few);
}

static bool unlimited; /* the rows of what is printed */

/* A table of text with these names, a list and a filling column, as a string for the caller to
 * free. */
static char *print_names(const char *const *names, size_t n, const char *list, int filling)
{
	static const struct table_column columns[] = {
		{ "name", NULL, TABLE_NAME },
		{ "f", NULL, TABLE_RIGHT },
		{ "list", NULL, TABLE_LIST },
	};
	struct table *t = table_new(columns, list ? 3 : 2);
	char *out = NULL, fill[128];
	size_t size;
	FILE *m = open_memstream(&out, &size);

	snprintf(fill, sizeof(fill), "%0*d", filling, 0);
	if (unlimited)
		table_unlimit(t);
	for (size_t i = 0; i < n; i++) {
		table_text(t, names[i]);
		table_text(t, fill);
		if (list)
			table_text(t, list);
	}
	table_print(t, m, TABLE_TEXT);
	fclose(m);
	table_free(t);
	return out;
}

/* Columns of the widest line. */
static size_t widest(const char *text)
{
	size_t most = 0, n = 0;

	for (; *text; text++) {
		n = *text == '\n' ? 0 : n + (((unsigned char)*text & 0xc0) != 0x80);
		most = n > most ? n : most;
	}
	return most;
}

static void test_names(void)
{
	static const char *const ends[] = { "qemu-aarch64-with-a-name-of-forty-chars-1",
					    "qemu-aarch64-with-a-name-of-forty-chars-2", "native" };
	static const char *const middles[] = {
		"aaaaaaaaaaaaaaaaaaaaaaaaaaa-1-bbbbbbbbbbbbbbbbbbbbbbbbbbbb",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaa-2-bbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	};
	static const char *const wide[] = {
		"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
		"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
	};
	char *s = print_names(ends, 3, NULL, 40);

	ok(strstr(s, ends[0]) != NULL, "names are whole where there is room");
	free(s);
	s = print_names(ends, 3, NULL, 80);
	cmp_int(widest(s), TABLE_WIDTH, "names give way to fit");
	ok(strstr(s, "\nqemu-aar..-chars-1  0") && strstr(s, "\nqemu-aar..-chars-2  0"),
	   "but show both ends");
	ok(strstr(s, "\nnative  ") != NULL, "short ones are left alone");
	free(s);
	unlimited = true;
	s = print_names(ends, 3, "alpha beta gamma delta epsilon zeta", 80);
	ok(strstr(s, ends[0]) && strstr(s, "0  alpha beta gamma delta epsilon zeta\n"),
	   "in rows without a limit, names and lists are whole");
	free(s);
	unlimited = false;
	s = print_names(middles, 2, NULL, 80);
	ok(strstr(s, "-1-") && strstr(s, "-2-"), "never to the point where two look the same");
	free(s);
	s = print_names(wide, 1, NULL, 86);
	is_string(
	    strchr(s, '\n') + 1,
	    "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4..\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4  "
	    "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	    "\n",
	    "characters are not cut");
	free(s);
}

static void test_lists(void)
{
	static const char *const name[] = { "n" };
	char *s = print_names(name, 1, "alpha beta gamma delta", 60);

	ok(strstr(s, "0  alpha beta gamma delta\n") != NULL, "a short list is one line");
	free(s);
	s = print_names(name, 1, "alpha beta gamma delta epsilon zeta eta theta iota", 60);
	ok(strstr(s, "0  alpha beta gamma delta epsilon\n") &&
	       strstr(s, "\n                                                                    "
			 "zeta eta theta iota\n"),
	   "a long one goes on below its beginning");
	ok(widest(s) <= TABLE_WIDTH, "and fits");
	free(s);
	s = print_names(name, 1, "a0123456789012345678901234567890123456789 b", 60);
	ok(strstr(s, "0  \n") == NULL && strstr(s, "  a0123456789012345678901234567890\n") &&
	       strstr(s, " 123456789 b\n"),
	   "so does a word that is wider");
	free(s);
}

int main(void)
{
	test_table();
	test_zero();
	test_times();
	test_groups();
	test_width();
	test_table_parts();
	test_stream();
	test_names();
	test_lists();
	return done_testing();
}
