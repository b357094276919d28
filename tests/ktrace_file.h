/* SPDX-License-Identifier: MIT */
/*
 * ktrace_file.h - makes ktrace.out as each system writes it, for tests.
 *
 * A header is described by a letter and a number of bytes for each field: L length, T type, V
 * version (before the type on big-endian machines), P pid, C name, S seconds, N nanoseconds, U
 * microseconds, I thread, K CPU, _ padding.
 */
#ifndef TESTS_KTRACE_FILE_H
#define TESTS_KTRACE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace/os.h"
#include "trace/syscalls.h"

struct system {
	const char *name, *header;
	const struct os *os;
	bool big;
	unsigned word, version;
};

/* clang-format off */
static const struct system systems[] = {
	{ "FreeBSD v0 i386", "L4 T2 _2 P4 C20 S4 U4 I4", &os_freebsd, false, 4, 0 },
	{ "FreeBSD v0 amd64", "L4 T2 _2 P4 C20 S8 U8 I8", &os_freebsd, false, 8, 0 },
	{ "FreeBSD v0 sparc64", "L4 T2 _2 P4 C20 S8 U8 I8", &os_freebsd, true, 8, 0 },
	{ "FreeBSD v0 powerpc", "L4 T2 _2 P4 C20 S8 U4 _4 I4 _4", &os_freebsd, true, 4, 0 },
	{ "FreeBSD v1 amd64", "L4 T2 V2 P4 C20 S8 N8 I8 K4 _4", &os_freebsd, false, 8, 1 },
	{ "FreeBSD v1 i386", "L4 T2 V2 P4 C20 S4 N4 I4 K4", &os_freebsd, false, 4, 1 },
	{ "FreeBSD v1 armv7", "L4 T2 V2 P4 C20 S8 N4 _4 I4 K4", &os_freebsd, false, 4, 1 },
	{ "NetBSD v2 amd64", "L4 T2 V2 P4 C17 _3 S8 N8 I4 _4", &os_netbsd, false, 8, 2 },
	{ "NetBSD v2 sparc64", "L4 V2 T2 P4 C17 _3 S8 N8 I4 _4", &os_netbsd, true, 8, 2 },
	{ "NetBSD v2 i386", "L4 T2 V2 P4 C17 _3 S8 N4 I4", &os_netbsd, false, 4, 2 },
	{ "NetBSD v2 evbarm", "L4 T2 V2 P4 C17 _3 S8 N4 _4 I4 _4", &os_netbsd, false, 4, 2 },
	{ "NetBSD v1 amd64", "L4 T2 V2 P4 C17 _3 S4 _4 N8 I4 _4", &os_netbsd, false, 8, 1 },
	{ "NetBSD v1 i386", "L4 T2 V2 P4 C17 _3 S4 N4 I4", &os_netbsd, false, 4, 1 },
	{ "NetBSD v1 i386, wide", "L4 T2 V2 P4 C17 _3 S4 N4 I4 _4", &os_netbsd, false, 4, 1 },
	{ "NetBSD v0 i386", "L4 T2 V2 P4 C17 _3 S4 U4 _4", &os_netbsd, false, 4, 0 },
	{ "NetBSD v0 sparc", "L4 V2 T2 P4 C17 _3 S4 U4 _4", &os_netbsd, true, 4, 0 },
	{ "NetBSD v0 amd64", "L4 T2 V2 P4 C17 _3 S4 _4 U8 _8", &os_netbsd, false, 8, 0 },
	{ "OpenBSD amd64", "T4 P4 I4 _4 S8 N8 C24 L8", &os_openbsd, false, 8, 0 },
	{ "OpenBSD sparc64", "T4 P4 I4 _4 S8 N8 C24 L8", &os_openbsd, true, 8, 0 },
	{ "OpenBSD i386", "T4 P4 I4 S8 N4 C24 L4", &os_openbsd, false, 4, 0 },
	{ "OpenBSD i386, old", "T4 P4 I4 S8 N4 C17 _3 L4", &os_openbsd, false, 4, 0 },
	{ "OpenBSD armv7", "T4 P4 I4 _4 S8 N4 _4 C24 L4 _4", &os_openbsd, false, 4, 0 },
	{ "macOS powerpc", "L4 T2 _2 P4 C17 _3 S4 U4 _4", &os_macos, true, 8, 0 },
	{ "macOS powerpc 10.3", "L4 T2 _2 P4 C17 _3 S4 U4 _4", &os_macos, true, 4, 0 },
	{ "macOS i386", "L4 T2 _2 P4 C17 _3 S4 U4 _4", &os_macos, false, 8, 0 },
};
/* clang-format on */

