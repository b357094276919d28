/* SPDX-License-Identifier: MIT */
/*
 * libosvec-sites: marks where in a program its threads synchronize.  Loaded in front of the program
 * (LD_PRELOAD), it marks each call of a lock, barrier, condition, semaphore or join, of POSIX or
 * C11, with the place of the call, as a state such as "lock /path/of/object+0x1234" of
 * osvec-mark.h.
 *
 * From the call on until it unlocks, a thread is in "lock X", so that both the wait for the lock
 * and the work while it is held are attributed to the place.  Afterwards it is in "after lock X",
 * or in the enclosing lock.  The other calls are "barrier X" during the wait and "after barrier X"
 * then.  For a lock or semaphore that nobody waited for, no mark is written.
 *
 * In a program compiled with -finstrument-functions, each function also reports its beginning and
 * end here.  Functions that took long, and those that contain a wait, are marked as "in X".
 *
 * Nothing is written unless OSVEC_MARKS names a directory.  OSVEC_PAGES is another matter: pages.h.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "mark/mark_file.h"
#include "mark/osvec-mark.h"
#include "mark/place.h"
#include "pages.h"

enum {
	HELD = 170,    /* of a page */
	SHORT = 10000, /* ns: shorter functions are not marked */
	/* Kinds of mutexes in glibc. */
	ROBUST = 16,
	INHERITS = 32,
	AWAITED = 2, /* bit of each futex of a reader-writer lock that somebody waits for */
};

/* A lock that a thread holds or a function that it is in; a stack. */
struct held {
	const void *lock; /* or function */
	const struct place *site;
	uint64_t since; /* when it was acquired or began; 0: already marked */
};

static bool active;

/* Thread-local variables are taken from the stack of a thread, which may be small. */
static __thread struct {
	struct held *v; /* NULL: it has not held any yet */
	unsigned n;
	bool busy; /* in this library, whose calls are not marked; or ended */
} thread;

static pthread_key_t ending;

/* ---- the functions themselves ---- */

/* Those of C11, which in glibc are the same objects, but do not call the functions of POSIX. */
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 28)
#include <threads.h>
#define EACH_C11(X) \
	X(mtx_lock, "GLIBC_2.28") \
	X(mtx_timedlock, "GLIBC_2.28") \
	X(mtx_trylock, "GLIBC_2.28") \
	X(mtx_unlock, "GLIBC_2.28") \
	X(cnd_wait, "GLIBC_2.28") \
	X(cnd_timedwait, "GLIBC_2.28") \
	X(cnd_signal, "GLIBC_2.28") \
	X(cnd_broadcast, "GLIBC_2.28") \
	X(thrd_join, "GLIBC_2.28") \
	X(thrd_create, "GLIBC_2.28")
#else
#define EACH_C11(X)
#endif

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 31)
#define EACH_CLOCK(X) \
	X(pthread_mutex_clocklock, "GLIBC_2.30") \
	X(pthread_rwlock_clockrdlock, "GLIBC_2.30") \
	X(pthread_rwlock_clockwrlock, "GLIBC_2.30") \
	X(pthread_cond_clockwait, "GLIBC_2.30") \
	X(sem_clockwait, "GLIBC_2.30") \
	X(pthread_clockjoin_np, "GLIBC_2.31")
#else
#define EACH_CLOCK(X)
#endif

#define EACH(X) \
	X(pthread_mutex_lock, "GLIBC_2.2.5") \
	X(pthread_mutex_timedlock, "GLIBC_2.2.5") \
	X(pthread_mutex_trylock, "GLIBC_2.2.5") \
	X(pthread_mutex_unlock, "GLIBC_2.2.5") \
	X(pthread_rwlock_rdlock, "GLIBC_2.2.5") \
	X(pthread_rwlock_timedrdlock, "GLIBC_2.2.5") \
	X(pthread_rwlock_tryrdlock, "GLIBC_2.2.5") \
	X(pthread_rwlock_wrlock, "GLIBC_2.2.5") \
	X(pthread_rwlock_timedwrlock, "GLIBC_2.2.5") \
	X(pthread_rwlock_trywrlock, "GLIBC_2.2.5") \
	X(pthread_rwlock_unlock, "GLIBC_2.2.5") \
	X(pthread_cond_wait, "GLIBC_2.3.2") \
	X(pthread_cond_timedwait, "GLIBC_2.3.2") \
	X(pthread_cond_signal, "GLIBC_2.3.2") \
	X(pthread_cond_broadcast, "GLIBC_2.3.2") \
	X(pthread_barrier_wait, "GLIBC_2.2.5") \
	X(sem_wait, "GLIBC_2.2.5") \
	X(sem_timedwait, "GLIBC_2.2.5") \
	X(sem_trywait, "GLIBC_2.2.5") \
	X(sem_post, "GLIBC_2.2.5") \
	X(pthread_join, "GLIBC_2.2.5") \
	X(pthread_timedjoin_np, "GLIBC_2.3.3") \
	X(pthread_create, "GLIBC_2.2.5") \
	EACH_C11(X) \
	EACH_CLOCK(X)

