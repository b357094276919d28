/* SPDX-License-Identifier: MIT */
/*
 * screen.h - the terminal as a screen that is drawn again and again, and as a source of keys.
 *
 * It gets back what it showed, and its settings, when the screen is closed or the program ends.
 */
#ifndef KTRANAL_SCREEN_H
#define KTRANAL_SCREEN_H

#include <stdbool.h>

/*
 * Takes the terminal; false when the standard output is none, or cannot be drawn on (TERM=dumb).
 * Standard streams that are the terminal are /dev/null until it is closed, so that no child writes
 * across the screen or takes the keys.
 */
bool screen_open(void);
/* The lines of the terminal now. */
int screen_height(void);
/* Shows text in place of what was shown; lines that are too long are cut. */
void screen_draw(const char *text);
/* The next key that was pressed; 0: none yet. */
int screen_key(void);
/* Gives the terminal back, if it was taken. */
void screen_close(void);

#endif
