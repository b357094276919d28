/* SPDX-License-Identifier: MIT */
#include "util/opt.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/map.h"
#include "util/number.h"
#include "util/vec.h"
#include "util/wrap.h"

#ifndef VERSION
#define VERSION "unknown"
#endif

static bool is_end(const struct opt *o)
{
	return !o->letter && !o->name;
}

enum { HELP_COLUMN = 29 }; /* where explanations begin */

static void print_option(const struct opt *o)
{
	char left[64] = "", letter[4] = { '-', o->letter, o->name ? ',' : '\0', '\0' };

	snprintf(left, sizeof(left), "%s%s%s%s%s", o->letter ? letter : "   ", o->name ? " --" : "",
		 o->name ? o->name : "", o->argument ? " " : "", o->argument ? o->argument : "");
	char *line = xasprintf("  %-26s %s", left, o->help);
	wrap_print(stdout, line, HELP_COLUMN);
	free(line);
}

/* Line by line; those that begin with blanks explain operands as options are explained. */
static void print_summary(const char *text)
{
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		char *line = xasprintf("%.*s", (int)n, text);
		wrap_print(stdout, line, *line == ' ' ? HELP_COLUMN : 0);
		free(line);
	}
}

static _Noreturn void print_help(const struct opt_usage *usage, const struct opt *options)
{
	static const struct opt help = { 'h', "help", .help = "print this text" };

	printf("usage: %s [OPTIONS]%s%s\n", usage->program, usage->operands ? " " : "",
	       usage->operands ? usage->operands : "");
	if (usage->summary)
		print_summary(usage->summary);
	putchar('\n');
	for (const struct opt *o = options; !is_end(o); o++)
		print_option(o);
	print_option(&help);
	if (usage->example)
		printf("\nexample: %s\n", usage->example);
	exit(opt_finish(0));
}

_Noreturn void opt_bad_usage(const struct opt_usage *usage, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "%s: ", usage->program);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, " (see %s --help)\n", usage->program);
	exit(2);
}

void opt_check_formats(const struct opt_usage *usage, bool json, bool csv)
{
	if (json && csv)
		opt_bad_usage(usage, "--json and --csv exclude each other");
}

static bool in_bounds(const struct opt *o, double v)
{
	return (!o->min && !o->max) || (v >= o->min && v <= o->max);
}

/* Stores the argument s (NULL for a flag).  Returns false if it is invalid. */
static bool store(const struct opt *o, const char *s)
{
	static bool (*const numbers[])(const char *, double *) = {
		[OPT_NUMBER] = number_parse_double,
		[OPT_PERCENT] = number_parse_percent,
		[OPT_DURATION] = number_parse_duration,
	};
	uint64_t count;
	double number;

	switch (o->kind) {
	case OPT_FLAG: *(bool *)o->value = true; return true;
	case OPT_COUNT:
	case OPT_SIZE:
		if (!(o->kind == OPT_COUNT ? number_parse_u64 : number_parse_size)(s, &count) ||
		    !in_bounds(o, (double)count))
			return false;
		*(uint64_t *)o->value = count;
		return true;
	case OPT_NUMBER:
	case OPT_PERCENT:
	case OPT_DURATION:
		if (!numbers[o->kind](s, &number) || !in_bounds(o, number))
			return false;
		*(double *)o->value = number;
		return true;
	case OPT_STRING: *(const char **)o->value = s; return true;
	case OPT_LIST: vec_push((struct opt_list *)o->value, s); return true;
	}
	return false;
}

static void set(const struct opt_usage *usage, const struct opt *o, const char *shown,
		const char *s)
{
	static const char *const what[] = {
		[OPT_COUNT] = "an integer",
		[OPT_SIZE] = "a size in bytes (such as 64k)",
		[OPT_NUMBER] = "a number",
		[OPT_PERCENT] = "a percentage",
		[OPT_DURATION] = "a duration (such as 1.5s)",
	};

	if (store(o, s))
		return;
	if (!o->min && !o->max)
		opt_bad_usage(usage, "%s %s: not %s", shown, s, what[o->kind]);
	opt_bad_usage(usage, "%s %s: not %s from %g to %g", shown, s, what[o->kind], o->min,
		      o->max);
}

