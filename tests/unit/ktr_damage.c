/* SPDX-License-Identifier: MIT */
/* Tests of the .ktr reader on damaged, foreign and malformed files, and of the writer on a full disk. */
#include "ktr_trace.h"

#include <errno.h>
#include <fcntl.h>

static void test_torn(void)
{
	size_t n = 60, wrong = 0, whole = 0;
	struct event *events = numbered_calls(n);
	struct bytes file = write_trace(events, n, 20);

	for (size_t cut = 0; cut < file.n; cut++) {
		unsigned char *copy = xmalloc(cut + 1);
		memcpy(copy, file.v, cut);
		struct reading r = read_trace(copy, cut);

		wrong += r.events.n % 20 != 0 || (r.end != 0 && r.end != -2) ||
			 (r.end == 0 && !r.losses.unclosed);
		wrong += r.events.n - count_same(&r, events, n);
		whole += r.events.n;
		vec_free(&r.events);
		free(copy);
	}
	cmp_int(wrong, 0, "cut at any of %zu bytes, what is read are the blocks before", file.n);
	ok(whole > 0, "and there are some");
	free(file.v);
	free(events);
}

static void test_flipped(void)
{
	size_t n = 60, wrong = 0, missed = 0, most = 0;
	struct event *events = numbered_calls(n);
	struct bytes file = write_trace(events, n, 20);

	for (size_t bit = 0; bit < file.n * 8; bit++) {
		file.v[bit / 8] ^= (unsigned char)(1 << bit % 8);
		struct reading r = read_trace(file.v, file.n);

		wrong += r.events.n - count_known(&r, events, n);
		missed += r.end == 0 && r.losses.torn_bytes == 0;
		most += r.events.n >= n - 20;
		vec_free(&r.events);
		file.v[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	cmp_int(wrong, 0, "with any bit flipped, no event is wrong");
	cmp_int(missed, 0, "the damage is always noticed");
	cmp_int(most, file.n * 8, "and at most one block is lost");
	free(file.v);
	free(events);
}

static void test_damage_in_the_middle(void)
{
	size_t n = 300;
	struct event *events = numbered_calls(n);
	struct bytes file = write_trace(events, n, 100);
	size_t first = KTR_HEADER + ktr_get(file.v + KTR_AT_PAYLOAD_LENGTH, 4);
	struct bytes joined = { xmalloc(2 * file.n), 0 };

	/* A torn file with a whole one behind it. */
	joined.n = first + 200 + file.n;
	memcpy(joined.v, file.v, first + 200);
	memcpy(joined.v + first + 200, file.v, file.n);
	struct reading r = read_trace(joined.v, joined.n);
	size_t good = count_known(&r, events, n);
	ok(good == 400 && r.events.n == 400, "the torn block is skipped, all behind it is read");
	cmp_int(r.losses.torn_bytes, 200, "its bytes are counted");
	cmp_int(r.losses.first_bad, first, "and its place is reported");
	ok(r.losses.first_bad_reason[0] != '\0', "with a reason");
	vec_free(&r.events);

	/* Rubbish in front. */
	memset(joined.v, 0x89, 1000);
	memcpy(joined.v + 1000, file.v, file.n);
	r = read_trace(joined.v, 1000 + file.n);
	ok(r.events.n == n && r.losses.torn_bytes == 1000 && r.losses.first_bad == 0,
	   "rubbish in front is skipped and counted");
	vec_free(&r.events);
	free(joined.v);
	free(file.v);
	free(events);
}

/* A block around a payload made by hand. */
static struct bytes make_block(const unsigned char *payload, size_t n, uint64_t records)
{
	struct bytes b = { xcalloc(1, KTR_HEADER + n), KTR_HEADER + n };

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
	struct reading r = read_trace(b.v, b.n);

	if (ok(r.events.n == 2, "records of unknown types are skipped, by their length")) {
		const struct event *e = r.events.v;

		ok(e[0].pid == 8 && e[0].tid == 9 && e[0].time == 10 && e[0].call.duration == 5 &&
		       e[0].call.id == syscall_by_name("read"),
		   "those between them are read");
		ok(e[1].time == 16 && e[1].call.duration == 0, "a longer record too");
	}
	ok(!r.losses.lost_unknown && !r.losses.torn_bytes, "and nothing is lost");
	vec_free(&r.events);
	free(b.v);

	b = make_block(payload, sizeof(payload), UINT32_MAX);
	r = read_trace(b.v, b.n);
	ok(r.events.n == 2 && r.losses.lost_unknown,
	   "a wrong count of records is reported as a loss");
	vec_free(&r.events);
	free(b.v);
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
		{ "nothing but a tag", { KTR_SYSCALL | KTR_LONG }, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes b = make_block(cases[i].bytes, cases[i].n, 1);
		struct reading r = read_trace(b.v, b.n);

		ok(r.end == 0 && r.events.n == 0 && r.losses.torn_bytes == cases[i].n &&
		       r.losses.lost_unknown,
		   "%s is skipped and counted", cases[i].what);
		vec_free(&r.events);
		free(b.v);
	}
}

static void test_bad_headers(void)
{
	struct error e;
	struct bytes b = make_block(NULL, 0, 0);

	struct source *s = source_open_memory(b.v, b.n, "x.ktr", &e);
	ok(s != NULL, "a block without records opens");
	source_close(s);
	ktr_put(b.v + KTR_AT_VERSION, 2, 2);
	ktr_put(b.v + KTR_AT_HEADER_CRC, crc32c(b.v, KTR_AT_HEADER_CRC), 4);
	ok(!source_open_memory(b.v, b.n, "x.ktr", &e) && strstr(e.text, "version 2"),
	   "a newer version is refused by name");
	ktr_put(b.v + KTR_AT_VERSION, 1, 2);
	ktr_put(b.v + KTR_AT_PAYLOAD_LENGTH, UINT32_MAX, 4);
	ktr_put(b.v + KTR_AT_HEADER_CRC, crc32c(b.v, KTR_AT_HEADER_CRC), 4);
	ok(!source_open_memory(b.v, b.n, "x.ktr", &e), "a block of 4 GB is refused");
	ktr_put(b.v + KTR_AT_PAYLOAD_LENGTH, 1000, 4);
	ktr_put(b.v + KTR_AT_HEADER_CRC, crc32c(b.v, KTR_AT_HEADER_CRC), 4);
	ok(!source_open_memory(b.v, b.n, "x.ktr", &e) && strstr(e.text, "no block"),
	   "so is a file whose only block is torn");
	free(b.v);
}

static void test_long_strings(void)
{
	char *name = xmalloc(200001);
	struct event e = { .type = EVENT_SYSCALL, .call = { .duration = 1 } };

	memset(name, 'x', 200000);
	name[200000] = '\0';
	e.call.path = e.call.text = name;
	struct bytes file = write_trace(&e, 1, 0);
	struct reading r = read_trace(file.v, file.n);
	if (ok(r.events.n == 1, "a call with long strings is written"))
		ok(strlen(r.events.v[0].call.path) == KTR_STRING_MAX &&
		       strlen(r.events.v[0].call.text) == KTR_STRING_MAX,
		   "they are cut");
	vec_free(&r.events);
	free(file.v);
	free(name);
}

static void test_write_failure(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct error e = { "" };
	unsigned failures = 0;

	if (fd < 0) {
		skip("no /dev/full", 2);
		return;
	}
	struct ktr_writer *w = ktr_writer_new(fd, &info);
	struct event *events = numbered_calls(60000);
	for (int i = 0; i < 60000; i++)
		failures += ktr_write(w, &events[i], &e) < 0;
	ok(failures >= 2 && strstr(e.text, strerror(ENOSPC)), "a full disk is an error");
	cmp_int(ktr_writer_free(w, &e), -1, "at the end too");
	free(events);
	close(fd);
}

int main(void)
{
	test_torn();
	test_flipped();
	test_damage_in_the_middle();
	test_foreign_records();
	test_senseless_records();
	test_bad_headers();
	test_long_strings();
	test_write_failure();
	return done_testing();
}
