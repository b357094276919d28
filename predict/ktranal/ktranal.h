/* SPDX-License-Identifier: MIT */
/* ktranal.h - the commands of ktranal; each reads its own options and returns an exit status. */
#ifndef KTRANAL_KTRANAL_H
#define KTRANAL_KTRANAL_H

#include <stdio.h>
#include <sys/types.h>

#include "record/record.h"
#include "util/opt.h"
#include "vector/profile.h"

int command_record(int argc, char **argv);
int command_top(int argc, char **argv);
int command_time(int argc, char **argv);
int command_dump(int argc, char **argv);
int command_summary(int argc, char **argv);
int command_calls(int argc, char **argv);
int command_tree(int argc, char **argv);
int command_idle(int argc, char **argv);
int command_export(int argc, char **argv);
int command_breakdown(int argc, char **argv);
int command_sync(int argc, char **argv);
int command_import(int argc, char **argv);
int command_vector(int argc, char **argv);
int command_doctor(int argc, char **argv);

/*
 * The processes of the options -p of record and time, in fresh memory.  Anything but either a
 * command or at least one -p is bad usage.
 */
pid_t *ktranal_pids(const struct opt_usage *usage, const char *command,
		    const struct opt_list *list);

/* Sets the events of t: of the stack of that name in conf/cpi.conf, of this machine's ("stack"),
 * or a list of names, of which one that is none is bad usage.  Ends the program when they cannot be
 * known.  Never freed. */
void ktranal_events(const struct opt_usage *usage, const char *list, struct record_target *t);

/*
 * Returns in a child, whose standard input is the trace of that command while it is made; the
 * parent records and, when the child has ended, ends as the command did.
 */
void record_for_reader(char **command);

/* Tables of the entries that an application vector uses, of the calls that no rule maps, and the
 * share of calls that a rule maps. */
void coverage_print(const struct appvec *a, FILE *f);

/*
 * Seconds of a system call that the clock tick charges as user time, measured with null calls for
 * about that many seconds of CPU time; 0 when that is too short, or no process can be created.
 *
 * The kernel leaves a call with interrupts off, so that a tick that is due comes at the first
 * instruction of the program.  A third of a program that only makes calls may look like user time,
 * although it is part of the cost of the calls.
 */
double callshare_measure(double seconds);

#endif