/* Returns the option with that letter or, if letter is '\0', with the name of n bytes; NULL if
 * unknown. */
static const struct opt *find(const struct opt *o, char letter, const char *name, size_t n)
{
	for (; !is_end(o); o++)
		if (letter ? o->letter == letter
			   : o->name && strlen(o->name) == n && !strncmp(o->name, name, n))
			return o;
	return NULL;
}

/* Refuses what of a word is no option, and names the one whose name is nearest to the word's n
 * bytes. */
static _Noreturn void refuse(const struct opt_usage *usage, const struct opt *options,
			     const char *unknown, const char *word, size_t n)
{
	enum { FEWEST = 3 }; /* bytes, below which any name is near */
	static struct names known;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)n, word);
	for (const struct opt *o = options; !is_end(o) && n >= FEWEST; o++)
		if (o->name)
			names_add(&known, o->name);
	const char *nearest = names_nearest(&known, name);
	if (nearest)
		opt_bad_usage(usage, "unknown option %s; did you mean --%s?", unknown, nearest);
	opt_bad_usage(usage, "unknown option %s", unknown);
}

/* Sets option o to `argument`, which was part of the same word, or else to the next word.  Returns
 * the last index used. */
static int set_argument(const struct opt_usage *usage, const struct opt *o, const char *shown,
			const char *argument, int i, int argc, char **argv)
{
	if (!argument && i + 1 == argc)
		opt_bad_usage(usage, "%s needs %s", shown,
			      o->argument ? o->argument : "an argument");
	set(usage, o, shown, argument ? argument : argv[i + 1]);
	return argument ? i : i + 1;
}

/* Parses "--name", "--name=value" or "--name" "value" at argv[i].  Returns the last index used. */
static int parse_long(int argc, char **argv, int i, const struct opt_usage *usage,
		      const struct opt *options)
{
	const char *name = argv[i] + 2, *equals = strchr(name, '=');
	size_t n = equals ? (size_t)(equals - name) : strlen(name);
	const struct opt *o = find(options, '\0', name, n);
	char shown[64];

	if (!o && !strcmp(name, "help"))
		print_help(usage, options);
	snprintf(shown, sizeof(shown), "--%.*s", (int)n, name);
	if (!o)
		refuse(usage, options, shown, name, n);
	if (o->kind != OPT_FLAG)
		return set_argument(usage, o, shown, equals ? equals + 1 : NULL, i, argc, argv);
	if (equals)
		opt_bad_usage(usage, "%s takes no argument", shown);
	set(usage, o, shown, NULL);
	return i;
}

/* Parses "-a", "-ab", "-avalue" or "-a" "value" at argv[i].  Returns the last index used. */
static int parse_letters(int argc, char **argv, int i, const struct opt_usage *usage,
			 const struct opt *options)
{
	for (const char *p = argv[i] + 1; *p; p++) {
		const struct opt *o = find(options, *p, NULL, 0);
		char shown[3] = { '-', *p, '\0' };

		if (!o && *p == 'h')
			print_help(usage, options);
		if (!o)
			refuse(usage, options, shown, argv[i] + 1, strlen(argv[i] + 1));
		if (o->kind != OPT_FLAG)
			return set_argument(usage, o, shown, p[1] ? p + 1 : NULL, i, argc, argv);
		set(usage, o, shown, NULL);
	}
	return i;
}

/* Moves `width` words from argv[to...] down to argv[from...]; those in between follow them. */
static void move_down(char **argv, int from, int to, int width)
{
	for (int w = 0; w < width; w++) {
		char *word = argv[to + w];

		memmove(argv + from + w + 1, argv + from + w, (size_t)(to - from) * sizeof(*argv));
		argv[from + w] = word;
	}
}

