/* SPDX-License-Identifier: MIT */
/* The network model against closed forms and against the worked example of its article. */
#include "network/collective.h"
#include "network/engine.h"
#include "network/matching.h"
#include "../tap.h"
#include "util/xalloc.h"

static struct engine_result result;
static struct error error;

/* Runs a workload on a network, both as text; the seconds, or NaN and the message in error. */
static double run_with(const char *network, const char *workload, const struct engine_options *o)
{
	struct network *net = network_parse(network, strlen(network), "net", &error);
	struct workload *w =
	    net ? workload_parse(workload, strlen(workload), "work", &error) : NULL;
	double seconds = NAN;

	engine_result_free(&result);
	result = (struct engine_result){ 0 };
	if (w && !engine_run(net, w, o, &result, &error))
		seconds = result.seconds;
	else
		diag(error.text);
	workload_free(w);
	network_free(net);
	return seconds;
}

static double run(enum sharing_rule rule, const char *network, const char *workload)
{
	struct engine_options o = ENGINE_DEFAULT;

	o.rule = rule;
	o.check = true;
	return run_with(network, workload, &o);
}

/* 1 MB/s makes a byte a microsecond. */
#define SLOW "link 1MB/s 0s\n"

static const char article_net[] = "topology clos 4 4 4\nlink 1.28Gbit/s 100ns\npacket 2020 20\n"
				  "delay 0 10us\ndelay 1k 48.9us\ndelay 2020 86.736328125us\n";

static void test_article(void)
{
	/* Two messages meet on the link of the host they go to, or between two switches. */
	static const char two[] = "ranks 16\nrank 4\nsend 5 1k\nrank 6\nsend 5 1k\n"
				  "rank 5\nirecv 4\nirecv 6\nwaitall\n";
	static const char one[] = "ranks 16\nrank 4\nsend 5 1k\nrank 5\nrecv 4\n";
	static const char far[] = "ranks 16\nrank 0\nsend 5 1k\nrank 1\nsend 6 1k\n"
				  "rank 5\nrecv 0\nrank 6\nrecv 1\n";

	cmp_near(run(SHARING_ARTICLE, article_net, one), 48.9e-6, 1e-9, "1 KB alone: 48.9 us");
	cmp_near(run(SHARING_ARTICLE, article_net, "ranks 16\nrank 0\nsend 5 1k\nrank 5\nrecv 0\n"),
		 49.1e-6, 1e-9, "through a spine: two more links of 100 ns");
	cmp_near(run(SHARING_ARTICLE, article_net, two), 97.8e-6, 1e-9, "two share: 97.8 us");
	cmp_near(result.delay, 2 * 97.8e-6, 1e-9, "both of them take that long");
	cmp_near(result.lost, 2 * 48.9e-6, 1e-9, "half of it lost to the other");
	cmp_near(result.quiet, 2 * 48.9e-6, 1e-9, "the other half is what they take alone");
	cmp_int(result.worst.bottleneck, 2 * 5 + 1, "at the link down to host 5");
	cmp_near(
	    run(SHARING_ARTICLE, "topology clos 4 4 1\nlink 1.28Gbit/s 0s\ndelay 1k 48.9us\n", far),
	    97.8e-6, 1e-9, "the same on a link between switches");
	cmp_near(run(SHARING_MAXMIN, article_net, one), 48.9e-6, 1e-9, "max-min: alone the same");
	cmp_near(run(SHARING_MAXMIN, article_net, two), 48.9e-6, 1e-9,
		 "max-min: ends that take 26 of 160 MB/s do not fill the link");
}

static void test_rates(void)
{
	static const struct {
		const char *text;
		double bytes;
	} rows[] = {
		{ "8bit/s", 1 },
		{ "8kbit/s", 1e3 },
		{ "8Mbit/s", 1e6 },
		{ "8Gbit/s", 1e9 },
		{ "2B/s", 2 },
		{ "2kB/s", 2e3 },
		{ "2MB/s", 2e6 },
		{ "1.5GB/s", 1.5e9 },
		{ "2KiB/s", 2048 },
		{ "2MiB/s", 2097152 },
		{ "1GiB/s", 1073741824 },
	};
	double rate;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ok(rate_parse(rows[i].text, &rate) && fabs(rate / rows[i].bytes - 1) < 1e-12,
		   "%s is %g B/s", rows[i].text, rate);
}

static double misfit(const struct quiet *q, double base, double slope)
{
	double sum = 0;

	for (size_t i = 0; i < q->n; i++) {
		double off = (base + slope * q->v[i].size) / q->v[i].seconds - 1;

		sum += off * off;
	}
	return sum;
}

