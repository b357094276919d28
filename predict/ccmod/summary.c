/* SPDX-License-Identifier: MIT */
#include "answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json/json.h"
#include "util/number.h"
#include "util/xalloc.h"

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

/* Sums up how all ranks spent their time. */
static void sum_ranks(const struct engine_result *r, double *seconds)
{
	for (int state = 0; state < RANK_STATES; state++) {
		seconds[state] = 0;
		for (uint32_t i = 0; i < r->ranks; i++)
			seconds[state] += r->rank[i].seconds[state];
	}
}

static void print_seconds(const char *key, const double *seconds)
{
	json_t *o = json_object();

	for (int state = 0; state < RANK_STATES; state++)
		json_object_set_new(o, rank_state_names[state], json_double(seconds[state]));
	char *text = json_dumps(o, JSON_PRESERVE_ORDER);
	printf("\"%s\": %s,\n", key, text);
	free(text);
	json_decref(o);
}

void answer_json(const struct answer *a)
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
		{ "runs", (double)a->runs },
		{ "seconds_best", a->best },
		{ "seconds_mean", a->mean },
		{ "seconds_worst", a->worst },
		{ "unreceived", (double)r->unreceived },
		{ "operations", (double)r->events },
		{ "allocations_checked", (double)r->checks },
	};
	double all[RANK_STATES];

	printf("{\n");
	print_string("workload", a->s->workload->name);
	print_string("network", a->s->network->name);
	print_string("sharing", a->s->sharing);
	print_string("background", a->s->load);
	print_string("bottleneck", a->bottleneck);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		print_number(numbers[i].key, numbers[i].value);
	sum_ranks(r, all);
	print_seconds("slowest_rank_spent", r->rank[r->slowest].seconds);
	print_seconds("all_ranks_spent", all);
	printf("\"links\": ");
	answer_links(a, a->top);
	printf("}\n");
}

static const char *duration(double seconds)
{
	static char text[4][NUMBER_MAX];
	static unsigned turn;

	return number_format_duration(text[turn++ % 4], seconds);
}

/* Returns a percentage, with 0 instead of -0. */
static double percent(double part, double whole)
{
	double p = whole > 0 ? 100 * part / whole : 0;

	return fabs(p) < 0.05 ? 0 : p;
}

static void print_spent(const double *seconds)
{
	double sum = 0;

	for (int state = 0; state < RANK_STATES; state++)
		sum += seconds[state];
	for (int state = 0; state < RANK_STATES; state++)
		printf("%s%s %.1f %%", state ? ", " : "  ", rank_state_names[state],
		       percent(seconds[state], sum));
	putchar('\n');
}

void answer_summary(const struct answer *a)
{
	const struct engine_result *r = &a->real;
	const struct rank_result *last = &r->rank[r->slowest];
	const struct message_record *w = &r->worst;
	char bytes[NUMBER_MAX], message[MESSAGE_NAME];
	double n = r->messages ? (double)r->messages : 1, all[RANK_STATES];

	sum_ranks(r, all);
	printf("%s, %u ranks, on %s\n", a->s->workload->name, r->ranks, a->s->network->name);
	printf("sharing %s, background %s\n\n", a->s->sharing, a->s->load);
	printf("run time       %-9s", duration(r->seconds));
	printf("  every message alone: %s", duration(a->alone));
	printf("; contention adds %.1f %%\n", percent(r->seconds - a->alone, a->alone));
	printf("slowest rank   %-9u", r->slowest);
	print_spent(last->seconds);
	printf("all ranks      %-9s", "");
	print_spent(all);
	printf("messages       %-9llu  %sB; delay %s on average, alone %s",
	       (unsigned long long)r->messages, number_format_si(bytes, r->bytes),
	       duration(r->delay / n), duration(r->quiet / n));
	if (w->quiet > 0)
		printf("\n%26sworst: rank %u to %u took %.2f times as long as alone", "", w->src,
		       w->dst, (w->arrived - w->started) / w->quiet);
	if (a->bottleneck)
		printf(
		    "\nbottleneck     %s: %.1f %% used, delayed messages by %s in all\n"
		    "twice as fast  %-9s  run time with a bottleneck twice as fast: %.1f %% less\n",
		    a->bottleneck, 100 * answer_use(a, a->order[0]),
		    duration(r->link[a->order[0]].lost), duration(a->faster),
		    percent(r->seconds - a->faster, r->seconds));
	else
		printf("\nbottleneck     none: no message used a link\n");
	if (a->top) {
		putchar('\n');
		answer_links(a, a->top);
	}
	if (a->runs > 1)
		printf("%llu runs      best %s, mean %s, worst %s\n", (unsigned long long)a->runs,
		       duration(a->best), duration(a->mean), duration(a->worst));
	if (r->unreceived)
		printf("\nnote: %llu messages were sent but never received, the first %s\n",
		       (unsigned long long)r->unreceived, message_name(&r->stray, message));
	if (r->checks)
		printf("\nchecked: %llu allocations, all optimal\n", (unsigned long long)r->checks);
}
