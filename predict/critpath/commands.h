/* SPDX-License-Identifier: MIT */
/* commands.h - the commands of critpath.  Each parses its own options and returns an exit
 * status. */
#ifndef CRITPATH_COMMANDS_H
#define CRITPATH_COMMANDS_H

int command_path(int argc, char **argv);
int command_whatif(int argc, char **argv);
int command_chain(int argc, char **argv);
int command_requests(int argc, char **argv);
int command_loops(int argc, char **argv);
int command_slack(int argc, char **argv);

#endif