static void test_quiet(void)
{
	struct quiet bent = { 0 }, two = { 0 }, jump = { 0 };

	for (double size = 1; size < 1e6; size *= 3)
		quiet_add(&bent, size, 10e-6 + size * 1e-9 + size * size * 1e-14);
	struct quiet_segment line = quiet_line(&bent);
	double best = misfit(&bent, line.base, line.slope);
	for (int change = -1; change <= 1; change += 2) {
		ok(misfit(&bent, line.base * (1 + change * 1e-3), line.slope) > best &&
		       misfit(&bent, line.base, line.slope * (1 + change * 1e-3)) > best,
		   "no other line has smaller relative errors");
	}
	cmp_near(line.error, sqrt(best / (double)bent.n), 1e-6, "and that is the error it reports");
	/* They cross at 1500, which nobody measured. */
	for (double size = 0; size <= 3000; size += 200)
		if (size <= 1000 || size >= 2000)
			quiet_add(&two, size,
				  size <= 1000 ? 10e-6 + size * 1e-9 : 8.5e-6 + size * 2e-9);
	quiet_fit(&two, &error);
	cmp_int((long)two.nsegments, 2, "two lines");
	cmp_near(quiet_seconds(&two, 1400), 11.4e-6, 1e-6, "the first up to where they cross");
	cmp_near(quiet_seconds(&two, 1600), 11.7e-6, 1e-6, "then the second");
	/* They would cross at 10000, far behind the jump. */
	for (double size = 1; size <= 65536; size *= 2)
		quiet_add(&jump, size, size <= 1024 ? 10e-6 + size * 2e-9 : 20e-6 + size * 1e-9);
	quiet_fit(&jump, &error);
	cmp_near(quiet_seconds(&jump, 1500), 21.5e-6, 1e-6,
		 "a jump is behind the last point before it");
	cmp_near(run(SHARING_MAXMIN,
		     "topology crossbar 2\nlink 1MB/s 0s\ndelay 1 1us\ndelay 1000 500us\n",
		     "ranks 2\nrank 0\nsend 1 1000\nrank 1\nrecv 0\n"),
		 1e-3, 1e-9, "no message is faster than its links");
	cmp_near(result.quiet, 1e-3, 1e-9, "also when it is alone");
	quiet_free(&bent);
	quiet_free(&two);
	quiet_free(&jump);
}

static void test_draws(void)
{
	static const char text[] = "ranks 2\nrank *\nrepeat 4000\nisend 0 uniform:1000-3000\n"
				   "isend 0 exp:1000\nend\n";
	struct workload *w = workload_parse(text, sizeof(text) - 1, "work", &error);
	double sum[2][2] = { { 0 } };
	uint64_t least = UINT64_MAX, most = 0;
	struct cursor c;
	struct op op;

	for (uint32_t rank = 0; rank < 2; rank++) {
		cursor_start(&c, w, rank, 1);
		while (cursor_next(&c, &op)) {
			bool uniform = op.draw == DRAW_UNIFORM;

			sum[rank][uniform] += (double)op.amount / 4000;
			if (uniform && op.amount < least)
				least = op.amount;
			if (uniform && op.amount > most)
				most = op.amount;
		}
		cmp_near(sum[rank][1], 2000, 0.03, "the mean of uniform amounts");
		cmp_near(sum[rank][0], 1000, 0.06, "and of exponential ones");
	}
	ok(least >= 1000 && least < 1010 && most <= 3000 && most > 2990, "all from %d to %d",
	   (int)least, (int)most);
	ok(sum[0][0] != sum[1][0], "each rank has amounts of its own");
	workload_free(w);
}

static void test_event_horizon(void)
{
	/* The second starts when the first has 500 of 1000 us left; they then share: the first
	 * ends at 1500, with 500 us of the second left, which ends at 2000. */
	static const char later[] =
	    "ranks 4\nrank 0\nsend 2 1000\nrank 1\ncompute 500us\nsend 2 1000\n"
	    "rank 2\nrecv 0\nrecv 1\n";
	static const char later2[] =
	    "ranks 4\nrank 0\nsend 2 1000\nrank 1\ncompute 500us\nsend 2 1000\n"
	    "rank 2\nirecv 0\nirecv 1\nwaitall\n";

	for (int rule = 0; rule < SHARING_RULES; rule++) {
		cmp_near(run(rule, "topology crossbar 4\n" SLOW, later2), 2000e-6, 1e-9,
			 "%s: the rest of a message goes on at the new rate", sharing_names[rule]);
		cmp_near(result.rank[0].finish, 1500e-6, 1e-9, "its sender is done at 1500 us");
		cmp_near(result.link[5].lost, 1000e-6, 1e-9, "each lost 500 us at host 2");
		cmp_near(result.link[5].busy, 2000e-6, 1e-9, "where one was all the time");
		cmp_near(result.link[2].busy, 1500e-6, 1e-9, "but from host 1 only after 500 us");
		cmp_near(run(rule, "topology crossbar 4\n" SLOW, later), 2000e-6, 1e-9,
			 "one receive after the other: none is disturbed");
		cmp_near(result.rank[0].finish, 1000e-6, 1e-9,
			 "the first sender is done at 1000 us");
	}
}

