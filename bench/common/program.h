/* SPDX-License-Identifier: MIT */
/* program.h - a program to start that is the same on every machine. */
#ifndef COMMON_PROGRAM_H
#define COMMON_PROGRAM_H

/* Writes a static program of three instructions, which ends with status 0, into files_path(), and
 * returns its path; NULL and *reason when that is not possible here. */
const char *program_static(const char **reason);

#endif
