/* SPDX-License-Identifier: MIT */
/* Application vectors: whatever is read holds counts and times, never a NaN where one must be known. */
#include "vector/appvec.h"

#include <math.h>

#include "fuzz.h"

static void check_item(const struct appvec_item *item)
{
	double calls = 0;

	if (!*item->entry || !isfinite(item->weight) || !(item->calls >= 0) || !(item->bytes >= 0))
		abort();
	for (size_t i = 0; i < item->nsizes; i++) {
		if (!(item->sizes[i].size >= 0) || !(item->sizes[i].calls > 0))
			abort();
		calls += item->sizes[i].calls;
	}
	if (item->nsizes && fabs(calls - item->calls) > 1e-6 * calls)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct error e;
	struct appvec *a = appvec_parse((const char *)data, n, "fuzz", &e);

	if (a && (!a->ntraces || !(a->units >= 1)))
		abort();
	for (size_t r = 0; a && r < a->ntraces; r++) {
		if (!(a->traces[r].calls >= 0))
			abort();
		for (size_t i = 0; i < a->traces[r].nitems; i++)
			check_item(&a->traces[r].items[i]);
	}
	appvec_free(a);
	return 0;
}

static const struct fuzz_seed seeds[] = {
	FUZZ_TEXT(
	    "{\"schema\": \"osvec-application/1\", \"name\": \"redis\", \"command\": \"r\",\n"
	    "\"machine\": {\"host\": \"h\", \"id\": \"\", \"kernel\": \"6\", \"cpu\": \"c\"},\n"
	    "\"units\": 1000, \"unit\": \"request\", \"user_entries\": [\"cpu_int\"],\n"
	    "\"switch_entry\": \"lat_ctx_shared_0_2\", \"fault_entry\": null, \"runs\": "
	    "[{\"user\": 1}],\n"
	    "\"traces\": [{\"trace\": \"x.ktr\", \"counts\": \"measured\", \"user\": 0.5, "
	    "\"system\": 1.5,\n"
	    " \"wall\": 3, \"voluntary\": 7, \"involuntary\": null, \"minor_faults\": 2,\n"
	    " \"processes\": 1, \"threads\": 4, \"calls\": 12, \"call_time\": 0.25,\n"
	    " \"mapped_calls\": 11, \"mapped_time\": 0.2, \"lost\": 0, \"unfinished\": 1,\n"
	    " \"items\": [{\"entry\": \"lat_send_tcp_*\", \"weight\": 1, \"part\": \"kernel\",\n"
	    "  \"fallback\": false, \"calls\": 11, \"bytes\": 59, \"time\": 0.2,\n"
	    "  \"sizes\": [[5, 10], [9, 1]], \"from\": \"write writev\"},\n"
	    " {\"entry\": \"lat_null\", \"weight\": -0.5, \"part\": \"wait\", \"fallback\": true,\n"
	    "  \"calls\": 1, \"bytes\": 0, \"time\": null, \"from\": \"x\"}],\n"
	    " \"unmapped\": [{\"call\": \"x tty\", \"calls\": 1, \"time\": 0.05}]}]}\n"),
	FUZZ_TEXT("{\"schema\": \"osvec-application/1\", \"units\": 1, \"traces\": []}"),
};

FUZZ_MAIN(seeds)
