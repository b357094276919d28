/* SPDX-License-Identifier: MIT */
/*
 * opt.h - command line options, declared as a table from which parsing, checks and the usage text
 * follow.
 *
 * 	static struct { bool json; uint64_t units; } set = { .units = 1 };
 * 	static const struct opt opts[] = {
 * 		{ 'j', "json", OPT_FLAG, &set.json, .help = "print JSON" },
 * 		{ 'n', "units", OPT_COUNT, &set.units, "N", 1, 1e12, "requests served" },
 * 		{ 0 }
 * 	};
 * 	int first = opt_parse(argc, argv, &(struct opt_usage){ ... }, opts);
 *
 * This belongs to the front end of a program: bad usage is explained on stderr and ends the program
 * with status 2; -h and --help print the usage on stdout and end it with status 0.
 */
#ifndef UTIL_OPT_H
#define UTIL_OPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum opt_kind {
	OPT_FLAG,     /* bool *: set to true */
	OPT_COUNT,    /* uint64_t *: an integer in [min, max] */
	OPT_SIZE,     /* uint64_t *: bytes in [min, max], with optional suffix k, m, g */
	OPT_NUMBER,   /* double *: in [min, max] */
	OPT_PERCENT,  /* double *: in [min, max], with optional %; 5% is 5 */
	OPT_DURATION, /* double *: seconds in [min, max], with optional suffix ns ... h */
	OPT_STRING,   /* const char **: the argument itself */
	OPT_LIST,     /* struct opt_list *: all arguments given, in order */
};

struct opt_list {
	const char **v;
	size_t n, cap;
};

struct opt {
	char letter; /* '\0': no short form.  An option without letter and name ends the table */
	const char *name; /* long form without the dashes; NULL: none */
	enum opt_kind kind;
	void *value;	      /* as kind says; initialized with the default */
	const char *argument; /* name of the argument in the usage text; NULL for a flag */
	double min, max;      /* both 0: no bounds */
	const char *help;
};

struct opt_usage {
	const char *program;  /* such as "hbench run" */
	const char *operands; /* such as "[PATTERN...]"; NULL: the program takes none */
	const char *summary;  /* one sentence */
	const char *example;  /* a command line that works; NULL: none */
};

/* Parses argv[1...] up to the first operand or "--", which is skipped.  Returns the index of the
 * first operand.  If usage->operands is NULL, an operand is bad usage. */
int opt_parse(int argc, char **argv, const struct opt_usage *usage, const struct opt *options);
/* The same, but options may also follow operands, which are moved behind the options in argv.  Not
 * for commands whose operands are the command line of another program. */
int opt_parse_mixed(int argc, char **argv, const struct opt_usage *usage,
		    const struct opt *options);
/* Prints "program: message" and a pointer to --help on stderr and exits with status 2. */
_Noreturn void opt_bad_usage(const struct opt_usage *usage, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Both --json and --csv are bad usage. */
void opt_check_formats(const struct opt_usage *usage, bool json, bool csv);

/* A command of a program, such as "run" of hbench. */
struct opt_command {
	const char *name; /* NULL ends the table */
	const char *summary;
	int (*run)(int argc,
		   char **argv); /* argv[0] is the command's name; returns the exit status */
};

/*
 * Runs the command named by argv[1] and returns its status, 1 if stdout could not be written, or 2
 * for an unknown command.  Handles -h, --help, help, help COMMAND and --version.  If argv[1] names
 * no command but a file, or options that others follow ("critpath --json app.ktr"), and `otherwise`
 * is not NULL, calls otherwise() with argv unchanged.
 */
int opt_run_command(int argc, char **argv, const char *program, const char *summary,
		    const struct opt_command *commands, int (*otherwise)(int argc, char **argv));

/* Flushes stdout.  A failure (full disk, closed pipe) is reported on stderr and turns status 0 into
 * 1. */
int opt_finish(int status);

#endif
