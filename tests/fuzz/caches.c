/* SPDX-License-Identifier: MIT */
/* Fuzz target: access logs of proxies.  Each request is in one row, and takes a time. */
#include "../../predict/common/dot.c"

#include "../../predict/cea/transitions.c"

#include "../../predict/cea/access_log.c"
#include "../../predict/cea/caches.c"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct access_log l = { .path = "fuzz", .f = n ? fmemopen((void *)data, n, "r") : NULL };
	uint64_t counted = 0;

	while (l.f && access_log_read(&l)) {
		if (!isfinite(l.next.time) || !(l.next.seconds >= 0) || !l.next.url)
			abort();
		take(&l.next, (uint32_t)(all.requests % 3));
	}
	for (unsigned s = 0; s < MOVEMENT_STATES; s++)
		for (int o = 0; o < ORIGINS; o++)
			counted += all.rows[s][o].count;
	if (counted != all.requests)
		abort();
	movement_free(&all.documents);
	names_free(&all.urls);
	memset(&all, 0, sizeof(all));
	return 0;
}

static const struct fuzz_seed seeds[] = {
	FUZZ_TEXT(
	    "1000.000 100 10.0.0.9 TCP_MISS/200 500 GET http://a/1 - HIER_DIRECT/1.1 text/html\n"
	    "1001.000 2 10.0.0.9 TCP_MEM_HIT/200 500 GET http://a/1 - HIER_NONE/- text/html\n"
	    "1002.000 9 10.0.0.9 TCP_MISS/200 500 GET http://a/2 - SIBLING_HIT/10.0.0.2 -\n"
	    "1003.000 9 10.0.0.9 TCP_DENIED/403 500 GET http://a/3 - HIER_NONE/- text/html\n"),
	FUZZ_TEXT(
	    "10.0.0.9 - - [01/Jan/1970:01:16:42 +0100] \"GET http://a/2 HTTP/1.1\" 200 500 "
	    "TCP_MISS:HIER_DIRECT\n10.0.0.9 - - [01/Jan/1970:00:16:43 +0000] \"GET /1 HTTP/1.1\" "
	    "200 500 \"-\" \"curl\"\n"),
	FUZZ_TEXT("1e300 nan a b c GET d e f\n-1 inf a TCP_HIT/200 c GET d e PARENT/f\n"),
};

FUZZ_MAIN(seeds)