enum {
	SYSTEMS = sizeof(systems) / sizeof(*systems),
	START = 1700000000,
	FILE_SIZE = 1 << 16,
};

struct file {
	const struct system *system;
	unsigned char data[FILE_SIZE], payload[4096];
	size_t n, length; /* of the payload at hand */
	const char *comm;
	uint32_t pid, tid;
	bool dropped; /* the next record says that others are missing */
	uint64_t ns;  /* since START; each record comes 1 ms after the one before */
};

/* An integer in the order of bytes of the system. */
static inline void put(const struct file *f, unsigned char *p, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		unsigned place = f->system->big ? bytes - 1 - i : i;

		p[i] = place < sizeof(v) ? (unsigned char)(v >> 8 * place) : 0;
	}
}

static inline void add(struct file *f, uint64_t v, unsigned bytes)
{
	put(f, f->payload + f->length, v, bytes);
	f->length += bytes;
}

static inline void add_bytes(struct file *f, const void *data, size_t n)
{
	memcpy(f->payload + f->length, data, n);
	f->length += n;
}

static inline uint64_t header_field(const struct file *f, char letter, unsigned type)
{
	bool versioned = f->system->os == &os_freebsd && f->system->version;

	switch (letter) {
	case 'L': return f->length;
	case 'T': return type | (versioned ? 0x4000 : 0) | (f->dropped ? 0x8000 : 0);
	case 'V': return f->system->version;
	case 'P': return f->pid;
	case 'S': return START + f->ns / 1000000000;
	case 'N': return f->ns % 1000000000;
	case 'U': return f->ns % 1000000000 / 1000;
	case 'I': return f->tid;
	case 'K': return 1;
	default: return 0;
	}
}

/* Writes the record with the payload at hand. */
static inline void end(struct file *f, unsigned type)
{
	f->ns += 1000000;
	for (const char *h = f->system->header; *h; h += strcspn(h, " "), h += *h == ' ') {
		unsigned bytes = (unsigned)atoi(h + 1);
		unsigned char *p = f->data + f->n;

		if (*h == 'C')
			strncpy((char *)p, f->comm, bytes);
		else if (*h == '_') /* nobody clears it */
			memset(p, 0x28, bytes);
		else
			put(f, p, header_field(f, *h, type), bytes);
		f->n += bytes;
	}
	memcpy(f->data + f->n, f->payload, f->length);
	f->n += f->length;
	f->length = 0;
	f->dropped = false;
}

static inline void start(struct file *f, const struct system *system)
{
	*f = (struct file){ .system = system, .comm = "sh", .pid = 100, .tid = 1, .ns = 0 };
	if (system->os != &os_openbsd)
		return;
	f->pid = f->tid = UINT32_MAX;
	f->comm = "";
	end(f, 0);
	memcpy(f->data, "KTR", 4);
	f->comm = "sh";
	f->pid = 100;
	f->tid = 300001;
	f->ns = 0;
}

static inline bool counts_words(const struct file *f)
{
	return f->system->os == &os_freebsd || f->system->os == &os_macos;
}

static inline unsigned number_of(const struct file *f, const char *name)
{
	return (unsigned)syscall_get(syscall_of_name(f->system->os, name))->number[ABI_OTHER];
}

