/* SPDX-License-Identifier: MIT */
/* Tests of lib/util. */
#include "util/address.h"
#include "util/error.h"
#include "util/file.h"
#include "util/hmac.h"
#include "util/home.h"
#include "util/map.h"
#include "util/number.h"
#include "util/opt.h"
#include "util/sha256.h"
#include "util/text.h"
#include "util/timestamp.h"
#include "util/wrap.h"
#include "util/vec.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../tap.h"

static void test_number(void)
{
	uint64_t u = 7;
	double d = 7;
	char s[NUMBER_MAX];

	ok(number_parse_u64("18446744073709551615", &u) && u == UINT64_MAX, "largest integer");
	ok(!number_parse_u64("18446744073709551616", &u), "one more does not fit");
	ok(number_compare(1, 2, true) < 0 && number_compare(1, 2, false) > 0 &&
	       !number_compare(1, 1, true) && number_compare(NAN, 1, true) > 0 &&
	       number_compare(NAN, 1, false) > 0 && number_compare(1, NAN, false) < 0 &&
	       !number_compare(NAN, NAN, true),
	   "in both orders NaN is last");
	ok(!number_parse_u64("-1", &u) && !number_parse_u64("1x", &u) &&
	       !number_parse_u64("", &u) && !number_parse_u64(" 1", &u),
	   "sign, rubbish, nothing, blank are refused");
	ok(number_parse_size("64k", &u) && u == 65536, "64k");
	ok(number_parse_size("3G", &u) && u == 3ull << 30, "3G");
	ok(!number_parse_size("17179869184g", &u), "a size beyond 64 bits");
	ok(!number_parse_size("1kb", &u) && u == 3ull << 30,
	   "a failed parse leaves the value alone");
	ok(number_parse_duration("1.5ms", &d) && fabs(d - 1.5e-3) < 1e-12, "1.5ms");
	ok(number_parse_duration("2", &d) && d == 2, "seconds without a unit");
	ok(!number_parse_duration("-1s", &d) && !number_parse_duration("nan", &d) &&
	       !number_parse_duration("inf", &d) && !number_parse_duration("0x10", &d),
	   "negative, nan, inf, hexadecimal are no durations");
	ok(number_parse_percent("5%", &d) && d == 5, "5%%");
	ok(number_parse_percent("2.5", &d) && d == 2.5, "a percentage without its sign");
	ok(!number_parse_percent("5%%", &d) && !number_parse_percent("%", &d) &&
	       !number_parse_percent("5% ", &d) && !number_parse_percent("5x", &d),
	   "two signs, none but a sign, a blank, a letter");
	is_string(number_format_size(s, 65536), "64k", "65536 is 64k");
	is_string(number_format_size(s, 1000), "1000", "1000 is 1000");
	is_string(number_format_size(s, 0), "0", "0 is 0");
	is_string(number_format_duration(s, 3.2e-6), "3.20 us", "3.2e-6 s");
	is_string(number_format_duration(s, 0.9996), "1.00 s", "rounding reaches the next unit");
	is_string(number_format_duration(s, NAN), "-", "NaN is no duration");
	is_string(number_format_si(s, 1250000), "1.25 M", "1250000");
}

static void test_nearest(void)
{
	struct names t = { 0 };

	is_string(names_nearest(&t, "x"), NULL, "nothing is near in an empty table");
	names_add(&t, "lat_syscall");
	names_add(&t, "lat_sig");
	names_add(&t, "lat_sim");
	is_string(names_nearest(&t, "lat_sycal"), "lat_syscall", "two letters are missing");
	is_string(names_nearest(&t, "lat_sih"), "lat_sig", "the first of two as near");
	is_string(names_nearest(&t, "lat_sim"), "lat_sim", "the nearest, not the first");
	is_string(names_nearest(&t, "bw_mem"), NULL, "three letters are too many");
	names_free(&t);
}

