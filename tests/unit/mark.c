/* SPDX-License-Identifier: MIT */
/* Tests of marks: written by threads and processes, read at the times of a trace. */
#include "mark/osvec-mark.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "graph/marks.h"
#include "mark/mark_file.h"
#include "trace/syscalls.h"

#include "../tap.h"

/* More than fit into a window. */
enum { MANY = 40000, TIMES = 100000, NAMES = 10000, LENGTH = 255, SLACK = 5000 /* ns */ };

static char directory[] = "/tmp/osvec-mark-XXXXXX";

/* More names than are remembered, so long that they do not fit to the end of a window. */
static char names[NAMES][LENGTH + 1];

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint32_t stranger; /* its tid */

static void *be_stranger(void *arg)
{
	stranger = (uint32_t)gettid();
	osvec_state("stranger");
	return arg;
}

static void *other(void *arg)
{
	osvec_state("other");
	return arg;
}

/* Returns the exit status of a child that runs f, or a negative signal. */
static int in_child(int (*f)(void))
{
	pid_t child = fork();
	int status = 0;

	if (!child)
		_exit(f());
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int mark_once(void)
{
	osvec_state("child");
	return 0;
}

static int mark_often(void)
{
	for (int i = 0; i < MANY; i++)
		osvec_state("often");
	return 0;
}

/* Daemons close all descriptors; the next file that is opened has the number of a closed one. */
static int close_all(void)
{
	char path[512];
	struct stat st;
	int fds[8];

	osvec_state("daemon");
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	snprintf(path, sizeof(path), "%s/victim", directory);
	for (int i = 0; i < 8; i++)
		fds[i] = open(path, O_RDWR | O_CREAT, 0600);
	mark_often();
	unlink(path);
	return fstat(fds[0], &st) || st.st_size || *fds != 3;
}

static int stay_below_limit(void)
{
	struct rlimit limit = { MARK_WINDOW * 3 / 2, RLIM_INFINITY };

	return setrlimit(RLIMIT_FSIZE, &limit) || mark_often();
}

/* 77: nothing can be mounted here. */
static int fill_disk(void)
{
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", directory, "tmpfs", 0, "size=1100k"))
		return 77;
	return mark_often();
}

static void make_marks_without_room(void)
{
	cmp_int(in_child(close_all), 0, "files of the program stay as they are");
	cmp_int(in_child(stay_below_limit), 0, "a limit of the size of files ends no process");
	int status = in_child(fill_disk);
	if (status == 77)
		skip("no file system can be mounted here", 1);
	else
		cmp_int(status, 0, "nor does a full disk");
}

/* Returns the number of mark files that are no multiple of a window. */
static int count_cut(void)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	struct stat st;
	int n = 0;

	while (dir && (entry = readdir(dir)))
		n += strstr(entry->d_name, ".marks") &&
		     !fstatat(dirfd(dir), entry->d_name, &st, 0) && st.st_size % MARK_WINDOW != 0;
	if (dir)
		closedir(dir);
	return n;
}

enum { ALIKE = 4, TURNS = 100 };
static uint32_t in_turn; /* its tid */

/* The hash of an address in mark.c. */
static unsigned hash(const char *name)
{
	return (unsigned)((uintptr_t)name * 0x9e3779b97f4a7c15u >> 56);
}

/* Makes marks with names in turn whose hash is the same. */
static void *mark_in_turn(void *arg)
{
	static char pool[4096][2];
	const char *found[ALIKE] = { 0 };
	int n = 0;

	in_turn = (uint32_t)gettid();
	for (int i = 0; i < 4096 && n < ALIKE; i++)
		if (hash(pool[i]) == hash(pool[0])) {
			pool[i][0] = 'a';
			found[n++] = pool[i];
		}
	for (int i = 0; i < TURNS * ALIKE; i++)
		osvec_state(found[i % ALIKE]);
	return arg;
}

