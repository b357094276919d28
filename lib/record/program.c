/* SPDX-License-Identifier: MIT */
#include "record/program.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/shell.h"
#include "util/vec.h"

enum {
	COMM_MAX = 15, /* longer names are cut in /proc/PID/comm */
};

static int executable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -1;
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	return access(path, X_OK);
}

char *program_find(const char *name, struct error *e)
{
	const char *path = getenv("PATH");
	int why = ENOENT;

	if (strchr(name, '/')) {
		if (!executable(name))
			return xstrdup(name);
		error_set(e, "%s: %s", name, strerror(errno));
		return NULL;
	}
	for (const char *p = path ? path : "/bin:/usr/bin", *next; *name && p; p = next) {
		int n = (int)strcspn(p, ":"); /* 0: the current directory */
		next = p[n] ? p + n + 1 : NULL;
		char *file = n ? xasprintf("%.*s/%s", n, p, name) : xasprintf("./%s", name);

		if (!executable(file))
			return file;
		/* The file exists; the error is not that of a directory of PATH. */
		if (errno == EACCES && !access(file, F_OK))
			why = EACCES;
		free(file);
	}
	error_set(e, "%s: %s", name, why == EACCES ? strerror(why) : "command not found in PATH");
	return NULL;
}

char *program_command(pid_t pid)
{
	char path[32];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	char *args = file_read(path, SIZE_MAX, &n, NULL);
	char *command = shell_strings(args, n);
	free(args);
	return command;
}

static void read_file_name(pid_t pid, char out[PROGRAM_NAME_MAX])
{
	static const char deleted[] = " (deleted)";
	char path[32], file[4096];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	ssize_t n = readlink(path, file, sizeof(file) - 1);
	file[n > 0 ? n : 0] = '\0';
	if (n > (ssize_t)strlen(deleted) && !strcmp(file + n - strlen(deleted), deleted))
		file[n - (ssize_t)strlen(deleted)] = '\0';
	const char *slash = strrchr(file, '/');
	snprintf(out, PROGRAM_NAME_MAX, "%.*s", PROGRAM_NAME_MAX - 1, slash ? slash + 1 : file);
}

void program_of(pid_t pid, struct program *p)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file_first_line(path, p->name, sizeof(p->name));
	read_file_name(pid, p->file);
	/* The kernel cuts the name; the name of the file is often the same, uncut. */
	if (!*p->name || (strlen(p->name) == COMM_MAX && !strncmp(p->name, p->file, COMM_MAX)))
		memcpy(p->name, p->file, sizeof(p->name));
}

char *program_file(pid_t pid, const char *command, const char *extension)
{
	struct program program;

	if (pid) {
		program_of(pid, &program);
		command = program.name; /* it may call itself a path */
	}
	const char *slash = strrchr(command, '/');
	return xasprintf("%s%s", slash ? slash + 1 : command, extension);
}

bool program_is(const struct program *p, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], p->name) || !strcmp(names[i], p->file) ||
		    (strlen(p->name) == COMM_MAX && !strncmp(names[i], p->name, COMM_MAX)))
			return true;
	return false;
}

int program_status(pid_t tid, const char *const *fields, int base, uint64_t *values, int n)
{
	char path[32], line[256];
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	FILE *f = fopen(path, "re");
	while (f && found < n && fgets(line, sizeof(line), f)) {
		size_t name = strcspn(line, ":");

		for (int i = 0; i < n; i++)
			if (strlen(fields[i]) == name && !strncmp(line, fields[i], name)) {
				char *value = line + name + 1 + strspn(line + name + 1, " \t"),
				     *end;

				values[i] = strtoull(value, &end, base);
				if (end == value)
					values[i] = (unsigned char)*value;
				found++;
			}
	}
	if (f)
		fclose(f);
	return found;
}

int program_stat(pid_t tid, const int *fields, int64_t *values, int n)
{
	enum { COMMAND = 2 };
	char path[64];
	size_t size = 0;
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	char *text = file_read(path, SIZE_MAX, &size, NULL);
	const char *p = text ? strrchr(text, ')') : NULL; /* the name may hold anything */
	for (int field = COMMAND + 1; found < n && p && (p = strchr(p, ' ')); field++) {
		p++;
		if (field == fields[found])
			values[found++] = isalpha((unsigned char)*p) ? *p : strtoll(p, NULL, 10);
	}
	free(text);
	return found;
}

void program_doing(pid_t tid, struct program_doing *d)
{
	static const int fields[] = { 3, 39 };
	int64_t values[2] = { 0, 0 };
	char path[64], line[1024];

	program_stat(tid, fields, values, 2);
	*d = (struct program_doing){ .state = (char)values[0],
				     .cpu = (unsigned)values[1],
				     .call = -1 };
	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	file_first_line(path, line, sizeof(line));
	uint64_t *a = d->args;
	if (sscanf(line, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64,
		   &d->call, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5]) < 7)
		d->call = -1; /* "running" */
}

int program_is_alive(pid_t pid, struct error *e)
{
	enum { EXITING = 0x4, KERNEL_THREAD = 0x200000 }; /* PF_... of the kernel */
	static const int fields[] = { 3, 9 };		  /* state and flags */
	int64_t values[] = { 0, 0 };
	const char *why = NULL;

	program_stat(pid, fields, values, 2);
	if (!values[0])
		why = "there is no such process";
	else if (values[0] == 'Z' || values[0] == 'X' || values[1] & EXITING)
		why = "has ended: its parent has not waited for it yet";
	else if (values[1] & KERNEL_THREAD)
		why = "a kernel thread, which makes no system calls";
	if (!why)
		return 0;
	error_set(e, "process %d: %s", pid, why);
	errno = ESRCH;
	return -1;
}

bool program_is_narrow(pid_t pid)
{
	char path[32];
	unsigned char head[EI_CLASS + 1] = { 0 };

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(head, sizeof(head), 1, f) : 0;
	if (f)
		fclose(f);
	return n && sizeof(long) == 8 && head[EI_CLASS] == ELFCLASS32;
}

/* Its directory in /proc belongs to the user as whom the process runs; the files in it belong to
 * root if the process changed its user or group by its program, or has ended. */
static bool owners_differ(pid_t pid)
{
	char path[32];
	struct stat process, file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (stat(path, &file))
		return false;
	*strrchr(path, '/') = '\0';
	return !stat(path, &process) &&
	       (file.st_uid != process.st_uid || file.st_gid != process.st_gid);
}

bool program_is_foreign(pid_t pid)
{
	char path[32], target[1];
	bool differ = owners_differ(pid);

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (readlink(path, target, sizeof(target)) < 0)
		return errno == EACCES; /* else it has ended, and its owners say nothing */
	return differ || program_is_narrow(pid);
}

int program_threads(pid_t pid, pid_t **tids)
{
	VEC(pid_t) found = { 0 };
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *directory = opendir(path);
	for (struct dirent *d; directory && (d = readdir(directory));)
		if (strtol(d->d_name, NULL, 10) > 0)
			vec_push(&found, (pid_t)strtol(d->d_name, NULL, 10));
	*tids = found.v;
	if (!directory)
		return -1;
	closedir(directory);
	return (int)found.n;
}

int program_parent(pid_t tid, pid_t *pid, pid_t *parent)
{
	static const char *const fields[] = { "Tgid", "PPid" };
	uint64_t values[2];

	if (program_status(tid, fields, 10, values, 2) != 2)
		return -1;
	*pid = (pid_t)values[0];
	*parent = (pid_t)values[1];
	return 0;
}
