/* SPDX-License-Identifier: MIT */
#include "answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/number.h"
#include "util/xalloc.h"

double answer_use(const struct answer *a, uint32_t link)
{
	double rate = a->s->network->topology.links.v[link].rate;

	return a->real.seconds > 0 ? a->real.link[link].bytes / rate / a->real.seconds : 0;
}

/* Orders links by the delay that they caused, then by use. */
static int by_loss(const void *x, const void *y, void *arg)
{
	const struct answer *a = arg;
	uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
	double li = a->real.link[i].lost, lj = a->real.link[j].lost;
	double ui = answer_use(a, i), uj = answer_use(a, j);

	if (li != lj)
		return li < lj ? 1 : -1;
	if (ui != uj)
		return ui < uj ? 1 : -1;
	return (i > j) - (i < j);
}

void answer_rank_links(struct answer *a)
{
	a->order = xcalloc(a->real.links, sizeof(*a->order));
	for (uint32_t i = 0; i < a->real.links; i++)
		a->order[i] = i;
	qsort_r(a->order, a->real.links, sizeof(*a->order), by_loss, a);
	if (a->real.link[a->order[0]].busy > 0)
		a->bottleneck = topology_link_name(&a->s->network->topology, a->order[0], a->name);
}

void answer_free(struct answer *a)
{
	free(a->order);
	engine_result_free(&a->real);
}

void answer_links(const struct answer *a, size_t n)
{
	static const struct table_column columns[] = {
		{ "link", NULL, TABLE_NAME },		{ "bytes", NULL, TABLE_RIGHT },
		{ "used", "use", TABLE_RIGHT },		{ "busy", NULL, TABLE_RIGHT },
		{ "delay on it", "lost", TABLE_RIGHT },
	};
	struct table *t = table_of(columns);

	for (size_t i = 0; i < n && i < a->real.links; i++) {
		const struct link_account *l = &a->real.link[a->order[i]];
		char name[2 * TOPOLOGY_NAME], bytes[NUMBER_MAX];

		table_text(t, topology_link_name(&a->s->network->topology, a->order[i], name));
		table_shown(t, l->bytes, number_format_si(bytes, l->bytes));
		table_percent(t, answer_use(a, a->order[i]), "%.1f %%");
		table_percent(t, a->real.seconds > 0 ? l->busy / a->real.seconds : 0, "%.1f %%");
		table_seconds(t, l->lost);
	}
	table_end(t, stdout, setup_format(a->s));
}

void answer_ranks(const struct answer *a)
{
	const struct engine_result *r = &a->real;
	struct table_column columns[2 + RANK_STATES] = { { "rank", NULL, TABLE_RIGHT },
							 { "finish", NULL, TABLE_RIGHT } };

	for (int state = 0; state < RANK_STATES; state++)
		columns[2 + state] =
		    (struct table_column){ rank_state_names[state], NULL, TABLE_RIGHT };
	struct table *t = table_of(columns);
	for (uint32_t i = 0; i < r->ranks; i++) {
		table_count(t, i);
		table_seconds(t, r->rank[i].finish);
		for (int state = 0; state < RANK_STATES; state++)
			table_seconds(t, r->rank[i].seconds[state]);
	}
	table_end(t, stdout, setup_format(a->s));
}

void answer_loads(const struct answer *a, const double *bytes, size_t n)
{
	struct table_column *columns = xcalloc(n + 1, sizeof(*columns));
	const struct link *links = a->s->network->topology.links.v;
	double piece = a->real.seconds / (double)n;
	char text[NUMBER_MAX];

	columns[0] = (struct table_column){ "link", NULL, TABLE_NAME };
	for (size_t i = 0; i < n; i++)
		columns[1 + i].title =
		    xasprintf("%s", number_format_duration(text, piece * (double)i));
	struct table *t = table_new(columns, n + 1);
	for (size_t i = 0; i < a->top && i < a->real.links; i++) {
		uint32_t link = a->order[i];
		char name[2 * TOPOLOGY_NAME];

		table_text(t, topology_link_name(&a->s->network->topology, link, name));
		for (size_t k = 0; k < n; k++)
			table_percent(t, bytes[link * n + k] / piece / links[link].rate, "%.1f %%");
	}
	table_end(t, stdout, setup_format(a->s));
	for (size_t i = 0; i < n; i++)
		free((char *)columns[1 + i].title);
	free(columns);
}
