/* SPDX-License-Identifier: MIT */
/* commands.h - the commands of osvec-predict; each reads its own options and returns an exit
 * status. */
#ifndef OSVEC_PREDICT_COMMANDS_H
#define OSVEC_PREDICT_COMMANDS_H

int command_rank(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_whatif(int argc, char **argv);
int command_report(int argc, char **argv);
int command_validate(int argc, char **argv);
int command_choose(int argc, char **argv);
int command_capacity(int argc, char **argv);
int command_aggregate(int argc, char **argv);

#endif
