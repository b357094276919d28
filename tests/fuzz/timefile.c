/* SPDX-License-Identifier: MIT */
/* Time files: whatever is read holds times and counts. */
#include "vector/timefile.c"

#include "fuzz.h"

static void check_usage(const struct time_usage *u)
{
	if (!(u->user >= 0 && u->system >= 0 && u->voluntary >= 0 && u->involuntary >= 0 &&
	      u->minor_faults >= 0 && u->major_faults >= 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct error e;
	struct timefile *t = timefile_parse((const char *)data, n, "fuzz", &e);

	if (t && !t->nruns)
		abort();
	for (size_t i = 0; t && i < t->nruns; i++) {
		check_usage(&t->runs[i].usage);
		for (size_t j = 0; j < t->runs[i].nprograms; j++) {
			check_usage(&t->runs[i].programs[j].usage);
			if (!t->runs[i].programs[j].program ||
			    t->runs[i].programs[j].end > TIME_RUNNING)
				abort();
		}
	}
	timefile_free(t);
	return 0;
}

#define USAGE \
	"\"user\": 1, \"system\": 0.5, \"voluntary\": 7, \"involuntary\": 2, \"minor_faults\": " \
	"9, " \
	"\"major_faults\": 0"

static const struct fuzz_seed seeds[] = {
	FUZZ_TEXT(
	    "{\"schema\": \"osvec-time/1\", \"command\": \"c\", \"created\": \"\", \"host\": "
	    "\"h\",\n"
	    "\"kernel\": \"6\", \"method\": \"ptrace\", \"only\": null, \"runs\": [\n"
	    "{\"wall\": 1.5, \"status\": 0, \"processes\": 1, \"threads\": 2, " USAGE ",\n"
	    "\"complete\": true, \"programs\": [{\"program\": \"sh\", \"pid\": 3, \"start\": 0,\n"
	    "\"wall\": 1, \"threads\": 2, " USAGE ", \"end\": \"exit\", \"counted\": true}]}]}"),
	FUZZ_TEXT(
	    "{\"schema\": \"osvec-time/2\", \"command\": \"c\", \"created\": \"\", \"host\": "
	    "\"h\",\n"
	    "\"kernel\": \"6\", \"host_id\": \"1f\", \"cpu\": \"Z80\", \"method\": \"wait\",\n"
	    "\"only\": null, \"runs\": []}"),
};

FUZZ_MAIN(seeds)
