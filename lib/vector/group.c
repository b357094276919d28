/* SPDX-License-Identifier: MIT */
#include "vector/group.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Names begin with these words; of several that fit, the longest decides. */
static const struct {
	const char *name, *words;
} groups[] = {
	[GROUP_USER] = { "user time", "cpu_" },
	{ "mixtures of calls", "mix_" },
	{ "system calls", "lat_sys lat_clock lat_fslayer lat_seccomp lat_random" },
	{ "memory", "bw_mem bw_bzero lat_mem lat_tlb lat_op lat_line lat_c2c bw_vector" },
	{ "mappings and page faults",
	  "lat_mmap lat_mprotect lat_brk lat_malloc lat_page lat_membarrier lat_shm bw_mmap" },
	[GROUP_FILES] = { "files, directories and descriptors",
			  "bw_file bw_copy lat_iov lat_dir lat_dup lat_fd lat_path lat_fs "
			  "lat_getdents lat_rename lat_truncate lat_falloc lat_lock lat_direct "
			  "lat_inotify lat_xattr" },
	[GROUP_DURABLE] = { "durable writes", "lat_fsync" },
	{ "processes and threads", "lat_proc lat_fork lat_exec lat_thread lat_pid" },
	{ "switches and synchronization",
	  "lat_ctx lat_sync lat_handoff lat_wake lat_futex lat_rseq lat_sleep lat_timer" },
	{ "signals", "lat_sig" },
	{ "pipes, sockets and messages", "lat_send lat_recv lat_roundtrip lat_splice lat_rpc "
					 "lat_mq lat_messag bw_stream bw_tcp lat_pipe" },
	{ "connections", "lat_connect lat_accept lat_hangup" },
	{ "waiting for events", "lat_ready lat_epoll lat_poll lat_uring lat_io" },
	{ "others", "" },
};

enum { WORDS = 128 };

static struct word {
	const char *text;
	size_t n, group;
} words[WORDS]; /* the longest first */
static size_t nwords;

static int longer(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	return (x->n < y->n) - (x->n > y->n);
}

static void find_words(void)
{
	for (size_t i = 0; i < group_count(); i++)
		for (const char *w = groups[i].words; *w && nwords < WORDS; w += strspn(w, " ")) {
			size_t n = strcspn(w, " ");

			words[nwords++] = (struct word){ w, n, i };
			w += n;
		}
	qsort(words, nwords, sizeof(*words), longer);
}

size_t group_of(const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const size_t n = strlen(name);

	pthread_once(&once, find_words);
	for (const struct word *w = words; w < words + nwords; w++)
		if (w->n <= n && w->text[w->n - 1] == name[w->n - 1] &&
		    !memcmp(w->text, name, w->n))
			return w->group;
	return group_count() - 1;
}

const char *group_name(size_t group)
{
	return groups[group].name;
}

size_t group_count(void)
{
	return sizeof(groups) / sizeof(*groups);
}
