/* SPDX-License-Identifier: MIT */
/*
 * simgrid - runs a workload(5) on a network(5) in SimGrid, for comparing with what ccmod predicts.
 *
 *	simgrid NETWORK WORKLOAD [MODEL]
 *
 * Prints the seconds that the workload takes, and the CPU seconds of the simulation.  MODEL: bare
 * (default), max-min sharing of links as they are, which ccmod does, too; or LV08, SimGrid's own
 * corrections for TCP.  Links have their rate; the latency is that of the quiet network, headers
 * count as bytes.  Each rank is an actor.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>

#include "network/collective.h"
#include "network/network.h"
#include "util/map.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { USUAL = 65536 }; /* bytes of the message whose latency all get */

static struct network *net;
static struct workload *w;
static struct receiver {
	bool takes_any; /* one mailbox for all senders */
	VEC(uint32_t) from;
} * receivers; /* [rank] */

struct requests {
	VEC(sg_comm_t) v;
};

static sg_mailbox_t mailbox(uint32_t from, uint32_t to)
{
	char name[32];

	snprintf(name, sizeof(name), receivers[to].takes_any ? "%u" : "%u-%u", to, from);
	return sg_mailbox_by_name(name);
}

static void put(struct requests *open, uint32_t from, uint32_t to, uint64_t bytes)
{
	struct passage p = network_passage(net, (double)bytes, NULL, 0);
	double packets = net->packet > 0 ? fmax(ceil(p.wire / net->packet), 1) : 1;
	uint32_t *payload = xmalloc(sizeof(*payload));
	*payload = from;
	long wire = (long)(p.wire + packets * net->header);

	if ((double)bytes <= net->eager)
		sg_comm_detach(sg_mailbox_put_init(mailbox(from, to), payload, wire), NULL);
	else
		vec_push(&open->v, sg_mailbox_put_async(mailbox(from, to), payload, wire));
}

static void wait_all(struct requests *open)
{
	for (size_t i = 0; i < open->v.n; i++)
		sg_comm_wait(open->v.v[i]);
	open->v.n = 0;
}

static void collective(const struct op *op, uint32_t rank)
{
	struct requests open = { 0 };
	struct round round;
	static void *data;

	for (uint32_t i = 0; collective_round(op, w->ranks, rank, i, &round); i++) {
		if (round.from != PEER_ANY)
			vec_push(&open.v, sg_mailbox_get_async(mailbox(round.from, rank), &data));
		if (round.to != PEER_ANY)
			put(&open, rank, round.to, round.bytes);
		if (round.wait)
			wait_all(&open);
	}
	wait_all(&open);
	free(open.v.v);
}

/* An actor: the operations of one rank. */
static void play(int argc, char **argv)
{
	uint32_t rank = (uint32_t)atoi(argv[argc - 1]), last = 0;
	struct requests open = { 0 }, one = { 0 };
	static void *data;
	struct cursor c;
	struct op op;

	/* What is sent to an actor's own mailbox leaves before it is received. */
	for (size_t i = 0; net->eager > 0 && i < receivers[rank].from.n; i++)
		sg_mailbox_set_receiver(
		    sg_mailbox_get_name(mailbox(receivers[rank].from.v[i], rank)));
	cursor_start(&c, w, rank, 1);
	while (cursor_next(&c, &op))
		switch (op.kind) {
		case OP_COMPUTE: sg_actor_sleep_for((double)op.amount * 1e-12); break;
		case OP_SEND:
		case OP_SSEND:
		case OP_ISEND:
			put(op.kind == OP_ISEND ? &open : &one, rank,
			    op.peer == PEER_LAST ? last : op.peer, op.amount);
			wait_all(&one);
			break;
		case OP_RECV: {
			uint32_t *from =
			    sg_mailbox_get(mailbox(op.peer == PEER_ANY ? 0 : op.peer, rank));

			last = *from;
			free(from);
			break;
		}
		case OP_IRECV:
			vec_push(&open.v, sg_mailbox_get_async(mailbox(op.peer, rank), &data));
			break;
		case OP_WAIT:
		case OP_WAITALL: wait_all(&open); break;
		default: collective(&op, rank); break;
		}
	free(open.v.v);
	free(one.v.v);
}

/* Calls add() for each two ranks that exchange messages, several times perhaps. */
static void each_pair(void (*add)(FILE *f, uint32_t a, uint32_t b), FILE *f)
{
	struct cursor c;
	struct op op;
	struct round round;

	for (uint32_t rank = 0; rank < w->ranks; rank++) {
		cursor_start(&c, w, rank, 1);
		while (cursor_next(&c, &op)) {
			unsigned fields = op_forms[op.kind].fields;

			if ((op.kind == OP_RECV || op.kind == OP_IRECV) && op.peer == PEER_ANY)
				receivers[rank].takes_any = true;
			else if (fields & FIELD_TAG && op.peer < w->ranks)
				add(f, rank, op.peer);
			else if (fields & FIELD_GROUP)
				for (uint32_t i = 0;
				     collective_round(&op, w->ranks, rank, i, &round); i++)
					if (round.to != PEER_ANY)
						add(f, rank, round.to);
		}
	}
}

