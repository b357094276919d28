/* SPDX-License-Identifier: MIT */
/*
 * files.h - a directory of this process below -D, and files in it.  Errors end the program with
 * status 1, except where a reason is returned.
 */
#ifndef COMMON_FILES_H
#define COMMON_FILES_H

#include <stdint.h>

enum { FILES_BYTE = 0x5a };
#define FILES_FILE "file" /* the name that files_make gives */

/* Why no file can be made below -D, or NULL. */
const char *files_supported(void);
/* Why files of size bytes in all cannot be made below -D, or NULL. */
const char *files_reason(uint64_t size);
/* The absolute path of the directory, made by the first call.  exit(3) and the signals that end a
 * program from outside, but SIGKILL, remove it with everything in it; forked children leave it
 * alone. */
const char *files_path(void);
/* The directory, open. */
int files_directory(void);
/* A new directory beside it, which ext4 is asked to place apart from the others; open. */
int files_new_directory(void);
/* The one of four such directories in which files are made most quickly, with a few files in it; to
 * make other directories in.  Without a journal ext4 avoids the inodes that were deleted in the
 * last minutes, one by one, so that beside many of them a file or directory costs many times as
 * much: those that measure this make no more than FILES_FEW in a batch. */
enum { FILES_FEW = 32 };
int files_quick_directory(void);
/* A new file of size bytes, each FILES_BYTE, in the page cache; open for reading and writing, at
 * its start. */
int files_make(uint64_t size);
/* The same with words of 64 bits: word number i, counted from 0, is word(i). */
int files_make_words(uint64_t size, uint64_t (*word)(uint64_t i));

/* Takes the pages of a file of size bytes, which is synced, out of the page cache; returns how many
 * are still there. */
uint64_t files_drop(int fd, uint64_t size);
/* The number of pages of the file that are in the page cache. */
uint64_t files_cached(int fd, uint64_t size);

enum { FILES_NAME = 32 };
/* Gives n names in directory to empty files, a thousand to a file: a listing or a look-up reads
 * names only, and making a link is faster than making a file. */
void files_fill(int directory, uint64_t n);
/* Name i of these. */
void files_name(char name[FILES_NAME], uint64_t i);

#endif
