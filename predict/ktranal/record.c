/* SPDX-License-Identifier: MIT */
/* ktranal record - writes every system call of a command or of running processes to a trace. */
#include "ktranal.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "events.h"
#include "record/program.h"
#include "record/record.h"
#include "../common/signals.h"
#include "util/monotonic.h"
#include "util/opt.h"
#include "util/shell.h"
#include "util/text.h"
#include "util/xalloc.h"

static struct {
	const char *file;
	struct opt_list pids, only;
	const char *cgroup, *backend, *events;
	double length; /* seconds; 0: until the end */
	bool aggregate, quiet, at_calls, stacks;
} set;

static pid_t reader; /* process of the view that reads the trace from a pipe; 0: none */

static const struct opt options[] = {
	{ 'o', "output", OPT_STRING, &set.file, "FILE", 0, 0,
	  "trace to write (default: name of the program, .ktr; -: standard output)" },
	{ 'p', "pid", OPT_LIST, &set.pids, "PID", 0, 0,
	  "record this running process until interrupted (several: more -p)" },
	{ 0, "cgroup", OPT_STRING, &set.cgroup, "DIRECTORY", 0, 0,
	  "record all processes of this control group (version 2) until interrupted" },
	{ 'O', "only", OPT_LIST, &set.only, "NAME", 0, 0,
	  "record only processes of this program (several: more -O)" },
	{ 'a', "aggregate", OPT_FLAG, &set.aggregate, NULL, 0, 0,
	  "count calls that are alike in the kernel: for summary and vector (BPF; root)" },
	{ 'E', "events", OPT_STRING, &set.events, "STACK|EVENT,...", 0, 0,
	  "count these while threads run: a stack of cpistack(1), \"stack\" for that of this "
	  "processor, or names of libpfm4 (BPF; root)" },
	{ 0, "at-calls", OPT_FLAG, &set.at_calls, NULL, 0, 0,
	  "with -E: read the counters at each end of a call, too" },
	{ 0, "stacks", OPT_FLAG, &set.stacks, NULL, 0, 0,
	  "record where in the program calls waited or woke others, for cea(1) (BPF; root)" },
	{ 'b', "backend", OPT_STRING, &set.backend, "NAME", 0, 0,
	  "record by bpf, perf or ptrace (default: see 'ktranal doctor')" },
	{ 0, "for", OPT_DURATION, &set.length, "TIME", 1e-3, 1e9,
	  "with -p or --cgroup: for this time only" },
	{ 'q', "quiet", OPT_FLAG, &set.quiet, NULL, 0, 0, "do not print a summary line" },
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "ktranal record",
	.operands = "[-- COMMAND [ARGUMENT...]]",
	.summary = "Write every system call of a command and of all its children to a trace.",
	.example = "ktranal record -o ls.ktr -- ls -l /",
};

/* Says once why the trace cannot be written further.  The command goes on. */
static void check_sink(const struct recording *r, bool *reported)
{
	if (!r->sink.failed || *reported)
		return;
	*reported = true;
	warnx("%s: %s; %s", set.file, r->sink.error.text,
	      r->command ? "the command goes on unrecorded" : "recording stops");
}

/* "0 lost", or what is missing by class.  Unfinished calls are not lost. */
static void print_losses(const struct recording *r)
{
	const uint64_t *losses = r->sink.losses;
	bool any = r->sink.failed;

	for (int i = 0; i < LOST_CLASSES; i++)
		any |= i != LOST_UNMATCHED && losses[i];
	if (!any)
		fputs(", 0 lost", stderr);
	/* The record of a call that is missing was lost, unless fewer records were. */
	uint64_t calls = losses[LOST_UNKNOWN];
	bool among = calls && calls <= losses[LOST_RING_FULL];
	for (int i = 0; i < LOST_CLASSES; i++) {
		if (losses[i] && !(among && i == LOST_UNKNOWN))
			fprintf(stderr, ", %" PRIu64 " %s", losses[i], loss_text(i, losses[i]));
		if (among && i == LOST_RING_FULL)
			fprintf(stderr, ", %" PRIu64 " call%s among them", calls,
				calls == 1 ? "" : "s");
	}
	/* What the command did after ptrace let go of it is unknown. */
	if (r->sink.failed && r->sink.unwritten)
		fprintf(stderr, ", at least %" PRIu64 " call%s unwritten", r->sink.unwritten,
			r->sink.unwritten == 1 ? "" : "s");
	else if (r->sink.failed)
		fputs(", all others unwritten", stderr);
}