static void test_closed_forms(void)
{
	char text[256];

	for (int n = 2; n <= 15; n++) {
		snprintf(text, sizeof(text),
			 "ranks 16\nrank 1-%d\nsend 0 1000\nrank 0\nrepeat %d\n"
			 "irecv any\nend\nwaitall\n",
			 n, n);
		cmp_near(run(SHARING_MAXMIN, "topology crossbar 16\n" SLOW, text), 1e-3 * n, 1e-9,
			 "incast of %d: n times as long", n);
	}
	run(SHARING_MAXMIN, "topology crossbar 4\n" SLOW,
	    "ranks 4\nrank 0\nsend 2 10000\nrank 1\nsend 3 10001\nrank 2\nrecv 0\n"
	    "rank 3\nrecv 1\n");
	cmp_near(result.rank[1].finish - result.rank[0].finish, 1e-6, 1e-9,
		 "two that end one after the other do not end together");
	/* A ring of sends on a crossbar: nobody shares. */
	cmp_near(run(SHARING_MAXMIN, "topology crossbar 8\n" SLOW,
		     "ranks 8\nrank *\nrepeat 10\nisend +1 1000\nrecv -1\nwaitall\nend\n"),
		 10e-3, 1e-9, "a ring of 8: as if alone");
	/* The same on a ring of routers: one link each, no sharing. */
	cmp_near(run(SHARING_MAXMIN, "topology torus 8\n" SLOW,
		     "ranks 8\nrank *\nisend +1 1000\nrecv -1\nwaitall\n"),
		 1e-3, 1e-9, "a ring of 8 routers: as if alone");
	/* To the third next: each link of the ring carries three. */
	cmp_near(run(SHARING_MAXMIN, "topology torus 8\n" SLOW,
		     "ranks 8\nrank *\nisend +3 1000\nrecv -3\nwaitall\n"),
		 3e-3, 1e-9, "three hops: every link of the ring is shared by three");
	/* From pod to pod by destination: each pair has a core switch of its own. */
	cmp_near(run(SHARING_MAXMIN, "topology fattree 8\nrouting destination\n" SLOW,
		     "ranks 32\nrank 0-15\nsend +16 1000\nrank 16-31\nrecv -16\n"),
		 1e-3, 1e-9, "routing by destination uses all ways alike");
	/* Rank 3's message, which nobody delays, is the first to arrive. */
	run(SHARING_MAXMIN, "topology crossbar 5\n" SLOW,
	    "ranks 5\nrank 0\nisend 1 1000\nisend 2 1000\nwaitall\nrank 1 2\nrecv 0\n"
	    "rank 3\nsend 4 100\nrank 4\nrecv 3\n");
	cmp_int(result.worst.src, 0, "the worst message is one that was delayed");
	cmp_int(result.worst.bottleneck, 0, "on its first link");
	cmp_near(run(SHARING_MAXMIN, "topology dragonfly 2 1 1\nlink 9MB/s 0s\nuplink 1MB/s 0s\n",
		     "ranks 2\nrank 0\nsend 1 1000\nrank 1\nrecv 0\n"),
		 1e-3, 1e-9,
		 "cables between groups are as fast as those within, unless it is said");
	/* Latency is not shared; header bytes are. */
	cmp_near(run(SHARING_MAXMIN, "topology crossbar 2\nlink 1MB/s 7us\npacket 100 10\n",
		     "ranks 2\nrank 0\nsend 1 250\nrank 1\nrecv 0\n"),
		 294e-6, 1e-9, "three headers and two latencies");
	cmp_near(run(SHARING_MAXMIN,
		     "topology crossbar 2\nlink 1MB/s 7us\nsend 3us\nreceive 5us 1us\n",
		     "ranks 2\nrank 0\nsend 1 100\nrank 1\nrecv 0\n"),
		 (3 + 14 + 100 + 105) * 1e-6, 1e-9, "the ends' own time comes on top");
}

/* Every path leads from link to link to its end, and uses none twice.  Returns how many of the
 * links are on a path. */
static size_t walk_all(const struct topology *t)
{
	uint32_t *path = xmalloc(t->longest * sizeof(*path)), wrong = 0;
	uint64_t salt = 0;
	size_t used = 0, n;
	bool *seen = xcalloc(t->links.n, sizeof(*seen));

	for (uint32_t src = 0; src < t->hosts; src++)
		for (uint32_t dst = 0; dst < t->hosts; dst++)
			for (int turn = 0; turn < 8 && dst != src; turn++) {
				uint32_t at = src;

				n = topology_route(t, src, dst, salt++, path);
				for (size_t i = 0; i < n; i++) {
					const struct link *l = &t->links.v[path[i]];

					wrong += l->from != at || (i + 1 < n && l->to < t->hosts);
					at = l->to;
					for (size_t k = 0; k < i; k++)
						wrong += path[k] == path[i];
					used += !seen[path[i]];
					seen[path[i]] = true;
				}
				wrong += at != dst || n < t->shortest || n > t->longest;
			}
	ok(!wrong, "%u paths of %s do not lead to their ends", wrong, t->kind->name);
	free(path);
	free(seen);
	return used;
}

static void test_routes(void)
{
	static const struct {
		const char *topology;
		int links[ROUTINGS]; /* on a path, by source, by destination and at random */
	} rows[] = {
		{ "crossbar 5", { 10, 10, 10 } },      { "clos 3 4 4", { -48, 48, 48 } },
		{ "fattree 4", { -96, 96, 96 } },      { "torus 5", { 20, 20, 20 } },
		{ "torus 2 3 4", { 168, 168, 168 } },  { "dragonfly 5 2 2", { 70, 70, 70 } },
		{ "dragonfly 4 3 2", { 84, 84, 84 } },
	};
	/* Two ways of the same length from a to b; that through host h would be shorter. */
	static const char graph[] =
	    "topology graph\nrouting random\nhost a b h\nswitch s t u v x y\n" SLOW
	    "cable a s\ncable b v\ncable s t\ncable s u\ncable t u\ncable t x\n"
	    "cable u x\ncable x v\ncable s h\ncable h v\ncable v y\n";

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int r = 0; r < ROUTINGS; r++) {
			char text[128];
			int n = snprintf(text, sizeof(text), "topology %s\nrouting %s\n" SLOW,
					 rows[i].topology, routing_names[r]);
			struct network *net = network_parse(text, (size_t)n, "net", &error);

			n = (int)walk_all(&net->topology);
			ok(rows[i].links[r] < 0 ? n < -rows[i].links[r] : n == rows[i].links[r],
			   "%s, routing %s: paths on %d of %zu links", rows[i].topology,
			   routing_names[r], n, net->topology.links.n);
			network_free(net);
		}
	struct network *net = network_parse(graph, sizeof(graph) - 1, "net", &error);
	uint32_t path[8];

	cmp_int((long)walk_all(&net->topology), 18,
		"ways of equal length are used, dead ends are not");
	cmp_int((long)topology_route(&net->topology, 0, 1, 0, path), 5, "hosts do not forward");
	network_free(net);
	uint32_t second[2][64];
	for (int seed = 0; seed < 2; seed++) {
		static const char *const nets[] = {
			"topology clos 2 64 64\nrouting source 1\n" SLOW,
			"topology clos 2 64 64\nrouting source 2\n" SLOW
		};

		net = network_parse(nets[seed], strlen(nets[seed]), "net", &error);
		for (uint32_t src = 0; src < 64; src++) {
			topology_route(&net->topology, src, 64, 0, path);
			second[seed][src] = path[1];
		}
		network_free(net);
	}
	ok(memcmp(second[0], second[1], sizeof(second[0])) != 0, "another seed, other paths");
}

