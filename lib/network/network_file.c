/* SPDX-License-Identifier: MIT */
/* Reads network files, network(5): one statement per line, a keyword and its values. */
#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "network/network.h"
#include "stats/random.h"
#include "util/file.h"
#include "util/home.h"
#include "util/map.h"
#include "util/number.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { WORDS = 4096 };

/* Every step-th host from first to last. */
struct span {
	uint32_t first, last, step;
};

struct parser {
	struct network *net;
	char *word[WORDS]; /* word[0] is the keyword */
	size_t n;	   /* number of values */
	/* Where a statement comes from: a change of the file is one that the user wants now. */
	enum given { NOT_GIVEN, BY_FILE, BY_CHANGE } now, link[LINK_CLASSES], routing, topology;
	VEC(struct cable {
		uint32_t end[2];
		struct link_speed own; /* rate 0: as 'link', which may change */
	})
	cables;			/* of a graph */
	VEC(uint32_t) routes;	/* of each the number of vertices, and these */
	VEC(struct span) hosts; /* of 'place' */
	bool draw_hosts;
	uint64_t draw_seed;
	struct error *error;
};

bool rate_parse(const char *s, double *out)
{
	static const struct {
		const char *unit;
		double bytes;
	} units[] = {
		{ "bit/s", 0.125 },
		{ "kbit/s", 125 },
		{ "Mbit/s", 125e3 },
		{ "Gbit/s", 125e6 },
		{ "B/s", 1 },
		{ "kB/s", 1e3 },
		{ "MB/s", 1e6 },
		{ "GB/s", 1e9 },
		{ "KiB/s", 1024 },
		{ "MiB/s", 1024. * 1024 },
		{ "GiB/s", 1073741824 },
	};
	size_t digits = strspn(s, "0123456789.");
	char number[64];
	double v;

	if (!digits || digits >= sizeof(number))
		return false;
	memcpy(number, s, digits);
	number[digits] = '\0';
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(s + digits, units[i].unit) && number_parse_double(number, &v)) {
			*out = v * units[i].bytes;
			return *out >= 1e-3 && *out <= 1e18;
		}
	return false;
}

static int wrong(const struct parser *p, const char *what, const char *word)
{
	return error_set(p->error, "%s: %s%s%s", p->word[0], what, word ? " " : "",
			 word ? word : "");
}

static int parse_time(const struct parser *p, const char *s, double *out)
{
	double v;

	if (!number_parse_time(s, &v) || !(v >= 0 && v <= 1e3))
		return wrong(p, "not a time such as 100ns:", s);
	*out = v;
	return 0;
}

static int parse_bytes(const struct parser *p, const char *s, double *out)
{
	uint64_t v;

	if (!number_parse_size(s, &v) || v > UINT64_C(1) << 50)
		return wrong(p, "not a size such as 4k:", s);
	*out = (double)v;
	return 0;
}

static int parse_speed(const struct parser *p, char *const *word, struct link_speed *out)
{
	if (!rate_parse(word[0], &out->rate))
		return wrong(p, "not a rate such as 10Gbit/s or 160MB/s:", word[0]);
	return parse_time(p, word[1], &out->latency);
}

static int parse_name(struct parser *p)
{
	char *name = xstrdup(p->word[1]);

	for (size_t i = 2; i <= p->n; i++) {
		char *longer = xasprintf("%s %s", name, p->word[i]);

		free(name);
		name = longer;
	}
	free(p->net->name);
	p->net->name = name;
	return 0;
}

/* word[1] is none of the names, which are freed. */
static int wrong_choice(const struct parser *p, struct names *names)
{
	char *all = names_join(names, ", ");

	error_set(p->error, "%s: not one of %s: %s", p->word[0], all, p->word[1]);
	free(all);
	names_free(names);
	return -1;
}

