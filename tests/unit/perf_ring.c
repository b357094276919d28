/* SPDX-License-Identifier: MIT */
/* perf_ring: what the kernel writes to the ring of a perf event, as records. */
#include "../tap.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "record/perf/perf_ring.h"
#include "record/program.h"

enum { BYTES = 1 << 12, ENTRY = 501, EXIT = 500, PID = 5000000 /* none has it */, TID };

static struct tracepoints tracepoints;
static uint32_t lost_records = 7; /* of another ring of this CPU */
static struct perf_cpu cpu = { .tracepoints = &tracepoints, .cpu = 3, .lost = &lost_records };
static struct perf_event_mmap_page *head;
static char *data;

/* The kernel's side: a header, n bytes, and for all but samples the stamp. */
static uint32_t pid = PID; /* of records of tasks */

static void put(unsigned type, unsigned misc, uint64_t time, const void *body, size_t n)
{
	struct {
		uint32_t pid, tid;
		uint64_t time;
	} stamp = { pid, TID, time };
	char record[512];
	struct perf_event_header h = { .type = type, .misc = (uint16_t)misc };
	size_t at = sizeof(h);

	if (n)
		memcpy(record + at, body, n);
	at += n;
	if (type != PERF_RECORD_SAMPLE) {
		memcpy(record + at, &stamp, sizeof(stamp));
		at += sizeof(stamp);
	}
	h.size = (uint16_t)at;
	memcpy(record, &h, sizeof(h));
	for (size_t i = 0; i < at; i++)
		data[(head->data_head + i) % BYTES] = record[i];
	head->data_head += at;
}

/* A call's entry with n arguments 100, 101, ..., or its exit with that result. */
static void put_call(uint16_t id, uint64_t time, int number, int n, int64_t result)
{
	struct {
		uint32_t pid, tid;
		uint64_t time;
		uint32_t size;
		char raw[100];
	} s = { PID, TID, time, 20 + 8 * (uint32_t)n, "" };
	int64_t value = result;

	memcpy(s.raw, &id, sizeof(id));
	memcpy(s.raw + 8, &number, sizeof(number));
	for (int i = 0; i < n; i++) {
		if (id % 2 == ENTRY % 2)
			value = 100 + i;
		memcpy(s.raw + 16 + 8 * i, &value, sizeof(value));
	}
	put(PERF_RECORD_SAMPLE, 0, time, &s, 20 + s.size);
}

static const struct record *next(struct rings *r)
{
	static struct record_exec copy; /* the largest */
	const struct record *got;

	rings_look(r, true);
	got = rings_next(r);
	if (!got)
		return NULL;
	memcpy(&copy, got, got->type == RECORD_EXEC ? sizeof(copy) : sizeof(struct record_call));
	rings_done(r);
	return &copy.head;
}

static void calls(struct rings *r)
{
	const struct record_call *c;
	bool right = true;

	put_call(EXIT, 10, 39, 1, 7); /* as long as an entry with one argument */
	ok(!perf_ring_learn(&r->v[0], &tracepoints) && !next(r), "it waits until it can tell");
	put_call(ENTRY, 20, 257, 4, 0);
	ok(perf_ring_learn(&r->v[0], &tracepoints), "an entry of another size tells");
	c = (const void *)next(r);
	ok(c && c->head.type == RECORD_RETURN && c->number == 39 && c->result == 7 &&
	       c->head.time == 10 && c->head.pid == PID && c->head.tid == TID && c->cpu == 3,
	   "the exit of a call");
	c = (const void *)next(r);
	ok(c && c->head.type == RECORD_ENTRY && c->number == 257 && c->begin == 20 &&
	       c->args[0] == 100 && c->args[3] == 103 && c->args[4] == 0,
	   "the entry of a call");
	put_call(999, 25, 1, 2, 0);
	ok(!next(r), "another tracepoint does not count");
	static const int none[] = { -1, 65536 + 39 };
	for (int i = 0; i < 2; i++) {
		put_call(ENTRY, 26 + (uint64_t)i, none[i], 2, 0);
		c = (const void *)next(r);
		ok(c && c->number == 65535, "%d, which no call has, is not that of another",
		   none[i]);
	}
	for (int i = 0; i < 500; i++) {
		put_call(ENTRY, 30 + (uint64_t)i, i, i % 7, 0);
		c = (const void *)next(r);
		right &= c && c->number == i &&
			 c->args[i % 7 ? i % 7 - 1 : 5] == (i % 7 ? 99 + (uint64_t)(i % 7) : 0);
	}
	ok(right, "many times around the ring");
	cmp_int(cpu.samples, 505, "all samples are counted");
	cmp_int(head->data_tail >= head->data_head - BYTES / 8, 1,
		"the kernel gets its space back");
}

