/* SPDX-License-Identifier: MIT */
/* ccmod predict - how long a workload takes on a network, and which link holds it up. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "setup.h"
#include "util/number.h"
#include "util/xalloc.h"
#include "vector/json.h"

static struct setup s = SETUP_DEFAULT;
static struct {
	bool messages, links, ranks;
	uint64_t top;
} set = { .top = 5 };

static const struct opt options[] = {
	SETUP_OPTIONS(s),
	{ 'm', "messages", OPT_FLAG, &set.messages, NULL, 0, 0, "print every message instead" },
	{ 'l', "links", OPT_FLAG, &set.links, NULL, 0, 0, "print every link instead" },
	{ 'r', "ranks", OPT_FLAG, &set.ranks, NULL, 0, 0, "print every rank instead" },
	{ 0, "top", OPT_COUNT, &set.top, "N", 0, 1e6, "links to print (default 5)" },
	{ 0 },
};

static const struct opt_usage usage = {
	"ccmod predict",
	"WORKLOAD",
	"Predicts how long a workload takes on a network, which rank is the last, and which link "
	"holds\nit up.",
	"ccmod predict -n myrinet ring.wl",
};

/* The answer: the run, the same as if every message were alone, and with a faster bottleneck. */
struct answer {
	struct engine_result real;
	double alone, faster; /* seconds */
	uint32_t bottleneck;
};

static double link_use(const struct answer *a, uint32_t link)
{
	double capacity =
	    s.options.rule == SHARING_ARTICLE ? 1 : s.network->topology.links.v[link].rate;

	return a->real.seconds > 0 ? a->real.link[link].work / capacity / a->real.seconds : 0;
}

/* The link that cost messages most time; when none did, the one used most. */
static int by_loss(const void *x, const void *y, void *arg)
{
	const struct answer *a = arg;
	uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
	double li = a->real.link[i].lost, lj = a->real.link[j].lost;
	double ui = link_use(a, i), uj = link_use(a, j);

	if (li != lj)
		return li < lj ? 1 : -1;
	if (ui != uj)
		return ui < uj ? 1 : -1;
	return (i > j) - (i < j);
}

/* All links, the worst first; the caller frees. */
static uint32_t *rank_links(const struct answer *a)
{
	uint32_t *order = xcalloc(a->real.links, sizeof(*order));

	for (uint32_t i = 0; i < a->real.links; i++)
		order[i] = i;
	qsort_r(order, a->real.links, sizeof(*order), by_loss, (void *)a);
	return order;
}

static double run_changed(bool alone, uint32_t link, double speedup)
{
	struct link *v = s.network->topology.links.v;
	struct engine_options o = s.options;
	struct engine_result r;

	o.alone = alone;
	v[link].speedup = v[link ^ 1].speedup = speedup;
	setup_run(&s, &o, &r);
	v[link].speedup = v[link ^ 1].speedup = 1;
	double seconds = r.seconds;
	engine_result_free(&r);
	return seconds;
}

/* The next cell: a share, as percents in text. */
static void table_share(struct table *t, double share)
{
	char shown[NUMBER_MAX];

	snprintf(shown, sizeof(shown), "%.1f %%", 100 * share);
	table_shown(t, share, shown);
}

static void link_table(const struct answer *a, const uint32_t *order, size_t n)
{
	static const struct table_column columns[] = {
		{ "link", NULL, TABLE_NAME },	       { "bytes", NULL, TABLE_RIGHT },
		{ "used", "use", TABLE_RIGHT },	       { "busy", NULL, TABLE_RIGHT },
		{ "lost on it", "lost", TABLE_RIGHT },
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < n; i++) {
		const struct link_account *l = &a->real.link[order[i]];
		char name[2 * TOPOLOGY_NAME], bytes[NUMBER_MAX];

		table_text(t, topology_link_name(&s.network->topology, order[i], name));
		if (s.options.rule == SHARING_ARTICLE)
			table_number(t, NAN, "%g");
		else
			table_shown(t, l->work, number_format_si(bytes, l->work));
		table_share(t, link_use(a, order[i]));
		table_share(t, a->real.seconds > 0 ? l->busy / a->real.seconds : 0);
		table_seconds(t, l->lost);
	}
	table_print(t, stdout, setup_format(&s));
	table_free(t);
}

