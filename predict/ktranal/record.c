/* SPDX-License-Identifier: MIT */
/* ktranal record - writes down every system call of a command or of running processes. */
#include "ktranal.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupts.h"
#include "machine/environment.h"
#include "trace/format/ktr/ktr.h"
#include "record/program.h"
#include "record/recorder.h"
#include "record/ptrace/tracer.h"
#include "util/file.h"
#include "util/number.h"
#include "util/opt.h"
#include "util/shell.h"
#include "util/xalloc.h"

static struct {
	const char *file;
	struct opt_list pids, only;
	bool quiet;
} set;

static const struct opt options[] = {
	{ 'o', "output", OPT_STRING, &set.file, "FILE", 0, 0,
	  "trace to write (default: name of the program, .ktr)" },
	{ 'p', "pid", OPT_LIST, &set.pids, "PID", 0, 0,
	  "record this running process until interrupted (several: more -p)" },
	{ 'O', "only", OPT_LIST, &set.only, "NAME", 0, 0,
	  "record only processes of this program (several: more -O)" },
	{ 'q', "quiet", OPT_FLAG, &set.quiet, NULL, 0, 0, "do not print a summary line" },
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "ktranal record",
	.operands = "[-- COMMAND [ARGUMENT...]]",
	.summary = "Writes every system call of a command and of all its children to a trace.",
	.example = "ktranal record -o ls.ktr -- ls -l /",
};

/* One recording. */
struct session {
	struct tracer *tracer;
	struct recorder *recorder;
	struct ktr_writer *writer;
	int fd;
	pid_t command; /* 0: processes that were running already */
	int status;    /* wait(2) status of the command */
	bool ended;    /* the command */
	bool failed;   /* nothing is written any more */
	int asked;     /* a signal that asked us to stop */
};

/* ---- beginning ---- */

static pid_t parse_pid(const char *s)
{
	uint64_t pid;

	if (!number_parse_u64(s, &pid) || !pid || pid > INT32_MAX)
		opt_bad_usage(&usage, "-p %s: not a process number", s);
	return (pid_t)pid;
}

static struct ktr_writer *begin_trace(int fd, const char *command)
{
	struct environment env = { 0 };

	environment_identify(&env);
	struct source_info info = {
		.recorder = "ptrace",
		.host = environment_find(&env, "host.name"),
		.command = command,
		.kernel = environment_find(&env, "kernel.release"),
		.host_id = environment_find(&env, "host.identity"),
		.cpu = environment_find(&env, "cpu.model"),
		.abi = syscall_native_abi(),
		.has_time = true,
		.has_duration = true,
		.clock = TRACE_CLOCK_MONOTONIC,
	};
	file_first_line("/proc/sys/kernel/random/boot_id", info.boot, sizeof(info.boot));
	struct ktr_writer *w = ktr_writer_new(fd, &info);
	environment_free(&env);
	return w;
}

/* Starts the command or attaches; an exit status, 0 when it works. */
static int begin(struct session *s, const char *path, char **argv)
{
	struct error e;
	int failed = 0;

	s->tracer = tracer_new(&(struct tracer_options){ .calls = true, .kill = path != NULL });
	if (path) {
		s->command = tracer_launch(s->tracer, path, argv, &e);
		failed = s->command < 0;
	}
	for (size_t i = 0; i < set.pids.n && !failed; i++)
		failed = tracer_attach(s->tracer, parse_pid(set.pids.v[i]), &e) < 0;
	if (!failed)
		return 0;
	int status = errno == ENOSYS ? 3 : 1;
	warnx("%s", e.text);
	return status;
}

/* ---- recording ---- */

/* The trace cannot be written further: the command shall not suffer from that. */
static void give_up(struct session *s, const struct error *e)
{
	warnx("%s: %s; %s", set.file, e->text,
	      s->command ? "the command goes on unrecorded" : "recording stops");
	s->failed = true;
}

