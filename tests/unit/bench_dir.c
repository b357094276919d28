/* SPDX-License-Identifier: MIT */
/* The directory of lat_dir, and which names it looks for. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../bench/lat_dir.c"

#include <dirent.h>
#include <string.h>

#include "../bench_inside.h"

/* The FILES, as they are after setup(): "fileN". */
static bool has_files(void)
{
	DIR *d = fdopendir(dup(directory));
	uint64_t files = 0;

	rewinddir(d);
	for (const struct dirent *entry; (entry = readdir(d));)
		files += !strncmp(entry->d_name, "file", 4) && strlen(entry->d_name) > 4;
	closedir(d);
	return files == bench_number(1);
}

/* Of a thousand names nine in ten have three digits. */
static bool looks_for_all(void)
{
	size_t three = 0;

	for (size_t i = 0; i < MOST; i++)
		three += strlen(names[i]) == strlen("file999");
	return has_files() && three > MOST / 2;
}

int main(void)
{
	inside("lat_dir -GN10 -D/tmp create 10", has_files, "ten files");
	inside("lat_dir -GN10 -D/tmp create 1000", has_files, "a thousand");
	inside("lat_dir -GN10 -D/tmp lookup 1000", looks_for_all, "of which all are looked for");
	return done_testing();
}