static void rank_table(const struct engine_result *r)
{
	static const struct table_column columns[] = {
		{ "rank", NULL, TABLE_RIGHT },	  { "finish", NULL, TABLE_RIGHT },
		{ "compute", NULL, TABLE_RIGHT }, { "send", NULL, TABLE_RIGHT },
		{ "receive", NULL, TABLE_RIGHT }, { "wait", NULL, TABLE_RIGHT },
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));

	for (uint32_t i = 0; i < r->ranks; i++) {
		table_count(t, i);
		table_seconds(t, r->rank[i].finish);
		for (int state = 0; state < RANK_STATES; state++)
			table_seconds(t, r->rank[i].seconds[state]);
	}
	table_print(t, stdout, setup_format(&s));
	table_free(t);
}

/* Prints messages as they arrive, some at a time. */
static void print_message(void *arg, const struct message_record *m)
{
	static size_t rows;
	struct table *t = arg;
	char name[2 * TOPOLOGY_NAME];
	double delay = m->arrived - m->started;

	table_count(t, m->src);
	table_count(t, m->dst);
	table_count(t, m->bytes);
	table_seconds(t, m->sent);
	table_seconds(t, m->started);
	table_seconds(t, m->quiet);
	table_seconds(t, delay);
	table_number(t, m->quiet > 0 ? delay / m->quiet : 1, "%.2f");
	table_text(t, m->bottleneck == UINT32_MAX
			  ? NULL
			  : topology_link_name(&s.network->topology, m->bottleneck, name));
	if (++rows % 1000 == 0)
		table_print_part(t, stdout, setup_format(&s));
}

static void print_messages(void)
{
	static const struct table_column columns[] = {
		{ "from", NULL, TABLE_RIGHT },	    { "to", NULL, TABLE_RIGHT },
		{ "bytes", NULL, TABLE_RIGHT },	    { "sent", NULL, TABLE_RIGHT },
		{ "started", NULL, TABLE_RIGHT },   { "alone", "quiet", TABLE_RIGHT },
		{ "delay", NULL, TABLE_RIGHT },	    { "stretch", NULL, TABLE_RIGHT },
		{ "bottleneck", NULL, TABLE_LEFT },
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));
	struct observer observer = { .arg = t, .message = print_message };
	struct engine_options o = s.options;
	struct engine_result r;

	o.observer = &observer;
	setup_run(&s, &o, &r);
	table_print(t, stdout, setup_format(&s));
	table_free(t);
	engine_result_free(&r);
}

static void print_number(const char *key, double value)
{
	json_t *v = json_double(value);
	char *text = json_dumps(v, JSON_ENCODE_ANY);

	printf("\"%s\": %s,\n", key, text);
	free(text);
	json_decref(v);
}

static void print_string(const char *key, const char *value)
{
	json_t *v = json_text(value);
	char *text = json_dumps(v, JSON_ENCODE_ANY);

	printf("\"%s\": %s,\n", key, text);
	free(text);
	json_decref(v);
}

static void print_json(const struct answer *a, const uint32_t *order)
{
	const struct engine_result *r = &a->real;
	const struct message_record *w = &r->worst;
	const struct {
		const char *key;
		double value;
	} numbers[] = {
		{ "ranks", r->ranks },
		{ "seconds", r->seconds },
		{ "seconds_alone", a->alone },
		{ "slowest_rank", r->slowest },
		{ "messages", (double)r->messages },
		{ "bytes", r->bytes },
		{ "delay", r->messages ? r->delay / (double)r->messages : NAN },
		{ "delay_alone", r->messages ? r->quiet / (double)r->messages : NAN },
		{ "worst_stretch", r->messages ? (w->arrived - w->started) / w->quiet : NAN },
		{ "seconds_with_bottleneck_twice_as_fast", a->faster },
		{ "unreceived", (double)r->unreceived },
		{ "operations", (double)r->events },
		{ "allocations_checked", (double)r->checks },
	};
	char name[2 * TOPOLOGY_NAME];

	printf("{\n");
	print_string("workload", s.workload->name);
	print_string("network", s.network->name);
	print_string("sharing", s.sharing);
	print_string("background", s.load);
	print_string("bottleneck", topology_link_name(&s.network->topology, a->bottleneck, name));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		print_number(numbers[i].key, numbers[i].value);
	printf("\"links\": ");
	link_table(a, order, set.top < r->links ? set.top : r->links);
	printf("}\n");
}