static int parse(int argc, char **argv, const struct opt_usage *usage, const struct opt *options,
		 bool mixed)
{
	int first = 1; /* the first operand; the operands found so far are at first ... i - 1 */

	for (int i = 1, end = false; i < argc && !end; i++) {
		if (argv[i][0] != '-' || !argv[i][1]) {
			end = !mixed;
			continue;
		}
		int last = i;
		if (!strcmp(argv[i], "--"))
			end = true;
		else
			last = (argv[i][1] == '-' ? parse_long : parse_letters)(argc, argv, i,
										usage, options);
		move_down(argv, first, i, last - i + 1);
		first += last - i + 1;
		i = last;
	}
	if (first < argc && !usage->operands)
		opt_bad_usage(usage, "unexpected operand '%s'", argv[first]);
	return first;
}

int opt_parse(int argc, char **argv, const struct opt_usage *usage, const struct opt *options)
{
	return parse(argc, argv, usage, options, false);
}

int opt_parse_mixed(int argc, char **argv, const struct opt_usage *usage, const struct opt *options)
{
	int first = parse(argc, argv, usage, options, true);

	for (int i = first; i < argc; i++)
		if (!*argv[i])
			opt_bad_usage(usage, "an empty operand: of a variable that is not set?");
	return first;
}

static void print_commands(FILE *f, const char *program, const char *summary,
			   const struct opt_command *commands)
{
	fprintf(f, "usage: %s COMMAND [OPTIONS] [OPERANDS]\n%s\n\n", program, summary);
	for (const struct opt_command *c = commands; c->name; c++)
		fprintf(f, "  %-10s %s\n", c->name, c->summary);
	fprintf(f, "\n%s COMMAND --help explains one; %s --version prints the version\n", program,
		program);
}

/* If a standard stream is closed, the next file that is opened must not take its number. */
static void hold_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

static const struct opt_command *find_command(const struct opt_command *commands, const char *name)
{
	while (commands->name && strcmp(commands->name, name))
		commands++;
	return commands->name ? commands : NULL;
}

static int refuse_command(const char *program, const char *name, const struct opt_command *commands)
{
	struct names known = { 0 };

	for (const struct opt_command *c = commands; c->name; c++)
		names_add(&known, c->name);
	const char *nearest = names_nearest(&known, name);
	fprintf(stderr, "%s: unknown %s '%s'", program, *name == '-' ? "option" : "command", name);
	if (nearest)
		fprintf(stderr, "; did you mean '%s'?", nearest);
	fprintf(stderr, " (see %s --help)\n", program);
	names_free(&known);
	return 2;
}

/* Whether a command line that names no command gives a file or options, as in "cea app.ktr". */
static bool names_file(const char *word)
{
	return *word == '-' || strpbrk(word, "./") || access(word, F_OK) == 0;
}

int opt_run_command(int argc, char **argv, const char *program, const char *summary,
		    const struct opt_command *commands, int (*otherwise)(int argc, char **argv))
{
	static char help[] = "--help";
	const struct opt_command *command;

	hold_streams();
	if (argc < 2) {
		print_commands(stderr, program, summary, commands);
		return 2;
	}
	if (!strcmp(argv[1], "help") && argc > 2) {
		argv[1] = argv[2];
		argv[2] = help;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		print_commands(stdout, program, summary, commands);
		return opt_finish(0);
	}
	if (!strcmp(argv[1], "--version")) {
		printf("%s %s\n", program, VERSION);
		return opt_finish(0);
	}
	command = find_command(commands, argv[1]);
	if (!command && otherwise && names_file(argv[1]))
		return opt_finish(otherwise(argc, argv));
	return command ? opt_finish(command->run(argc - 1, argv + 1))
		       : refuse_command(program, argv[1], commands);
}

int opt_finish(int status)
{
	bool failed = ferror(stdout);

	/* The errno of an earlier failure is lost; if the flush fails as well, it sets errno. */
	errno = 0;
	if (fflush(stdout) == 0 && !failed)
		return status;
	if (!errno)
		warnx("stdout: not all of it could be written (is the disk full?)");
	else if (errno != EPIPE)
		warn("stdout");
	return status ? status : 1;
}