/* Returns the size of the file of a thread; -1: there is none. */
static int64_t size_of(uint32_t tid)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	struct stat st;
	int64_t size = -1;
	uint32_t its;

	while (dir && (entry = readdir(dir)))
		if (sscanf(entry->d_name, "%*u.%" SCNu32 ".", &its) == 1 && its == tid &&
		    !fstatat(dirfd(dir), entry->d_name, &st, 0))
			size = st.st_size;
	if (dir)
		closedir(dir);
	return size;
}

static void make_marks(void)
{
	pthread_t thread;

	errno = ENOENT;
	osvec_state("first");
	cmp_int(errno, ENOENT, "a mark keeps errno");
	for (uint64_t i = 1; i <= MANY; i++)
		osvec_mark(OSVEC_ENQUEUE, i % 2 ? "odd" : "even", i, i);
	for (int i = 0; i < NAMES; i++) {
		memset(names[i], 'n', LENGTH);
		for (size_t k = 0; k < sizeof(i); k++)
			names[i][k] = (char)('a' + (i >> 4 * k) % 16);
		osvec_mark(OSVEC_DEQUEUE, names[i], 1, 0);
	}
	static char longer[2 * MARK_NAME_MOST];
	memset(longer, 'l', sizeof(longer) - 1);
	osvec_state(longer);
	/* Long enough for the counter of the processor to stand in for the clock. */
	for (int i = 0; i < TIMES; i++)
		osvec_mark(OSVEC_STATE, "time", now(), 0);
	if (!pthread_create(&thread, NULL, other, NULL))
		pthread_join(thread, NULL);
	cmp_int(count_cut(), 1, "the file of a thread that ended is as long as its marks");
	if (!pthread_create(&thread, NULL, mark_in_turn, NULL))
		pthread_join(thread, NULL);
	cmp_int(size_of(in_turn),
		sizeof(struct mark_head) + (2 + TURNS) * ALIKE * sizeof(struct mark_slot),
		"which has each of four names once, although all have one hash");
	if (!pthread_create(&thread, NULL, be_stranger, NULL))
		pthread_join(thread, NULL);
	cmp_int(in_child(mark_once), 0, "a child can make marks");
	osvec_link(7);
}

/* The call that the library makes in a thread, at time 1000 of a trace. */
static struct event sync_call(uint32_t tid, uint64_t time)
{
	return (struct event){ .type = EVENT_SYSCALL,
			       .tid = tid,
			       .time = 1000,
			       .call = { .id = syscall_by_name("lseek"),
					 .args = { (uint64_t)-1, time, MARK_SYNC },
					 .result = -EBADF } };
}

/* Those of all threads that made marks, except for one. */
static void sync_all(struct marks *m, uint32_t except, uint64_t time)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	uint32_t tid;

	while (dir && (entry = readdir(dir)))
		if (sscanf(entry->d_name, "%*u.%" SCNu32 ".", &tid) == 1 && tid != except) {
			struct event sync = sync_call(tid, time);

			marks_sync(m, &sync);
		}
	if (dir)
		closedir(dir);
}

/* Writes the file of an earlier run, in which a thread had that ID. */
static void make_earlier_run(const char *name, uint32_t tid)
{
	struct mark_head head = {
		.magic = MARK_MAGIC, .version = MARK_VERSION, .tid = tid, .started = 1
	};
	char path[512];

	snprintf(path, sizeof(path), "%s/%s.marks", directory, name);
	FILE *f = fopen(path, "w");
	ok(f && fwrite(&head, sizeof(head), 1, f) == 1 && !fclose(f), "there are older marks");
}