static const char *duration(double seconds)
{
	static char text[4][NUMBER_MAX];
	static unsigned turn;

	return number_format_duration(text[turn++ % 4], seconds);
}

/* A change in percent, without a minus before a zero. */
static double percent(double part, double whole)
{
	double p = whole > 0 ? 100 * part / whole : 0;

	return fabs(p) < 0.05 ? 0 : p;
}

static void print_summary(const struct answer *a, const uint32_t *order)
{
	const struct engine_result *r = &a->real;
	const struct rank_result *last = &r->rank[r->slowest];
	const struct message_record *w = &r->worst;
	char bytes[NUMBER_MAX], name[2 * TOPOLOGY_NAME];
	double n = r->messages ? (double)r->messages : 1;

	printf("%s, %u ranks, on %s\n", s.workload->name, r->ranks, s.network->name);
	printf("sharing %s, background %s\n\n", s.sharing, s.load);
	printf("run time       %-9s", duration(r->seconds));
	printf("  every message alone: %s", duration(a->alone));
	printf("; contention costs %.1f %%\n", percent(r->seconds - a->alone, a->alone));
	printf("slowest rank   %-9u", r->slowest);
	for (int state = 0; state < RANK_STATES; state++)
		printf("%s%s %.1f %%", state ? ", " : "  ", rank_state_names[state],
		       percent(last->seconds[state], r->seconds));
	printf("\nmessages       %-9llu  %sB; delay %s on average, alone %s",
	       (unsigned long long)r->messages, number_format_si(bytes, r->bytes),
	       duration(r->delay / n), duration(r->quiet / n));
	if (r->messages)
		printf("\n%27sthe worst, rank %u to %u, took %.2f times as long as alone", "",
		       w->src, w->dst, (w->arrived - w->started) / w->quiet);
	printf("\nbottleneck     %s: used %.1f %%, messages lost %s on it\n",
	       topology_link_name(&s.network->topology, a->bottleneck, name),
	       100 * link_use(a, a->bottleneck), duration(r->link[a->bottleneck].lost));
	printf("twice as fast  %-9s  %.1f %% less\n", duration(a->faster),
	       percent(r->seconds - a->faster, r->seconds));
	if (set.top) {
		putchar('\n');
		link_table(a, order, set.top < r->links ? set.top : r->links);
	}
	if (r->unreceived)
		printf("\nnote: %llu messages were sent but never received\n",
		       (unsigned long long)r->unreceived);
	if (r->checks)
		printf("\nchecked: %llu allocations, all optimal\n", (unsigned long long)r->checks);
}

int command_predict(int argc, char **argv)
{
	struct answer a = { 0 };

	setup_read(&s, argc, argv, &usage, options);
	if (set.messages + set.links + set.ranks > 1)
		opt_bad_usage(&usage, "one of --messages, --links and --ranks");
	if (set.messages) {
		print_messages();
		setup_free(&s);
		return 0;
	}
	setup_run(&s, &s.options, &a.real);
	uint32_t *order = rank_links(&a);
	a.bottleneck = order[0];
	if (set.links)
		link_table(&a, order, a.real.links);
	else if (set.ranks)
		rank_table(&a.real);
	else {
		a.alone = run_changed(true, a.bottleneck, 1);
		a.faster = run_changed(false, a.bottleneck, 2);
		if (s.json)
			print_json(&a, order);
		else if (s.csv)
			link_table(&a, order, a.real.links);
		else
			print_summary(&a, order);
	}
	free(order);
	engine_result_free(&a.real);
	setup_free(&s);
	return 0;
}
