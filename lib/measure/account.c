/* SPDX-License-Identifier: MIT */
#include "measure/account.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "util/cpu_clock.h"
#include "util/monotonic.h"
#include "util/vec.h"

/* What matters to a value that is compared at some percent, and what the clocks can tell. */
static const double matters_share = 0.02, matters_seconds = 2e-6;
/* What matters of all the time that a CPU was watched. */
static const double watched_share = 0.2;
/* An operation's own idle share, such as interrupts that belong to it, varies by this much of it.
 */
static const double own_varies = 0.25;

struct party {
	pid_t id;
	bool is_process;
	clockid_t clock; /* of a process */
	int schedstat;	 /* /proc/ID/schedstat; -1: not needed, or the kernel has none */
};

static struct {
	enum account_scope scope;
	bool knows_cpu;
	pthread_mutex_t lock;
	VEC(struct party) parties;
	VEC(int) cpus; /* on which all are, to be watched */
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local struct {
	int schedstat;
	size_t copies; /* that want this CPU */
} mine = { -1, 1 };

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) ? 0 : (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int open_schedstat(pid_t id)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)id);
	return open(path, O_RDONLY | O_CLOEXEC);
}

void account_open(enum account_scope scope)
{
	const double coarse = 1e-3; /* seconds between two readings: clock ticks */
	static bool is_open;

	if (mine.schedstat >= 0) /* of the parent */
		close(mine.schedstat);
	mine.schedstat = open_schedstat((pid_t)syscall(SYS_gettid));
	all.scope = scope;
	if (is_open) /* by now other threads may run between two readings */
		return;
	is_open = true;
	/* A hypervisor may charge this process for what others had between the two. */
	for (int tries = 5; tries && !all.knows_cpu; tries--) {
		double first = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
		double step = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - first;
		all.knows_cpu = step > 0 && step < coarse;
	}
}

void account_set_copies(size_t copies)
{
	mine.copies = copies;
}

static void add(struct party p)
{
	p.schedstat = all.scope == ACCOUNT_APART ? open_schedstat(p.id) : -1;
	pthread_mutex_lock(&all.lock);
	vec_push(&all.parties, p);
	pthread_mutex_unlock(&all.lock);
}

void account_add_process(pid_t id)
{
	struct party p = { .id = id };

	p.is_process = !clock_getcpuclockid(id, &p.clock);
	add(p);
}

void account_add_thread(pid_t id, bool is_apart)
{
	if (is_apart && all.scope == ACCOUNT_TOGETHER)
		all.scope = ACCOUNT_APART;
	add((struct party){ .id = id });
}

void account_add_cpu(int cpu)
{
	pthread_mutex_lock(&all.lock);
	for (size_t i = 0; i < all.cpus.n && cpu >= 0; i++)
		if (all.cpus.v[i] == cpu)
			cpu = -1;
	if (cpu >= 0)
		vec_push(&all.cpus, cpu);
	pthread_mutex_unlock(&all.lock);
}

void account_remove(pid_t id)
{
	pthread_mutex_lock(&all.lock);
	for (size_t i = 0; i < all.parties.n; i++)
		if (all.parties.v[i].id == id) {
			close(all.parties.v[i].schedstat);
			all.parties.v[i--] = all.parties.v[--all.parties.n];
		}
	pthread_mutex_unlock(&all.lock);
}