#define DECLARE(name, version) static __typeof__(name) *real_##name;
EACH(DECLARE)

/* glibc has two versions of condition variables, and plain dlsym may return the old one. */
static void *find(const char *name, const char *version)
{
	void *p = NULL;

#if defined(__GLIBC__) && defined(__x86_64__)
	p = dlvsym(RTLD_NEXT, name, version);
#else
	(void)version;
#endif
	return p ? p : dlsym(RTLD_NEXT, name);
}

static void end_thread(void *v)
{
	thread.busy = true;
	thread.n = 0;
	munmap(v, HELD * sizeof(*thread.v));
}

__attribute__((constructor)) static void begin(void)
{
	const char *directory = secure_getenv("OSVEC_MARKS");

	if (thread.busy)
		return;
	thread.busy = true;
#define FIND(name, version) real_##name = (__typeof__(real_##name))find(#name, version);
	EACH(FIND)
	active = directory && *directory && !pthread_key_create(&ending, end_thread);
	osvec_mark_time(); /* finds the directory before the program changes its own */
	thread.busy = false;
}

/* ---- states ---- */

/* Returns the site of a call; NULL if it is not to be marked. */
static const struct place *enter(const char *call, const void *address)
{
	const struct place *s = NULL;

	if (!active || thread.busy)
		return NULL;
	thread.busy = true;
	s = place_of(call, address);
	thread.busy = false;
	return s;
}

/* Marks what the thread holds and has not marked yet, and then, unless it is NULL, another
 * state. */
static void mark(const char *state)
{
	thread.busy = true;
	for (unsigned i = 0; i < thread.n; i++)
		if (thread.v[i].since) {
			osvec_mark_at(thread.v[i].since, OSVEC_STATE, thread.v[i].site->in, 0, 0);
			thread.v[i].since = 0;
		}
	if (state)
		osvec_state(state);
	thread.busy = false;
}

/* After the call: back to the enclosing state. */
static void leave(const struct place *s)
{
	if (s)
		mark(thread.n ? thread.v[thread.n - 1].site->in : s->after);
}

/* Without an allocator, which might use locks itself. */
static bool make_room(void)
{
	int error = errno;
	void *p = mmap(NULL, HELD * sizeof(*thread.v), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = error;
	if (p == MAP_FAILED)
		return false;
	thread.v = p;
	pthread_setspecific(ending, p);
	return true;
}

static void hold(const void *lock, const struct place *s, uint64_t since)
{
	if (!s || thread.n == HELD || (!thread.v && !make_room()))
		return;
	thread.v[thread.n] = (struct held){ lock, s, since };
	atomic_signal_fence(memory_order_release); /* a handler may call sem_post() */
	thread.n++;
}

static bool is_taken(int status)
{
	return !status || status == EOWNERDEAD;
}

/* Whether POSIX or C11 says that another thread has the lock. */
static bool is_busy(int status)
{
	return status == EBUSY || status == 1 /* thrd_busy */;
}

/* Returns the site where the lock was taken, if that was marked; NULL otherwise. */
static const struct place *release(const void *lock)
{
	for (unsigned i = thread.n; i > 0 && active && !thread.busy; i--)
		if (thread.v[i - 1].lock == lock) {
			const struct held h = thread.v[i - 1];

			memmove(&thread.v[i - 1], &thread.v[i], (thread.n - i) * sizeof(*thread.v));
			thread.n--;
			return h.since ? NULL : h.site;
		}
	return NULL;
}

/* Whether another thread waits for the lock; true if that cannot be seen.  The word of a mutex
 * that is robust or inherits priorities is the thread that holds it, with a bit for waiters. */
static bool is_mutex_wanted(const void *object)
{
#ifdef __GLIBC__
	const pthread_mutex_t *lock = object;
	unsigned word = *(const volatile unsigned *)&lock->__data.__lock;

	return lock->__data.__kind & (ROBUST | INHERITS) ? word & FUTEX_WAITERS : word > 1;
#else
	(void)object;
	return true;
#endif
}

static bool is_rwlock_wanted(const pthread_rwlock_t *lock)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 25)
	return (*(const volatile unsigned *)&lock->__data.__wrphase_futex |
		*(const volatile unsigned *)&lock->__data.__writers_futex) &
	       AWAITED;
