/* SPDX-License-Identifier: MIT */
/* commands.h - the commands of hbench: argv[0] is the name; each returns the exit status. */
#ifndef COMMANDS_H
#define COMMANDS_H

int run_command(int argc, char **argv);
int list_command(int argc, char **argv);
int check_command(int argc, char **argv);
int summary_command(int argc, char **argv);
int compare_command(int argc, char **argv);
int vector_command(int argc, char **argv);

#endif
