/* SPDX-License-Identifier: MIT */
/* The shared part of the benchmark programs: buffers, files, channels and exchanges. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "../../bench/common/files.h"
#include "../../bench/common/memory.h"
#include "../../bench/common/exchange.h"
#include "../../bench/common/ring.h"
#include "peer/sockets.h"
#include "../../bench/common/vectors.h"
#include "../tap.h"

static void test_memory(void)
{
	enum { SIZE = 1 << 20 };
	uint64_t *p = memory_new(SIZE, MEMORY_SMALL, 7);
	char *shifted = (char *)p + 3;

	cmp_int((uintptr_t)p % MEMORY_HUGE_PAGE, 0, "buffers are aligned to 2 MB");
	ok(memory_holds(p, SIZE, 7), "each word has the value asked for");
	ok(!memory_holds(p, SIZE, 8), "and no other");
	p[SIZE / sizeof(*p) - 1] = 8;
	ok(!memory_holds(p, SIZE, 7), "the last word is checked");
	memset(shifted, 0, SIZE / 2);
	ok(memory_holds(shifted, SIZE / 2, 0), "at any alignment");
	memory_spoil(shifted, SIZE / 2, 9);
	ok(memory_holds(shifted, SIZE / 2, 9), "spoilt words are seen");
	ok(p[2] == 0 && p[SIZE / 2 / sizeof(*p) + 1] == 7, "and no others are spoilt");
	ok(memory_reason(100) != NULL, "100 bytes are no multiple of 64");
	ok(memory_reason(UINT64_C(1) << 50) != NULL, "no machine has 1 PB of memory");
	ok(!memory_reason(4096), "4 KB can be allocated");
}

/* Whether this kernel gives a 2 MB page to who asks for one. */
static bool gives_huge(void)
{
	uint64_t before = memory_huge_bytes();
	char *p = memory_reserve(4 << 20);

	if (mprotect(p, 4 << 20, PROT_READ | PROT_WRITE) || madvise(p, 4 << 20, MADV_HUGEPAGE))
		return false;
	*p = 1;
	bool gained = memory_huge_bytes() > before;
	munmap(p, 4 << 20);
	return gained;
}

static void test_huge(void)
{
	const char *reason = memory_huge_reason();

	ok(!reason || !gives_huge(), "2 MB pages are asked for");
	if (reason) {
		pass("2 MB pages # SKIP %s", reason);
		return;
	}
	ok(memory_holds(memory_new(4 << 20, MEMORY_HUGE, 5), 4 << 20, 5), "2 MB pages hold words");
}

/* Sizes with and without a remainder of the unrolled loop, at any alignment. */
static void test_vectors(void)
{
	enum { MOST = 1024 };
	const struct vectors *v = vectors_choose();
	char memory[MOST + 16], copy[MOST + 16];
	bool sums = true, copies = true;

	for (uint64_t size = 64; size <= MOST; size += 64) {
		char *p = memory + 3, *q = copy + 5;

		memset(memory, 1, sizeof(memory));
		memset(copy, 2, sizeof(copy));
		v->fill(p, size, 7, 1);
		sums &= memory[2] == 1 && p[size] == 1 && memory_holds(p, size, 7) &&
			v->sum(p, size, 3) == 3 * 7 * size / 8;
		v->copy(q, p, size, 1);
		copies &= copy[4] == 2 && q[size] == 2 && memory_holds(q, size, 7);
	}
	ok(sums, "%s vectors fill and sum each word, and no other byte", v->name);
	ok(copies, "and copy");
}

static void test_nontemporal(void)
{
	enum { SIZE = 256 };
	_Alignas(64) char memory[3 * SIZE], copy[3 * SIZE];
	char *p = memory + SIZE, *q = copy + SIZE;

	if (vectors_nontemporal_reason()) {
		pass("stores past the caches # SKIP %s", vectors_nontemporal_reason());
		return;
	}
	memset(memory, 1, sizeof(memory));
	memset(copy, 2, sizeof(copy));
	vectors_nontemporal.fill(p, SIZE, 7, 1);
	ok(memory_holds(p, SIZE, 7) && p[-1] == 1 && p[SIZE] == 1,
	   "stores past the caches fill each word, and no other byte");
	for (int i = 0; i < SIZE; i++)
		p[i] = (char)i;
	vectors_nontemporal.copy(q, p, SIZE, 1);
	ok(!memcmp(p, q, SIZE) && q[-1] == 2 && q[SIZE] == 2, "and copy");
}

static void test_files(void)
{
	unsigned char first, last;
	struct stat st;
	int fd = files_make(100001), directory = files_directory();

	ok(!fstat(fd, &st) && st.st_size == 100001, "a file has the size asked for");
	ok(pread(fd, &first, 1, 0) == 1 && pread(fd, &last, 1, 100000) == 1 &&
	       first == FILES_BYTE && last == FILES_BYTE,
	   "and is filled with FILES_BYTE");
	ok(!faccessat(directory, FILES_FILE, R_OK | W_OK, 0), "it lies in the directory");
	ok(files_reason(UINT64_C(1) << 60) != NULL, "no disk has an exabyte");
	close(fd);
	close(directory);
}

static const char *const names[] = { "pipe", "unix", "tcp", "udp", "unixdgram" };

/* Sends size bytes, each with a value of its own, from one end to the other. */
static bool carries(const struct channel_end *from, const struct channel_end *to, size_t size)
{
	static unsigned char sent[4096], got[4096];

	for (size_t i = 0; i < size; i++)
		sent[i] = (unsigned char)(i * 7 + 1);
	memset(got, 0, size);
	channel_send(from, sent, size);
	channel_receive(to, got, size);
	return !memcmp(sent, got, size);
}