/* Whatever an earlier topology consisted of is forgotten. */
static int parse_topology(struct parser *p)
{
	struct topology *t = &p->net->topology;

	p->topology = p->now;
	names_free(&t->names);
	t->hosts = t->vertices = 0;
	p->cables.n = p->routes.n = 0;
	t->kind = topology_kinds;
	while (t->kind->name && strcmp(t->kind->name, p->word[1]))
		t->kind++;
	if (!t->kind->name) {
		struct names names = { 0 };

		for (const struct topology_kind *k = topology_kinds; k->name; k++)
			names_add(&names, k->name);
		return wrong_choice(p, &names);
	}
	t->nsizes = (uint32_t)p->n - 1;
	if (t->nsizes < t->kind->least || t->nsizes > t->kind->most)
		return error_set(p->error, "topology %s needs these numbers: %s", t->kind->name,
				 t->kind->sizes);
	for (uint32_t i = 0; i < t->nsizes; i++) {
		uint64_t v;

		if (!number_parse_u64(p->word[2 + i], &v) || !v || v > TOPOLOGY_SIZE)
			return wrong(p, "not a number from 1 to 1048576:", p->word[2 + i]);
		t->sizes[i] = (uint32_t)v;
	}
	return 0;
}

static int parse_link(struct parser *p)
{
	enum link_class class = !strcmp(p->word[0], "link")	? LINK_HOST
				: !strcmp(p->word[0], "uplink") ? LINK_SWITCH
								: LINK_GLOBAL;

	p->link[class] = p->now;
	return parse_speed(p, p->word + 1, &p->net->topology.speed[class]);
}

static bool is_graph(const struct topology *t)
{
	return t->kind && !strcmp(t->kind->name, "graph");
}

static int parse_vertex(struct parser *p)
{
	struct topology *t = &p->net->topology;
	bool host = !strcmp(p->word[0], "host");

	if (!is_graph(t))
		return wrong(p, "only 'topology graph', which comes first, has named vertices",
			     NULL);
	if (host && t->vertices > t->hosts)
		return wrong(p, "hosts come before switches", NULL);
	for (size_t i = 1; i <= p->n; i++) {
		if (names_add(&t->names, p->word[i]) != t->vertices)
			return wrong(p, "this name is used already:", p->word[i]);
		t->vertices++;
		t->hosts += host;
	}
	return 0;
}

static int parse_cable(struct parser *p)
{
	struct cable cable = { 0 };

	for (int i = 0; i < 2; i++) {
		size_t end = names_find(&p->net->topology.names, p->word[1 + i]);

		if (end == SIZE_MAX)
			return wrong(p, "no such host or switch:", p->word[1 + i]);
		cable.end[i] = (uint32_t)end;
	}
	if (cable.end[0] == cable.end[1])
		return wrong(p, "connects a vertex to itself:", p->word[1]);
	if (p->n == 3)
		return wrong(p, "needs rate and latency, or neither", NULL);
	if (p->n == 4 && parse_speed(p, p->word + 3, &cable.own))
		return -1;
	vec_push(&p->cables, cable);
	return 0;
}

static int parse_route(struct parser *p)
{
	const struct topology *t = &p->net->topology;

	if (p->n > TOPOLOGY_PATH + 1)
		return wrong(p, "longer than 250 links, at", p->word[TOPOLOGY_PATH + 2]);
	vec_push(&p->routes, (uint32_t)p->n);
	for (size_t i = 1; i <= p->n; i++) {
		size_t at = names_find(&t->names, p->word[i]);

		if (at == SIZE_MAX)
			return wrong(p, "no such host or switch:", p->word[i]);
		if ((i == 1 || i == p->n) && at >= t->hosts)
			return wrong(p, "does not end at a host:", p->word[i]);
		for (size_t k = 1; k < i; k++)
			if (p->routes.v[p->routes.n - k] == at)
				return wrong(p, "passes twice:", p->word[i]);
		vec_push(&p->routes, (uint32_t)at);
	}
	return 0;
}

/* Parses "3", "0-7", "0-14/2", or the name of a host of a graph. */
static bool parse_span(const struct parser *p, const char *s, struct span *out)
{
	size_t at = names_find(&p->net->topology.names, s);
	int end = 0, n;

	if (at != SIZE_MAX) {
		*out = (struct span){ (uint32_t)at, (uint32_t)at, 1 };
		return true;
	}
	n = sscanf(s, "%9u%n-%9u%n/%9u%n", &out->first, &end, &out->last, &end, &out->step, &end);
	if (n < 3)
		out->step = 1;
	if (n < 2)
		out->last = out->first;
	return n > 0 && isdigit((unsigned char)*s) && !s[end] && out->step &&
	       out->first <= out->last;
}

