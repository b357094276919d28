/* SPDX-License-Identifier: MIT */
/* ktranal.h - the commands of ktranal; each reads its own options and returns an exit status. */
#ifndef KTRANAL_KTRANAL_H
#define KTRANAL_KTRANAL_H

#include <sys/types.h>

#include "util/opt.h"

/* Each runs the command of its name, and returns the exit status of the program; bad usage ends it
 * at once. */
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

/* Returns the processes of the options -p of record and time, in fresh memory.  Anything but either
 * a command or at least one -p is bad usage. */
pid_t *ktranal_pids(const struct opt_usage *usage, const char *command,
		    const struct opt_list *list);
/* Ends the program, as bad usage, when the output (-o) is the program at path, unless that is NULL,
 * or one that a process runs. */
void ktranal_spare(const struct opt_usage *usage, const char *output, const char *path,
		   const pid_t *pids, size_t npids);

/*
 * Returns in a child, whose standard input is the trace of that command while it is made; the
 * parent records and, when the child has ended, ends as the command did.
 */
void record_for_reader(char **command);

#endif
