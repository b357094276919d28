/* SPDX-License-Identifier: MIT */
#include "record/callshape.h"

#include "trace/syscalls.h"
#include "util/xalloc.h"

static const struct callshape_memory rules[] = {
	{ "clone3", 0, 0, CALLSHAPE_FLAGS },	       { "openat2", 2, 0, CALLSHAPE_FLAGS },
	{ "pipe", 0, 0, CALLSHAPE_DESCRIPTORS },       { "pipe2", 0, 0, CALLSHAPE_DESCRIPTORS },
	{ "socketpair", 3, 0, CALLSHAPE_DESCRIPTORS }, { "io_uring_setup", 1, 8, CALLSHAPE_RING },
};

/* Calls that are recorded each by itself, besides those that take a path or change descriptors:
 * they make processes, end handlers and interruptions (pairing.h), have two sizes, or are many
 * calls under one number. */
static const char *const single[] = {
	"clone",	  "fork",     "vfork",	  "rt_sigreturn", "sigreturn",	"restart_syscall",
	"io_uring_enter", "sendmmsg", "recvmmsg", "ipc",	  "socketcall", "recvmmsg_time64",
};

static struct callshape *shapes; /* by id */
static size_t nshapes;

static struct callshape *shape_of(const char *call)
{
	return &shapes[syscall_by_name(call)];
}

static void find_arguments(struct callshape *s, const struct syscall *call)
{
	bool sized = call->returns == RETURNS_BYTES;

	s->path = -1;
	s->size = sized || call->returns == RETURNS_INT ? CALLSHAPE_RESULT : CALLSHAPE_NO_SIZE;
	for (; s->n < 6 && call->argument[s->n] != ARG_NONE; s->n++) {
		if (call->argument[s->n] == ARG_PATH && s->path < 0)
			s->path = (int8_t)s->n;
		if (call->argument[s->n] == ARG_SIZE && !sized) {
			s->size = (int8_t)s->n;
			sized = true;
		}
	}
}

/* All variants of a call are about one argument. */
static void find_variants(void)
{
	for (const struct syscall_variant *v = os_linux.variants; v->call; v++) {
		struct callshape *s = shape_of(v->call);

		s->is_zero = (!s->variant_bits || s->is_zero) && !v->value;
		s->variant_bits |= v->mask;
		s->which = (uint8_t)v->argument;
	}
}

static void prepare(void)
{
	nshapes = os_calls(&os_linux);
	shapes = xcalloc(nshapes, sizeof(*shapes));
	for (unsigned id = 0; id < nshapes; id++)
		find_arguments(&shapes[id], syscall_get(id));
	find_variants();
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		shape_of(rules[i].call)->memory = &rules[i];
	for (unsigned id = 0; id < nshapes; id++) {
		uint8_t returns = syscall_get(id)->returns;

		shapes[id].counted = shapes[id].path < 0 && !shapes[id].memory &&
				     returns != RETURNS_FD && returns != RETURNS_NOTHING;
	}
	for (const struct fd_rule *r = os_linux.fd_rules; r->call; r++)
		shape_of(r->call)->counted = false;
	for (size_t i = 0; i < sizeof(single) / sizeof(*single); i++)
		shape_of(single[i])->counted = false;
}

const struct callshape *callshape_get(unsigned id)
{
	if (!shapes)
		prepare();
	return id < nshapes ? &shapes[id] : NULL;
}
