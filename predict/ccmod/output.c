/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <err.h>

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
