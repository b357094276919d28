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
	for (const char *p = text; *p; p += *p != '\0') {
		int n = (int)strcspn(p, " \n");

		if (!begins && column + 1 + n > WIDTH)
			column = fprintf(f, "\n%*s%.*s", indent, "", n, p) - 1;
		else
			column += fprintf(f, "%s%.*s", begins ? "" : " ", n, p);
		p += n;
		begins = *p == '\n';
		if (begins) {
			putc('\n', f);
			column = 0;
		}
	}
	putc('\n', f);
}
