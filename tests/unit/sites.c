/* SPDX-License-Identifier: MIT */
/* Tests of libosvec-sites: which states the calls of a program are marked as. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "../../lib/mark/place.c"

#include "graph/marks.h"
#include "mark/mark_file.h"
#include "trace/syscalls.h"

#include "../tap.h"

#define SITES "libosvec-sites.so"

/* ---- programs ---- */

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static mtx_t standard; /* of C11 */
static cnd_t news;

static struct other {
	void (*run)(void);
	_Atomic pid_t tid;
	atomic_bool done;
} other;

static void *run_other(void *arg)
{
	other.tid = (pid_t)syscall(SYS_gettid);
	other.run();
	other.done = true;
	return arg;
}

static bool is_asleep(pid_t tid)
{
	char path[64], line[128] = "";

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	FILE *f = fopen(path, "r");
	const char *end = f && fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	if (f)
		fclose(f);
	return end && end[1] == ' ' && end[2] == 'S';
}

/* Another thread does that, and waits when this returns. */
static void let_wait(void (*run)(void))
{
	pthread_t t;

	other = (struct other){ .run = run };
	pthread_create(&t, NULL, run_other, NULL);
	pthread_detach(t);
	while (!other.tid || !is_asleep(other.tid))
		sched_yield();
}

static void await_other(void)
{
	while (!other.done)
		sched_yield();
}

