/* SPDX-License-Identifier: MIT */
/* commands.h - the commands of ccmod.  Each parses its own options and returns an exit status. */
#ifndef CCMOD_COMMANDS_H
#define CCMOD_COMMANDS_H

int command_predict(int argc, char **argv);
int command_knee(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_generate(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_fit(int argc, char **argv);

#endif