static void read_marks(uint64_t start)
{
	struct error e;
	struct marks *m = marks_open(directory, &e);
	struct event mark, sync = sync_call((uint32_t)getpid(), start);
	uint64_t n = 0, wrong = 0, named = 0;
	int64_t last = 0;
	int others = 0, children = 0, links = 0, times = 0, early = 0, late = 0, often = 0,
	    ends = 0, strangers = 0, cut = 0;
	int64_t before = 0; /* its mark was made before the time that the next one says */

	ok(m, "the files are there");
	if (!m)
		return;
	ok(!marks_next(m, INT64_MAX, &mark), "no mark before its time is known");
	/* Of several calls that counts which was seen soonest after it had read the clock. */
	struct event slow[2] = { sync_call(sync.tid, start - 1000000),
				 sync_call(sync.tid, start - 2000000) };
	marks_sync(m, &slow[0]);
	marks_sync(m, &sync);
	marks_sync(m, &slow[1]);
	sync_all(m, stranger, start);
	ok(!marks_next(m, 999, &mark), "none was made before the trace");
	ok(marks_next(m, INT64_MAX, &mark) && mark.mark.verb == MARK_STATE &&
	       !strcmp(mark.mark.name, "first") && mark.tid == (uint32_t)getpid() &&
	       mark.pid == mark.tid,
	   "the first one is the first");
	ok(mark.time >= 1000 && mark.time < 1000 + 60000000000, "at about that time");
	while (marks_next(m, INT64_MAX, &mark)) {
		wrong += mark.time < last;
		last = mark.time;
		others += !strcmp(mark.mark.name, "other") && mark.tid != mark.pid;
		children += !strcmp(mark.mark.name, "child") && mark.pid != (uint32_t)getpid();
		strangers += !strcmp(mark.mark.name, "stranger");
		often += !strcmp(mark.mark.name, "often");
		ends += !strcmp(mark.mark.name, MARK_ENDED);
		cut += strspn(mark.mark.name, "l") == MARK_NAME_MOST;
		links += mark.mark.verb == MARK_LINK && mark.mark.tag == 7;
		if (mark.mark.verb == MARK_DEQUEUE)
			wrong += strcmp(mark.mark.name, names[named++]) != 0;
		if (!strcmp(mark.mark.name, "time")) {
			int64_t since = (int64_t)(mark.mark.amount - start) + 1000;

			times++;
			early += mark.time < since - SLACK;
			late += before > since + SLACK;
			before = mark.time;
		}
		if (mark.mark.verb != MARK_ENQUEUE)
			continue;
		n++;
		wrong += mark.mark.amount != n || mark.mark.tag != n ||
			 strcmp(mark.mark.name, n % 2 ? "odd" : "even") != 0;
	}
	cmp_int(n, MANY, "all of many, in several windows");
	cmp_int(named, NAMES, "those of many names");
	cmp_int(cut, 1, "and one of a name that is too long");
	cmp_int(wrong, 0, "with their names, amounts and tags, in order of time");
	cmp_int(times, TIMES, "those that say their time");
	cmp_int(early, 0, "which no mark is made before");
	/* The thread may have lost its CPU each time that both clocks were read. */
	ok(late <= TIMES / 100, "or after the next one: %d", late);
	cmp_int(others, 1, "those of another thread");
	cmp_int(children, 1, "and of a child process");
	cmp_int(links, 1, "and what is marked behind that");
	cmp_int(ends, 1, "the last mark of a file that cannot grow says so");
	ok(often > MANY + MARK_WINDOW / 32 - 16 && often < 2 * MANY, "behind all that fit: %d",
	   often);
	cmp_int(strangers, 0, "none of a thread that the trace does not know");
	cmp_int(marks_close(m, &e), 3, "whose file is left out, as are those of an earlier run");
}

static void read_damaged(void)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	struct event mark;
	struct error e;
	char path[512];

	while (dir && (entry = readdir(dir)))
		if (strstr(entry->d_name, ".marks")) {
			snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
			FILE *f = fopen(path, "r+");
			if (f && !fseek(f, 64, SEEK_SET))
				for (int i = 0; i < 999; i++)
					putc(i * 7, f);
			if (f)
				fclose(f);
		}
	if (dir)
		closedir(dir);
	struct marks *m = marks_open(directory, &e);
	ok(m, "damaged files are opened");
	if (!m)
		return;
	sync_all(m, 0, 1);
	while (marks_next(m, INT64_MAX, &mark))
		;
	ok(marks_close(m, &e) < 0 && strstr(e.text, "is damaged"), "and named: %s", e.text);
	ok(!marks_open("/nonexistent", &e), "no directory: %s", e.text);
}

static void remove_files(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	if (system(command))
		diag("the directory stays");
}

