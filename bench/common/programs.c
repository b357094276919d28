/* SPDX-License-Identifier: MIT */
#include "programs.h"

#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"
#include "files.h"

/* exit_group(0) */
#if defined(__x86_64__)
#define MACHINE EM_X86_64
#define CODE \
	{ \
		0xb8, 0xe7, 0, 0, 0, /* mov $231, %eax */ \
		    0x31, 0xff,	     /* xor %edi, %edi */ \
		    0x0f, 0x05 \
	} /* syscall */
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#define CODE \
	{ \
		0xc8, 0x0b, 0x80, 0xd2,	    /* mov x8, #94 */ \
		    0x00, 0x00, 0x80, 0xd2, /* mov x0, #0 */ \
		    0x01, 0x00, 0x00, 0xd4 \
	} /* svc #0 */
#endif

#ifdef MACHINE

enum { LOADED_AT = 1 << 22 };

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	unsigned char code[12];
};

/* The whole file is one segment: headers, then code. */
static const struct image image = {
	.header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = MACHINE,
		.e_version = EV_CURRENT,
		.e_entry = LOADED_AT + offsetof(struct image, code),
		.e_phoff = offsetof(struct image, segment),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	},
	.segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = LOADED_AT,
		.p_filesz = sizeof(struct image),
		.p_memsz = sizeof(struct image),
		.p_align = 1 << 16,
	},
	.code = CODE,
};

static const char *write_static(const char **reason)
{
	static char path[PATH_MAX];
	int directory, fd;

	*reason = files_reason(sizeof(image));
	if (*reason)
		return NULL;
	directory = files_directory();
	fd = openat(directory, "true", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	if (fd < 0 || write(fd, &image, sizeof(image)) != sizeof(image) || close(fd))
		err(1, "write a program into %s", files_path());
	close(directory);
	snprintf(path, sizeof(path), "%s/true", files_path());
	return path;
}

#else

static const char *write_static(const char **reason)
{
	*reason = "the static program exists for x86-64 and arm64 only";
	return NULL;
}

#endif

/* Does the program ask for a dynamic linker? */
static bool is_dynamic(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Phdr segment;
	Elf64_Ehdr header;
	bool found = false;

	if (fd < 0)
		return false;
	if (read(fd, &header, sizeof(header)) == sizeof(header) &&
	    !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_ident[EI_CLASS] == ELFCLASS64)
		for (int i = 0; i < header.e_phnum && !found; i++)
			found = pread(fd, &segment, sizeof(segment),
				      (off_t)(header.e_phoff + (unsigned)i * sizeof(segment))) ==
				    sizeof(segment) &&
				segment.p_type == PT_INTERP;
	close(fd);
	return found;
}

static const char *find_dynamic(const char **reason)
{
	static const char *const paths[] = { "/bin/true", "/usr/bin/true" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		if (is_dynamic(paths[i]))
			return paths[i];
	*reason = "there is no /bin/true linked to shared libraries";
	return NULL;
}

const char *program_trivial(enum program_kind kind, const char **reason)
{
	static char text[256];
	const char *path = kind == PROGRAM_STATIC ? write_static(reason) : find_dynamic(reason);
	char name[] = "true", *arguments[] = { name, NULL }, *environment[] = { NULL };
	int status;
	pid_t pid;

	if (!path)
		return NULL;
	errno = posix_spawn(&pid, path, NULL, NULL, arguments, environment);
	if (!errno && waitpid(pid, &status, 0) == pid && status == 0)
		return path;
	snprintf(text, sizeof(text), "%s cannot be run: %s",
		 kind == PROGRAM_STATIC ? "a program in the directory under test (-D)"
					: "/bin/true",
		 errno ? strerror(errno) : "it fails");
	*reason = text;
	return NULL;
}
