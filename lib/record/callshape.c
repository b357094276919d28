/* SPDX-License-Identifier: MIT */
#include "record/callshape.h"

#include "trace/syscalls.h"
#include "util/xalloc.h"

static const struct callshape_memory rules[] = {
	{ "clone3", 0, 0, CALLSHAPE_FLAGS },	       { "openat2", 2, 0, CALLSHAPE_FLAGS },
	{ "pipe", 0, 0, CALLSHAPE_DESCRIPTORS },       { "pipe2", 0, 0, CALLSHAPE_DESCRIPTORS },
	{ "socketpair", 3, 0, CALLSHAPE_DESCRIPTORS }, { "io_uring_setup", 1, 8, CALLSHAPE_RING },
};

static struct callshape *shapes; /* by id */
static size_t nshapes;

static void prepare(void)
{
	nshapes = os_calls(&os_linux);
	shapes = xcalloc(nshapes, sizeof(*shapes));
	for (size_t id = 0; id < nshapes; id++) {
		const char *argument = syscall_get((unsigned)id)->argument;
		struct callshape *s = &shapes[id];

		s->path = -1;
		for (; s->n < 6 && argument[s->n] != ARG_NONE; s->n++)
			if (argument[s->n] == ARG_PATH && s->path < 0)
				s->path = (int8_t)s->n;
	}
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		shapes[syscall_by_name(rules[i].call)].memory = &rules[i];
}

const struct callshape *callshape_get(unsigned id)
{
	if (!shapes)
		prepare();
	return id < nshapes ? &shapes[id] : NULL;
}
