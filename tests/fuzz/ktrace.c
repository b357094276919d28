/* SPDX-License-Identifier: MIT */
/* Fuzzes the reader of ktrace.out with traces of several systems. */
#include "trace/source.h"

#include "../ktrace_file.h"
#include "events.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct source *s = source_open_memory(data, n, "fuzz", NULL);

	if (!s)
		return 0;
	touch_all(s, 10 * n);
	if (source_losses(s)->torn_bytes > n)
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
