/* SPDX-License-Identifier: MIT */
#include "util/wrap.h"

#include <string.h>

enum { WIDTH = 98 };

void wrap_print(FILE *f, const char *text, int indent)
{
	int column = 0;

	for (; *text == '\n'; text++)
		putc('\n', f);
	for (const char *p = text; *p;) {
		int n = (int)strcspn(p, " ");

		if (column && column + 1 + n > WIDTH)
			column = fprintf(f, "\n%*s%.*s", indent, "", n, p) - 1;
		else
			column += fprintf(f, "%s%.*s", column ? " " : "", n, p);
		p += n;
		p += *p == ' ';
	}
	putc('\n', f);
}
