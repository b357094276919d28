/* SPDX-License-Identifier: MIT */
/* Tests of lib/model/kind: what a vector says about its machine. */
#include "model/kind.h"

#include <math.h>

#include "../tap.h"
#include "kept.h"
#include "util/xalloc.h"

/* The costs of an integer operation, of code outside of loops and of a process; 0: not measured. */
static struct osvec *machine(double one, double code, double process, double error, size_t n)
{
	static const char *const names[] = { "cpu_int", "cpu_code", "lat_proc_null_static" };
	const double seconds[] = { one, code, process };
	struct osvec *v = keep(osvec_new("m"));

	for (int i = 0; i < 3; i++)
		if (seconds[i] > 0)
			osvec_add(v, (struct osvec_entry){ .name = xstrdup(names[i]),
							   .seconds = seconds[i],
							   .low = seconds[i],
							   .high = seconds[i],
							   .error = error,
							   .n = n });
	osvec_finish(v, NULL);
	return v;
}

int main(void)
{
	cmp_int(kind_of(machine(1, 1, 3000, 0.01, 20), NULL), KIND_NATIVE,
		"a kernel on a processor");
	cmp_int(kind_of(machine(1, 9, 9000, 0.01, 20), NULL), KIND_NATIVE, "a slow one");
	cmp_int(kind_of(machine(1, 1, 50000, 0.01, 20), NULL), KIND_HOSTED,
		"processes by processes");
	cmp_int(kind_of(machine(1, 70, 30000, 0.01, 20), NULL), KIND_TRANSLATED,
		"code that is translated first, processes dear too");
	cmp_int(kind_of(machine(1, 1, 900, 1e-7, 20), NULL), KIND_VIRTUAL, "nothing varies");
	cmp_int(kind_of(machine(1, 1, 900, 0, 1), NULL), KIND_NATIVE, "as one value does not, too");
	cmp_int(kind_of(machine(1, 1, 900, NAN, 20), NULL), KIND_NATIVE, "or one without an error");
	cmp_int(kind_of(machine(0, 70, 50000, 0.01, 20), NULL), KIND_NATIVE,
		"what was not measured tells nothing");
	const struct osvec *hosted = machine(1, 1, 50000, 0.01, 20);
	cmp_int(kind_of(machine(1, 1, 90000, 0.01, 20), hosted), KIND_NATIVE, "like the reference");
	cmp_int(kind_of(machine(1, 1, 110000, 0.01, 20), hosted), KIND_HOSTED, "unlike it");
	cmp_int(kind_of(hosted, machine(1, 1, 3000, 0.01, 20)), KIND_HOSTED,
		"the reference is native");
	cmp_int(kind_of(machine(1, 1, 9000, 0.01, 20), machine(1, 1, 3000, 0.01, 20)), KIND_NATIVE,
		"both are");
	static const struct {
		const char *name;
		enum kind kind;
	} known[] = {
		{ "native", KIND_NATIVE },
		{ "xeon-207", KIND_NATIVE },
		{ "native-seccomp16k", KIND_NATIVE },
		{ "zen4-gvisor", KIND_HOSTED },
		{ "zen4-uml", KIND_HOSTED },
		{ "qemu-x86-icount", KIND_VIRTUAL },
		{ "qemu-aarch64-icount", KIND_VIRTUAL },
		{ "zen4-tcg-x86", KIND_TRANSLATED },
		{ "zen4-tcg-arm64", KIND_TRANSLATED },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		char *path = xasprintf("results/reference/%s", known[i].name);
		struct error e;
		struct osvec *v = osvec_read(path, &e);

		ok(v && kind_of(v, NULL) == known[i].kind, "%s: %s", known[i].name,
		   v ? kind_names[kind_of(v, NULL)] : e.text);
		osvec_free(v);
		free(path);
	}
	return done_testing();
}
