/* SPDX-License-Identifier: MIT */
/* Fuzzes the reader of ktrace.out with traces of several systems. */
#include "trace/source.h"

#include "../ktrace_file.h"
#include "fuzz.h"

static size_t length(const char *s)
{
	return s ? strlen(s) : 0;
}

/* Reads every string of an event, so that a sanitizer finds bad pointers. */
static size_t touch(const struct event *e)
{
	if (e->type == EVENT_SYSCALL)
		return length(e->call.path) + length(syscall_variant(e));
	return e->type == EVENT_EXEC   ? length(e->exec.command)
	       : e->type == EVENT_FD   ? length(e->fd.name)
	       : e->type == EVENT_COMM ? length(e->comm.name)
				       : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct source *s = source_open_memory(data, n, "fuzz", NULL);
	struct event e;
	size_t seen = 0, events = 0;

	if (!s)
		return 0;
	while (source_next(s, &e, NULL) == 1) {
		seen += touch(&e);
		if (events++ > 10 * n)
			abort();
	}
	if (source_losses(s)->torn_bytes > n || seen == SIZE_MAX)
		abort();
	source_close(s);
	return 0;
}

static const char *const names[] = { "FreeBSD v1 amd64", "NetBSD v0 sparc", "OpenBSD amd64" };

enum { SEEDS = sizeof(names) / sizeof(*names) };

static struct file files[SEEDS];
static struct fuzz_seed seeds[SEEDS];

__attribute__((constructor)) static void make_seeds(void)
{
	for (int i = 0; i < SEEDS; i++) {
		for (int j = 0; j < SYSTEMS; j++)
			if (!strcmp(systems[j].name, names[i]))
				start(&files[i], &systems[j]);
		tell_story(&files[i]);
		signal_comes(&files[i], 9, 0);
		for (unsigned type = 6; type < 16; type++) {
			add_bytes(&files[i], "linux\0\0\1\0\0\0\2\0\0\0\3", 16);
			end(&files[i], type);
		}
		seeds[i] = (struct fuzz_seed){ files[i].data, files[i].n };
	}
}

FUZZ_MAIN(seeds)