static int parse_place(struct parser *p)
{
	struct span span;

	p->hosts.n = 0;
	p->draw_seed = 1;
	p->draw_hosts = !strcmp(p->word[1], "random");
	if (p->draw_hosts && p->n == 2 && !number_parse_u64(p->word[2], &p->draw_seed))
		return wrong(p, "not a number:", p->word[2]);
	if (p->draw_hosts || (p->n == 1 && !strcmp(p->word[1], "order")))
		return p->n > 2 ? wrong(p, "wrong number of values (see network(5))", NULL) : 0;
	for (size_t i = 1; i <= p->n; i++) {
		if (!parse_span(p, p->word[i], &span))
			return wrong(p, "not hosts such as 3 or 0-14/2:", p->word[i]);
		vec_push(&p->hosts, span);
	}
	return 0;
}

static int parse_packet(struct parser *p)
{
	if (parse_bytes(p, p->word[1], &p->net->packet) ||
	    parse_bytes(p, p->word[2], &p->net->header))
		return -1;
	return p->net->packet > 0 ? 0 : wrong(p, "a packet without data", NULL);
}

static int parse_delay(struct parser *p)
{
	double size = 0, seconds = 0;

	if (parse_bytes(p, p->word[1], &size) || parse_time(p, p->word[2], &seconds))
		return -1;
	quiet_add(&p->net->quiet, size, seconds);
	return 0;
}

static int parse_eager(struct parser *p)
{
	if (!strcmp(p->word[1], "always")) {
		p->net->eager = INFINITY;
		return 0;
	}
	if (!strcmp(p->word[1], "never")) {
		p->net->eager = -1;
		return 0;
	}
	return parse_bytes(p, p->word[1], &p->net->eager);
}

static int parse_overhead(struct parser *p)
{
	struct overhead *o = !strcmp(p->word[0], "send") ? &p->net->send : &p->net->receive;

	return parse_time(p, p->word[1], &o->fixed) ||
		       (p->n == 2 && parse_time(p, p->word[2], &o->per_byte))
		   ? -1
		   : 0;
}

static int parse_routing(struct parser *p)
{
	struct topology *t = &p->net->topology;
	int which = 0;

	while (which < ROUTINGS && strcmp(routing_names[which], p->word[1]))
		which++;
	if (which == ROUTINGS) {
		struct names names = { 0 };

		for (which = 0; which < ROUTINGS; which++)
			names_add(&names, routing_names[which]);
		return wrong_choice(p, &names);
	}
	p->routing = p->now;
	t->routing = (enum routing)which;
	if (p->n == 2 && which == ROUTE_DESTINATION)
		return wrong(p, "nothing is drawn, so there is no seed:", p->word[2]);
	if (p->n == 2 && !number_parse_u64(p->word[2], &t->seed))
		return wrong(p, "not a number:", p->word[2]);
	return 0;
}

static int parse_local(struct parser *p)
{
	return parse_speed(p, p->word + 1, &p->net->local);
}

static int parse_ranks(struct parser *p)
{
	uint64_t v;

	if (!number_parse_u64(p->word[1], &v) || !v || v > TOPOLOGY_SIZE)
		return wrong(p, "not a number from 1 to 1048576:", p->word[1]);
	p->net->ranks_per_host = (uint32_t)v;
	return 0;
}

static const struct keyword {
	const char *word;
	size_t least, most; /* number of values */
	int (*parse)(struct parser *p);
} keywords[] = {
	{ "name", 1, WORDS - 1, parse_name },
	{ "topology", 1, 1 + TOPOLOGY_SIZES, parse_topology },
	{ "link", 2, 2, parse_link },
	{ "uplink", 2, 2, parse_link },
	{ "global", 2, 2, parse_link },
	{ "host", 1, WORDS - 1, parse_vertex },
	{ "switch", 1, WORDS - 1, parse_vertex },
	{ "cable", 2, 4, parse_cable },
	{ "route", 2, WORDS - 1, parse_route },
	{ "packet", 2, 2, parse_packet },
	{ "delay", 2, 2, parse_delay },
	{ "eager", 1, 1, parse_eager },
	{ "send", 1, 2, parse_overhead },
	{ "receive", 1, 2, parse_overhead },
	{ "routing", 1, 2, parse_routing },
	{ "local", 2, 2, parse_local },
	{ "ranks-per-host", 1, 1, parse_ranks },
	{ "place", 1, WORDS - 1, parse_place },
};

