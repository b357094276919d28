/* SPDX-License-Identifier: MIT */
/*
 * opt.h - options declared as a table; parsing, checking and the usage text come from it.
 *
 *	static struct { bool json; uint64_t units; } set = { .units = 1 };
 *	static const struct opt opts[] = {
 *		{ 'j', "json", OPT_FLAG, &set.json, .help = "print JSON" },
 *		{ 'n', "units", OPT_COUNT, &set.units, "N", 1, 1e12, "requests served" },
 *		{ 0 }
 *	};
 *	int first = opt_parse(argc, argv, &(struct opt_usage){ ... }, opts);
 *
 * This is the front end of a program: bad usage is explained on stderr and ends it with status 2,
 * -h and --help print the usage on stdout and end it with status 0.
 */
#ifndef OPT_H
#define OPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum opt_kind {
	OPT_FLAG,     /* bool *: true when given */
	OPT_COUNT,    /* uint64_t *: an integer in [min, max] */
	OPT_SIZE,     /* uint64_t *: bytes in [min, max], suffix k, m, g */
	OPT_NUMBER,   /* double *: in [min, max] */
	OPT_PERCENT,  /* the same, and a % may follow: 5% is 5 */
	OPT_DURATION, /* double *: seconds in [min, max], suffix ns ... h */
	OPT_STRING,   /* const char **: the argument as it stands */
	OPT_LIST,     /* struct opt_list *: every argument given, in order */
};

struct opt_list {
	const char **v;
	size_t n, cap;
};

struct opt {
	char letter;	  /* 0: no short form.  Neither letter nor name ends the table */
	const char *name; /* long form without the dashes; NULL: none */
	enum opt_kind kind;
	void *value;	      /* what kind says; holds the default beforehand */
	const char *argument; /* name of the argument in the usage text; NULL for a flag */
	double min, max;      /* both 0: no bounds */
	const char *help;
};

struct opt_usage {
	const char *program;  /* "hbench run" */
	const char *operands; /* "[PATTERN...]"; NULL: none are taken */
	const char *summary;  /* one sentence */
	const char *example;  /* a command line that works; NULL: none */
};

/* Parses argv[1...]; the first operand or "--" (which is consumed) ends the options.  Returns the
 * index of the first operand; bad usage when usage->operands is NULL. */
int opt_parse(int argc, char **argv, const struct opt_usage *usage, const struct opt *options);
/* The same, but options may also follow operands, which are moved behind them in argv: for commands
 * whose operands are not another command's line. */
int opt_parse_mixed(int argc, char **argv, const struct opt_usage *usage,
		    const struct opt *options);
/* Prints "program: message" and a pointer to --help on stderr and ends with status 2. */
_Noreturn void opt_bad_usage(const struct opt_usage *usage, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A program made of commands: "hbench run", "ktranal record". */
struct opt_command {
	const char *name; /* NULL ends the table */
	const char *summary;
	int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns exit status */
};

/* Runs the command named by argv[1] and returns its status, 1 when stdout could not be written, 2
 * for an unknown command.  Serves -h, --help, help, help COMMAND and --version.  When argv[1] names
 * no command, otherwise runs, with argv as it is, unless it is NULL. */
int opt_run_command(int argc, char **argv, const char *program, const char *summary,
		    const struct opt_command *commands, int (*otherwise)(int argc, char **argv));

/* Flushes stdout; a failure (full disk, closed pipe) is reported on stderr and turns status into 1.
 */
int opt_finish(int status);

#endif
