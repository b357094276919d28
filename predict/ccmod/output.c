/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <err.h>
#include <stdlib.h>

FILE *output_open(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		err(1, "%s", path);
	return f;
}

void output_close(FILE *f, const char *path)
{
	int failed = ferror(f);

	if (fclose(f) || failed)
		err(1, "%s", path);
}

void output_workload(const struct workload *w, const char *path)
{
	struct error e;

	if (path && workload_write(w, path, &e))
		errx(1, "%s", e.text);
	if (path)
		return;
	char *text = workload_text(w);
	fputs(text, stdout);
	free(text);
}