/* Seconds of an empty message between ranks 0 and 1 on hosts of different leaves, whose uplinks
 * take 10 us, or on the same one. */
static double placed(const char *place)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "topology clos 2 4 1\nlink 1MB/s 1us\nuplink 1MB/s 10us\nlocal 1MB/s 7us\n%s\n",
		 place);
	return run(SHARING_MAXMIN, text, "ranks 2\nrank 0\nsend 1 0\nrank 1\nrecv 0\n");
}

static void test_places(void)
{
	static const char net[] = "topology crossbar 100\nplace random 7\n" SLOW;
	bool seen[100] = { 0 };
	unsigned hosts = 0, moved = 0;

	cmp_near(placed(""), 2e-6, 1e-9, "ranks are on hosts as numbered");
	cmp_near(placed("place 0-7/7"), 22e-6, 1e-9, "place: on the hosts named");
	cmp_near(placed("place 3-7/4\nplace 6 5"), 2e-6, 1e-9, "by the last of such statements");
	cmp_near(placed("place 3-7/4\nplace order"), 2e-6, 1e-9, "or as numbered again");
	cmp_near(placed("place 2 2"), 7e-6, 1e-9, "two ranks on one host");
	cmp_near(placed("place 0 7\nranks-per-host 2"), 7e-6, 1e-9, "as also by ranks-per-host");
	struct network *n = network_parse(net, sizeof(net) - 1, "net", &error);
	for (uint32_t r = 0; r < 100; r++) {
		hosts += !seen[network_host(n, r)];
		seen[network_host(n, r)] = true;
		moved += network_host(n, r) != r;
	}
	ok(hosts == 100 && moved > 80, "at random: %u hosts, %u ranks elsewhere", hosts, moved);
	network_free(n);
}

/* Seconds of an empty message; cables have latencies that tell them apart. */
static double routed(const char *route, const char *work)
{
	char text[512];

	snprintf(
	    text, sizeof(text),
	    "topology graph\nhost a b c\nswitch s t u\nlink 1MB/s 1us\ncable a s\ncable b s\n"
	    "cable c u\ncable s t 1MB/s 10us\ncable t u 1MB/s 100us\ncable u s 1MB/s 1ms\n%s\n",
	    route);
	return run(SHARING_MAXMIN, text, work);
}

static void test_given_routes(void)
{
	static const char there[] = "ranks 3\nrank 0\nsend 2 0\nrank 2\nrecv 0\n",
			  back[] = "ranks 3\nrank 2\nsend 0 0\nrank 0\nrecv 2\n";

	cmp_near(routed("", there), 1002e-6, 1e-9, "the shortest path, if none is given");
	cmp_near(routed("route a s t u c", there), 112e-6, 1e-9, "route: the path that is given");
	cmp_near(routed("route a s t u c", back), 1002e-6, 1e-9, "there, but not back");
	cmp_near(routed("route a s t u c\nroute a s u c", there), 1002e-6, 1e-9,
		 "the last one that is given");
}

static void test_maxmin(void)
{
	/* The textbook line: one long flow and a short one on each of two cables; the second cable
	 * has twice the rate.  Long: 0.5, short ones 0.5 and 1.5 MB/s. */
	static const char net[] =
	    "topology graph\nhost a b c d e f\nswitch x y z\nlink 9MB/s 0s\n"
	    "cable a x\ncable b x\ncable c y\ncable d y\ncable e z\ncable f z\n"
	    "cable x y 1MB/s 0s\ncable y z 2MB/s 0s\n";
	static const char work[] = "ranks 6\nrank 0\nsend 4 500\nrank 1\nsend 2 500\nrank 3\n"
				   "send 5 1500\nrank 4\nrecv 0\nrank 2\nrecv 1\nrank 5\nrecv 3\n";
	uint32_t order[3] = { 0, 1, 3 };

	cmp_near(run(SHARING_MAXMIN, net, work), 1e-3, 1e-9, "max-min on a line of two cables");
	for (int i = 0; i < 3; i++)
		cmp_near(result.rank[order[i]].finish, 1e-3, 1e-9, "flow %d takes its share", i);
	ok(result.checks > 0, "each allocation is checked");
	cmp_near(result.link[12].bytes, 1000, 1e-9, "1000 bytes crossed the first cable");
	cmp_near(result.link[13].bytes, 0, 1e-9, "none came back");
	cmp_near(result.link[12].busy, 1e-3, 1e-9, "it was busy all the time");
}

/* Flow i shares links i and i + 1, which change with it by turns: too long a way for single steps.
 */