static void print_summary(const struct recording *r)
{
	const struct sink *s = &r->sink;
	const uint64_t calls = s->calls - s->unwritten;
	char *file = text_make_printable(xstrdup(set.file));

	fprintf(stderr,
		"ktranal: %s: %" PRIu64 " call%s of %" PRIu64 " process%s and %" PRIu64 " thread%s",
		file, calls, calls == 1 ? "" : "s", s->processes, s->processes == 1 ? "" : "es",
		s->threads, s->threads == 1 ? "" : "s");
	print_losses(r);
	fprintf(stderr, "; %s by %s", set.aggregate ? "counted" : "recorded", r->backend->name);
	if (*r->passed.text)
		fprintf(stderr, " (%s)", r->passed.text);
	if (r->call_cost)
		fprintf(stderr,
			"; recording added about %.1f us to each call's time (summary --net "
			"subtracts it)",
			(double)r->call_cost * 1e-3);
	free(file);
	if (strcmp(set.file, "-") != 0 && (calls || !s->failed)) {
		file = text_make_printable(shell_words(&set.file, 1));
		fprintf(stderr, "; to look at it: ktranal %s", file);
		free(file);
	}
	fputc('\n', stderr);
}

/* What was in the place of the output before, under its other name, and what had that name; or
 * NULL. */
static char *former, *older;

/* Removes the output, unless it is a device, a pipe or a link, and puts the former one back. */
static void remove_output(void)
{
	struct stat st;

	if (strcmp(set.file, "-") != 0 && !lstat(set.file, &st) && S_ISREG(st.st_mode) &&
	    (!former || rename(former, set.file)))
		unlink(set.file);
	if (older)
		rename(older, former);
}

/* Whether the trace holds no call of a program; more < 0: recording ended in an error. */
static bool is_empty(const struct recording *r, int more)
{
	return r->unstarted || (more >= 0 && set.only.n && !r->sink.processes);
}

/* Lets the reader print what it has read, or ends it; false: it could not. */
static bool end_reader(bool failed)
{
	int status = 0;

	if (reader && failed)
		kill(reader, SIGKILL);
	while (reader && waitpid(reader, &status, 0) < 0 && errno == EINTR)
		;
	reader = 0;
	return !status;
}

/* Tells a user, or a script that waits for this line, that calls are recorded from now on: programs
 * that run on do not show it. */
static void say_begun(const struct recording *r, const struct record_target *t)
{
	struct program p;

	if (r->command || set.quiet)
		return;
	fputs("ktranal: recording", stderr);
	if (t->npids == 1) {
		fprintf(stderr, " process %d", t->pids[0]);
		program_of(t->pids[0], &p);
		if (t->nonly && !program_is(&p, t->only, t->nonly))
			fprintf(stderr, " (%s, which --only leaves out)",
				text_make_printable(p.name));
	}
	fprintf(stderr, " by %s", r->backend->name);
	fputs(set.length > 0 ? "\n" : "; ^C ends it\n", stderr);
}

/* Returns an exit status, or ends as the command did. */
static int record(int fd, const struct record_target *t)
{
	struct recording r;
	struct error e;
	bool reported = false;
	int more;

	signals_hold();
	if (record_start(&r, fd, t, &e)) {
		int status = errno == ENOSYS ? 3 : 1;

		end_reader(true);
		warnx("%s", e.text);
		remove_output();
		return status;
	}
	const int64_t start = monotonic_ns();
	signals_catch();
	say_begun(&r, t);
	while ((more = record_poll(&r, &e)) > 0) {
		if (r.paused)
			signals_pause(r.command, r.paused);
		if (signals_tick())
			record_flush(&r);
		check_sink(&r, &reported);
		bool over = set.length > 0 && (double)(monotonic_ns() - start) * 1e-9 >= set.length;
		if (signals_end_watch(r.command, r.ended) || over || (r.sink.failed && !r.command))
			break;
	}
	if (more < 0)
		warnx("%s", e.text);
	if (reader && more < 0 && is_empty(&r, more)) { /* it has nothing to print */
		end_reader(true);
		r.sink.failed = reported = true;
	}
	bool failed = record_end(&r, NULL) || close(fd);
	if (failed && !r.sink.failed) {
		error_set(&r.sink.error, "%s", strerror(errno));
		r.sink.failed = true;
	}
	check_sink(&r, &reported);
	bool printed = end_reader(is_empty(&r, more));
	if (is_empty(&r, more)) {
		if (more >= 0)
			warnx("no process ran a program named by --only");
		remove_output();
		return 1;
	}
	if (!set.quiet)
		print_summary(&r);
	if (more < 0 || failed || !printed)
		return 1;
	if (!r.command)
		return 0;
	return r.ended ? signals_end_like(r.status) : 128 + signals_handled();
}

