/* SPDX-License-Identifier: MIT */
/* commands.h - the commands of cea.  Each parses its own options and returns an exit status. */
#ifndef CEA_COMMANDS_H
#define CEA_COMMANDS_H

#include "graph/cycles.h"
#include "util/table.h"

int command_summary(int argc, char **argv);
int command_time(int argc, char **argv);
int command_waits(int argc, char **argv);
int command_contention(int argc, char **argv);
int command_sharing(int argc, char **argv);
int command_caches(int argc, char **argv);
int command_model(int argc, char **argv);
int command_report(int argc, char **argv);

/* Sets columns[0 ... n - 1] to those of the time in the first n categories of cycles.h. */
void time_columns(struct table_column *columns, int n);

#endif