/* A record of an entry, with as many registers as are not below 0. */
static inline void enter(struct file *f, const char *name, long a, long b, long c)
{
	const long args[] = { a, b, c };
	unsigned n = 0, word = f->system->word;

	while (n < 3 && args[n] >= 0)
		n++;
	add(f, number_of(f, name), counts_words(f) ? 2 : 4);
	add(f, counts_words(f) ? n : n * word, counts_words(f) ? 2 : 4);
	if (counts_words(f) && word == 8)
		add(f, 0x9f9f9f9f, 4);
	for (unsigned i = 0; i < n; i++)
		add(f, (uint64_t)args[i], word);
	end(f, 1);
}

/* A record of a return; error: as the system counts. */
static inline void leave(struct file *f, const char *name, int error, long value)
{
	unsigned word = f->system->word;

	add(f, number_of(f, name), f->system->os == &os_openbsd ? 4 : 2);
	if (f->system->os != &os_openbsd)
		add(f, 0x9f9f, 2);
	add(f, (uint32_t)error, 4);
	if (f->system->os != &os_openbsd || !error)
		add(f, (uint64_t)value, word);
	if (f->system->os == &os_netbsd)
		add(f, 0, word);
	end(f, 2);
}

static inline void path(struct file *f, const char *name)
{
	add_bytes(f, name, strlen(name));
	end(f, 3);
}

/* A signal; handler 0: none. */
static inline void signal_comes(struct file *f, int number, unsigned handler)
{
	add(f, (uint64_t)number, 4);
	if (f->system->word == 8 && f->system->os != &os_macos)
		add(f, 0, 4);
	add(f, handler, f->system->os == &os_macos ? 4 : f->system->word);
	add(f, 0, 8);
	end(f, 5);
}

/* What the errors of the kernel are that no program sees: made again, registers set already. */
static inline int restarted(const struct file *f)
{
	return f->system->os == &os_netbsd ? -3 : -1;
}

enum { SET_ALREADY = -2 };

static inline const char *handler_return(const struct file *f)
{
	return f->system->os == &os_netbsd ? "setcontext" : "sigreturn";
}

/* A shell that reads, writes, starts a program and waits for it. */
static inline void tell_story(struct file *f)
{
	uint32_t first = f->tid;

	leave(f, "ktrace", 0, 0);
	enter(f, "execve", 0x1000, 0x2000, 0x3000);
	path(f, "/bin/sh");
	path(f, "/libexec/ld.so");
	leave(f, "execve", SET_ALREADY, 0);
	enter(f, "open", 0x1000, 0, 0);
	path(f, "/etc/profile");
	leave(f, "open", 2, 0);
	enter(f, "open", 0x1000, 0x200, 420);
	path(f, "/tmp/x");
	leave(f, "open", 0, 3);
	enter(f, "write", 3, 0x1000, 5);
	add(f, 3, 4);
	add(f, 1, 4);
	add_bytes(f, "hello", 5);
	end(f, 4);
	leave(f, "write", 0, 5);
	enter(f, "fork", -1, 0, 0);
	f->pid = 101;
	f->tid = first + 1;
	leave(f, "fork", 0, 0);
	enter(f, "close", 3, -1, 0);
	leave(f, "close", 0, 0);
	f->pid = 100;
	f->tid = first;
	leave(f, "fork", 0, 101);
	enter(f, "read", 0, 0x1000, 9);
	leave(f, "read", restarted(f), 0);
	signal_comes(f, 20, 0x4000);
	enter(f, handler_return(f), 0x5000, -1, 0);
	leave(f, handler_return(f), SET_ALREADY, 0);
	enter(f, "read", 0, 0x1000, 9);
	f->pid = 101;
	f->tid = first + 1;
	enter(f, "exit", 7, -1, 0);
	f->pid = 100;
	f->tid = first;
	leave(f, "read", 0, 0);
	enter(f, "wait4", 101, 0, 0);
	leave(f, "wait4", 0, 101);
}

#endif
