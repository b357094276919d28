/* SPDX-License-Identifier: MIT */
/* commands.h - the commands of cpistack. */
#ifndef CPISTACK_COMMANDS_H
#define CPISTACK_COMMANDS_H

int command_show(int argc, char **argv);
int command_record(int argc, char **argv);
int command_list(int argc, char **argv);

#endif
