/* SPDX-License-Identifier: MIT */
/* Fuzz target: OS vectors.  What is accepted holds only positive, finite costs. */
#include "vector/osvec.h"

#include <math.h>

#include "fuzz.h"
#include "util/xalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct error e;
	char *text = memcpy(xcalloc(n + 1, 1), data, n);
	struct osvec *v = osvec_parse(text, n, "fuzz", &e);

	for (size_t i = 0; v && i < v->n; i++) {
		const struct osvec_entry *x = &v->entries[i];

		if (!(x->seconds > 0) || !isfinite(x->seconds) || osvec_find(v, x->name) != x)
			abort();
		struct osvec_curve c = osvec_curve(v, x->curve ? x->curve : "");
		if (c.n && !isfinite(osvec_curve_at(&c, 1000).w))
			abort();
	}
	osvec_free(v);
	free(text);
	return 0;
}

static const struct fuzz_seed seeds[] = {
	FUZZ_TEXT(
	    "{\"schema\": \"osvec/1\", \"machine\": \"m\",\n"
	    "\"created\": \"2026-11-20T23:07:04Z\", \"estimator\": \"hl\", \"level\": 0.95,\n"
	    "\"correlation\": 0.2, \"meta\": {\"environment\": {\"kernel.release\": \"6\"}},\n"
	    "\"entries\": [\n"
	    "{\"entry\": \"lat_x_4k\", \"curve\": \"lat_x_*\", \"size\": 4096,\n"
	    " \"bytes\": 4096, \"seconds\": 1.2e-6, \"error\": 0.02, \"n\": 12,\n"
	    " \"low\": 1.1e-6, \"high\": 1.3e-6, \"mean\": 1.2e-6, \"faults\": 0.5,\n"
	    " \"switches\": 2, \"flags\": [\"BIMODAL\", \"FEW\"]},\n"
	    "{\"entry\": \"lat_x_8k\", \"curve\": \"lat_x_*\", \"size\": 8192,\n"
	    " \"seconds\": 2e-6}\n"
	    "]}\n"),
	FUZZ_TEXT(
	    "{\"schema\": \"osvec/1\", \"machine\": \"m\",\n"
	    "\"columns\": [\"entry\", \"seconds\", \"error\", \"flags\", \"curve\", \"size\"],\n"
	    "\"entries\": [[\"lat_x_1\", 1e-6, 0.01, [\"WIDE\"], \"lat_x_*\", 1],\n"
	    "[\"lat_x_2\", 2e-6, null, null, \"lat_x_*\", 2], [\"lat_y\", 1e-7]]}"),
	FUZZ_TEXT("{\"schema\": \"osvec/1\", \"machine\": \"m\", \"entries\": []}"),
};

FUZZ_MAIN(seeds)
