/* SPDX-License-Identifier: MIT */
/* Tests of the time file, which belongs to ktranal. */
#include "vector/timefile.c"

#include <unistd.h>

#include "../tap.h"

static struct timefile *sample(void)
{
	struct timefile *t = xcalloc(1, sizeof(*t));

	t->command = xstrdup("sh -c 'exit 3'");
	t->created = xstrdup("2026-01-02T03:04:05Z");
	t->host = xstrdup("h\xe9");
	t->kernel = xstrdup("6.1");
	t->host_id = xstrdup("00c0ffee");
	t->cpu = xstrdup("Z80");
	t->method = xstrdup("ptrace");
	t->call_user = 4e-8;
	t->nruns = 2;
	t->runs = xcalloc(2, sizeof(*t->runs));
	t->runs[0] = (struct time_run){
		.wall = 1.5,
		.status = 3,
		.processes = 1,
		.threads = 2,
		.complete = true,
		.usage = { 0.1, 0.2, 3, 4, 5, 6 },
		.nprograms = 1,
	};
	t->runs[0].programs = xcalloc(1, sizeof(*t->runs[0].programs));
	t->runs[0].programs[0] = (struct time_program){
		.program = xstrdup("sh"),
		.pid = 17,
		.start = 0.01,
		.wall = 1.25,
		.threads = 2,
		.usage = { 0.1, 0.2, 3, 4, 5, 6 },
		.end = TIME_RUNNING,
		.counted = true,
	};
	return t;
}

static void test_round_trip(void)
{
	char path[] = "/tmp/osvec-timefile.XXXXXX";
	struct error e;
	struct timefile *t = sample();

	close(mkstemp(path));
	cmp_int(timefile_write(t, path, &e), 0, "written");
	timefile_free(t);
	t = timefile_read(path, &e);
	ok(t && t->nruns == 2, "read back");
	if (!t)
		return;
	is_string(t->command, "sh -c 'exit 3'", "command");
	is_string(t->only, NULL, "nothing selected");
	ok(t->call_user == 4e-8, "what looks like user time");
	ok(!strcmp(t->host_id, "00c0ffee") && !strcmp(t->cpu, "Z80"), "which machine");
	const struct time_run *r = &t->runs[0];
	ok(r->wall == 1.5 && r->status == 3 && r->processes == 1 && r->threads == 2 &&
	       r->complete && r->usage.user == 0.1 && r->usage.major_faults == 6,
	   "a run");
	ok(!t->runs[1].complete && t->runs[1].nprograms == 0, "an incomplete run without programs");
	const struct time_program *p = r->programs;
	ok(r->nprograms == 1 && !strcmp(p->program, "sh") && p->pid == 17 && p->wall == 1.25 &&
	       p->end == TIME_RUNNING && p->counted && p->usage.voluntary == 3,
	   "a program");
	struct time_usage sum = { .user = 1, .minor_faults = 2 };
	time_usage_add(&sum, &p->usage);
	ok(sum.user == 1.1 && sum.minor_faults == 7 && sum.system == 0.2, "usage is added up");
	timefile_free(t);
	unlink(path);
	t = sample();
	t->runs[1].usage.user = NAN;
	cmp_int(timefile_write(t, path, &e), -1, "what cannot be read is not written: %s", e.text);
	ok(access(path, F_OK), "no file");
	timefile_free(t);
}

#define HEAD1 \
	"\"command\": \"c\", \"created\": \"\", \"host\": \"\", \"kernel\": \"\", \"method\": " \
	"\"wait\""
#define HEAD HEAD1 ", \"host_id\": \"id\", \"cpu\": \"\""
#define RUN \
	"\"wall\": 1, \"status\": 0, \"processes\": 1, \"threads\": 1, \"user\": 1, \"system\": " \
	"1, " \
	"\"voluntary\": 1, \"involuntary\": 1, \"minor_faults\": 1, \"major_faults\": 1"
#define FILE_OF(run) "{ \"schema\": \"osvec-time/2\", " HEAD ", \"runs\": [{ " run " }] }"

static void test_bad(void)
{
	static const struct {
		const char *text, *what;
	} bad[] = {
		{ "", "nothing" },
		{ "{ \"schema\": \"osvec-time/3\" }", "another schema" },
		{ "{ \"schema\": \"osvec-time/0\" }", "no schema of ours" },
		{ "{ \"schema\": \"osvec-time/2\", " HEAD ", \"runs\": [] }", "no run" },
		{ "{ \"schema\": \"osvec-time/2\", " HEAD " }", "no list of runs" },
		{ "{ \"schema\": \"osvec-time/2\", " HEAD1 ", \"runs\": [{ " RUN
		  ", \"programs\": [] }] }",
		  "no machine in a file of version 2" },
		{ FILE_OF(RUN), "no list of programs" },
		{ FILE_OF(RUN ", \"programs\": 3"), "programs are no list" },
		{ FILE_OF(RUN ", \"programs\": [3]"), "a program is no object" },
		{ FILE_OF("\"wall\": -1, \"programs\": []"), "a negative time" },
		{ FILE_OF("\"wall\": \"1\", \"programs\": []"), "a time that is no number" },
		{ FILE_OF("\"wall\": 1e300, \"programs\": []"), "a time beyond all times" },
		{ FILE_OF(RUN
			  ", \"programs\": [{ \"program\": \"x\", \"pid\": 1, \"start\": 0, " RUN
			  ", \"counted\": true, \"end\": \"never\" }]"),
		  "an end that is none" },
	};
	struct error e;
	struct timefile *t;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		t = timefile_parse(bad[i].text, strlen(bad[i].text), "f", &e);
		ok(!t, "%s: %s", bad[i].what, t ? "" : e.text);
		timefile_free(t);
	}
	t = timefile_parse(FILE_OF(RUN ", \"programs\": []"),
			   strlen(FILE_OF(RUN ", \"programs\": []")), "f", &e);
	ok(t != NULL, "the smallest good file");
	timefile_free(t);
	static const char old[] = "{ \"schema\": \"osvec-time/1\", " HEAD1 ", \"runs\": [{ " RUN
				  ", \"programs\": [] }] }";
	t = timefile_parse(old, strlen(old), "f", &e);
	ok(t && !*t->host_id && !*t->cpu, "version 1 is read, and does not know its machine");
	timefile_free(t);
	ok(!timefile_read("/no/such/file", &e), "no file: %s", e.text);
}

/* The example of the manual page is a time file. */
static void test_page(void)
{
	struct error e = { "" };
	size_t n;
	char *page = file_read("docs/osvec-time.5", 1 << 20, &n, &e);
	char *begin = page ? strstr(page, "\n{\n") : NULL;
	char *end = begin ? strstr(begin, "\n.Ed") : NULL;

	if (!ok(end != NULL, "osvec-time.5 has an example %s", e.text))
		return;
	struct timefile *t = timefile_parse(begin, (size_t)(end - begin), "osvec-time.5", &e);
	ok(t && t->nruns == 1 && t->runs[0].nprograms == 1, "it is sound %s", e.text);
	timefile_free(t);
	free(page);
}

int main(void)
{
	test_page();
	test_round_trip();
	test_bad();
	return done_testing();
}