static void test_long_way(void)
{
	enum { LINKS = 200000 };
	static double capacity[LINKS];
	uint64_t levels, before, after;
	uint32_t owner;

	for (int i = 0; i < LINKS; i++)
		capacity[i] = i ? 2 * i + 1 : 1.1;
	struct sharing *s = sharing_new(SHARING_MAXMIN, capacity, LINKS, 2);
	sharing_start(s, 0, &(uint32_t){ 0 }, 1, &(struct flow_demand){ 0.1, 0.1, 0.1 }, 7);
	for (uint32_t i = 0; i + 1 < LINKS; i++)
		sharing_start(s, 0, (uint32_t[]){ i, i + 1 }, 2,
			      &(struct flow_demand){ i == LINKS / 2 ? 0.5 : 1e9, INFINITY, 0 }, 8);
	cmp_near(sharing_next(s), 1, 1e-9, "the flow at the end of a long way takes a second");
	sharing_effort(s, &levels, &before);
	ok(sharing_finish(s, 1, &owner, NULL) && owner == 7, "and ends");
	ok(!sharing_check(s, &error), "all rates are optimal: %s", error.text);
	sharing_effort(s, &levels, &after);
	cmp_int((long)(after - before), 1, "after all levels were set at once");
	sharing_free(s);
}

/* Flows come and go, and links change, at random: each allocation is optimal. */
static void test_random_sharing(enum sharing_rule rule)
{
	enum { LINKS = 30, MOST = 6, FLOWS = 60, CHANGES = 6000 };
	double capacity[LINKS], now = 0;
	struct random random;
	uint32_t owner, wrong = 0, started = 0, ended = 0;
	uint64_t levels, fallbacks;

	random_seed(&random, 7);
	for (int i = 0; i < LINKS; i++)
		capacity[i] = 1 + random_uniform(&random);
	struct sharing *s = sharing_new(rule, capacity, LINKS, MOST);
	for (int i = 0; i < CHANGES; i++) {
		double next = sharing_next(s), step = 0.02 * random_uniform(&random);
		uint32_t n = 1 + (uint32_t)random_below(&random, MOST), path[MOST];

		now = fmin(now + step, next);
		while (sharing_finish(s, now, &owner, NULL))
			ended++;
		for (uint32_t h = 0; h < n; h++)
			path[h] = (uint32_t)(random_below(&random, LINKS / MOST) * MOST + h);
		if (started - ended < FLOWS) {
			struct flow_demand demand = { 0.05 + random_uniform(&random),
						      random_uniform(&random), 1 };

			sharing_start(s, now, path, n, &demand, 1);
			started++;
		}
		if (i % 10 == 0) {
			double changed = 1 + random_uniform(&random);

			sharing_set_capacity(s, now, (uint32_t)random_below(&random, LINKS),
					     changed);
		}
		wrong += sharing_check(s, &error) != 0;
	}
	ok(!wrong, "%s: %u of %d random changes leave an allocation that is not optimal: %s",
	   sharing_names[rule], wrong, CHANGES, wrong ? error.text : "");
	ok(ended > CHANGES / 10, "%u flows ended", ended);
	sharing_effort(s, &levels, &fallbacks);
	ok(levels < (rule == SHARING_MAXMIN ? 3.2 : 4) * (started + ended),
	   "%.2f levels are set for each change", (double)levels / (started + ended));
	sharing_free(s);
}

static void test_blocking(void)
{
	const char *net = "topology crossbar 4\neager 100\n" SLOW;

	cmp_near(
	    run(SHARING_MAXMIN, net, "ranks 2\nrank 0\nsend 1 100\nrank 1\ncompute 5ms\nrecv 0\n"),
	    5e-3, 1e-9, "an eager message is there when its receive comes");
	cmp_near(result.rank[0].finish, 0, 1e-9, "and its sender did not wait");
	cmp_near(
	    run(SHARING_MAXMIN, net, "ranks 2\nrank 0\nsend 1 101\nrank 1\ncompute 5ms\nrecv 0\n"),
	    5.101e-3, 1e-9, "a long one leaves when its receive is posted");
	cmp_near(result.rank[0].finish, 5.101e-3, 1e-9, "and its sender waits");
	cmp_near(result.rank[0].seconds[RANK_PEER], 5e-3, 1e-9, "first for the receiver");
	cmp_near(result.rank[0].seconds[RANK_WIRE], 101e-6, 1e-9, "then for the bytes");
	cmp_near(
	    run(SHARING_MAXMIN, net,
		"ranks 2\nrank 0\nisend 1 50 as 7\nisend 1 50 as 8\ncompute 1ms\nwait 8\nwait 7\n"
		"rank 1\nirecv 0 as 1\nirecv 0 as 2\nwait 2\ncompute 1ms\nwait 1\n"),
	    1.1e-3, 1e-9, "requests are waited for in any order");
	/* Rank 1's message meets a receive of any that was posted before its own. */
	run(SHARING_MAXMIN, "topology crossbar 4\n" SLOW,
	    "ranks 3\nrank 0\ncompute 1ms\nsend 2 50\nrank 1\ncompute 1us\nsend 2 100\n"
	    "rank 2\nirecv any as 1\nirecv 1 as 2\nwait 1\ncompute 1us\nrank 1\nssend 2 5\n");
	cmp_near(result.rank[2].finish, 102e-6, 1e-9, "the receive posted first gets it");
	run(SHARING_MAXMIN, "topology crossbar 4\nreceive 3us\n" SLOW,
	    "ranks 3\nrank 0\nsend 2 10\nrank 1\nsend 2 10\nrank 2\nirecv 0\nirecv 1\nwaitall\n");
	cmp_near(result.rank[2].finish, 26e-6, 1e-9, "each message takes its receiver's time");
	/* Messages of two ranks follow one another; of two pairs they share. */
	run(SHARING_MAXMIN, net,
	    "ranks 3\nrank 0\nisend 2 100\nisend 2 100\nwaitall\nrank 1\nsend 2 100\n"
	    "rank 2\nrecv 0\ncompute 1us\nrecv 0\nrecv 1\n");
	cmp_near(result.rank[2].finish, 300e-6, 1e-9, "one stream for two ranks");
	cmp_near(result.delay, (200 + 200 + 100) * 1e-6, 1e-9,
		 "the second of a stream shares with nobody before the first has passed");
	/* The second message is 10 bytes and overtakes the first on the wire, not at its receive.
	 */
	run(SHARING_MAXMIN, net,
	    "ranks 2\nrank 0\nisend 1 100\nisend 1 10\nwaitall\nrank 1\nrecv any\ncompute "
	    "1us\nrecv 0\n");
	cmp_near(result.rank[1].finish, 110e-6, 1e-9, "no message overtakes another");
	cmp_near(run(SHARING_MAXMIN, net,
		     "ranks 2\nrank 0\nirecv any tag any\ncompute 5us\nbarrier\nwaitall\n"
		     "rank 1\nbarrier\nsend 0 10\n"),
		 15e-6, 1e-9, "a receive of anything takes no part of a barrier");
	run(SHARING_MAXMIN, net,
	    "ranks 3\nrank 0\nsend 2 100\nrank 1\nsend 2 10\nrank 2\nrecv any\nsend last 1\nrecv "
	    "any\n"
	    "rank 1\nrecv 2\n");
	cmp_near(result.rank[1].finish, 21e-6, 1e-9,
		 "the first to arrive is the first received by any");
}