static struct timespec soon(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += 10000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

static void want_one(void)
{
	pthread_mutex_lock(&one);
	pthread_mutex_unlock(&one);
}

static void want_two(void)
{
	pthread_mutex_lock(&two);
	pthread_mutex_unlock(&two);
}

static void want_to_write(void)
{
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static void want_to_read(void)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static void want_semaphore(void)
{
	sem_wait(&semaphore);
}

static void want_condition(void)
{
	pthread_mutex_lock(&one);
	pthread_cond_wait(&condition, &one);
	pthread_mutex_unlock(&one);
}

static void hold_free(void)
{
	pthread_mutex_lock(&one);
	pthread_mutex_unlock(&one);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	sem_post(&semaphore);
	sem_wait(&semaphore);
	pthread_cond_signal(&condition);
}

static void check_that(bool right)
{
	if (!right)
		_exit(1);
}

/* What is locked for writing excludes, what is locked for reading does not. */
static void exclude(void)
{
	struct timespec until = soon(CLOCK_REALTIME), then = soon(CLOCK_MONOTONIC);

	check_that(!pthread_rwlock_timedwrlock(&rwlock, &until));
	check_that(pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
	pthread_rwlock_unlock(&rwlock);
	check_that(!pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &then));
	check_that(pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
	pthread_rwlock_unlock(&rwlock);
	check_that(!pthread_rwlock_timedrdlock(&rwlock, &until));
	check_that(!pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &then));
	check_that(!pthread_rwlock_tryrdlock(&rwlock));
	check_that(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
	for (int i = 0; i < 3; i++)
		pthread_rwlock_unlock(&rwlock);
	check_that(!pthread_rwlock_trywrlock(&rwlock));
	check_that(pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
	pthread_rwlock_unlock(&rwlock);
}

/* A program that reports an error takes a lock first.  Without descriptors the library fails. */
static void keep_errno(void)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_NOFILE, &none);
	errno = ENOENT;
	pthread_mutex_lock(&one);
	check_that(errno == ENOENT);
	pthread_mutex_unlock(&one);
	check_that(errno == ENOENT);
}

static atomic_bool go, got;

/* Its first mark is made while it is to be cancelled. */
static void *lock_although_cancelled(void *arg)
{
	other.tid = (pid_t)syscall(SYS_gettid);
	while (!go)
		;
	pthread_mutex_lock(&one);
	got = true;
	pthread_mutex_unlock(&one);
	pthread_testcancel();
	return arg;
}

static void cancel_in_lock(void)
{
	pthread_t t;

	pthread_mutex_lock(&one);
	pthread_create(&t, NULL, lock_although_cancelled, NULL);
	pthread_cancel(t);
	go = true;
	for (int i = 0; i < 1000 && !(other.tid && is_asleep(other.tid)); i++)
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	pthread_mutex_unlock(&one);
	pthread_join(t, NULL);
	check_that(got);
}

static void *take_and_give(void *arg)
{
	while (!arg) {
		sem_wait(&semaphore);
		sem_post(&semaphore);
	}
	return arg;
}

static void cancel_at_semaphore(void)
{
	void *result;
	pthread_t t;

	sem_post(&semaphore);
	pthread_create(&t, NULL, take_and_give, NULL);
	pthread_cancel(t);
	pthread_join(t, &result);
	check_that(result == PTHREAD_CANCELED);
}

/* Most of the smallest stack, as a program may use it. */
__attribute__((noinline)) static void use_stack(void)
{
	volatile char room[10000];

	for (size_t i = 0; i < sizeof(room); i += 64)
		room[i] = 1;
}

static void *want_with_little_stack(void *arg)
{
	use_stack();
	run_other(arg);
	return arg;
}

static void give_on_other_stack(int number)
{
	(void)number;
	sem_post(&semaphore);
}

static void use_little_stack(void)
{
	struct sigaction action = { .sa_handler = give_on_other_stack, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 5000 };
	pthread_attr_t a;
	pthread_t t;

	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, (size_t)PTHREAD_STACK_MIN);
	pthread_mutex_lock(&one);
	other = (struct other){ .run = want_one };
	check_that(!pthread_create(&t, &a, want_with_little_stack, NULL));
	while (!other.tid || !is_asleep(other.tid))
		sched_yield();
	pthread_mutex_unlock(&one);
	pthread_join(t, NULL);
	let_wait(want_semaphore);
	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	await_other();
}

static void hold_one(void)
{
	pthread_mutex_lock(&one);
	let_wait(want_one);
	pthread_mutex_unlock(&one);
}

static void hold_both(void)
{
	pthread_mutex_lock(&one);
	pthread_mutex_lock(&two);
	let_wait(want_two);
	pthread_mutex_unlock(&two);
	pthread_mutex_unlock(&one);
}

static void release_first(void)
{
	pthread_mutex_lock(&one);
	pthread_mutex_lock(&two);
	let_wait(want_one);
	pthread_mutex_unlock(&one);
	pthread_mutex_unlock(&two);
}

static void try_one(void)
{
	if (!pthread_mutex_trylock(&one))
		let_wait(want_one);
	pthread_mutex_unlock(&one);
}

static void hold_rwlock(void)
{
	pthread_rwlock_rdlock(&rwlock);
	let_wait(want_to_write);
	pthread_rwlock_unlock(&rwlock);
	await_other();
	pthread_rwlock_wrlock(&rwlock);
	let_wait(want_to_read);
	pthread_rwlock_unlock(&rwlock);
}

static void make_mutex(int protocol, int robust, int type)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, protocol);
	pthread_mutexattr_setrobust(&a, robust);
	pthread_mutexattr_settype(&a, type);
	pthread_mutex_init(&one, &a);
}

static void hold_inheriting(void)
{
	make_mutex(PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED, PTHREAD_MUTEX_NORMAL);
	want_one();
	hold_one();
}

static void hold_recursive(void)
{
	make_mutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_lock(&one);
	hold_one();
	pthread_mutex_unlock(&one);
}

static void *lock_and_end(void *arg)
{
	pthread_mutex_lock(&one);
	return arg;
}

/* Its former holder has ended. */
static void inherit(void)
{
	pthread_t t;

	make_mutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST, PTHREAD_MUTEX_NORMAL);
	pthread_create(&t, NULL, lock_and_end, NULL);
	pthread_join(t, NULL);
	if (pthread_mutex_lock(&one) == EOWNERDEAD)
		pthread_mutex_consistent(&one);
	let_wait(want_one);
	pthread_mutex_unlock(&one);
}

static void *hold_for_ever(void *arg)
{
	pthread_mutex_lock(&two);
	other.done = true;
	pause();
	return arg;
}