#else
	(void)lock;
	return true;
#endif
}

/* In glibc, bits 3 and up count those that wait for a condition, and the upper half of a
 * semaphore's first word those that wait for it. */
static bool is_condition_wanted(const void *object)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 25)
	return *(const volatile unsigned *)&((const pthread_cond_t *)object)->__data.__wrefs >> 3;
#else
	(void)object;
	return true;
#endif
}

static bool is_semaphore_wanted(const sem_t *semaphore)
{
#if defined(__GLIBC__) && defined(__LP64__)
	return *(const volatile uint64_t *)semaphore >> 32;
#else
	(void)semaphore;
	return true;
#endif
}

/* ---- what the program calls ---- */

/* Constructors of other libraries may call before this one's has run.  Only a call within begin()
 * itself does nothing: there is one thread then. */
#define REAL(name, ...) \
	(!real_##name ? begin() : (void)0, real_##name ? real_##name(__VA_ARGS__) : 0)

/* A lock that is free is taken by `attempt`, and only the time is noted. */
#define LOCK(name, word, attempt, parameters, ...) \
	int name parameters \
	{ \
		const struct place *s = enter(word, __builtin_return_address(0)); \
		uint64_t since = 0; \
\
		if (!s) \
			return REAL(name, __VA_ARGS__); \
		int status = real_##attempt(lock); \
		if (is_busy(status)) { \
			mark(s->in); \
			status = real_##name(__VA_ARGS__); \
			if (!is_taken(status)) \
				leave(s); \
		} else { \
			since = osvec_mark_time(); \
		} \
		if (is_taken(status)) \
			hold(lock, s, since); \
		return status; \
	}

#define TRY(name, word, type) \
	int name(type *lock) \
	{ \
		const struct place *s = enter(word, __builtin_return_address(0)); \
		int status = REAL(name, lock); \
\
		if (s && is_taken(status)) \
			hold(lock, s, osvec_mark_time()); \
		return status; \
	}

#define UNLOCK(name, is_wanted, type) \
	int name(type *lock) \
	{ \
		if (active && !thread.busy && thread.n && is_wanted(lock)) \
			mark(NULL); \
		const struct place *s = release(lock); \
		int status = REAL(name, lock); \
\
		leave(s); \
		return status; \
	}

#define WAIT(name, word, parameters, ...) \
	int name parameters \
	{ \
		const struct place *s = enter(word, __builtin_return_address(0)); \
\
		if (s) \
			mark(s->in); \
		int status = REAL(name, __VA_ARGS__); \
		leave(s); \
		return status; \
	}

/* A call that wakes others if any wait. */
#define WAKE(name, word, is_wanted, type) \
	int name(type *object) \
	{ \
		const struct place *s = \
		    is_wanted(object) ? enter(word, __builtin_return_address(0)) : NULL; \
\
		if (s) \
			mark(s->in); \
		int status = REAL(name, object); \
		leave(s); \
		return status; \
	}

/* A semaphore that is free is no wait, and says nothing about who has it; but taking it is a
 * cancellation point. */
#define TAKE(name, parameters, ...) \
	int name parameters \
	{ \
		const struct place *s = enter("sem_wait", __builtin_return_address(0)); \
		int error = errno; \
\
		if (s) \
			pthread_testcancel(); \
		if (s && !real_sem_trywait(semaphore)) \
			return 0; \
		errno = error; \
		if (s) \
			mark(s->in); \
		int status = REAL(name, __VA_ARGS__); \
		leave(s); \
		return status; \
	}

#define UNTIL const struct timespec *until

LOCK(pthread_mutex_lock, "lock", pthread_mutex_trylock, (pthread_mutex_t * lock), lock)
LOCK(pthread_mutex_timedlock, "lock", pthread_mutex_trylock, (pthread_mutex_t * lock, UNTIL), lock,
     until)
TRY(pthread_mutex_trylock, "lock", pthread_mutex_t)
UNLOCK(pthread_mutex_unlock, is_mutex_wanted, pthread_mutex_t)
LOCK(pthread_rwlock_rdlock, "rdlock", pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), lock)
LOCK(pthread_rwlock_timedrdlock, "rdlock", pthread_rwlock_tryrdlock,
     (pthread_rwlock_t * lock, UNTIL), lock, until)