/* The second of two messages arrives first, and meets a receive of any that was posted before. */
static void test_overtaken(void)
{
	struct matching *m = matching_new(2);
	uint32_t first, second, message = 0, receive = 0;

	matching_send(m, 1, 0, 5, false, 7, &first);
	matching_send(m, 1, 0, 5, false, 8, &second);
	matching_receive(m, 1, PEER_ANY, 5, 3);
	ok(matching_announce(m, second, &message, &receive) && receive == 3 && message == 7,
	   "which gets the first");
	cmp_int((long)matching_receive(m, 1, PEER_ANY, 5, 4), 8, "the next one gets the second");
	matching_free(m);
}

/* What a rank spends its time on, in us. */
static void spends(int rank, double compute, double overhead, double wire, double contention,
		   double peer)
{
	const double us[RANK_STATES] = { compute, overhead, wire, contention, peer };

	for (int state = 0; state < RANK_STATES; state++)
		cmp_near(1 + result.rank[rank].seconds[state], 1 + us[state] * 1e-6, 1e-12,
			 "rank %d: %g us of %s", rank, us[state], rank_state_names[state]);
}

static void test_spent(void)
{
	/* 0 to 2 leaves at 20 us, when it is awaited; from 53 to 187 us it shares with 1 to 2. */
	run(SHARING_MAXMIN, "topology crossbar 4\nsend 3us\nreceive 5us\n" SLOW,
	    "ranks 3\nrank 0\nsend 2 100\nrank 1\ncompute 50us\nsend 2 100\n"
	    "rank 2\ncompute 20us\nirecv 0\nirecv 1\nwaitall\n");
	spends(0, 0, 3, 100, 67, 17);
	spends(1, 50, 3, 100, 67, 0);
	spends(2, 20, 10, 100, 67, 33);
	run(SHARING_MAXMIN, "topology crossbar 4\n" SLOW,
	    "ranks 2\nrank 0\nisend 1 100\nisend 1 100\nwaitall\n"
	    "rank 1\nirecv 0\nirecv 0\nwaitall\n");
	spends(1, 0, 0, 100, 100, 0);
	run(SHARING_MAXMIN, "topology crossbar 4\neager always\n" SLOW,
	    "ranks 2\nrank 0\ncompute 7us\nsend 1 100\nrank 1\ncompute 30us\nrecv 0\n");
	spends(0, 7, 0, 0, 0, 0);
	spends(1, 30, 0, 77, 0, 0);
}

static void fails(const char *workload, const char *words)
{
	ok(isnan(run(SHARING_MAXMIN, "topology crossbar 4\n" SLOW, workload)) &&
	       strstr(error.text, words),
	   "'%s'", words);
}

