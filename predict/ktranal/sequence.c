/* SPDX-License-Identifier: MIT */
#include "sequence.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

#include "view/arguments.h"
#include "trace/reorder.h"
#include "view/processes.h"
#include "view/spool.h"
#include "trace/syscalls.h"
#include "view/traces.h"

enum { PART_ROWS = 512 }; /* are printed at a time */

/* One reading of a trace. */
struct reading {
	const struct sequence *s;
	struct table *table; /* NULL: there is no such trace */
	unsigned rows;
	struct completeness completeness;
	struct reorder order;
	struct spool *spool; /* by_process only */
	struct processes processes;
	struct object_names objects;
	struct map groups; /* of the spool, plus one, by process */
	uint64_t events;
	struct error error;
	bool failed;
};

static void begin(void *arg, const struct source_info *info)
{
	struct reading *r = arg;

	processes_begin(&r->processes, info->command);
	r->table = r->s->begin(info);
	view_print_begin(r->s->view);
}

static void put(struct reading *r, const struct callrow *row)
{
	r->s->row(row, r->table);
	if (++r->rows % PART_ROWS == 0)
		table_print_part(r->table, stdout, view_format(r->s->view));
}

/* Rows that leave the window go out, or wait for their process's turn. */
static void release(struct reading *r, bool all_in)
{
	struct callrow *row;

	while ((row = reorder_pop(&r->order, all_in))) {
		if (!r->spool) {
			put(r, row);
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
	struct callrow *row = callrow_new(e, r->events++, program, arguments ? arguments : "");
	reorder_push(&r->order, row->time, row->sequence, row->size, row);
	free(arguments);
	release(r, false);
}

static void give(void *arg, const void *record)
{
	put(arg, record);
}

static void print_groups(struct reading *r)
{
	for (size_t i = 0; !r->failed && i < spool_groups(r->spool); i++)
		r->failed = spool_each(r->spool, i, give, r, &r->error) < 0;
}

/* Below the table. */
static void print_end(const struct reading *r)
{
	enum table_format format = view_format(r->s->view);

	table_print(r->table, stdout, format);
	if (format == TABLE_TEXT)
		printf("\nSTART in seconds, TIME in microseconds");
	view_print_end(r->s->view, &r->completeness);
	if (r->order.late)
		fprintf(format == TABLE_TEXT ? stdout : stderr,
			"%" PRIu64
			" calls stand too late: they lasted longer than --window holds\n",
			r->order.late);
}

int sequence_print(const struct sequence *s, const char *path)
{
	struct reading r = { .s = s, .order = { .window = s->window } };
	const struct trace_taker taker = {
		.begin = begin, .take = take, .arg = &r, .prints = true
	};

	if (s->by_process)
		r.spool = spool_new(s->window);
	int status = trace_read(path, &taker, &r.completeness);
	release(&r, true);
	if (r.spool)
		print_groups(&r);
	if (r.failed) {
		warnx("%s", r.error.text);
		status = -1;
	}
	if (status == 0 && !view_check_processes(s->view, &r.processes))
		status = -1;
	if (r.table)
		print_end(&r);
	table_free(r.table);
	reorder_free(&r.order);
	spool_free(r.spool);
	processes_free(&r.processes);
	object_names_free(&r.objects);
	map_free(&r.groups);
	return status;
}