static void forget_former(void)
{
	if (older)
		unlink(older);
	free(older);
	free(former);
	older = former = NULL;
}

/* A file in the place of the output is kept, as perf(1) does; and the one that was kept before
 * until there is a new trace. */
static void keep_former(void)
{
	struct stat st;

	if (!strcmp(set.file, "-") || lstat(set.file, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	former = xasprintf("%s.old", set.file);
	older = xasprintf("%s.older", set.file);
	if (link(former, older)) {
		free(older);
		older = NULL;
	}
	if (rename(set.file, former))
		forget_former();
}

/* The file to write, without a terminal in between.  If that is the standard output, the command
 * has standard error in its place, for what it prints is no part of the trace. */
static int open_output(void)
{
	if (strcmp(set.file, "-") != 0)
		return open(set.file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (isatty(STDOUT_FILENO))
		opt_bad_usage(&usage, "-o -: the standard output is a terminal");
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd >= 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	return fd;
}

int command_record(int argc, char **argv)
{
	struct error e;
	char *path = NULL, *file = NULL;
	int status = 1;

	argv += opt_parse(argc, argv, &usage, options);
	if (set.file && !*set.file)
		opt_bad_usage(&usage, "-o: the name of the file is empty; - is standard output");
	if (set.cgroup && (*argv || set.pids.n))
		opt_bad_usage(&usage, "--cgroup excludes a command and -p");
	if (set.length > 0 && *argv)
		opt_bad_usage(&usage, "--for goes with -p or --cgroup; timeout(1) ends a command");
	if (set.aggregate && set.events)
		opt_bad_usage(&usage, "-a and -E exclude each other");
	if (set.aggregate && set.stacks)
		opt_bad_usage(&usage, "-a and --stacks exclude each other");
	if (set.at_calls && !set.events)
		opt_bad_usage(&usage, "--at-calls goes with -E");
	pid_t *pids = set.cgroup ? NULL : ktranal_pids(&usage, *argv, &set.pids);
	if (*argv && !(path = program_find(*argv, &e))) {
		warnx("%s", e.text);
		return 1;
	}
	if (!set.file) {
		char *group = set.cgroup ? realpath(set.cgroup, NULL) : NULL; /* "DIR/", "." */

		if (set.cgroup && !group)
			err(1, "%s", set.cgroup);
		set.file = file =
		    program_file(pids && !*argv ? *pids : 0, group ? group : *argv, ".ktr");
		free(group);
	}
	struct record_target target = {
		.path = path,
		.argv = argv,
		.pids = pids,
		.npids = set.pids.n,
		.cgroup = set.cgroup,
		.aggregate = set.aggregate,
		.only = set.only.v,
		.nonly = set.only.n,
		.backend = set.backend,
		.nevents = set.events != NULL, /* how many is not known yet */
		.counts_calls = set.at_calls,
		.stacks = set.stacks,
	};
	if (record_check(&target, &e))
		opt_bad_usage(&usage, "%s", e.text);
	if (set.events)
		events_set(&usage, set.events, &target);
	ktranal_spare(&usage, set.file, path, pids, set.pids.n);
	keep_former();
	int fd = open_output();
	if (fd < 0)
		warn("%s", set.file);
	else
		status = record(fd, &target);
	free(pids);
	free(path);
	free(file);
	forget_former();
	return status;
}

void record_for_reader(char **command)
{
	struct error e;
	char *path = program_find(*command, &e);
	int fds[2];

	if (!path)
		errx(1, "%s", e.text);
	if (pipe2(fds, O_CLOEXEC) < 0 || (reader = fork()) < 0)
		err(1, "cannot record for a view");
	if (!reader) {
		/* What the terminal sends ends the command; then there is something to print. */
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
		dup2(fds[0], STDIN_FILENO);
		close(fds[0]);
		close(fds[1]);
		free(path);
		return;
	}
	close(fds[0]);
	const struct record_target target = { .path = path, .argv = command };
	set.file = "-";
	set.quiet = true;
	exit(record(fds[1], &target));
}
