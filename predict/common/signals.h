/* SPDX-License-Identifier: MIT */
/*
 * signals.h - signals to a program that watches a command while it runs.
 *
 * The command shares our process group: what the terminal sends to the group (SIGINT, SIGQUIT,
 * SIGTSTP) reaches it anyway and is not a request to us.  A signal that a process sends to us alone
 * is handed on to the command.
 */
#ifndef COMMON_SIGNALS_H
#define COMMON_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Holds SIGINT, SIGQUIT, SIGTERM and SIGHUP back until signals_catch().  Call it before the command
 * is started, or processes are attached to: a request in between would end us without an end of
 * what is watched.
 */
void signals_hold(void);
/*
 * Catches these signals and ignores those that would end or stop us.
 * From now on system calls that wait return EINTR four times a second, so that no request has to
 * wait longer.  Call it after the command has been started: this command and later ones keep the
 * dispositions that we had before.
 */
void signals_catch(void);
/*
 * Handles a request to stop watching: the first one is handed on to the command (0: none) unless
 * that has ended.  True when the watch is to end now.
 */
bool signals_end_watch(pid_t command, bool ended);
/* The last signal that signals_end_watch has seen, or 0. */
int signals_handled(void);
/* True after any request, also by the terminal, which is handled by the command itself. */
bool signals_asked(void);
/* True once a second: time to write what is buffered. */
bool signals_tick(void);
/*
 * Job control has stopped the command by that signal: stops us too, so that the shell gets its
 * terminal back.  Does nothing when the command has a process group of its own, or for a SIGSTOP to
 * the command alone without a terminal to give back: the SIGCONT may come to the command alone,
 * too.
 */
void signals_pause(pid_t command, int number);
/* Ends as the command did: the exit status for its wait(2) status, or does not return. */
int signals_end_like(int status);

#endif