TRY(pthread_rwlock_tryrdlock, "rdlock", pthread_rwlock_t)
LOCK(pthread_rwlock_wrlock, "wrlock", pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), lock)
LOCK(pthread_rwlock_timedwrlock, "wrlock", pthread_rwlock_trywrlock,
     (pthread_rwlock_t * lock, UNTIL), lock, until)
TRY(pthread_rwlock_trywrlock, "wrlock", pthread_rwlock_t)
UNLOCK(pthread_rwlock_unlock, is_rwlock_wanted, pthread_rwlock_t)
WAKE(pthread_cond_signal, "signal", is_condition_wanted, pthread_cond_t)
WAKE(pthread_cond_broadcast, "broadcast", is_condition_wanted, pthread_cond_t)
WAKE(sem_post, "sem_post", is_semaphore_wanted, sem_t)
TAKE(sem_wait, (sem_t * semaphore), semaphore)
TAKE(sem_timedwait, (sem_t * semaphore, UNTIL), semaphore, until)
WAIT(pthread_cond_wait, "wait", (pthread_cond_t * c, pthread_mutex_t *m), c, m)
WAIT(pthread_cond_timedwait, "wait", (pthread_cond_t * c, pthread_mutex_t *m, UNTIL), c, m, until)
WAIT(pthread_barrier_wait, "barrier", (pthread_barrier_t * b), b)
WAIT(pthread_join, "join", (pthread_t t, void **result), t, result)
WAIT(pthread_timedjoin_np, "join", (pthread_t t, void **result, UNTIL), t, result, until)

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 31)
/* With a clock of the caller's choice, as the C++ library waits for some time. */
LOCK(pthread_mutex_clocklock, "lock", pthread_mutex_trylock,
     (pthread_mutex_t * lock, clockid_t clock, UNTIL), lock, clock, until)
LOCK(pthread_rwlock_clockrdlock, "rdlock", pthread_rwlock_tryrdlock,
     (pthread_rwlock_t * lock, clockid_t clock, UNTIL), lock, clock, until)
LOCK(pthread_rwlock_clockwrlock, "wrlock", pthread_rwlock_trywrlock,
     (pthread_rwlock_t * lock, clockid_t clock, UNTIL), lock, clock, until)
WAIT(pthread_cond_clockwait, "wait",
     (pthread_cond_t * c, pthread_mutex_t *m, clockid_t clock, UNTIL), c, m, clock, until)
TAKE(sem_clockwait, (sem_t * semaphore, clockid_t clock, UNTIL), semaphore, clock, until)
WAIT(pthread_clockjoin_np, "join", (pthread_t t, void **result, clockid_t clock, UNTIL), t, result,
     clock, until)
#endif

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 28)
LOCK(mtx_lock, "lock", mtx_trylock, (mtx_t * lock), lock)
LOCK(mtx_timedlock, "lock", mtx_trylock, (mtx_t * lock, UNTIL), lock, until)
TRY(mtx_trylock, "lock", mtx_t)
UNLOCK(mtx_unlock, is_mutex_wanted, mtx_t)
WAKE(cnd_signal, "signal", is_condition_wanted, cnd_t)
WAKE(cnd_broadcast, "broadcast", is_condition_wanted, cnd_t)
WAIT(cnd_wait, "wait", (cnd_t * c, mtx_t *m), c, m)
WAIT(cnd_timedwait, "wait", (cnd_t * c, mtx_t *m, UNTIL), c, m, until)
WAIT(thrd_join, "join", (thrd_t t, int *result), t, result)

int thrd_create(thrd_t *t, thrd_start_t run, void *arg)
{
	int status = REAL(thrd_create, t, run, arg);

	if (status == thrd_success)
		pages_begin();
	return status;
}
#endif

int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *arg)
{
	int status = REAL(pthread_create, t, a, run, arg);

	if (!status)
		pages_begin();
	return status;
}

void __cyg_profile_func_enter(void *function, void *from);
void __cyg_profile_func_exit(void *function, void *from);

void __cyg_profile_func_enter(void *function, void *from)
{
	const struct place *s = enter("in", (const char *)function + 1);

	(void)from;
	if (s)
		hold(function, s, osvec_mark_time());
}

/* A function left by longjmp stays on top of the stack until those around it are left. */
void __cyg_profile_func_exit(void *function, void *from)
{
	(void)from;
	if (!active || thread.busy || !thread.n)
		return;
	const struct held *top = &thread.v[thread.n - 1];
	if (top->lock == function && top->since && osvec_mark_time() - top->since >= SHORT)
		mark(NULL);
	leave(release(function));
}
