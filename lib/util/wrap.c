/* SPDX-License-Identifier: MIT */
#include "util/wrap.h"

#include <stdbool.h>
#include <string.h>

enum { WIDTH = 98 };

void wrap_print(FILE *f, const char *text, int indent)
{
	int column = 0;
	bool begins = true;

	for (; *text == '\n' || *text == ' '; text++) {
		putc(*text, f);
		column += *text == ' ';
	}
	for (const char *p = text; *p; begins = false) {
		int n = (int)strcspn(p, " ");

		if (p[n] == ' ' && p[n + 1] == '%') /* stays with its number */
			n += 1 + (int)strcspn(p + n + 1, " ");
		if (!begins && column + 1 + n > WIDTH)
			column = fprintf(f, "\n%*s%.*s", indent, "", n, p) - 1;
		else
			column += fprintf(f, "%s%.*s", begins ? "" : " ", n, p);
		p += n;
		p += *p == ' ';
	}
	putc('\n', f);
}
