/* SPDX-License-Identifier: MIT */
/* Fuzzes the readers of workloads and networks, and runs what they accept when it is short. */
#include "network/engine.h"
#include "network/workload_formats.h"

#include "fuzz.h"

enum { SHORT = 2000 };

static const char usual_net[] = "topology crossbar 8\nlink 1GB/s 1us\neager 100\n";

static void run(const struct network *net, const struct workload *w)
{
	struct engine_options o = ENGINE_DEFAULT;
	struct engine_result r;
	struct error e;

	if (workload_operations(w) > SHORT || w->ranks > 64 || net->topology.links.n > 2000)
		return;
	o.check = true;
	o.rule = w->ranks % 2 ? SHARING_ARTICLE : SHARING_MAXMIN;
	if (!engine_run(net, w, &o, &r, &e) && !(r.seconds >= 0 && r.seconds < 1e30))
		abort();
	engine_result_free(&r);
}

/* A workload must survive being written as text. */
static void read_back(const struct workload *w)
{
	char *text = workload_text(w);
	struct error e;
	struct workload *again = workload_parse(text, strlen(text), "again", &e);

	if (!again || again->ranks != w->ranks ||
	    workload_operations(again) != workload_operations(w))
		abort();
	workload_free(again);
	free(text);
}

/* As DUMPI text, which has no other place for hostile input than its lines. */
static void read_dumpi(const uint8_t *data, size_t n)
{
	struct workload *w = workload_new("fuzz", 4);
	char *text = xstrndup((const char *)data, n);
	uint64_t left_out = 0;
	struct error e;

	if (!workload_add_dumpi(w, 1, text, "fuzz", &left_out, NULL) && workload_check(w, &e))
		abort();
	free(text);
	workload_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct workload *w = workload_parse((const char *)data, n, "fuzz", NULL);
	struct network *net = network_parse((const char *)data, n, "fuzz", NULL);
	struct network *usual = network_parse(usual_net, sizeof(usual_net) - 1, "usual", NULL);

	read_dumpi(data, n);
	if (w && workload_operations(w) < SHORT && w->ranks <= 64) {
		read_back(w);
		run(usual, w);
	}
	if (net) {
		static const char ring[] = "ranks 2\nrank *\nrepeat 3\nisend +1 5000\nrecv -1\n"
					   "waitall\nend\nallreduce 100\n";
		struct workload *two = workload_parse(ring, sizeof(ring) - 1, "ring", NULL);

		run(net, two);
		workload_free(two);
	}
	network_free(usual);
	network_free(net);
	workload_free(w);
	return 0;
}

static const struct fuzz_seed seeds[] = {
	FUZZ_TEXT(
	    "ranks 4\nrank * # all\n  repeat 3\n    compute exp:10us\n    isend +1 4k tag 3 as 1\n"
	    "    irecv -1 tag any as 2\n    wait 2\n    wait 1\n  end\n  barrier\n"),
	FUZZ_TEXT("ranks 5\nrank 1-4\ncompute 1ms\nsend 0 uniform:1-2k\nrecv 0\nrank 0\nrepeat 4\n"
		  "recv any\nsend last 10\nend\nrank 0-4/2\nbcast 0 10\n"),
	FUZZ_TEXT("ranks 4\nrank 0-2/2\nallreduce 5 in 0-2/2\nreduce 2 5 in *\nrank *\nbarrier\n"),
	FUZZ_TEXT("ranks 1\nrank 0\ncompute uniform:1.0625ns-1000000s\n"), /* no exponent in text */
	/* wait without a request; one that no text can name; a send with any tag; a step that no
	 * text can name */
	FUZZ_TEXT("CCMODWL1\1\0\0\0\2\0\0\0\10\0"),
	FUZZ_TEXT("CCMODWL1\1\0\0\0\6\0\0\0\10\376\377\377\377\17"),
	FUZZ_TEXT("CCMODWL1\1\0\0\0\10\0\0\0\3\0\1\377\377\377\377\17"),
	FUZZ_TEXT("CCMODWL1\1\0\0\0\7\0\0\0\212\0\0\377\377\377\3"),
	FUZZ_TEXT("CCMODWL1\2\0\0\0\12\0\0\0\1\2\4\0\0\0\3\1\5\0\11\0\0\0\1\2\3\0\0\0\6\0\0"),
	FUZZ_TEXT(
	    "name n\ntopology clos 2 2 2\nlink 1Gbit/s 1us\nuplink 2GB/s 3us\npacket 1460 78\n"
	    "delay 0 10us\ndelay 1k 20us\ndelay 4k 50us\ndelay 64k 1ms\neager 1k\nsend 1us 1ns\n"
	    "receive 2us\nrouting random 3\nlocal 5GB/s 1us\nranks-per-host 2\n"),
	FUZZ_TEXT("topology graph\nhost a b\nhost c\nswitch x y\nlink 1MB/s 2ms\ncable a x\n"
		  "cable b x 2MiB/s 0s\ncable x y\ncable c y\n"),
	FUZZ_TEXT(
	    "num_ranks 3\nrank 0 {\na: calc 50\nb: send 10b to 1 tag 4\nb requires a\n"
	    "c: recv 8b from 2 cpu 0\nc irequires b\n}\nrank 1 {\nr: recv 10b from 0 tag 4\n}\n"
	    "rank 2 {\ns: send 8b to 0\n}\n"),
	FUZZ_TEXT(
	    "MPI_Isend entering at walltime 8.1, cputime 0.0 seconds in thread 0.\nint count=10\n"
	    "MPI_Datatype datatype=11 (MPI_DOUBLE)\nint dest=1\nint tag=7\n"
	    "MPI_Comm comm=2 (MPI_COMM_WORLD)\nMPI_Request request=[4, 5]\n"
	    "MPI_Isend returning at walltime 8.2, cputime 0.0 seconds in thread 0.\n"
	    "MPI_Sendrecv entering at walltime 8.3, cputime 0.0 seconds in thread 0.\n"
	    "int sendcount=1\nMPI_Datatype sendtype=2 (MPI_CHAR)\nint dest=0\nint sendtag=1\n"
	    "int source=-1\nint recvtag=-1\nMPI_Comm comm=2 (MPI_COMM_WORLD)\n"
	    "MPI_Sendrecv returning at walltime 8.4, cputime 0.0 seconds in thread 0.\n"),
	FUZZ_TEXT("MPI_Wait entering at walltime 8.1, cputime 0.0 seconds in thread 0.\n"
		  "MPI_Request request=[99999999999999999999]\n"
		  "MPI_Wait returning at walltime 8.2, cputime 0.0 seconds in thread 0.\n"),
	FUZZ_TEXT(
	    "topology dragonfly 3 2 2\nlink 1B/s 1s\nrouting destination\nplace 11-11 0-10/3\n"),
	FUZZ_TEXT("topology graph\nhost a b\nswitch x y\nlink 1MB/s 2ms\ncable a x\ncable b x\n"
		  "cable x y\ncable y b\nroute a x y b\nroute b x a\nplace b a\nplace random 3\n"),
};

FUZZ_MAIN(seeds)