static void test_channel(enum channel_kind kind)
{
	struct channel c;

	if (channel_reason(kind, 1)) {
		pass("%s # SKIP %s", names[kind], channel_reason(kind, 1));
		return;
	}
	channel_open(&c, kind);
	ok(carries(&c.a, &c.b, 1) && carries(&c.a, &c.b, 4096), "%s carries from a to b",
	   names[kind]);
	ok(carries(&c.b, &c.a, 1) && carries(&c.b, &c.a, 4096), "%s carries from b to a",
	   names[kind]);
	if (kind == CHANNEL_TCP) {
		int delays[2] = { 0 };
		socklen_t n = sizeof(int);

		getsockopt(c.a.out, IPPROTO_TCP, TCP_NODELAY, &delays[0], &n);
		getsockopt(c.b.out, IPPROTO_TCP, TCP_NODELAY, &delays[1], &n);
		ok(delays[0] && delays[1], "tcp: small messages do not wait for each other");
	}
	if (kind >= CHANNEL_UDP) {
		char bytes[2];

		channel_send(&c.a, "a", 1);
		channel_send(&c.a, "b", 1);
		cmp_int(read(c.b.in, bytes, 2), 1, "%s: two messages stay two", names[kind]);
	}
	channel_close_end(&c.a);
	ok(c.a.in == -1 && c.a.out == -1, "%s: a closed end has no descriptors", names[kind]);
	if (kind < CHANNEL_UDP) {
		char byte;

		ok(read(c.b.in, &byte, 1) <= 0, "%s: the other end sees the end", names[kind]);
		ok(write(c.b.out, "", 1) == -1 && errno == EPIPE,
		   "%s: and writing to it is an error, not a signal", names[kind]);
	}
	channel_close(&c);
	ok(!channel_hold_reason(kind, 1024), "%s holds 1 KB", names[kind]);
	ok(channel_hold_reason(kind, 256 << 20) != NULL, "%s does not hold 256 MB", names[kind]);
}

static void test_exchange(size_t size, size_t count)
{
	exchange_start(CHANNEL_UNIX, size);
	cmp_int(exchange_count(), count, "%zu exchanges of %zu bytes", count, size);
	for (size_t i = 0; i < count; i++)
		exchange_send(i);
	exchange_take(count);
	exchange_ask(count);
	for (size_t i = 0; i < count; i++)
		exchange_receive(i);
	pass("each message arrived, and its reply brought another");
}

/* The answers to n writes, reads and empty requests, submitted together. */
static void test_ring(void)
{
	enum { N = 8 };
	static char out[N], in[N], fixed[N];
	const char *reason = ring_open(N, false);
	int fd = files_make(1);

	if (reason) {
		pass("io_uring # SKIP %s", reason);
		return;
	}
	for (int i = 0; i < N; i++) {
		out[i] = (char)(i + 1);
		ring_prepare(RING_WRITE, fd, out + i, 1, (uint64_t)i);
	}
	cmp_int(ring_submit(N, 1), N, "each request is answered");
	for (int i = 0; i < N; i++)
		ring_prepare(RING_READ, fd, in + i, 1, (uint64_t)(N - 1 - i));
	cmp_int(ring_submit(1, 1), 1, "or as many as are waited for");
	cmp_int(ring_submit(N - 1, 1), N - 1, "and the others later");
	ok(in[0] == N && in[N - 1] == 1, "reads find what was written, at their offsets");
	ring_prepare(RING_NOP, -1, NULL, 0, 0);
	ring_prepare(RING_READ, fd, in, N, 0);
	cmp_int(ring_submit(2, N), 1, "answers of another size are not counted");
	if (!ring_register((struct iovec){ fixed, sizeof(fixed) })) {
		ring_prepare(RING_READ_FIXED, fd, fixed, N, 0);
		ok(ring_submit(1, N) == 1 && fixed[N - 1] == N, "a registered buffer is read into");
	}
	ring_prepare(RING_READ, -1, in, 1, 0);
	cmp_int(ring_submit(1, 1), 0, "a request that fails is answered, too");
	close(fd);
}

/* What was written is in the page cache until it is dropped. */
static void test_cache(void)
{
	enum { SIZE = 1 << 20 };
	int fd = files_make(SIZE);
	struct statfs fs;

	cmp_int(files_cached(fd, SIZE), SIZE / sysconf(_SC_PAGESIZE), "a new file is cached");
	if (fsync(fd) || fstatfs(fd, &fs) || fs.f_type != EXT4_SUPER_MAGIC) {
		pass("dropping it # SKIP not on ext4");
		return;
	}
	cmp_int(files_drop(fd, SIZE), 0, "until it is dropped");
	close(fd);
}

/* Names of one inode count as files. */
static void test_fill(void)
{
	int directory = files_directory();
	char name[FILES_NAME];
	struct stat st;

	files_fill(directory, 1500);
	files_name(name, 1499);
	ok(!fstatat(directory, name, &st, 0), "the last of 1500 names is there");
	files_name(name, 1500);
	ok(fstatat(directory, name, &st, 0) && errno == ENOENT, "and no other");
	close(directory);
}

int main(void)
{
	test_memory();
	test_huge();
	test_vectors();
	test_nontemporal();
	test_files();
	test_fill();
	test_cache();
	test_ring();
	for (int kind = CHANNEL_PIPE; kind <= CHANNEL_UNIXDGRAM; kind++)
		test_channel(kind);
	ok(channel_reason(CHANNEL_UDP, 65508) != NULL, "no datagram has 65508 bytes");
	test_exchange(16 << 10, 4);
	ok(descriptors_reason(UINT64_C(1) << 40) != NULL, "no process has 2^40 descriptors");
	return done_testing();
}