static void test_map(void)
{
	struct map m = { 0 };
	size_t wrong = 0, at = 0, seen = 0;
	uint64_t k, v;

	for (uint64_t i = 0; i < 10007; i++)
		*map_at(&m, i * i) = i;
	for (uint64_t i = 0; i < 10007; i += 2)
		wrong += !map_remove(&m, i * i);
	for (uint64_t i = 0; i < 10007; i++) {
		uint64_t *p = map_find(&m, i * i);

		wrong += i % 2 ? !p || *p != i : p != NULL;
	}
	cmp_int(wrong, 0, "10007 keys in, every other out, the rest found");
	while (map_next(&m, &at, &k, &v))
		seen += k == v * v;
	cmp_int(seen, 5003, "the walk meets each live entry once");
	ok(!map_remove(&m, 4), "a key that is gone cannot be removed");
	map_free(&m);

	struct names t = { 0 };
	char *list = names_join(&t, ", ");
	is_string(list, "", "no names");
	free(list);
	cmp_int(names_add(&t, "read"), 0, "first name");
	cmp_int(names_add(&t, "write"), 1, "second name");
	cmp_int(names_add(&t, "read"), 0, "known name");
	list = names_join(&t, ", ");
	is_string(list, "read, write", "the names in one string");
	free(list);
	for (int i = 0; i < 500; i++) {
		char s[16];

		snprintf(s, sizeof(s), "n%d", i);
		wrong += names_add(&t, s) != (size_t)i + 2;
	}
	cmp_int(wrong, 0, "500 more names are numbered in order");
	ok(names_find(&t, "n499") == 501 && names_find(&t, "absent") == SIZE_MAX, "names found");
	names_free(&t);
}

static void test_append(void)
{
	char *s = xappend(NULL, "%d", 1);

	s = xappend(s, ", %s", "two");
	is_string(s, "1, two", "one string grows behind another");
	free(s);
}

static void test_text(void)
{
	struct text t = { 0 };

	text_put(&t, "a");
	text_put_n(&t, "bcd", 2);
	text_put(&t, "");
	is_string(t.v, "abc", "text one behind the other");
	t.n = 0;
	text_put_number(&t, 0, 10);
	text_put_number(&t, UINT64_MAX, 16);
	text_put_number(&t, 8, 8);
	text_put_signed(&t, INT64_MIN);
	is_string(t.v, "0ffffffffffffffff10-9223372036854775808", "numbers");
	t.n = 0;
	text_put_micro(&t, 1234567);
	text_put_micro(&t, -50);
	text_put_micro(&t, 1000);
	is_string(t.v, "1234.567-0.0501.000", "microseconds");
	for (size_t i = 0; i < 10000; i++)
		text_put(&t, "0123456789");
	cmp_int(t.n, 100019, "it grows");
	text_free(&t);
}

/* The last ones are no UTF-8: a continuation alone, too long, a surrogate, beyond Unicode, cut off.
 */
static void test_json(void)
{
	static const struct {
		const char *s, *want;
	} cases[] = {
		{ "", "\"\"" },
		{ "a\"b\\c\n~\x7f", "\"a\\\"b\\\\c\\u000a~\\u007f\"" },
		{ "\u00e9\u20ac.", "\"\\u00e9\\u20ac.\"" },
		{ "\U0001f600\U0010ffff", "\"\\ud83d\\ude00\\udbff\\udfff\"" },
		{ "\xe9t\xe9", "\"\\u00e9t\\u00e9\"" },
		{ "\x80", "\"\\u0080\"" },
		{ "\xc1\x81", "\"\\u00c1\\u0081\"" },
		{ "\xed\xa0\x80", "\"\\u00ed\\u00a0\\u0080\"" },
		{ "\xf4\x90\x80\x80", "\"\\u00f4\\u0090\\u0080\\u0080\"" },
		{ "\xf5\x80\x80\x80", "\"\\u00f5\\u0080\\u0080\\u0080\"" },
		{ "x\xe2\x82", "\"x\\u00e2\\u0082\"" },
	};
	struct text t = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		t.n = 0;
		text_put_json(&t, cases[i].s);
		is_string(t.v, cases[i].want, "JSON string %zu", i);
	}
	text_free(&t);
}