static void add_route(FILE *f, uint32_t from, uint32_t to)
{
	uint32_t *path = xmalloc((net->topology.longest + 1) * sizeof(*path));
	size_t n = topology_route(&net->topology, from, to, 0, path);

	fprintf(f, "<route src=\"h%u\" dst=\"h%u\" symmetrical=\"NO\">", from, to);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "<link_ctn id=\"l%u\"/>", path[i]);
	fprintf(f, "%s</route>\n", n ? "" : "<link_ctn id=\"local\"/>");
	free(path);
}

static void add_pair(FILE *f, uint32_t a, uint32_t b)
{
	static struct map seen, routes;
	uint64_t *known = map_at(&seen, (uint64_t)a << 32 | b);

	if (*known)
		return;
	*known = 1;
	vec_push(&receivers[b].from, a);
	uint32_t from = network_host(net, a), to = network_host(net, b);
	uint64_t *there =
	    map_at(&routes, (uint64_t)(from < to ? from : to) << 32 | (from < to ? to : from));

	if (*there)
		return;
	*there = 1;
	add_route(f, from, to);
	if (from != to)
		add_route(f, to, from);
}

static void write_platform(FILE *f)
{
	const struct topology *t = &net->topology;
	uint32_t *path = xmalloc((t->longest + 1) * sizeof(*path));
	struct passage p =
	    network_passage(net, USUAL, path, topology_route(t, 0, t->hosts - 1, 0, path));

	fprintf(f, "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
		   "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
		   "<zone id=\"z\" routing=\"Full\">\n");
	for (uint32_t h = 0; h < t->hosts; h++)
		fprintf(f, "<host id=\"h%u\" speed=\"1Gf\"/>\n", h);
	for (size_t l = 0; l < t->links.n; l++)
		fprintf(f, "<link id=\"l%zu\" bandwidth=\"%.9gBps\" latency=\"%.9gs\"/>\n", l,
			t->links.v[l].rate,
			net->quiet.nsegments ? p.latency / (double)t->shortest
					     : t->links.v[l].latency);
	fprintf(f,
		"<link id=\"local\" bandwidth=\"%.9gBps\" latency=\"%.9gs\" "
		"sharing_policy=\"FATPIPE\"/>\n",
		net->local.rate, net->local.latency);
	each_pair(add_pair, f);
	fprintf(f, "</zone>\n</platform>\n");
	free(path);
}

static void start(uint32_t rank)
{
	char name[16], host[16];
	const char *argv[] = { name };

	snprintf(name, sizeof(name), "%u", rank);
	snprintf(host, sizeof(host), "h%u", network_host(net, rank));
	sg_actor_t actor = sg_actor_init(name, sg_host_by_name(host));
	sg_actor_start_(actor, play, 1, argv);
}

int main(int argc, char **argv)
{
	static char bare[][40] = { "simgrid",
				   "--log=root.thres:error",
				   "--cfg=contexts/stack-size:64",
				   "--cfg=network/model:CM02",
				   "--cfg=network/TCP-gamma:0",
				   "--cfg=network/latency-factor:1",
				   "--cfg=network/bandwidth-factor:1",
				   "--cfg=network/weight-S:0",
				   "--cfg=network/crosstraffic:0" };
	char *options[sizeof(bare) / sizeof(*bare) + 1], path[] = "/tmp/simgrid-XXXXXX.xml";
	int n = argc > 3 && !strcmp(argv[3], "LV08") ? 3 : sizeof(bare) / sizeof(*bare);
	struct error e;

	if (argc < 3 || argc > 4)
		errx(2, "usage: simgrid NETWORK WORKLOAD [bare|LV08]");
	net = network_read(argv[1], NULL, 0, &e);
	w = net ? workload_read(argv[2], &e) : NULL;
	if (!w)
		errx(1, "%s", e.text);
	receivers = xcalloc(w->ranks, sizeof(*receivers));
	for (int i = 0; i < n; i++)
		options[i] = bare[i];
	options[n] = NULL;
	simgrid_init(&n, options);
	FILE *f = fdopen(mkstemps(path, 4), "w");
	write_platform(f);
	fclose(f);
	simgrid_load_platform(path);
	unlink(path);
	for (uint32_t rank = 0; rank < w->ranks; rank++)
		start(rank);
	clock_t begin = clock();
	simgrid_run();
	printf("%.9g %.3f\n", simgrid_get_clock(),
	       (double)(clock() - begin) / (double)CLOCKS_PER_SEC);
	return 0;
}
