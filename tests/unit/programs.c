/* SPDX-License-Identifier: MIT */
/*
 * Runs every benchmark program briefly, once for each word of its choices, and reads what -L and -J
 * print as osvec-bench(7) describes it.
 */
#include "../tap.h"

#include <dirent.h>
#include <jansson.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/file.h"
#include "util/xalloc.h"

enum { PARAMETERS = 8 };

static char scratch[] = "/tmp/osvec-test-XXXXXX", said[] = "/tmp/osvec-said-XXXXXX";
static int tries, vain; /* runs; those in which noise hid all that there was to measure */

/* Runs command, returns its exit status (-1: killed) and its stdout as JSON (NULL if it is not). */
static int run(const char *command, json_t **out)
{
	FILE *f = popen(command, "r");

	if (!f)
		exit(1);
	*out = json_loadf(f, JSON_REJECT_DUPLICATES, NULL);
	int status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *member(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static double number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

/* True if every member of osvec-bench(7) is there and has its type. */
static bool is_complete(const json_t *o)
{
	static const char *const numbers[] = {
		"seconds",	"iterations",	     "minimum",	       "mean",
		"batch_sd",	"overhead",	     "faults",	       "switches",
		"major_faults", "involuntary",	     "disturbed",      "wall",
		"tick",		"calibration_error", "kernel_entries",
	};
	static const char *const strings[] = {
		"entry", "program", "placement", "operation", "method", "clock",
	};
	bool good = json_is_object(json_object_get(o, "canaries")) &&
		    json_is_boolean(json_object_get(o, "threaded")) &&
		    json_object_get(o, "cpu_seconds") && json_object_get(o, "waited") &&
		    json_object_get(o, "steal") && json_is_array(json_object_get(o, "flags")) &&
		    json_is_array(json_object_get(o, "batches"));

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!(number(o, numbers[i]) >= 0)) {
			printf("# member %s\n", numbers[i]);
			good = false;
		}
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		if (!member(o, strings[i])) {
			printf("# member %s\n", strings[i]);
			good = false;
		}
	return good;
}

/* Do the figures follow from the batches? */
static bool is_consistent(const json_t *o)
{
	const json_t *batches = json_object_get(o, "batches"), *batch;
	double sum = 0, highest = -INFINITY, seconds = number(o, "seconds"), low = INFINITY;
	size_t i, n = json_array_size(batches);

	json_array_foreach(batches, i, batch)
	{
		sum += json_number_value(batch);
		highest = fmax(highest, json_number_value(batch));
		low = fmin(low, json_number_value(batch));
	}
	return n && fabs(number(o, "mean") - sum / (double)n) <= 1e-6 * fabs(sum) &&
	       seconds >= low && seconds <= highest &&
	       fabs(number(o, "minimum") - fmax(low, 0)) <= 1e-6 * seconds;
}

/* Seconds per step of each canary, as far as a number tells them from ticks. */
static bool are_seconds(const json_t *canaries)
{
	const char *kind;
	const json_t *gaps, *step;
	size_t i;
	bool good = true;

	json_object_foreach((json_t *)(uintptr_t)canaries, kind, gaps)
	{
		json_array_foreach(gaps, i, step)
		{
			good &= json_is_null(step) ||
				(json_number_value(step) > 0 && json_number_value(step) < 0.1);
		}
		good &= *kind && json_array_size(gaps) > 1;
	}
	return good;
}

/* How far the first time of a canary is from that of an entry which does the same. */
static double distance(const json_t *o, const char *canary)
{
	const json_t *times = json_object_get(json_object_get(o, "canaries"), canary);

	return fabs(log(json_number_value(json_array_get(times, 0)) / number(o, "seconds")));
}

static void check_measured(const json_t *o, const char *entry)
{
	double bytes = number(o, "bytes");

	if (!strcmp(entry, "cpu_vm"))
		ok(distance(o, "code") < distance(o, "call"), "%s: code takes as long", entry);
	if (!strcmp(entry, "lat_syscall_getppid"))
		ok(distance(o, "call") < distance(o, "code"), "%s: a call takes as long", entry);

	ok(is_complete(o), "%s: all members are there", entry);
	ok(number(o, "seconds") > 0, "%s: %g s", entry, number(o, "seconds"));
	ok(are_seconds(json_object_get(o, "canaries")), "%s: canaries", entry);
	ok(is_consistent(o), "%s: median, mean and minimum are those of the batches", entry);
	ok(number(o, "wall") >= number(o, "seconds") * number(o, "iterations"),
	   "%s: a batch is shorter than the process", entry);
	ok(isnan(bytes) || (bytes >= 1 && bytes / number(o, "seconds") < 1e13),
	   "%s: less than 10 TB/s", entry);
}

/* Whether the program said that nothing was left after the overhead was subtracted. */
static bool is_vain(void)
{
	char line[400];

	return file_first_line(said, line, sizeof(line)) && strstr(line, "nothing to report");
}

/* One run with these words. */
static void try(const char *program, const char *name, const char *const *words, size_t n)
{
	char operands[256] = "";
	json_t *o;

	for (size_t i = 0, at = 0; i < n; i++)
		at += (size_t)snprintf(operands + at, sizeof(operands) - at, " %s", words[i]);
	char *command =
	    xasprintf("'%s' -J -T 100us -B 3 -D %s%s 2>%s", program, scratch, operands, said);
	char *entry = xasprintf("%s%s", name, operands);
	for (char *p = entry; (p = strchr(p, ' ')) != NULL;)
		*p = '_';
#ifdef __SANITIZE_ADDRESS__
	/* Its memory leaves the kernel no huge page, now and then. */
	if (!strcmp(entry, "lat_pagefault_huge")) {
		skip(entry, 1);
		free(command);
		free(entry);
		return;
	}
#endif
	int status = run(command, &o);
	tries++;
	if (status == 1 && is_vain()) {
		vain++;
		skip(entry, 1);
	} else {
		ok(status == 0 || status == 3, "%s: status %d", entry, status);
		is_string(member(o, "entry"), entry, "%s: is the name of the entry", entry);
		if (status == 0)
			check_measured(o, entry);
		else
			ok(member(o, "unsupported") != NULL, "%s: %s", entry,
			   member(o, "unsupported"));
	}
	json_decref(o);
	free(command);
	free(entry);
}

/* The value of a parameter while another one varies. */
static const char *usual(const json_t *parameter)
{
	const char *fallback = member(parameter, "fallback");

	return fallback
		   ? fallback
		   : json_string_value(json_array_get(json_object_get(parameter, "values"), 0));
}

static bool is_choice(const json_t *parameter)
{
	const char *kind = member(parameter, "kind");

	return kind && !strcmp(kind, "choice");
}

static void try_all(const char *program, const char *name, const json_t *parameters)
{
	const char *words[PARAMETERS];
	size_t n = json_array_size(parameters);

	/* Silent parameters keep their fallbacks and do not appear in the name. */
	while (n && json_is_true(json_object_get(json_array_get(parameters, n - 1), "silent")))
		n--;
	for (size_t i = 0; i < n && i < PARAMETERS; i++)
		words[i] = usual(json_array_get(parameters, i));
	try(program, name, words, n);
	for (size_t i = 0; i < n; i++) {
		const json_t *p = json_array_get(parameters, i);
		const json_t *values = json_object_get(p, "values");
		const char *kept = words[i];

		for (size_t k = 0; is_choice(p) && k < json_array_size(values); k++) {
			words[i] = json_string_value(json_array_get(values, k));
			if (strcmp(words[i], kept))
				try(program, name, words, n);
		}
		words[i] = kept;
	}
}

static void test_program(const char *directory, const char *name)
{
	char *path = xasprintf("%s/%s", directory, name);
	char *command = xasprintf("'%s' -L", path);
	struct stat st;
	json_t *o;

	if (!stat(path, &st) && S_ISREG(st.st_mode) && (st.st_mode & 0100)) {
		cmp_int(run(command, &o), 0, "%s -L", name);
		is_string(member(o, "program"), name, "%s: names itself", name);
		ok(member(o, "summary") && member(o, "operation"), "%s: describes what it does",
		   name);
		json_t *parameters = json_object_get(o, "parameters");
		ok(json_is_array(parameters), "%s: lists its parameters", name);
		try_all(path, name, parameters);
		json_decref(o);
	}
	free(command);
	free(path);
}

static int is_program(const struct dirent *entry)
{
	return !strchr(entry->d_name, '.');
}

/* programs [NAME...]: only these programs. */
static bool is_chosen(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(name, argv[i]))
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	const char *build = getenv("O");
	char *directory = xasprintf("%s/bench", build ? build : "build");
	struct dirent **entries;
	int n = scandir(directory, &entries, is_program, alphasort);

	if (n <= 0 || !mkdtemp(scratch) || close(mkstemp(said)))
		return 1;
	for (int i = 0; i < n; i++) {
		if (is_chosen(entries[i]->d_name, argc, argv))
			test_program(directory, entries[i]->d_name);
		free(entries[i]);
	}
	/* One more by bad luck, when only some programs are run on a busy machine. */
	ok(vain <= tries / 20 + (tries > 1), "%d of %d runs had nothing to report", vain, tries);
	ok(rmdir(scratch) == 0, "nothing is left in the scratch directory");
	unlink(said);
	free(entries);
	free(directory);
	return done_testing();
}