static void tasks(struct rings *r)
{
	const struct {
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} task = { 80, PID, 81, TID, 1000 };
	const uint64_t lost[2] = { 1, 23 };
	struct {
		uint32_t pid, tid;
		char comm[16];
	} comm = { PID, TID, "perf ring" };
	const struct record *got;

	put(PERF_RECORD_FORK, 0, 1000, &task, sizeof(task));
	got = next(r);
	ok(got && got->type == RECORD_FORK && got->pid == PID && got->tid == TID &&
	       ((const struct record_fork *)got)->child_pid == 80 &&
	       ((const struct record_fork *)got)->child_tid == 81,
	   "a birth is the parent's");
	put(PERF_RECORD_EXIT, 0, 1001, &task, sizeof(task));
	got = next(r);
	ok(got && got->type == RECORD_EXIT && ((const struct record_exit *)got)->status == -1 &&
	       ((const struct record_exit *)got)->last == LAST_IS_UNKNOWN && got->lost == 7,
	   "a death");
	put(PERF_RECORD_LOST, 0, 1002, lost, sizeof(lost));
	put(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, 1003, NULL, 0);
	got = next(r);
	ok(got && got->type == RECORD_SWITCH && got->lost == 30 && lost_records == 30 &&
	       got->time == 1003 && ((const struct record_switch *)got)->out &&
	       !((const struct record_switch *)got)->preempted,
	   "a loss has its place before the next record");
	put(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT | 1 << 14, 1004, NULL, 0);
	got = next(r);
	ok(got && ((const struct record_switch *)got)->preempted, "a thread that lost its CPU");
	put(PERF_RECORD_COMM, 0, 1005, &comm, sizeof(comm));
	ok(!next(r), "another name is no other program");
	put(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 1006, &comm, sizeof(comm));
	got = next(r);
	ok(got && got->type == RECORD_EXEC && !((const struct record_exec *)got)->foreign &&
	       !strcmp(((const struct record_exec *)got)->name, "perf ring") &&
	       ((const struct record_exec *)got)->bytes == strlen(comm.comm) + 1,
	   "another program, by its name where its process has ended");
}

/* The command of the program `name` of this process, whose name is another one by now. */
static void is_command(struct rings *r, const char *now, const char *name, const char *want,
		       const char *what)
{
	struct {
		uint32_t pid, tid;
		char comm[16];
	} comm = { (uint32_t)getpid(), TID, "" };
	const struct record_exec *got;
	static uint64_t time = 2000;

	snprintf(comm.comm, sizeof(comm.comm), "%s", name);
	prctl(PR_SET_NAME, now);
	pid = comm.pid;
	put(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, time++, &comm, sizeof(comm));
	pid = PID;
	got = (const void *)next(r);
	is_string(got ? got->args : "", want, "%s", what);
}

static void commands(struct rings *r, char *args)
{
	char *first = xstrdup(args);

	is_command(r, "ring", "ring", first, "the arguments of a program");
	is_command(r, "other", "perf_ring", first, "of one that has another name now");
	is_command(r, "other", "env", "env", "not those of the program that came after it");
	snprintf(args, strlen(args) + 1, "ring: its");
	is_command(r, "ring", "ring", "ring", "a title is no argument");
	free(first);
}

int main(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("ring", MFD_CLOEXEC);
	char *memory;
	struct rings r;

	if (fd < 0 || ftruncate(fd, (off_t)(page + BYTES)))
		skip_all("no memory file");
	memory = mmap(NULL, page + BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	head = (void *)memory;
	data = memory + page;
	vec_push(&tracepoints.ids, EXIT);
	vec_push(&tracepoints.ids, ENTRY);
	cpu.copy = xmalloc(1 << 16);
	cmp_int(rings_open(&r, &perf_ring, &fd, 1, BYTES), 0, "a ring is mapped");
	r.v[0].arg = &cpu;
	calls(&r);
	tasks(&r);
	commands(&r, argv[argc - 1]);
	rings_close(&r);
	free(cpu.copy);
	vec_free(&tracepoints.ids);
	return done_testing();
}