static void give_up(void)
{
	struct timespec until = soon(CLOCK_REALTIME), then = soon(CLOCK_MONOTONIC);
	pthread_t t;

	pthread_create(&t, NULL, hold_for_ever, NULL);
	await_other();
	pthread_mutex_timedlock(&two, &until);
	pthread_mutex_clocklock(&two, CLOCK_MONOTONIC, &then);
	sem_timedwait(&semaphore, &until);
	sem_clockwait(&semaphore, CLOCK_MONOTONIC, &then);
	pthread_mutex_lock(&one);
	pthread_cond_timedwait(&condition, &one, &until);
	pthread_cond_clockwait(&condition, &one, CLOCK_MONOTONIC, &then);
	pthread_mutex_unlock(&one);
}

static void wake_others(void)
{
	let_wait(want_condition);
	pthread_cond_signal(&condition);
	await_other();
	let_wait(want_condition);
	pthread_cond_broadcast(&condition);
	await_other();
	let_wait(want_semaphore);
	sem_post(&semaphore);
}

static void want_standard(void)
{
	mtx_lock(&standard);
	mtx_unlock(&standard);
}

static void want_news(void)
{
	mtx_lock(&standard);
	cnd_wait(&news, &standard);
	mtx_unlock(&standard);
}

static int end_at_once(void *arg)
{
	(void)arg;
	return 7;
}

static void use_c11(void)
{
	struct timespec until = soon(CLOCK_REALTIME);
	int result;
	thrd_t t;

	mtx_init(&standard, mtx_timed);
	cnd_init(&news);
	want_standard();
	mtx_lock(&standard);
	let_wait(want_standard);
	mtx_unlock(&standard);
	await_other();
	if (mtx_trylock(&standard) != thrd_success)
		_exit(1);
	let_wait(want_standard);
	mtx_unlock(&standard);
	await_other();
	let_wait(want_news);
	cnd_signal(&news);
	await_other();
	mtx_timedlock(&standard, &until);
	if (cnd_timedwait(&news, &standard, &until) != thrd_timedout)
		_exit(1);
	mtx_unlock(&standard);
	thrd_create(&t, end_at_once, NULL);
	if (thrd_join(t, &result) != thrd_success || result != 7)
		_exit(1);
}

static void post(void)
{
	struct timespec t = { 0, 20000000 };

	nanosleep(&t, NULL);
	sem_post(&semaphore);
}

/* A thread that waits says where even if nobody holds what it waits for. */
static void meet(void)
{
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 1);
	pthread_barrier_wait(&barrier);
	let_wait(post);
	errno = ENOENT;
	sem_wait(&semaphore);
	if (errno != ENOENT)
		_exit(1);
}

/* What a program does, and the states of its first thread; places are numbered as they appear. */
static const struct program {
	const char *name;
	void (*run)(void);
	const char *states;
} programs[] = {
	{ "what nobody waits for", hold_free, "" },
	{ "reader-writer locks that exclude, or do not", exclude, "" },
	{ "errno", keep_errno, "" },
	{ "a thread to be cancelled that takes a lock", cancel_in_lock,
	  "lock 1, after lock 1, join 2, after join 2" },
	{ "one that takes a free semaphore", cancel_at_semaphore, "join 1, after join 1" },
	{ "small stacks", use_little_stack,
	  "lock 1, after lock 1, join 2, after join 2, sem_post 3, after sem_post 3" },
	{ "a lock", hold_one, "lock 1, after lock 1" },
	{ "the inner one of two", hold_both, "lock 1, lock 2, lock 1, after lock 1" },
	{ "locks released in the order of taking", release_first,
	  "lock 1, lock 2, lock 2, after lock 2" },
	{ "a lock that was tried", try_one, "lock 1, after lock 1" },
	{ "a reader-writer lock", hold_rwlock,
	  "rdlock 1, after rdlock 1, wrlock 2, after wrlock 2" },
	{ "one that inherits priorities", hold_inheriting, "lock 1, after lock 1" },
	{ "one taken twice", hold_recursive, "lock 1, lock 2, lock 1, after lock 1" },
	{ "one whose holder is dead", inherit, "join 1, after join 1, lock 2, after lock 2" },
	{ "limits of time", give_up,
	  "lock 1, after lock 1, lock 2, after lock 2, sem_wait 3, after sem_wait 3, sem_wait 4, "
	  "after sem_wait 4, lock 5, wait 6, lock 5, wait 7, lock 5, after lock 5" },
	{ "wake-ups", wake_others,
	  "signal 1, after signal 1, broadcast 2, after broadcast 2, sem_post 3, after sem_post "
	  "3" },
	{ "locks and conditions of C11", use_c11,
	  "lock 1, after lock 1, lock 2, after lock 2, signal 3, after signal 3, lock 4, wait 5, "
	  "lock 4, after lock 4, join 6, after join 6" },
	{ "a barrier and a semaphore", meet,
	  "barrier 1, after barrier 1, sem_wait 2, after sem_wait 2" },
};