/* Loads are drawn as often as time can be told apart, but not while there is nothing to load. */
static void test_background(void)
{
	struct engine_options o = ENGINE_DEFAULT;
	static const char work[] = "ranks 2\nrank *\nrepeat 10000\ncompute 1000000s\nend\n"
				   "rank 0\nsend 1 1000000\nrank 1\nrecv 0\n";

	o.background = (struct background){ BACKGROUND_EXPONENTIAL, 0.3, 1e-7 };
	double seconds = run_with("topology crossbar 2\n" SLOW, work, &o);

	ok(seconds > 1e10 + 1.3 && seconds < 1e10 + 3, "after 10^10 s of computation %g s",
	   seconds - 1e10);
	o.background = (struct background){ BACKGROUND_FLOWS, 0.3, 0 };
	cmp_near(run_with("topology crossbar 2\n" SLOW,
			  "ranks 2\nrank 0\nsend 1 700\nrank 1\nrecv 0\n", &o),
		 1e-3, 1e-9, "a flow of 30 in a hundred leaves 70");
	run_with("topology crossbar 64\n" SLOW, "ranks 2\nrank 0\nsend 1 700\nrank 1\nrecv 0\n",
		 &o);
	int reached = 0;
	for (int host = 0; host < 64; host++)
		reached += result.link[2 * host + 1].busy > 0;
	ok(reached > 30 && reached < 50, "64 flows go to %d hosts", reached);
	double bytes[3], took[3];
	for (int i = 0; i < 3; i++) {
		o = (struct engine_options){ .seed = i == 1 ? 2 : 1,
					     .load_seed = i == 2 ? 2 : 1,
					     .stretch = 1,
					     .background = { BACKGROUND_EXPONENTIAL, 0.3, 1e-4 } };
		took[i] =
		    run_with("topology crossbar 2\n" SLOW,
			     "ranks 2\nrank 0\nsend 1 uniform:1000-9000\nrank 1\nrecv 0\n", &o);
		bytes[i] = result.bytes;
	}
	ok(bytes[0] != bytes[1] && bytes[0] == bytes[2] && took[0] != took[2],
	   "amounts and load have seeds of their own");
}

static void test_faults(void)
{
	fails("ranks 2\nrank 0\nrecv 1\nsend 1 5\nrank 1\nrecv 0\nsend 0 5\n",
	      "rank 0 waits in recv for rank 1; rank 1 waits in recv for rank 0 (a cycle)");
	fails("ranks 3\nrank 0\nrecv 1 tag 3\nrank 2\ncompute 5us\n",
	      "deadlock at 5e-06 s, 1 of 3 ranks cannot go on: rank 0 waits in recv for rank 1 "
	      "(tag 3)");
	fails("ranks 2\nrank 0\nbarrier\n",
	      "rank 0 waits in barrier for rank 1; messages not received: 1, "
	      "the first from rank 0 to 1, 0 bytes, part of barrier");
	fails("ranks 2\nrank 0\nisend 1 5\nwaitall\n",
	      "waits in waitall for 1 message, one with rank 1");
	fails("ranks 3\nrank *\nirecv +1 as 4\nirecv -1 as 3\nwait 4\nwait 3\nsend -1 5\n",
	      "rank 0 waits in wait for request 4 with rank 1; rank 1 waits in wait for request 4 "
	      "with rank 2; rank 2 waits in wait for request 4 with rank 0 (a cycle)");
	fails("ranks 2\nrank 0\nisend 1 5\nwaitall\nrecv 1\nrank 1\nisend 0 5 as 2\nwait 2\n",
	      "rank 0 waits in waitall for 1 message, one with rank 1; rank 1 waits in wait for "
	      "request 2 "
	      "with rank 0 (a cycle)");
	fails("ranks 2\nrank 0\nbarrier\nrank 1\nallreduce 8\n",
	      "rank 0 waits in barrier for rank 1; rank 1 waits in allreduce for rank 0 (a cycle)");
	fails("ranks 2\nrank 0\nwait 5\n", "request 5, which it did not open");
	fails("ranks 2\nrank 0\nirecv 1 as 7\nwaitall\nwait 7\nrank 1\nsend 0 5\n",
	      "request 7, which it did not open");
	fails("ranks 2\nrank 0\nirecv 1 as 7\ncompute 1s\nwaitall\nwait 7\nrank 1\nsend 0 5\n",
	      "request 7, which it did not open");
	fails("ranks 2\nrank 0\nsend last 5\n", "has received nothing");
	fails("ranks 3\nrank 0\nrecv any\nsend last 5\nrank 2\nsend 0 5\n",
	      "rank 0 waits in send for rank 2; messages not received: 1, the first from rank 0 to "
	      "2, 5 "
	      "bytes");
	fails("ranks 3\nrank 2\ncompute 1us\nisend 1 9\nrank 0\nisend 1 7 tag 3\nisend 1 8\n"
	      "rank 1\nrecv 0 tag 4\n",
	      "rank 1 waits in recv for rank 0 (tag 4); messages not received: 3, the first from "
	      "rank 0 "
	      "to 1, 7 bytes, tag 3");
	fails("ranks 5\n", "5 ranks do not fit");
	fails("ranks 4\nrank *\nbarrier in 0-2/2\n",
	      "work:3: rank 1 or the root is not in the group of barrier");
	fails("ranks 4\nrank 0-2/2\nbcast 1 5 in 0-2/2\n",
	      "work:3: rank 0 or the root is not in the group of bcast");
	fails("ranks 4\nrank 0\nbarrier in 0-4\n", "work:3: no such rank: '4'");
	fails("ranks 4\nrank 0\nbarrier in 3-0\n",
	      "work:3: a range that ends before it begins, at '3'");
	fails("ranks 4\nrank 3-0\nbarrier\n", "work:2: a range that ends before it begins");
	fails("ranks 4\nrank 0\nsend 1 5 in 0-1\n", "work:3: not understood: 'in'");
	fails("ranks 4\nrank 0\nbarrier in 0-2/2\n", "rank 0 waits in barrier for rank 2");
}

