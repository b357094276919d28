/* SPDX-License-Identifier: MIT */
/*
 * interrupts.h - signals to ktranal while it watches a command.
 *
 * The command shares the terminal's process group, so what the terminal sends (SIGINT, SIGQUIT, SIGTSTP)
 * reaches it anyway and is not meant for us.  What somebody sends to us alone is passed on.
 */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Catches SIGINT, SIGQUIT, SIGTERM and SIGHUP and ignores what would harm the watch.  From now on waiting
 * calls return EINTR four times a second, so that a request is never missed for long.  To be
 * called when the command has been started, which keeps the handlers it would have had; so do commands
 * started later.
 */
void interrupts_catch(void);
/* The signal that asks us to stop, once; 0: none.  With a command, those of the terminal do not. */
int interrupts_take(bool command);
/* Whether such a signal has come at any time, of the terminal too, taken or not. */
bool interrupts_asked(void);
/* True once in a second: time to write down what is buffered. */
bool interrupts_tick(void);
/* The command was stopped by job control: stops us too, so that the shell has its terminal back. */
void interrupts_pause(pid_t command);
/* Ends as the command did: the exit status for its wait(2) status, or does not return. */
int interrupts_end_like(int status);

#endif