static void take(struct session *s, const struct stop *stop)
{
	struct error e;

	if (stop->kind == STOP_PAUSE && stop->tracee->tid == s->command &&
	    stop->signal.number != SIGSTOP && getpgid(s->command) == getpgrp())
		interrupts_pause(s->command);
	if (stop->kind == STOP_DEATH && stop->tracee->tid == s->command) {
		s->ended = true;
		s->status = stop->death.status;
	}
	if (!s->failed && recorder_stop(s->recorder, stop, &e))
		give_up(s, &e);
	if (!s->failed && recorder_owes(s->recorder)) {
		tracer_go_on(s->tracer);
		if (recorder_settle(s->recorder, &e))
			give_up(s, &e);
	}
	if (!s->failed && interrupts_tick() && ktr_flush(s->writer, &e))
		give_up(s, &e);
	if (s->failed && stop->tracee)
		stop->tracee->calls = false;
}

/* False when somebody has asked us to stop. */
static bool goes_on(struct session *s)
{
	int number = interrupts_take(s->command != 0);

	if (!number)
		return s->command || !s->failed;
	if (!s->command || s->ended || s->asked) {
		s->asked = number;
		return false;
	}
	s->asked = number;
	kill(s->command, number);
	return true;
}

/* Returns 0, or 1 when a tracee could not be followed further. */
static int follow(struct session *s)
{
	struct stop stop;
	struct error e;
	int more;

	while ((more = tracer_next(s->tracer, &stop, &e)) > 0) {
		take(s, &stop);
		if (!goes_on(s))
			break;
	}
	if (more < 0)
		warnx("%s", e.text);
	return more < 0;
}

/* ---- ending ---- */

static void end_trace(struct session *s)
{
	struct error e;

	if (!s->failed && recorder_end(s->recorder, &e))
		give_up(s, &e);
	/* What is buffered is worth a try: on a full disk it fails again. */
	if (ktr_writer_free(s->writer, &e) && !s->failed)
		give_up(s, &e);
	if (close(s->fd) && !s->failed) {
		error_set(&e, "%s", strerror(errno));
		give_up(s, &e);
	}
}

static void print_summary(const struct session *s)
{
	const struct recorder_counts *c = recorder_counts(s->recorder);

	if (set.quiet)
		return;
	fprintf(stderr,
		"ktranal: %s: %" PRIu64 " calls of %" PRIu64 " process%s and %" PRIu64
		" thread%s, %s; recorded by ptrace, which slowed them down\n",
		set.file, c->calls, c->processes, c->processes == 1 ? "" : "es", c->threads,
		c->threads == 1 ? "" : "s", s->failed ? "and then the trace breaks off" : "0 lost");
}

static int record(struct session *s, const char *path, char **argv)
{
	int status = begin(s, path, argv);

	if (status)
		return status;
	interrupts_catch();
	status = follow(s);
	end_trace(s);
	print_summary(s);
	if (s->command && tracer_threads(s->tracer))
		tracer_detach(s->tracer); /* else they would die with us */
	if (status || s->failed)
		return 1;
	if (!s->command)
		return 0;
	return s->ended ? interrupts_end_like(s->status) : 128 + s->asked;
}

int command_record(int argc, char **argv)
{
	struct recorder_options only;
	struct error e;
	int first = opt_parse(argc, argv, &usage, options, NULL);
	char *path = NULL, *command, *file = NULL;

	argv += first;
	if (!*argv == !set.pids.n)
		opt_bad_usage(&usage, "%s",
			      *argv ? "a command and -p exclude each other"
				    : "neither a command nor -p is given");
	if (*argv && !(path = program_find(*argv, &e))) {
		warnx("%s", e.text);
		return 1;
	}
	if (!set.file)
		set.file = file = program_file(*argv ? 0 : parse_pid(set.pids.v[0]), *argv, ".ktr");
	struct session s = { .fd = open(set.file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) };
	if (s.fd < 0) {
		warn("%s", set.file);
		free(path);
		free(file);
		return 1;
	}
	command = *argv ? shell_words((const char *const *)argv, -1)
			: program_command(parse_pid(set.pids.v[0]));
	only = (struct recorder_options){ set.only.v, set.only.n };
	s.writer = begin_trace(s.fd, command);
	s.recorder = recorder_new(s.writer, &only);
	int status = record(&s, path, argv);
	recorder_free(s.recorder);
	tracer_free(s.tracer);
	free(command);
	free(path);
	free(file);
	return status;
}