/* ---- what they mark ---- */

/* Replaces the place in the name of a state by its number. */
static void put_state(char *out, size_t n, const char *name, char seen[16][PATH_MAX])
{
	const char *place = strstr(name, " /");
	int number = 0, length = place ? (int)(place - name) : (int)strlen(name);

	while (place && number < 15 && *seen[number] && strcmp(seen[number], place))
		number++;
	if (place)
		snprintf(seen[number], PATH_MAX, "%s", place);
	size_t end = strlen(out);
	snprintf(out + end, n - end, "%s%.*s %d", end ? ", " : "", length, name, number + 1);
}

static void read_states(const char *directory, pid_t pid, char *out, size_t n)
{
	char seen[16][PATH_MAX] = { "" };
	struct error e;
	struct marks *m = marks_open(directory, &e);
	struct event mark, sync = { .type = EVENT_SYSCALL,
				    .tid = (uint32_t)pid,
				    .call = { .id = syscall_by_name("lseek"),
					      .args = { (uint64_t)-1, 0, MARK_SYNC } } };

	*out = '\0';
	if (!m)
		return;
	marks_sync(m, &sync);
	while (marks_next(m, INT64_MAX, &mark))
		if (mark.tid == (uint32_t)pid)
			put_state(out, n, mark.mark.name, seen);
	marks_close(m, &e);
}

static void run(char *self, const char *libraries, size_t number)
{
	char directory[] = "/tmp/osvec-sites-XXXXXX", text[16], states[1024], command[64];
	const struct program *p = &programs[number];
	int status = -1;

	if (!mkdtemp(directory)) {
		fail("no temporary directory");
		return;
	}
	snprintf(text, sizeof(text), "%zu", number);
	pid_t pid = fork();
	if (!pid) {
		setenv("OSVEC_MARKS", directory, 1);
		/* LD_PRELOAD takes no path with a blank. */
		setenv("LD_LIBRARY_PATH", libraries, 1);
		setenv("LD_PRELOAD", SITES, 1);
		execl(self, self, text, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	read_states(directory, pid, states, sizeof(states));
	ok(!status, "%s: the program works as without the library", p->name);
	is_string(states, p->states, "and its states are known");
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	if (system(command))
		diag("the directory stays");
}

/* Places of which many have the same hash. */
static void test_places(void)
{
	static const char code[20011] = "in the file of this program";
	const struct place *first[1000];
	int wrong = 0;

	/* Of squares, unlike of multiples, some eighty have the hash of another one. */
	for (int i = 0; i < 1000; i++)
		first[i] = place_of("lock", code + i * i % 20011);
	for (int i = 0; i < 1000; i++) {
		const char *at = code + i * i % 20011;
		const struct place *p = place_of("lock", at);

		wrong += !p || p != first[i] || p->address != at ||
			 strncmp(p->in, "lock /", 6) != 0 ||
			 strncmp(p->after, "after lock /", 12) != 0;
	}
	cmp_int(wrong, 0, "a thousand places are told apart, and found again");
}

int main(int argc, char **argv)
{
	char self[PATH_MAX], path[PATH_MAX + 64], *slash;

	sem_init(&semaphore, 0, 0);
	if (argc > 1) {
		alarm(60);
		programs[atoi(argv[1])].run();
		return 0;
	}
	if (!realpath(argv[0], self))
		skip_all("the path of this program is not known");
	snprintf(path, sizeof(path), "%s", self);
	for (int i = 0; i < 3 && (slash = strrchr(path, '/')); i++)
		*slash = '\0';
	slash = path + strlen(path);
	snprintf(slash, 64, "/lib/" SITES);
	if (access(path, R_OK))
		skip_all(SITES " is not built here");
	strcpy(slash, "/lib");
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		run(self, path, i);
	test_places();
	return done_testing();
}
