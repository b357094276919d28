/* SPDX-License-Identifier: MIT */
/* ctf_folder.h - makes the files of a CTF trace as LTTng writes them, for tests. */
#ifndef TESTS_CTF_FOLDER_H
#define TESTS_CTF_FOLDER_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/xalloc.h"

#define INT(bits, sign) "integer { size = " bits "; align = 8; signed = " sign "; base = 10; } "
#define U8 INT("8", "0")
#define U16 INT("16", "0")
#define U32 INT("32", "0")
#define U64 INT("64", "0")
#define S32 INT("32", "1")
#define S64 INT("64", "1")
#define TEXT8 "integer { size = 8; align = 8; signed = 0; encoding = UTF8; base = 10; } "
#define EVENT(name, id, fields) \
	"event {\n name = \"" name "\";\n id = " id ";\n stream_id = 0;\n" \
	" fields := struct {\n" fields " };\n};\n"

/* clang-format off */
/* With the order of bytes, and the context of events. */
static const char ctf_metadata[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := unsigned long;\n"
	"typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"
	"trace { major = 1; minor = 8; byte_order = %s;\n"
	" packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };\n};\n"
	"env { hostname = \"host\"; kernel_release = \"4.4.3\"; tracer_name = \"lttng-modules\"; };\n"
	"clock { name = \"monotonic\"; uuid = \"e0ff1bac-aa1d-451d-a8c1-10cb8d315d45\";\n"
	" freq = 1000000000; /* Hz */ offset = 1700000000000000000; };\n"
	"typealias integer { size = 27; align = 1; signed = false;\n"
	" map = clock.monotonic.value; } := uint27_clock_t;\n"
	"typealias integer { size = 64; align = 8; signed = false;\n"
	" map = clock.monotonic.value; } := uint64_clock_t;\n"
	"struct packet_context { uint64_clock_t timestamp_begin; uint64_clock_t timestamp_end;\n"
	" uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;\n"
	" unsigned long events_discarded; uint32_t cpu_id; };\n"
	"struct event_header { enum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n"
	" variant <id> { struct { uint27_clock_t timestamp; } compact;\n"
	" struct { uint32_t id; uint64_clock_t timestamp; } extended; } v; } align(8);\n"
	"stream { id = 0; event.header := struct event_header;\n"
	" packet.context := struct packet_context;\n%s };\n"
	EVENT("sched_switch", "0", TEXT8 "_prev_comm[4]; " S32 "_prev_tid; " S64 "_prev_state; "
	      TEXT8 "_next_comm[4]; " S32 "_next_tid;")
	EVENT("syscall_entry_read", "1", U32 "_fd; " U64 "_count;")
	EVENT("syscall_exit_read", "2", S64 "_ret; " U64 "_buf;")
	EVENT("syscall_entry_openat", "3", S32 "_dfd; string _filename; " S32 "_flags; " U16 "_mode;")
	EVENT("syscall_exit_openat", "4", S64 "_ret;")
	EVENT("sched_process_fork", "5", TEXT8 "_parent_comm[4]; " S32 "_parent_tid; "
	      S32 "_parent_pid; " U8 "__vtids_length; " S32 "_vtids[ __vtids_length ]; "
	      S32 "_child_tid; " S32 "_child_pid;")
	EVENT("sched_waking", "6", S32 "_tid; " S32 "_target_cpu;")
	EVENT("sys_getpid", "7", "")
	EVENT("exit_syscall", "8", S64 "_ret;")
	EVENT("sched_process_exit", "9", S32 "_tid;")
	EVENT("irq_softirq_entry", "10", U32 "_vec;")
	EVENT("irq_softirq_exit", "11", U32 "_vec;")
	EVENT("syscall_entry_clone", "40", U64 "_clone_flags; " U64 "_newsp; " U64 "_parent_tid; "
	      U64 "_child_tid;")
	EVENT("syscall_exit_clone", "41", S64 "_ret;");
/* clang-format on */

enum { CTF_HEADERS = 24 + 52, CTF_FILE = 1 << 14 };

struct ctf_file {
	bool big;
	unsigned char data[CTF_FILE];
	size_t n, packet; /* bytes; where the packet at hand begins */
};

static inline void ctf_put(struct ctf_file *f, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		f->data[f->n++] = (unsigned char)(v >> 8 * (f->big ? bytes - 1 - i : i));
}

/* The headers of a packet that lasts from begin to end ns. */
static inline void ctf_begin_packet(struct ctf_file *f, uint64_t begin, uint64_t end,
				    uint64_t sequence, uint64_t discarded, uint32_t cpu)
{
	f->packet = f->n;
	ctf_put(f, 0xc1fc1fc1, 4);
	for (int i = 0; i < 16; i++)
		ctf_put(f, 7, 1);
	ctf_put(f, 0, 4);
	ctf_put(f, begin, 8);
	ctf_put(f, end, 8);
	ctf_put(f, 0, 8); /* sizes: see ctf_end_packet */
	ctf_put(f, 0, 8);
	ctf_put(f, sequence, 8);
	ctf_put(f, discarded, 8);
	ctf_put(f, cpu, 4);
}

/* Its end, and `padding` bytes. */
static inline void ctf_end_packet(struct ctf_file *f, size_t padding)
{
	size_t end = f->n;

	memset(f->data + f->n, 0, padding);
	f->n = f->packet + 40;
	ctf_put(f, 8 * (end - f->packet), 8);
	ctf_put(f, 8 * (end + padding - f->packet), 8);
	f->n = end + padding;
}

/* A header with the lower 27 bits of the time, or with all of them. */
static inline void ctf_event(struct ctf_file *f, unsigned id, uint64_t ns)
{
	uint32_t low = (uint32_t)(ns & 0x7ffffff);

	if (id < 31) {
		ctf_put(f, f->big ? (uint32_t)id << 27 | low : low << 5 | id, 4);
		return;
	}
	ctf_put(f, f->big ? 0xf8 : 0x1f, 1);
	ctf_put(f, id, 4);
	ctf_put(f, ns, 8);
}

static inline void ctf_text(struct ctf_file *f, const char *s, size_t n)
{
	memcpy(f->data + f->n, s, n);
	f->n += n;
}

static inline void ctf_switch(struct ctf_file *f, uint64_t ns, uint32_t prev, uint64_t state,
			      uint32_t next)
{
	ctf_event(f, 0, ns);
	ctf_text(f, prev ? "sh\0\0" : "id\0\0", 4);
	ctf_put(f, prev, 4);
	ctf_put(f, state, 8);
	ctf_text(f, next ? "sh\0\0" : "id\0\0", 4);
	ctf_put(f, next, 4);
}

static inline void ctf_read_call(struct ctf_file *f, uint64_t ns, uint64_t end, int64_t result)
{
	ctf_event(f, 1, ns);
	ctf_put(f, 3, 4);
	ctf_put(f, 100, 8);
	ctf_event(f, 2, end);
	ctf_put(f, (uint64_t)result, 8);
	ctf_put(f, 0x1000, 8);
}

static inline void ctf_write_file(const char *folder, const char *name, const void *data, size_t n)
{
	char *path = xasprintf("%s/%s", folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	close(fd);
	free(path);
}

/* Writes the metadata as text; context: of events, or "". */
static inline void ctf_write_metadata(const char *folder, bool big, const char *context)
{
	char *text = xasprintf(ctf_metadata, big ? "be" : "le", context);

	ctf_write_file(folder, "metadata", text, strlen(text));
	free(text);
}

static inline char *ctf_new_folder(void)
{
	const char *directory = getenv("TMPDIR");
	char *folder = xasprintf("%s/osvec-ctf-XXXXXX", directory ? directory : "/tmp");

	if (!mkdtemp(folder))
		abort();
	return folder;
}

static inline void ctf_remove_folder(char *folder)
{
	static const char *const names[] = { "metadata", "cpu0", "cpu1" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *path = xasprintf("%s/%s", folder, names[i]);

		unlink(path);
		free(path);
	}
	rmdir(folder);
	free(folder);
}

/* A program that opens and reads a file and starts another thread, on two CPUs. */
static inline void ctf_story(struct ctf_file *cpu0, struct ctf_file *cpu1, bool big)
{
	const uint64_t start = 1000000000;
	struct ctf_file *f = cpu0;

	memset(cpu0, 0, sizeof(*cpu0));
	memset(cpu1, 0, sizeof(*cpu1));
	cpu0->big = cpu1->big = big;
	ctf_begin_packet(f, start, start + 1000, 0, 0, 0);
	ctf_switch(f, start, 0, 0, 10);
	ctf_event(f, 3, start + 100);
	ctf_put(f, (uint32_t)-100, 4);
	ctf_text(f, "/etc/x", 7);
	ctf_put(f, 0, 4);
	ctf_put(f, 0, 2);
	ctf_event(f, 4, start + 200);
	ctf_put(f, 3, 8);
	ctf_event(f, 40, start + 300);
	ctf_put(f, 0x10400, 8); /* a thread, which shares descriptors anyway */
	for (int i = 0; i < 3; i++)
		ctf_put(f, 0, 8);
	ctf_event(f, 5, start + 310);
	ctf_text(f, "sh\0", 4);
	ctf_put(f, 10, 4);
	ctf_put(f, 10, 4);
	ctf_put(f, 2, 1); /* numbers in two namespaces */
	ctf_put(f, 11, 4);
	ctf_put(f, 1, 4);
	ctf_put(f, 11, 4);
	ctf_put(f, 10, 4);
	ctf_event(f, 41, start + 400);
	ctf_put(f, 11, 8);
	ctf_end_packet(f, 0);
	ctf_begin_packet(f, start + 1000, start + 200000000, 1, 5, 0);
	ctf_read_call(f, start + 1500, start + 1600, -11);
	/* The lower bits of the time run over in between. */
	ctf_read_call(f, start + 100000000, start + 150000000, 8);
	ctf_end_packet(f, 64);

	f = cpu1;
	ctf_begin_packet(f, start + 320, start + 900, 0, 0, 1);
	ctf_switch(f, start + 330, 0, 0, 11);
	ctf_event(f, 41, start + 340);
	ctf_put(f, 0, 8);
	ctf_event(f, 10, start + 350);
	ctf_put(f, 3, 4);
	ctf_event(f, 6, start + 360);
	ctf_put(f, 10, 4);
	ctf_put(f, 0, 4);
	ctf_event(f, 11, start + 370);
	ctf_put(f, 3, 4);
	ctf_event(f, 7, start + 380); /* as LTTng 2.5 */
	ctf_event(f, 8, start + 390);
	ctf_put(f, 10, 8);
	ctf_event(f, 9, start + 395);
	ctf_put(f, 11, 4);
	ctf_switch(f, start + 400, 11, 0x40, 0);
	ctf_end_packet(f, 0);
}

#endif