static int unknown(const struct parser *p)
{
	struct names words = { 0 };

	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		names_add(&words, keywords[i].word);
	const char *nearest = names_nearest(&words, p->word[0]);
	error_set(p->error, "no such statement: %s%s%s", p->word[0],
		  nearest ? "; did you mean " : "", nearest ? nearest : "");
	names_free(&words);
	return -1;
}

static int parse_line(struct parser *p, char *line)
{
	char *save;

	line[strcspn(line, "#")] = '\0';
	p->n = 0;
	for (char *s = strtok_r(line, " \t\r", &save); s; s = strtok_r(NULL, " \t\r", &save)) {
		if (p->n == WORDS)
			return error_set(p->error, "more than %d words", WORDS);
		p->word[p->n++] = s;
	}
	if (!p->n--)
		return 0;
	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		if (!strcmp(keywords[i].word, p->word[0])) {
			if (p->n < keywords[i].least || p->n > keywords[i].most)
				return wrong(p, "wrong number of values (see network(5))", NULL);
			return keywords[i].parse(p);
		}
	return unknown(p);
}

/* Adds the links of a graph, whose statements may have changed the speed of its cables until now.
 */
static int connect_cables(struct parser *p)
{
	struct topology *t = &p->net->topology;
	const struct link_speed usual = t->speed[LINK_HOST];

	for (size_t i = 0; i < p->cables.n; i++) {
		const struct cable *c = &p->cables.v[i];

		if (!c->own.rate && !p->link[LINK_HOST])
			return error_set(p->error,
					 "cable %s %s: has no rate, and there is no 'link'",
					 t->names.v[c->end[0]], t->names.v[c->end[1]]);
		t->speed[LINK_HOST] = c->own.rate > 0 ? c->own : usual;
		topology_connect(t, c->end[0], c->end[1], LINK_HOST);
	}
	return 0;
}

static int add_routes(const struct parser *p, struct error *e)
{
	for (size_t i = 0; i < p->routes.n; i += 1 + p->routes.v[i])
		if (topology_graph_fix(&p->net->topology, p->routes.v + i + 1, p->routes.v[i], e))
			return -1;
	return 0;
}

/* Lists the hosts of 'place', now that it is known which there are. */
static int list_hosts(const struct parser *p)
{
	struct network *net = p->net;
	uint32_t hosts = net->topology.hosts;

	for (size_t i = 0; i < p->hosts.n; i++) {
		const struct span *s = &p->hosts.v[i];

		if (s->last >= hosts)
			return error_set(p->error, "place: there is no host %u: the last is %u",
					 s->last, hosts - 1);
		for (uint32_t h = s->first; h <= s->last; h += s->step)
			vec_push(&net->place, h);
		if (net->place.n > TOPOLOGY_LINKS)
			return error_set(p->error, "place: more than %d hosts", TOPOLOGY_LINKS);
	}
	if (!p->draw_hosts)
		return 0;
	struct random random;
	size_t *order = xmalloc(hosts * sizeof(*order));

	random_seed(&random, p->draw_seed);
	for (uint32_t h = 0; h < hosts; h++)
		order[h] = h;
	random_shuffle(&random, order, hosts);
	for (uint32_t h = 0; h < hosts; h++)
		vec_push(&net->place, (uint32_t)order[h]);
	free(order);
	return 0;
}

/* Refuses statements without effect on the topology, except those of the file if a change replaced
 * its topology. */
static int check_effects(const struct parser *p)
{
	const struct topology_kind *kind = p->net->topology.kind;
	enum given least = p->topology == BY_CHANGE ? BY_CHANGE : BY_FILE;

	for (int class = LINK_SWITCH; class < LINK_CLASSES; class ++)
		if (p->link[class] >= least && !(kind->has & 1U << class))
			return error_set(
			    p->error, "a %s has no '%s'%s", kind->name,
			    class == LINK_SWITCH ? "uplink" : "global",
			    is_graph(&p->net->topology) ? ": give its cables their own speed" : "");
	if (p->routing == BY_CHANGE && !(kind->has & TOPOLOGY_CHOICE))
		return error_set(p->error, "a %s has one path only: 'routing' has no effect",
				 kind->name);
	return 0;
}