/* Whether a file that contains a name and this slot is found damaged. */
static bool is_damaged(struct mark_slot slot)
{
	struct {
		struct mark_head head;
		struct mark_slot name, text, slot, more[99];
	} all = { .head = { .magic = MARK_MAGIC, .version = MARK_VERSION, .tid = 1 },
		  .name = { .verb = MARK_NAME, .name = 1, .amount = 1 },
		  .text = { .time = 'n' },
		  .slot = slot };
	struct event mark, sync = sync_call(1, 1);
	char path[512];
	struct error e;

	remove_files();
	snprintf(path, sizeof(path), "%s/1.marks", directory);
	FILE *f = mkdir(directory, 0700) ? NULL : fopen(path, "w");
	if (!f || fwrite(&all, sizeof(all), 1, f) != 1 || fclose(f))
		return false;
	struct marks *m = marks_open(directory, &e);
	if (!m)
		return false;
	marks_sync(m, &sync);
	while (marks_next(m, INT64_MAX, &mark))
		;
	return marks_close(m, &e) < 0;
}

/* The same files are of two hosts, whose clocks differ. */
static void read_hosts(void)
{
	enum { SECOND = 1 << HOST_SHIFT };
	struct mark_head head = { .magic = MARK_MAGIC, .version = MARK_VERSION, .pid = 1 };
	struct event mark;
	struct error e;

	remove_files();
	bool made = !mkdir(directory, 0700);
	for (uint32_t tid = 1; tid <= 2; tid++) {
		const struct mark_slot slots[] = { { .verb = MARK_NAME, .name = 1, .amount = 0 },
						   { 5000 * tid + 7, OSVEC_STATE, 1, 0, 0 } };
		char path[512];

		head.tid = tid;
		snprintf(path, sizeof(path), "%s/%u.marks", directory, tid);
		FILE *f = fopen(path, "w");
		made &= f && fwrite(&head, sizeof(head), 1, f) == 1 &&
			fwrite(slots, sizeof(slots), 1, f) == 1 && !fclose(f);
	}
	struct marks *m = made ? marks_open(directory, &e) : NULL;
	ok(m, "marks of two hosts");
	if (!m)
		return;
	const struct event sync[] = { sync_call(SECOND + 2, 10000), sync_call(1, 5000) };
	marks_sync(m, &sync[0]);
	marks_sync(m, &sync[1]);
	for (uint32_t i = 0; i < 2; i++) {
		const uint32_t host = i ? 0 : SECOND;

		ok(marks_next(m, INT64_MAX, &mark) && mark.tid == sync[i].tid &&
		       mark.pid == host + 1 && mark.time == 1007,
		   "each has its clock and its threads");
	}
	cmp_int(marks_close(m, &e), 0, "and all files are read");
}

static void read_wrong(void)
{
	ok(!is_damaged((struct mark_slot){ 5, OSVEC_IDENTIFY, 1, 0, 7 }), "a file is read");
	ok(is_damaged((struct mark_slot){ INT64_MAX, OSVEC_STATE, 1, 0, 0 }),
	   "not with such a time");
	ok(is_damaged((struct mark_slot){ 5, OSVEC_IDENTIFY + 1, 1, 0, 0 }), "nor with that verb");
	ok(is_damaged((struct mark_slot){ 5, OSVEC_STATE, 2, 0, 0 }), "nor without the name");
	ok(is_damaged((struct mark_slot){ 0, MARK_NAME, 2, MARK_NAME_MOST + 1, 0 }),
	   "nor with so long a name");
}

int main(void)
{
	if (!mkdtemp(directory))
		skip_all("no temporary directory");
	setenv("OSVEC_MARKS", directory, 1);
	uint64_t start = now();
	make_marks();
	make_marks_without_room();
	make_earlier_run("earlier", (uint32_t)getpid());
	make_earlier_run("0.4194303.0", 4194303);
	/* Fewer than there are mark files. */
	struct rlimit limit = { 6, RLIM_INFINITY };
	setrlimit(RLIMIT_NOFILE, &limit);
	read_marks(start);
	read_damaged();
	read_wrong();
	read_hosts();
	remove_files();
	return done_testing();
}
