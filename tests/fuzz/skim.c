/* SPDX-License-Identifier: MIT */
/* Fuzz target: what the skimmer accepts, the reader accepts too, with the same costs. */
#include "vector/skim.h"

#include "fuzz.h"

static bool same_number(double a, double b)
{
	return a == b || (a != a && b != b);
}

static bool same_word(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void compare(const struct osvec *a, const struct osvec *b)
{
	if (a->n != b->n || !same_word(a->machine, b->machine))
		abort();
	for (size_t i = 0; i < a->n; i++) {
		const struct osvec_entry *x = &a->entries[i], *y = &b->entries[i];

		if (!same_word(x->name, y->name) || !same_word(x->curve, y->curve) ||
		    !same_number(x->seconds, y->seconds) || !same_number(x->size, y->size) ||
		    !same_number(x->bytes, y->bytes) || !same_number(x->low, y->low) ||
		    !same_number(x->high, y->high) || !same_number(x->trimmed, y->trimmed) ||
		    x->faults != y->faults || x->switches != y->switches ||
		    x->kernel_entries != y->kernel_entries || x->copies != y->copies ||
		    x->n != y->n || x->bimodal != y->bimodal)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = xstrndup((const char *)data, n);
	size_t used = strlen(text);
	struct error e = { "" };
	struct osvec *a = skim_parse(text, used, "fuzz"),
		     *b = a ? osvec_parse(text, used, "fuzz", &e) : NULL;

	/* A name twice in a part of meta that it skips is the one thing it does not see. */
	if (a && !b && !strstr(e.text, "duplicate"))
		abort();
	if (a && b)
		compare(a, b);
	osvec_free(a);
	osvec_free(b);
	free(text);
	return 0;
}

static const struct fuzz_seed seeds[] = {
	FUZZ_TEXT(
	    "{\"schema\": \"osvec/1\", \"machine\": \"m\", \"created\": \"2026-11-20T23:07:04Z\",\n"
	    "\"estimator\": \"hl\", \"level\": 0.95,\n"
	    "\"meta\": {\"environment\": {\"kernel.release\": \"6\", \"x\": \"\\n\"}, \"y\": [1, "
	    "null]},\n"
	    "\"entries\": [\n"
	    "{\"entry\": \"lat_x_4k\", \"program\": \"lat_x\", \"operation\": \"one x\",\n"
	    " \"curve\": \"lat_x_*\", \"size\": 4096, \"bytes\": 4096, \"seconds\": 1.2e-6,\n"
	    " \"low\": 1.1e-6, \"high\": 1.3e-6, \"n\": 2, \"trimmed\": 1.20000000012345678e-6,\n"
	    " \"flags\": [\"BIMODAL\", \"FEW\"], \"modes\": [[0.7, 1e-6], [0.3, 1.3e-6]],\n"
	    " \"faults\": 0.5, \"switches\": 2, \"kernel_entries\": 1, \"copies\": 2,\n"
	    " \"placement\": \"same\", \"values\": [1.1e-6, 1.3e-6], \"rounds\": [0, 1]},\n"
	    "{\"entry\": \"lat_x_8k\", \"curve\": \"lat_x_*\", \"size\": 8192, \"seconds\": 2e-6}\n"
	    "], \"skipped\": [{\"entry\": \"lat_y\", \"reason\": \"no such call\"}]}\n"),
	FUZZ_TEXT("{\"schema\": \"osvec/1\", \"machine\": \"m\", \"entries\": []}"),
};

FUZZ_MAIN(seeds)
