/* SPDX-License-Identifier: MIT */
#include "record/ptrace/callargs.h"

#include <linux/sched.h>
#include <string.h>

#include "record/ptrace/peek.h"
#include "trace/syscall_table.h"
#include "util/xalloc.h"

/* What is to be read from memory, and where event.h wants it. */
static const struct memory_rule {
	const char *call;
	uint8_t pointer;		  /* argument that points to it */
	enum { FLAGS, DESCRIPTORS } what; /* into [4] at the start; [4] and [5] at the end */
} memory_rules[] = {
	{ "clone3", 0, FLAGS },	     { "openat2", 2, FLAGS },	       { "pipe", 0, DESCRIPTORS },
	{ "pipe2", 0, DESCRIPTORS }, { "socketpair", 3, DESCRIPTORS },
};

/* What the arguments of a call are. */
struct shape {
	uint8_t n;			  /* how many */
	int8_t path;			  /* which is one; -1: none */
	const struct memory_rule *memory; /* or NULL */
};

static struct shape *shapes; /* by id, of the table's rows only */

static void prepare_shapes(void)
{
	shapes = xcalloc(syscall_table_rows, sizeof(*shapes));
	for (size_t id = 0; id < syscall_table_rows; id++) {
		const uint8_t *argument = syscall_table[id].argument;

		shapes[id].path = -1;
		for (int i = 0; i < 6 && argument[i] != ARG_NONE; i++) {
			shapes[id].n++;
			if (argument[i] == ARG_PATH && shapes[id].path < 0)
				shapes[id].path = (int8_t)i;
		}
	}
	for (size_t i = 0; i < sizeof(memory_rules) / sizeof(*memory_rules); i++)
		shapes[syscall_by_name(memory_rules[i].call)].memory = &memory_rules[i];
}

void callargs_begin(pid_t tid, const uint64_t args[6], struct event *e, char **path)
{
	if (!shapes)
		prepare_shapes();
	if (e->call.id >= syscall_table_rows)
		return; /* a call without a name: nothing is known about its arguments */

	const struct shape *shape = &shapes[e->call.id];
	memcpy(e->call.args, args, shape->n * sizeof(*args));
	if (shape->path >= 0) {
		if (!*path)
			*path = xmalloc(CALLARGS_PATH_SIZE);
		if (peek_string(tid, args[shape->path], *path, CALLARGS_PATH_SIZE))
			e->call.path = *path;
	}
	if (shape->memory && shape->memory->what == FLAGS)
		peek(tid, args[shape->memory->pointer], &e->call.args[4], sizeof(*args));
}

void callargs_end(pid_t tid, struct event *e)
{
	const struct memory_rule *rule;
	int fds[2];

	if (e->call.id >= syscall_table_rows)
		return;
	rule = shapes[e->call.id].memory;
	if (!rule || rule->what != DESCRIPTORS || event_failed(e))
		return;
	if (!peek(tid, e->call.args[rule->pointer], fds, sizeof(fds)))
		fds[0] = fds[1] = -1;
	e->call.args[4] = (uint64_t)(int64_t)fds[0];
	e->call.args[5] = (uint64_t)(int64_t)fds[1];
}

bool callargs_share_files(const struct event *e)
{
	const char *name = syscall_get(e->call.id)->name;

	return (!strcmp(name, "clone") && e->call.args[0] & CLONE_FILES) ||
	       (!strcmp(name, "clone3") && e->call.args[4] & CLONE_FILES);
}