/* Checks and completes the network when all statements are known. */
static int complete(struct parser *p)
{
	struct topology *t = &p->net->topology;
	struct error e;

	if (!t->kind)
		return error_set(p->error, "not a network: the 'topology' statement is missing");
	if (check_effects(p))
		return -1;
	if (is_graph(t)) {
		if (connect_cables(p))
			return -1;
	} else if (!p->link[LINK_HOST])
		return error_set(p->error, "'link RATE LATENCY' is missing");
	if (!p->link[LINK_SWITCH])
		t->speed[LINK_SWITCH] = t->speed[LINK_HOST];
	if (!p->link[LINK_GLOBAL])
		t->speed[LINK_GLOBAL] = t->speed[LINK_SWITCH];
	if (topology_build(t, &e) || add_routes(p, &e) ||
	    (p->net->quiet.n && quiet_fit(&p->net->quiet, &e)))
		return error_set(p->error, "%s", e.text);
	return list_hosts(p);
}

/* Parses all lines of the file, then the changes. */
static int parse_lines(struct parser *p, char *text, const char *name, const char *const *changes,
		       size_t nchanges)
{
	size_t number = 0;

	p->now = BY_FILE;
	for (char *line; (line = strsep(&text, "\n"));) {
		number++;
		if (parse_line(p, line))
			return error_prefix(p->error, "%s:%zu", name, number);
	}
	p->now = BY_CHANGE;
	for (size_t i = 0; i < nchanges; i++) {
		char *line = xstrdup(changes[i]);
		int status = parse_line(p, line);

		free(line);
		if (status)
			return error_prefix(p->error, "'%s'", changes[i]);
	}
	return complete(p) ? error_prefix(p->error, "%s", name) : 0;
}

static struct network *parse(const char *text, size_t n, const char *name,
			     const char *const *changes, size_t nchanges, struct error *e)
{
	struct network *net = xcalloc(1, sizeof(*net));
	struct parser p = { .net = net, .error = e };
	char *copy = xstrndup(text, n);
	int status;

	net->name = xstrdup(name);
	net->file = xstrdup(name);
	net->text = xstrndup(text, n);
	net->eager = -1;
	net->ranks_per_host = 1;
	net->local = (struct link_speed){ 10e9, 0.5e-6 };
	net->topology.seed = 1;
	status = memchr(text, '\0', n)
		     ? error_set(e, "%s: contains NUL bytes: not a network file", name)
		     : parse_lines(&p, copy, name, changes, nchanges);
	free(copy);
	free(p.cables.v);
	free(p.routes.v);
	free(p.hosts.v);
	if (!status)
		return net;
	network_free(net);
	return NULL;
}

struct network *network_change(const struct network *net, const char *const *changes, size_t n,
			       struct error *e)
{
	return parse(net->text, strlen(net->text), net->file, changes, n, e);
}

struct network *network_parse(const char *text, size_t n, const char *name, struct error *e)
{
	return parse(text, n, name, NULL, 0, e);
}

static int is_network(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && !strcmp(dot, ".net");
}

/* There is no such file: the error lists the installed networks. */
static int name_networks(const char *path, struct error *e)
{
	char *folder = home_find(HOME_CONF, "topologies", e);
	struct dirent **v;
	int n = folder ? scandir(folder, &v, is_network, alphasort) : -1;
	struct names names = { 0 };

	free(folder);
	if (n < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		*strrchr(v[i]->d_name, '.') = '\0';
		names_add(&names, v[i]->d_name);
		free(v[i]);
	}
	free(v);
	char *all = names_join(&names, ", ");
	error_set(e, "%s: not a file, and not one of the installed networks: %s", path, all);
	free(all);
	names_free(&names);
	return -1;
}

/* A name such as "myrinet" stands for conf/topologies/myrinet.net unless there is a file of that
 * name. */
static char *find(const char *path, struct error *e)
{
	char *file = xasprintf("topologies/%s.net", path);
	bool as_is = strchr(path, '/') || !access(path, F_OK) || !strcmp(path, "-");
	char *found = as_is ? xstrdup(path) : home_find(HOME_CONF, file, e);

	free(file);
	if (!found)
		name_networks(path, e);
	return found;
}

struct network *network_read(const char *path, const char *const *changes, size_t n,
			     struct error *e)
{
	char *file = find(path, e);
	size_t length;
	char *text = file ? file_read(file, 1 << 26, &length, e) : NULL;
	struct network *net = text ? parse(text, length, file, changes, n, e) : NULL;

	free(text);
	free(file);
	return net;
}