static void test_error(void)
{
	struct error e;
	char long_text[1024];

	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	cmp_int(error_set(&e, "line %d", 3), -1, "error_set returns -1");
	error_prefix(&e, "%s", "a.conf");
	is_string(e.text, "a.conf: line 3", "prefixed");
	error_prefix(&e, "%s", long_text);
	ok(strlen(e.text) < sizeof(e.text), "a long prefix is cut");
	cmp_int(error_set(NULL, "dropped"), -1, "NULL is fine");
	error_set(&e, "'%s'", "a\033[2Jb\n");
	error_prefix(&e, "%s", "f\r");
	is_string(e.text, "f?: 'a?[2Jb?'", "control characters do not reach the terminal");
}

static void test_search(void)
{
	static const int v[] = { 1, 3, 3, 7 };
	int wrong = 0;

	for (int key = 0; key < 9; key++) {
		size_t n, first = 0;

		while (first < 4 && v[first] < key)
			first++;
		vec_search(n, 4, v[n] >= key);
		wrong += n != first;
	}
	cmp_int(wrong, 0, "a search finds the first place, or the end");
}

/* What cannot be written whole leaves the old file, and no other. */
static void test_no_room(const char *dir)
{
	struct rlimit limit, none;
	struct error e = { "" };
	char path[64], temporary[96];
	size_t n;

	snprintf(path, sizeof(path), "%s/kept", dir);
	snprintf(temporary, sizeof(temporary), "%s.%ld.tmp", path, (long)getpid());
	ok(!file_write(path, "old", 3, &e), "an old file");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	none = (struct rlimit){ 1, limit.rlim_max };
	setrlimit(RLIMIT_FSIZE, &none);
	const int failed = file_write(path, "newer", 5, &e);
	setrlimit(RLIMIT_FSIZE, &limit);
	ok(failed == -1, "no room: %s", e.text);
	char *s = file_read(path, 100, &n, &e);
	ok(s && !strcmp(s, "old"), "the old one stays");
	free(s);
	ok(access(temporary, F_OK), "and nothing beside it");
}

static void test_file(void)
{
	struct error e;
	size_t n;
	char dir[] = "/tmp/osvec-util.XXXXXX", path[64], deep[64];

	if (!mkdtemp(dir)) {
		fail("mkdtemp");
		return;
	}
	snprintf(path, sizeof(path), "%s/f", dir);
	snprintf(deep, sizeof(deep), "%s/a/b/c", dir);
	ok(!file_may_write(path, &e) && access(path, F_OK), "one may write, and nothing has been");
	ok(file_may_write(deep, &e) < 0, "not where there is no directory: %s", e.text);
	ok(file_may_write(dir, &e) < 0, "not over a directory: %s", e.text);
	ok(!file_may_write("/dev/null", &e), "into a device");
	ok(!file_write(path, "one\ntwo\n", 8, &e), "write");
	char *s = file_read(path, 100, &n, &e);
	ok(s && n == 8 && !strcmp(s, "one\ntwo\n"), "read back");
	free(s);
	ok(!file_read(path, 7, &n, &e), "a limit is kept: %s", e.text);
	ok(!file_write(path, "\xef\xbb\xbfone", 6, &e), "write a byte order mark");
	s = file_read(path, 100, &n, &e);
	ok(s && n == 3 && !strcmp(s, "one"), "which is not read");
	free(s);
	ok(!file_make_directory(deep, &e) && !file_make_directory(deep, &e), "directories, twice");
	snprintf(deep, sizeof(deep), "%s/f/x", dir);
	ok(file_make_directory(deep, &e) == -1, "a file is in the way: %s", e.text);
	snprintf(deep, sizeof(deep), "%s/none/x", dir);
	ok(file_write(deep, "x", 1, &e) == -1, "no directory to write into: %s", e.text);
	snprintf(deep, sizeof(deep), "%s/full", dir);
	struct stat st;
	ok(!symlink("/dev/full", deep) && file_write(deep, "x", 1, &e) == -1 && !lstat(deep, &st) &&
	       S_ISLNK(st.st_mode),
	   "a link is written through, not replaced: %s", e.text);
	char link[64];
	snprintf(link, sizeof(link), "%s/link", dir);
	ok(!file_write(path, "longer\n", 7, &e) && !symlink(path, link) &&
	       !file_write(link, "s\n", 2, &e),
	   "a link to a file");
	s = file_read(path, 100, &n, &e);
	ok(s && !strcmp(s, "s\n"), "of which nothing is left");
	free(s);
	test_no_room(dir);
	char cmd[96];
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	ok(system(cmd) == 0, "removed");
}

