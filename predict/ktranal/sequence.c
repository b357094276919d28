/* SPDX-License-Identifier: MIT */
#include "sequence.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

#include "arguments.h"
#include "order.h"
#include "processes.h"
#include "spool.h"
#include "trace/syscalls.h"
#include "traces.h"

/* One reading of a trace. */
struct reading {
	struct sequence *s;
	struct order order;
	struct spool *spool;	/* by_process only */
	struct processes processes;
	struct object_names objects;
	struct map groups;	/* of the spool, plus one, by process */
	uint64_t events;
	struct error error;
	bool failed;
};

static void begin(void *arg, const struct source_info *info)
{
	struct reading *r = arg;

	processes_begin(&r->processes, info->command);
	if (r->s->begin)
		r->s->begin(info);
}

/* Rows that leave the window go out, or wait for their process's turn. */
static void release(struct reading *r, bool all_in)
{
	struct callrow *row;

	while ((row = order_pop(&r->order, all_in))) {
		if (!r->spool) {
			r->s->row(row);
		} else if (!r->failed) {
			uint64_t *group = map_at(&r->groups, row->pid);

			if (!*group)
				*group = r->groups.n;
			r->failed = spool_add(r->spool, *group - 1, row, row->size, &r->error) < 0;
		}
		free(row);
	}
}

static void take(void *arg, const struct event *e)
{
	struct reading *r = arg;
	size_t process = processes_event(&r->processes, e);
	const char *program = processes_name(&r->processes, process);

	object_names_event(&r->objects, e);
	if (e->type != EVENT_SYSCALL || !view_selects_call(r->s->view, e->call.id) ||
	    !view_selects_process(r->s->view, e->pid, program))
		return;
	char *arguments = r->s->arguments ? arguments_format(&r->objects, e) : NULL;
	order_push(&r->order, callrow_new(e, r->events++, program, arguments ? arguments : ""));
	free(arguments);
	release(r, false);
}

static void give(void *arg, const void *record)
{
	((struct sequence *)arg)->row(record);
}

static void print_groups(struct reading *r)
{
	for (size_t i = 0; !r->failed && i < spool_groups(r->spool); i++)
		r->failed = spool_each(r->spool, i, give, r->s, &r->error) < 0;
}

int sequence_read(struct sequence *s, const char *path)
{
	struct reading r = { .s = s, .order = { .window = s->window } };
	const struct trace_taker taker = { .begin = begin, .take = take, .arg = &r, .prints = true };

	if (s->by_process)
		r.spool = spool_new(s->window);
	int status = trace_read(path, &taker, &s->completeness);
	release(&r, true);
	if (r.spool)
		print_groups(&r);
	if (r.failed) {
		warnx("%s", r.error.text);
		status = -1;
	}
	if (status == 0 && !view_check_processes(s->view, &r.processes))
		status = -1;
	s->late = r.order.late;
	order_free(&r.order);
	spool_free(r.spool);
	processes_free(&r.processes);
	object_names_free(&r.objects);
	map_free(&r.groups);
	return status;
}

void sequence_print_end(const struct sequence *s)
{
	view_print_end(s->view, &s->completeness);
	if (s->late)
		fprintf(view_format(s->view) == TABLE_TEXT ? stdout : stderr,
			"%" PRIu64 " calls stand too late: they lasted longer than --window holds\n",
			s->late);
}
