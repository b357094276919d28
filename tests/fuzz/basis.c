/* SPDX-License-Identifier: MIT */
/* Bases: whatever is read can be matched against any call, and its terms are sound. */
#include "vector/basis.h"

#include <errno.h>
#include <math.h>

#include "trace/syscalls.h"

#include "fuzz.h"

static void check_rule(const struct basis_rule *rule, const struct event *call)
{
	double size = basis_size_of(rule, call);

	if (!rule->nterms || (rule->size == BASIS_NO_SIZE) != isnan(size))
		abort();
	for (size_t i = 0; i < rule->nterms; i++)
		if (!*rule->terms[i].entry || !isfinite(rule->terms[i].weight) ||
		    (strchr(rule->terms[i].entry, '*') && isnan(size)))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const calls[] = { "read", "openat", "munmap", "fsync", "getpid" };
	static const int64_t results[] = { 4096, 0, -EAGAIN };
	struct error e;
	struct basis *b = basis_parse((const char *)data, n, "fuzz", &e);

	for (unsigned i = 0; b && i < sizeof(calls) / sizeof(*calls); i++)
		for (int kind = 0; kind < FD_KINDS; kind++)
			for (unsigned k = 0; k < sizeof(results) / sizeof(*results); k++) {
				const struct event call = {
					.type = EVENT_SYSCALL,
					.call = { .id = syscall_by_name(calls[i]),
						  .result = results[k],
						  .args = { 1, 2, 64 },
						  .kind = (enum fd_kind)kind,
						  .path = "/a/b" },
				};
				const struct basis_rule *rule = basis_match(b, &call);

				if (rule)
					check_rule(rule, &call);
			}
	basis_free(b);
	return 0;
}

static const struct fuzz_seed seeds[] = {
	FUZZ_TEXT("# comment\n@null lat_null\n@user cpu_int cpu_hash\n@switch lat_ctx_shared_0_2\n"
		  "@fault lat_pagefault_anon\n"
		  "read,recvfrom tcp,unix if=EAGAIN -> lat_try\n"
		  "read tcp size=ret -> lat_recv_tcp_*\n"
		  "openat.create - size=depth if=ok -> 0.5 lat_fs_create + lat_path_*\n"
		  "munmap - size=arg1/4k -> counted lat_mmap_*\n"
		  "fsync file size=4k -> wait lat_fsync_* - 2 bw_file_write_*\n"
		  "* epoll -> lat_epoll\n"),
	FUZZ_TEXT("@null a\n* - -> b\n"),
};

FUZZ_MAIN(seeds)