static void test_options(void)
{
	static uint64_t n;
	static const char *out;
	static bool flag;
	static const struct opt options[] = {
		{ 'n', "number", OPT_COUNT, &n, "N", 0, 100, "a number" },
		{ 'o', "output", OPT_STRING, &out, "FILE", .help = "a file" },
		{ 'f', NULL, OPT_FLAG, &flag, .help = "a flag" },
		{ 0 }
	};
	static const struct opt_usage usage = { "t", "[A...]", "Tests.", NULL };
	char words[][12] = { "t", "a", "-n", "7", "b", "--output=x", "-f", "--", "-c", "d" };
	char *argv[10];

	for (int i = 0; i < 10; i++)
		argv[i] = words[i];
	cmp_int(opt_parse(10, argv, &usage, options), 1, "the first operand ends the options");
	ok(n == 0, "and what follows is left alone");
	int first = opt_parse_mixed(10, argv, &usage, options);
	ok(n == 7 && flag && out && !strcmp(out, "x"), "mixed: options behind operands count");
	cmp_int(first, 6, "four operands");
	ok(!strcmp(argv[6], "a") && !strcmp(argv[7], "b") && !strcmp(argv[8], "-c") &&
	       !strcmp(argv[9], "d"),
	   "in their order, what follows -- among them");
}

static void test_sha256(void)
{
	/* FIPS 180-4 examples, the empty message, and one of exactly one block. */
	static const struct {
		const char *text, *hex;
	} vectors[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
		{ "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		  "a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e" },
	};
	char hex[SHA256_HEX];

	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		is_string(sha256_hex(hex, vectors[i].text, strlen(vectors[i].text)), vectors[i].hex,
			  "SHA-256 of %zu bytes", strlen(vectors[i].text));
}

static void test_hmac(void)
{
	/* RFC 4231, test cases 2, 3 and 6: short, 20 bytes, longer than a block. */
	static const struct {
		const char *text;
		uint8_t byte; /* that the key has `nkey` of; 0: it is "Jefe" */
		size_t nkey;
		uint8_t begins[4];
	} vectors[] = {
		{ "what do ya want for nothing?", 0, 4, { 0x5b, 0xdc, 0xc1, 0x46 } },
		{ "\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd"
		  "\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd"
		  "\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd",
		  0xaa,
		  20,
		  { 0x77, 0x3e, 0xa9, 0x1e } },
		{ "Test Using Larger Than Block-Size Key - Hash Key First",
		  0xaa,
		  131,
		  { 0x60, 0xe4, 0x31, 0x59 } },
	};
	uint8_t key[131], code[HMAC_SIZE], other[HMAC_SIZE];

	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
		memset(key, vectors[i].byte, sizeof(key));
		if (!vectors[i].byte)
			memcpy(key, "Jefe", 4);
		hmac(code, key, vectors[i].nkey, vectors[i].text, strlen(vectors[i].text));
		ok(!memcmp(code, vectors[i].begins, 4), "HMAC-SHA256 with a key of %zu bytes",
		   vectors[i].nkey);
	}
	memcpy(other, code, sizeof(other));
	ok(hmac_equal(code, other), "equal codes");
	other[HMAC_SIZE - 1] ^= 0x80;
	ok(!hmac_equal(code, other), "the last bit counts");
}

