/* SPDX-License-Identifier: MIT */
/* Fuzz target: suites.  What is accepted names every entry once, with names fit for files. */
#include "../../driver/suite.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct error e;
	struct suite *s = suite_parse((const char *)data, n, "fuzz", NULL, &e);

	for (size_t i = 0; s && i < s->n; i++) {
		const char *name = s->entries[i].name;

		if (suite_find(s, name) != i || strchr(name, '/') || name[0] == '.' ||
		    strlen(name) > 200)
			abort();
	}
	if (s) {
		char all[] = "*", *patterns[] = { s->entries[0].name, all };

		if (suite_select(s, patterns + 1, 1, &e) || suite_select(s, patterns, 1, &e))
			abort();
	}
	suite_free(s);
	return 0;
}

static const struct fuzz_seed seeds[] = {
	FUZZ_TEXT(
	    "# comment\nset batch 1ms\nset batches 20\nset processes 15 60\n"
	    "set precision 2%\nset budget 90s\nset timeout 1m\nset canary cpu_int\n"
	    "set control lat_roundtrip_pipe_64@otherx2 cpu_int\n\n"
	    "cpu_int\nlat_roundtrip pipe 64 @other x2 # two of them\nlat_ctx shared 16k 32\n"),
	FUZZ_TEXT("lat_x 1,2 3,4,5 @same,@other x1,x2\nlat_x 2 *\n"),
};

FUZZ_MAIN(seeds)