static void test_collectives(void)
{
	static const char *const words[] = { "barrier",	      "bcast 2 900",  "reduce 1 900",
					     "allreduce 900", "gather 0 900", "scatter 1 900",
					     "allgather 900", "alltoall 900", "allreduce 16k" };
	char text[128];

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		for (int n = 1; n <= 9; n++) {
			snprintf(text, sizeof(text), "ranks %d\nrank *\nrepeat 3\n%s\nend\n", n,
				 n == 1		    ? "barrier"
				 : n == 2 && i == 1 ? "bcast 1 900"
						    : words[i]);
			double t = run(SHARING_MAXMIN, "topology crossbar 9\n" SLOW, text);

			ok(t >= 0 && !result.unreceived, "%s of %d ranks ends", words[i], n);
		}
	/* The even ranks reduce while the odd ones gather at rank 3. */
	cmp_near(run(SHARING_MAXMIN, "topology crossbar 8\n" SLOW,
		     "ranks 8\nrank 0-6/2\nallreduce 1000 in 0-6/2\nrank 1-7/2\n"
		     "gather 3 1000 in 1-7/2\n"),
		 3e-3, 1e-9, "groups of ranks");
	cmp_near(result.rank[4].finish, 2e-3, 1e-9, "allreduce of 4: two rounds");
	cmp_int((long)result.messages, 8 + 3, "and as many messages");
	cmp_near(run(SHARING_MAXMIN, "topology crossbar 8\n" SLOW,
		     "ranks 8\nrank 2-7/2\nbcast 6 1000 in 2-7/2\nbarrier in *\n"
		     "rank 0 1 3 5 7\nbarrier in *\n"),
		 2e-3, 1e-9, "bcast from the last of 3");
	/* Rounds of m bytes on a crossbar take m us each. */
	cmp_near(run(SHARING_MAXMIN, "topology crossbar 8\nlink 1MB/s 5us\n",
		     "ranks 8\nrank *\nbarrier\n"),
		 30e-6, 1e-9, "a barrier of 8 is three latencies of two links");
	cmp_near(
	    run(SHARING_MAXMIN, "topology crossbar 8\n" SLOW, "ranks 8\nrank *\nallreduce 1000\n"),
	    3e-3, 1e-9, "allreduce of 8, short: three rounds");
	cmp_near(
	    run(SHARING_MAXMIN, "topology crossbar 8\n" SLOW, "ranks 8\nrank *\nallreduce 16k\n"),
	    14 * 2048e-6, 1e-9, "long: fourteen rounds of an eighth");
	cmp_near(
	    run(SHARING_MAXMIN, "topology crossbar 8\n" SLOW, "ranks 8\nrank *\nalltoall 1000\n"),
	    7e-3, 1e-9, "alltoall of 8: seven rounds");
	cmp_near(
	    run(SHARING_MAXMIN, "topology crossbar 8\n" SLOW, "ranks 8\nrank *\nbcast 3 1000\n"),
	    3e-3, 1e-9, "bcast of 8: three steps down the tree");
	cmp_near(
	    run(SHARING_MAXMIN, "topology crossbar 8\n" SLOW, "ranks 8\nrank *\ngather 3 1000\n"),
	    7e-3, 1e-9, "gather of 8: seven messages through the root's link");
}

static void test_goal(void)
{
	/* Rank 1 may receive both at once, and computes when the first is there. */
	static const char goal[] = "num_ranks 3\nrank 0 {\na: calc 5000\nb: send 100b to 1 tag 4\n"
				   "b requires a\n}\nrank 2 {\ns: send 100b to 1\n}\n"
				   "rank 1 {\nd: calc 1000\nc: recv 100b from 0 tag 4\n"
				   "e: recv 100b from 2\nd requires e\n}\n";
	static const char circle[] = "num_ranks 1\nrank 0 {\na: calc 5\nb: calc 5\na requires b\n"
				     "b requires a\n}\n";
	static const char relay[] =
	    "num_ranks 2\nrank 0 {\ns: send 100b to 1\nr: recv 100b from 1\n}\n"
	    "rank 1 {\na: recv 100b from 0\nb: send 100b to 0\nb requires a\n}\n";
	static const char unknown[] = "num_ranks 1\nrank 0 {\na: calc 5\na requires z\n}\n";

	run(SHARING_MAXMIN, "topology crossbar 4\n" SLOW, goal);
	/* 0 to 5: only from 2; 5 to 195: both share; from 195: what is left of 0's. */
	cmp_near(result.rank[2].finish, 195e-6, 1e-9, "GOAL: the first message, shared from 5 us");
	cmp_near(result.rank[0].finish, 200e-6, 1e-9, "the second behind its calc");
	cmp_near(result.rank[1].seconds[RANK_COMPUTE], 1e-6, 1e-9, "calc is in nanoseconds");
	cmp_near(result.rank[1].finish, 200e-6, 1e-9, "and does not hold up the other receive");
	cmp_near(run(SHARING_MAXMIN, "topology crossbar 2\n" SLOW, relay), 200e-6, 1e-9,
		 "what requires a message goes out after it");
	fails("num_ranks 2\nrank 0 {\ns: send 9b to 1 tag 4\n}\nrank 1 {\nr: recv 9b from 0 tag "
	      "5\n}\n",
	      "the first from rank 0 to 1, 9 bytes, tag 4");
	fails(circle, "require each other in a cycle");
	fails(unknown, "work:5: a required operation is not defined: z");
}

int main(void)
{
	test_article();
	test_rates();
	test_quiet();
	test_draws();
	test_event_horizon();
	test_closed_forms();
	test_routes();
	test_places();
	test_given_routes();
	test_maxmin();
	test_long_way();
	for (int rule = 0; rule < SHARING_RULES; rule++)
		test_random_sharing(rule);
	test_blocking();
	test_overtaken();
	test_spent();
	test_background();
	test_faults();
	test_collectives();
	test_goal();
	engine_result_free(&result);
	return done_testing();
}
