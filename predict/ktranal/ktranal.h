/* SPDX-License-Identifier: MIT */
/* ktranal.h - the commands of ktranal; each reads its own options and returns an exit status. */
#ifndef KTRANAL_H
#define KTRANAL_H

int command_record(int argc, char **argv);
int command_time(int argc, char **argv);
int command_dump(int argc, char **argv);
int command_summary(int argc, char **argv);
int command_calls(int argc, char **argv);
int command_import(int argc, char **argv);
int command_vector(int argc, char **argv);

#endif