/* The time that a thread was ready but waited for a CPU, the second field. */
static double waited_of(int schedstat)
{
	char text[96];
	unsigned long long ns;
	ssize_t n = schedstat < 0 ? -1 : pread(schedstat, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return NAN;
	text[n] = '\0';
	return sscanf(text, "%*u %llu", &ns) == 1 ? (double)ns * 1e-9 : NAN;
}

static void count_usage(struct account *a, int sign)
{
	const int whose[] = { all.scope == ACCOUNT_THREAD ? RUSAGE_THREAD : RUSAGE_SELF,
			      RUSAGE_CHILDREN };

	a->ticks += sign * seconds_of(cpu_clock_of(0, CLOCK_TICKS));
	a->user_ticks += sign * seconds_of(cpu_clock_of(0, CLOCK_USER_TICKS));
	for (size_t i = 0; i < sizeof(whose) / sizeof(*whose); i++) {
		struct rusage r;

		getrusage(whose[i], &r);
		a->minor_faults += (uint64_t)(sign * r.ru_minflt);
		a->major_faults += (uint64_t)(sign * r.ru_majflt);
		a->voluntary += (uint64_t)(sign * r.ru_nvcsw);
		a->involuntary += (uint64_t)(sign * r.ru_nivcsw);
		if (whose[i] == RUSAGE_CHILDREN)
			a->processes +=
			    sign * ((double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
				    (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6);
	}
}

static bool counts_others(void)
{
	return all.scope != ACCOUNT_CALLER && all.scope != ACCOUNT_THREAD;
}

static void count_parties(struct account *a, int sign)
{
	/* Where parties may or may not wait for each other, nothing is known. */
	a->waited += all.scope == ACCOUNT_FREE ? NAN : sign * waited_of(mine.schedstat);
	for (size_t i = 0; i < all.parties.n && counts_others(); i++) {
		const struct party *p = &all.parties.v[i];

		if (all.scope == ACCOUNT_APART)
			a->waited += sign * waited_of(p->schedstat);
		if (p->is_process)
			a->processes += sign * seconds_of(p->clock);
	}
}

static void count_own(struct account *a, int sign)
{
	double caller = seconds_of(CLOCK_THREAD_CPUTIME_ID);

	if (counts_others())
		a->threads += sign * (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - caller);
	a->caller += sign * caller;
}

void account_start(struct account *a)
{
	*a = (struct account){ 0 };
	count_usage(a, -1);
	count_parties(a, -1);
	count_own(a, -1);
}

void account_stop(struct account *a)
{
	count_own(a, +1);
	count_parties(a, +1);
	count_usage(a, +1);
	/* The others have had the CPU meanwhile, for as long as this copy. */
	if (mine.copies > 1)
		a->waited -= (double)(mine.copies - 1) * account_cpu(a);
	if (!all.knows_cpu)
		a->caller = NAN;
}

void account_sum(struct account *total, const struct account *b)
{
	total->caller += b->caller;
	total->threads += b->threads;
	total->processes += b->processes;
	total->ticks += b->ticks;
	total->user_ticks += b->user_ticks;
	total->waited += b->waited;
	total->minor_faults += b->minor_faults;
	total->major_faults += b->major_faults;
	total->voluntary += b->voluntary;
	total->involuntary += b->involuntary;
}

double account_cpu(const struct account *a)
{
	return a->caller + a->threads + a->processes;
}

/* Did this party have a part in the work that matters? */
static bool has_part(double seconds, const struct account *a)
{
	/* Two clocks are not read at once. */
	const double part = 0.1, noise = 50e-6;

	return seconds > fmax(part * a->caller, noise);
}

bool account_is_threaded(const struct account *a)
{
	struct stat st;

	/* Besides itself and its parent, a directory is linked by each of its directories. */
	return (!stat("/proc/self/task", &st) && st.st_nlink > 3) || has_part(a->threads, a);
}

double account_idle_share(const struct account *a, double elapsed)
{
	/* A party sleeps while another works; one that is alone sleeps on its own. */
	bool alone = !has_part(a->threads + a->processes, a);
	double share = 1 - account_cpu(a) / elapsed;

	if (mine.copies > 1 || (a->voluntary && (alone || all.scope != ACCOUNT_TOGETHER)))
		return NAN;
	return isnan(share) ? NAN : fmax(share, 0);
}

/* Seconds that parties were ready but waited; where they share a CPU, no longer than they waited
 * for each other.  NaN: not known. */
static double waited_for_others(const struct account *a)
{
	bool together = all.scope == ACCOUNT_TOGETHER && !isnan(a->caller);

	return together ? a->waited - a->threads - a->processes : a->waited;
}

double account_lost(const struct account *a, double elapsed, double usual)
{
	double least = fmax(matters_share * elapsed, matters_seconds);
	double waited = waited_for_others(a);
	double idle = (account_idle_share(a, elapsed) - usual) * elapsed;
	double own = isfinite(usual) ? own_varies * usual * elapsed : 0;

	if (isnan(waited) && all.scope != ACCOUNT_FREE && !all.parties.n && mine.copies == 1 &&
	    a->involuntary)
		return fmax(idle, least);
	return waited > least || idle > least + own ? fmax(waited, idle) : 0;
}

/* Of all CPUs of the parties, in seconds; NaN: not known. */
static double idle_time(void)
{
	double idle = all.cpus.n ? 0 : NAN;

	for (size_t i = 0; i < all.cpus.n; i++)
		idle += cpus_idle(all.cpus.v[i]);
	return idle;
}

void account_watch(struct account_watch *w)
{
	w->start = monotonic_seconds();
	w->idle = idle_time();
	account_start(&w->used);
}

bool account_is_beside_others(struct account_watch *w)
{
	account_stop(&w->used);
	double elapsed = monotonic_seconds() - w->start;
	double idle = idle_time() - w->idle, cpus = (double)all.cpus.n;
	double others = cpus * (elapsed - cpus_tick()) - account_cpu(&w->used) - idle;

	return fmax(waited_for_others(&w->used), others) > watched_share * elapsed;
}
