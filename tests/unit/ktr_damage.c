/* SPDX-License-Identifier: MIT */
/* Tests of the .ktr reader on damaged, foreign and malformed files, and of the writer on a full
 * disk. */
#include "ktr_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "util/xalloc.h"

static void test_torn(void)
{
	size_t n = 60, wrong = 0, whole = 0;
	struct event *events = numbered_calls(n);
	struct bytes file = write_trace(events, n, 20);

	for (size_t cut = 0; cut < file.n; cut++) {
		read_trace(file.v, cut);

		wrong += r.events.n % 20 != 0 || (r.end != 0 && r.end != -2) ||
			 (r.end == 0 && !r.losses.unclosed);
		wrong += r.events.n - count_same(events, n);
		whole += r.events.n;
	}
	cmp_int(wrong, 0, "cut at any of %zu bytes, what is read are the blocks before", file.n);
	ok(whole > 0, "and there are some");
}

static void test_flipped(void)
{
	size_t n = 60, wrong = 0, missed = 0, most = 0;
	struct event *events = numbered_calls(n);
	struct bytes file = write_trace(events, n, 20);

	for (size_t bit = 0; bit < file.n * 8; bit++) {
		file.v[bit / 8] ^= (unsigned char)(1 << bit % 8);
		read_trace(file.v, file.n);

		wrong += r.events.n - count_known(events, n);
		missed += r.end == 0 && r.losses.torn_bytes == 0;
		most += r.events.n >= n - 20;
		file.v[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	cmp_int(wrong, 0, "with any bit flipped, no event is wrong");
	cmp_int(missed, 0, "the damage is always noticed");
	cmp_int(most, file.n * 8, "and at most one block is lost");
}

static void test_damage_in_the_middle(void)
{
	size_t n = 300;
	struct event *events = numbered_calls(n);
	struct bytes file = write_trace(events, n, 100);
	size_t first = KTR_HEADER + ktr_get(file.v + KTR_AT_PAYLOAD_LENGTH, 4);
	struct bytes joined = bytes_new(2 * file.n);

	/* A torn file with a whole one behind it. */
	joined.n = first + 200 + file.n;
	memcpy(joined.v, file.v, first + 200);
	memcpy(joined.v + first + 200, file.v, file.n);
	read_trace(joined.v, joined.n);
	size_t good = count_known(events, n);
	ok(good == 400 && r.events.n == 400, "the torn block is skipped, all behind it is read");
	cmp_int(r.losses.torn_bytes, 200, "its bytes are counted");
	cmp_int(r.losses.first_bad, first, "and its place is reported");
	ok(r.losses.first_bad_reason[0] != '\0', "with a reason");

	/* A block whose middle is damaged: the gap lasts from the block before to the one behind.
	 */
	size_t second = KTR_HEADER + ktr_get(file.v + KTR_AT_PAYLOAD_LENGTH, 4);
	file.v[second + KTR_HEADER + 50] ^= 1;
	read_trace(file.v, file.n);
	cmp_int(r.events.n, 200, "a damaged block is skipped");
	cmp_int(r.gaps, 1, "and leaves one gap");
	cmp_int(r.gap.time, events[99].time, "from the last call before it");
	cmp_int(r.gap.lost.until, events[199].time + events[199].call.duration,
		"to where the block behind it begins");
	file.v[second + KTR_HEADER + 50] ^= 1;

	/* Rubbish in front. */
	memset(joined.v, 0x89, 1000);
	memcpy(joined.v + 1000, file.v, file.n);
	read_trace(joined.v, 1000 + file.n);
	ok(r.events.n == n && r.losses.torn_bytes == 1000 && r.losses.first_bad == 0,
	   "rubbish in front is skipped and counted");
	joined.v[1000 + second + KTR_HEADER + 50] ^= 1;
	read_trace(joined.v, 1000 + file.n);
	cmp_int(r.losses.torn_bytes,
		1000 + KTR_HEADER + ktr_get(file.v + second + KTR_AT_PAYLOAD_LENGTH, 4),
		"with a damaged block behind it");
}

static void test_two_traces(void)
{
	size_t n = 60;
	struct event *events = numbered_calls(n);
	struct bytes file = write_trace(events, n, 20);
	struct bytes joined = bytes_new(2 * file.n);

	joined.n = 2 * file.n;
	memcpy(joined.v, file.v, file.n);
	memcpy(joined.v + file.n, file.v, file.n);
	read_trace(joined.v, joined.n);
	cmp_int(r.end, -1, "a trace behind another one is refused");
}

/* A block around a payload made by hand. */
static struct bytes make_block(const unsigned char *payload, size_t n, uint64_t records)
{
	struct bytes b = bytes_new(KTR_HEADER + n);

	memcpy(b.v, KTR_MAGIC, 8);
	ktr_put(b.v + KTR_AT_VERSION, KTR_VERSION, 2);
	ktr_put(b.v + KTR_AT_HEADER_LENGTH, KTR_HEADER, 2);
	ktr_put(b.v + KTR_AT_PAYLOAD_LENGTH, n, 4);
	ktr_put(b.v + KTR_AT_PAYLOAD_CRC, crc32c(payload, n), 4);
	ktr_put(b.v + KTR_AT_RECORDS, records, 4);
	ktr_put(b.v + KTR_AT_ABI, ABI_X86_64 + 1, 1);
	ktr_put(b.v + KTR_AT_OS, os_linux.number, 1);
	ktr_put(b.v + KTR_AT_FLAGS, KTR_FLAG_LAST, 2);
	ktr_put(b.v + KTR_AT_HEADER_CRC, crc32c(b.v, KTR_AT_HEADER_CRC), 4);
	if (n)
		memcpy(b.v + KTR_HEADER, payload, n);
	return b;
}

/* Appends n bytes. */
static void append(struct bytes *b, const void *v, size_t n)
{
	memcpy(b->v + b->n, v, n);
	b->n += n;
}

/* Appends the header of a block whose payload, what follows, is damaged. */
static void append_damaged(struct bytes *b, size_t payload)
{
	struct bytes bad = make_block(NULL, 0, 0);

	ktr_put(bad.v + KTR_AT_PAYLOAD_LENGTH, payload, 4);
	ktr_put(bad.v + KTR_AT_PAYLOAD_CRC, 1, 4);
	ktr_put(bad.v + KTR_AT_HEADER_CRC, crc32c(bad.v, KTR_AT_HEADER_CRC), 4);
	append(b, bad.v, KTR_HEADER);
}

/* A damaged block within another one, or right behind it, around an intact one. */
static void test_nested(void)
{
	struct bytes file = write_trace(numbered_calls(60), 60, 20);
	size_t first = KTR_HEADER + ktr_get(file.v + KTR_AT_PAYLOAD_LENGTH, 4);
	size_t second = KTR_HEADER + ktr_get(file.v + first + KTR_AT_PAYLOAD_LENGTH, 4);

	for (int within = 0; within <= 1; within++) {
		struct bytes b = bytes_new(file.n + 2 * KTR_HEADER);

		b.n = 0;
		append(&b, file.v, first);
		append_damaged(&b, within ? KTR_HEADER + second : 0);
		append_damaged(&b, second);
		append(&b, file.v + first, file.n - first);
		read_trace(b.v, b.n);
		cmp_int(r.events.n, within ? 40 : 60,
			within ? "what is within two damaged blocks is skipped"
			       : "what is within one of two is read");
	}
}

/* Counts the calls in a file. */
static int read_calls(const struct bytes *b)
{
	int fd = memfd_create("ktr", MFD_CLOEXEC), n = 0;
	char *path = xasprintf("/proc/self/fd/%d", fd);
	struct error e;
	struct event out;

	if (write(fd, b->v, b->n) != (ssize_t)b->n)
		fail("the file could be written");
	lseek(fd, 0, SEEK_SET);
	struct source *s = source_open(path, &e);
	while (s && source_next(s, &out, &e) == 1)
		n += out.type == EVENT_SYSCALL;
	source_close(s);
	close(fd);
	free(path);
	return n;
}

/* Rubbish up to a block that begins in what is read of the file at once, and ends in what is read
 * next. */
static void test_border(void)
{
	enum { READ = 512 << 10 };
	struct bytes file = write_trace(numbered_calls(60), 60, 20);
	size_t first = KTR_HEADER + ktr_get(file.v + KTR_AT_PAYLOAD_LENGTH, 4);

	for (size_t before = 1; before < sizeof(KTR_MAGIC); before++) {
		struct bytes b = bytes_new(READ + file.n);

		b.n = 0;
		append(&b, file.v, first);
		b.n = READ - before;
		append(&b, file.v + first, file.n - first);
		cmp_int(read_calls(&b), 60, "%zu bytes are read before the others", before);
	}
}

static void test_foreign_records(void)
{
	/* clang-format off */
	static const unsigned char payload[] = {
		90, 3, 'n', 'e', 'w', /* of a newer version */
		KTR_THREAD, 2, 8, 9,
		KTR_CALL, 7, 1, 4, 'r', 'e', 'a', 'd', 0,
		KTR_SYSCALL | 5, KTR_HAS_THREAD, 0, 20, 6, 0,
		12, 1, 'x',
		KTR_SYSCALL | 6, 0, 0, 2, 1, 'n', 'e', /* with an unknown field at the end */
	};
	/* clang-format on */
	struct bytes b = make_block(payload, sizeof(payload), 6);
	read_trace(b.v, b.n);

	if (ok(r.events.n == 2, "records of unknown types are skipped, by their length")) {
		const struct event *e = r.events.v;

		ok(e[0].pid == 8 && e[0].tid == 9 && e[0].time == 10 && e[0].call.duration == 5 &&
		       e[0].call.id == syscall_by_name("read"),
		   "those between them are read");
		ok(e[1].time == 16 && e[1].call.duration == 0, "a longer record too");
	}
	ok(!r.losses.lost_unknown && !r.losses.torn_bytes, "and nothing is lost");

	b = make_block(payload, sizeof(payload), UINT32_MAX);
	read_trace(b.v, b.n);
	ok(r.events.n == 2 && r.losses.lost_unknown,
	   "a wrong count of records is reported as a loss");
}

static void test_counters(void)
{
	/* clang-format off */
	static const unsigned char payload[] = {
		KTR_THREAD, 2, 8, 9,
		KTR_NAME, 4, 2, 'c', 'y', 0,
		KTR_COUNTER, 4, 0, 20, 0, 8,
	};
	/* clang-format on */ struct bytes b = make_block(payload, sizeof(payload), 3);
	read_trace(b.v, b.n);

	if (!ok(r.events.n == 1 && !r.losses.torn_bytes, "a counter is read"))
		return;
	const struct event *e = r.events.v;
	ok(e->tid == 9 && e->time == 10 && !strcmp(e->counter.name, "cy") && e->counter.value == 7,
	   "by the number of a name");
	unsigned char other[sizeof(payload)];
	memcpy(other, payload, sizeof(payload));
	other[sizeof(payload) - 2] = 1;
	b = make_block(other, sizeof(other), 3);
	read_trace(b.v, b.n);
	ok(r.losses.torn_bytes == 6, "not of a name that was not introduced");
}

static void test_senseless_records(void)
{
	static const struct {
		const char *what;
		unsigned char bytes[16];
		size_t n;
	} cases[] = {
		{ "a call that was not introduced", { KTR_SYSCALL | 5, 1, 0, 20, 6, 0 }, 6 },
		{ "a thread that was not introduced", { KTR_EVENT + EVENT_SIGNAL, 3, 0, 2, 4 }, 5 },
		{ "a record of length 0", { KTR_INFO, 0 }, 2 },
		{ "a record beyond the block", { KTR_EVENT + EVENT_EXEC, 100, 0, 0 }, 4 },
		{ "a length of 2^63",
		  { 90, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f },
		  10 },
		{ "a call beyond the block", { KTR_SYSCALL | 100, 0, 0 }, 3 },
		{ "a name without its end", { KTR_CALL, 4, 1, 2, 'a', 'b' }, 6 },
		{ "a name of 2^64 bytes",
		  { KTR_CALL, 12, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 'a' },
		  14 },
		{ "a thread without its end", { KTR_THREAD, 1, 0x80 }, 3 },
		{ "a name of a counter without its end", { KTR_NAME, 3, 9, 'a', 'b' }, 5 },
		{ "nothing but a tag", { KTR_SYSCALL | KTR_LONG }, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes b = make_block(cases[i].bytes, cases[i].n, 1);
		read_trace(b.v, b.n);

		ok(r.end == 0 && r.events.n == 0 && r.losses.torn_bytes == cases[i].n &&
		       !r.losses.lost_unknown,
		   "%s is skipped and counted", cases[i].what);
	}
}

static void test_headers(void)
{
	static const struct {
		unsigned at, size;
		uint64_t value;
		const char *error; /* NULL: none */
		const char *what;
	} cases[] = {
		{ KTR_AT_RECORDS, 4, 0, NULL, "a block without records opens" },
		{ KTR_AT_VERSION, 2, 2, "version 2", "a newer version is refused by name" },
		{ KTR_AT_ABI, 1, ABIS + 1, "newer program", "an unknown ABI is refused" },
		{ KTR_AT_OS, 1, 99, "newer program", "an unknown system is refused" },
		{ KTR_AT_PAYLOAD_LENGTH, 4, UINT32_MAX, "", "a block of 4 GB is refused" },
		{ KTR_AT_PAYLOAD_LENGTH, 4, 1000, "no block",
		  "a file of one torn block is refused" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes b = make_block(NULL, 0, 0);
		struct error e = { "" };

		ktr_put(b.v + cases[i].at, cases[i].value, cases[i].size);
		ktr_put(b.v + KTR_AT_HEADER_CRC, crc32c(b.v, KTR_AT_HEADER_CRC), 4);
		struct source *s = source_open_memory(b.v, b.n, "x.ktr", &e);
		ok(!s == !!cases[i].error && (s || strstr(e.text, cases[i].error)), "%s",
		   cases[i].what);
		source_close(s);
	}
}

static void test_long_strings(void)
{
	char *name = xmalloc(200001);
	struct event e = { .type = EVENT_SYSCALL, .call = { .duration = 1 } };

	memset(name, 'x', 200000);
	name[200000] = '\0';
	e.call.path = e.call.text = name;
	struct bytes file = write_trace(&e, 1, 0);
	read_trace(file.v, file.n);
	if (ok(r.events.n == 1, "a call with long strings is written"))
		ok(strlen(r.events.v[0].call.path) == KTR_STRING_MAX &&
		       strlen(r.events.v[0].call.text) == KTR_STRING_MAX,
		   "they are cut");
	free(name);
}

static void test_write_failure(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct error e = { "" };
	unsigned failures = 0;

	if (fd < 0) {
		skip("no /dev/full", 3);
		return;
	}
	uint64_t unwritten = 0;
	struct ktr_writer *w = ktr_writer_new(fd, &info, &unwritten);
	struct event *events = numbered_calls(60000);
	for (int i = 0; i < 60000; i++)
		failures += ktr_write(w, &events[i], &e) < 0;
	ok(failures >= 2 && strstr(e.text, strerror(ENOSPC)), "a full disk is an error");
	cmp_int(ktr_writer_free(w, &e), -1, "at the end too");
	cmp_int(unwritten, 60000, "all calls are lost");
	close(fd);
}

/* Only the records that do not fit are lost, and are counted; what is written later is after a gap.
 */
static void test_little_room(rlim_t room)
{
	int fd = memfd_create("ktr", MFD_CLOEXEC), status = 0;
	struct event *events = numbered_calls(60000);
	struct rlimit before, limit;
	uint64_t unwritten = 0, n = 0;
	struct error e;

	getrlimit(RLIMIT_FSIZE, &before);
	limit = (struct rlimit){ room, before.rlim_max };
	struct ktr_writer *w = ktr_writer_new(fd, &info, &unwritten);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	while (n < 60000 && status == 0)
		status = ktr_write(w, &events[n++], &e);
	setrlimit(RLIMIT_FSIZE, &before);
	struct bytes file = bytes_new((size_t)lseek(fd, 0, SEEK_END));
	ok(file.n <= room && file.n + 60 > room, "room for %lu bytes: %zu are written",
	   (unsigned long)room, file.n);
	ok(status && pread(fd, file.v, file.n, 0) == (ssize_t)file.n, "and read");
	read_trace(file.v, file.n);
	cmp_int(r.events.n, n - unwritten, "they are the calls that are not counted as unwritten");
	cmp_int(count_same(events, n - unwritten), n - unwritten, "and the first ones");
	ok(r.losses.unclosed && !r.losses.torn_bytes, "without torn bytes");
	cmp_int(ktr_write(w, &events[0], &e) | ktr_writer_free(w, &e), 0, "with more room");
	file = bytes_new((size_t)lseek(fd, 0, SEEK_CUR));
	ok(pread(fd, file.v, file.n, 0) == (ssize_t)file.n, "the trace");
	read_trace(file.v, file.n);
	cmp_int(r.events.n, n - unwritten + 1, "goes on");
	ok(r.gaps == 1 && !r.losses.unclosed, "after a gap");
	close(fd);
}

int main(void)
{
	test_torn();
	test_flipped();
	test_damage_in_the_middle();
	test_two_traces();
	test_nested();
	test_border();
	test_foreign_records();
	test_counters();
	test_senseless_records();
	test_headers();
	test_long_strings();
	test_write_failure();
	test_little_room(5000);
	test_little_room(KTR_PAYLOAD_TARGET + 3000);
	return done_testing();
}