static void test_address(void)
{
	static const char *const bad[] = { "127.0.0.1",	   "127.0.0.1:",  ":80", "127.0.0.1:65536",
					   "127.0.0.1:-1", "1.2.3.4.5:1", "" };
	struct address a, b;
	char text[ADDRESS_TEXT];
	struct error e;

	ok(!address_parse(&a, "127.0.0.1:80", &e) && address_port(&a) == 80, "IPv4");
	is_string(address_text(&a, text), "127.0.0.1:80", "and back");
	ok(!address_parse(&b, "[::1]:443", &e) && address_port(&b) == 443, "IPv6");
	is_string(address_text(&b, text), "[::1]:443", "and back");
	ok(!address_is_same_host(&a, &b), "are two hosts");
	ok(!address_parse(&b, "127.0.0.1:0", &e) && address_is_same_host(&a, &b),
	   "a port makes no other host");
	ok(!address_parse(&b, "127.0.0.2:80", &e) && !address_is_same_host(&a, &b),
	   "the last number does");
	ok(!address_is_every(&a) && !address_parse(&b, "0.0.0.0:80", &e) && address_is_every(&b) &&
	       !address_parse(&b, "[::]:80", &e) && address_is_every(&b) &&
	       !address_parse(&b, "[::ffff:0.0.0.0]:80", &e) && address_is_every(&b),
	   "every address");
	ok(!address_parse(&b, "[::ffff:127.0.0.1]:80", &e) && !address_is_every(&b) &&
	       !address_parse(&b, "[::ffff:0:0:0]:80", &e) && !address_is_every(&b),
	   "no other one");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(address_parse(&a, bad[i], &e), "'%s' is none: %s", bad[i], e.text);
}

static void test_home(void)
{
	struct error e;

	setenv("OSVEC_SHARE", "/proc/self", 1);
	setenv("OSVEC_LIBEXEC", "/proc/self", 1);
	char *path = home_find(HOME_BENCH, "exe", &e);
	is_string(path, "/proc/self/exe", "the environment comes first");
	free(path);
	ok(!home_find(HOME_CONF, "basis.conf", &e) &&
	       strstr(e.text, "/proc/self/conf/basis.conf") && strstr(e.text, "$OSVEC_SHARE"),
	   "a missing file is named: %s", e.text);
	unsetenv("OSVEC_SHARE");
	unsetenv("OSVEC_LIBEXEC");
	ok(!home_find(HOME_BENCH, "no such program", &e) && strstr(e.text, "$OSVEC_LIBEXEC"),
	   "the error says where it was searched");
	path = home_find(HOME_CONF, "../Makefile", &e);
	ok(path && strstr(path, "/source/conf/../Makefile"), "the build tree knows its sources %s",
	   path ? "" : e.text);
	free(path);
}

static void test_wrap(void)
{
	char *out = NULL, *text = xasprintf("%92s 12 31 %% more", "x");
	size_t n;
	FILE *f = open_memstream(&out, &n);

	wrap_print(f, text, 2);
	fclose(f);
	is_string(strchr(out, 'x'), "x 12\n  31 % more\n", "a number and its %% stay together");
	free(out);
	free(text);
}

static void test_timestamp(void)
{
	char *now = timestamp_now();

	ok(timestamp_seconds("2026-11-28T19:30:00Z") == 1795894200, "a time of day in UTC");
	ok(fabs(timestamp_seconds(now) - (double)time(NULL)) < 60, "the present time");
	ok(isnan(timestamp_seconds(NULL)) && isnan(timestamp_seconds("")) &&
	       isnan(timestamp_seconds("2026-11-28T19:30:00Zulu")),
	   "no time");
	free(now);
}

int main(void)
{
	test_home();
	test_options();
	test_sha256();
	test_hmac();
	test_address();
	test_number();
	test_nearest();
	test_map();
	test_search();
	test_append();
	test_text();
	test_json();
	test_error();
	test_file();
	test_wrap();
	test_timestamp();
	return done_testing();
}
