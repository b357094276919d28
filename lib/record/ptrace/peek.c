/* SPDX-License-Identifier: MIT */
#include "record/ptrace/peek.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

enum {
	PAGE = 4096,	  /* the smallest page: memory may end at a multiple of it */
	FIRST_READ = 256, /* most strings are shorter */
};

/* Word by word, where process_vm_readv(2) is missing or forbidden.  Returns the bytes read. */
static size_t peek_words(pid_t tid, uint64_t address, char *out, size_t n)
{
	size_t done = 0;

	while (done < n) {
		errno = 0;
		long word = ptrace(PTRACE_PEEKDATA, tid, (uintptr_t)(address + done), NULL);
		if (errno)
			break;
		size_t part = n - done < sizeof(word) ? n - done : sizeof(word);
		memcpy(out + done, &word, part);
		done += part;
	}
	return done;
}

size_t peek_some(pid_t tid, uint64_t address, void *out, size_t n)
{
	static bool by_words;
	struct iovec to = { out, n }, from = { (void *)(uintptr_t)address, n };

	if (!by_words) {
		ssize_t got = process_vm_readv(tid, &to, 1, &from, 1, 0);

		if (got >= 0)
			return (size_t)got;
		if (errno != ENOSYS && errno != EPERM)
			return 0;
		by_words = true;
	}
	return peek_words(tid, address, out, n);
}

bool peek(pid_t tid, uint64_t address, void *out, size_t n)
{
	return peek_some(tid, address, out, n) == n;
}

bool peek_string(pid_t tid, uint64_t address, char *out, size_t n)
{
	size_t done = 0;

	while (done < n - 1) {
		/* One read never crosses a page: it would fail when only the second is missing. */
		size_t part = PAGE - (address + done) % PAGE;
		size_t most = done ? n - 1 - done : FIRST_READ < n - 1 ? FIRST_READ : n - 1;

		if (part > most)
			part = most;
		size_t got = peek_some(tid, address + done, out + done, part);
		if (memchr(out + done, '\0', got))
			return true;
		done += got;
		if (got < part)
			break;
	}
	out[done] = '\0';
	return done == n - 1;
}
