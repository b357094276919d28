/* SPDX-License-Identifier: MIT */
#include "record/callshape.h"

#include "trace/syscalls.h"
#include "util/xalloc.h"

static const struct {
	const char *call;
	unsigned char pointer, offset, memory;
} rules[] = {
	{ "clone3", 0, 0, RECORD_FLAGS },	    { "openat2", 2, 0, RECORD_FLAGS },
	{ "pipe", 0, 0, RECORD_DESCRIPTORS },	    { "pipe2", 0, 0, RECORD_DESCRIPTORS },
	{ "socketpair", 3, 0, RECORD_DESCRIPTORS }, { "io_uring_setup", 1, 8, RECORD_RING },
};

/* Calls that are recorded each by itself, besides those that take a path or change descriptors:
 * they make processes, end handlers and interruptions (pairing.h), have two sizes, or are many
 * calls under one number. */
static const char *const single[] = {
	"clone",	  "fork",     "vfork",	  "rt_sigreturn", "sigreturn",	"restart_syscall",
	"io_uring_enter", "sendmmsg", "recvmmsg", "ipc",	  "socketcall", "recvmmsg_time64",
};

static struct record_shape *shapes; /* by id */
static size_t nshapes;

static struct record_shape *shape_of(const char *call)
{
	return &shapes[syscall_by_name(call)];
}

static const struct record_shape nothing = {
	.path = RECORD_NO_ARG,
	.first_fd = RECORD_NO_ARG,
	.second = RECORD_NO_ARG,
	.size = RECORD_NO_ARG,
};

static void find_arguments(struct record_shape *s, const struct syscall *call)
{
	bool sized = call->returns == RETURNS_BYTES;

	*s = nothing;
	s->makes_fd = call->returns == RETURNS_FD;
	s->size = sized || call->returns == RETURNS_INT ? RECORD_RESULT : RECORD_NO_ARG;
	for (; s->args < 6 && call->argument[s->args] != ARG_NONE; s->args++) {
		char kind = call->argument[s->args];

		if (kind == ARG_PATH && s->path == RECORD_NO_ARG)
			s->path = s->args;
		if (kind == ARG_FD && s->second == RECORD_NO_ARG)
			*(s->first_fd == RECORD_NO_ARG ? &s->first_fd : &s->second) = s->args;
		if (kind == ARG_SIZE && !sized) {
			s->size = s->args;
			sized = true;
		}
	}
}

/* All variants of a call are about one argument. */
static void find_variants(void)
{
	for (const struct syscall_variant *v = os_linux.variants; v->call; v++) {
		struct record_shape *s = shape_of(v->call);

		s->is_zero = (!s->variant_bits || s->is_zero) && !v->value;
		s->variant_bits |= v->mask;
		s->which = (unsigned char)v->argument;
	}
}

static void prepare(void)
{
	nshapes = os_calls(&os_linux);
	shapes = xcalloc(nshapes, sizeof(*shapes));
	for (unsigned id = 0; id < nshapes; id++)
		find_arguments(&shapes[id], syscall_get(id));
	find_variants();
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		struct record_shape *s = shape_of(rules[i].call);

		s->memory = rules[i].memory;
		s->pointer = rules[i].pointer;
		s->offset = rules[i].offset;
	}
	shape_of("close")->early = true;
	shape_of("connect")->connects = true;
	shape_of("rt_sigreturn")->returns = shape_of("sigreturn")->returns = true;
	shape_of("restart_syscall")->restarts = true;
	for (unsigned id = 0; id < nshapes; id++) {
		bool makes_fd = syscall_get(id)->returns == RETURNS_FD;

		shapes[id].counted = shapes[id].path == RECORD_NO_ARG && !shapes[id].memory &&
				     !makes_fd && !syscall_never_returns(id);
	}
	for (const struct fd_rule *r = os_linux.fd_rules; r->call; r++)
		shape_of(r->call)->counted = false;
	for (size_t i = 0; i < sizeof(single) / sizeof(*single); i++)
		shape_of(single[i])->counted = false;
}

const struct record_shape *callshape_get(unsigned id)
{
	if (!shapes)
		prepare();
	return id < nshapes ? &shapes[id] : &nothing;
}
