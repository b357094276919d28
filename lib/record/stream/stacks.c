/* SPDX-License-Identifier: MIT */
#include "record/stream/stacks.h"

#ifdef HAVE_DW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/program.h"
#include "util/hash.h"
#include "util/map.h"
#include "util/vec.h"

enum {
	FRAMES = 16,
	SPACES = 4096,
#if defined(__aarch64__)
	STACK_POINTER = 31, /* as DWARF numbers registers */
	FRAME_POINTER = 29,
#else
	STACK_POINTER = 7,
	FRAME_POINTER = 6,
#endif
};

/* A frame is the number of its file and, in these bits, an address there. */
enum { FILE_SHIFT = 44 };
static const uint64_t offset_bits = ((uint64_t)1 << FILE_SHIFT) - 1;

/* Code of a file in the memory of a process. */
struct mapping {
	uint64_t from, until;
	uint64_t base; /* where the first byte of the file is mapped */
	uint32_t file;
};

/* What a process has mapped. */
struct space {
	VEC(struct mapping) mappings;
	struct record_space id;
};

struct file {
	char *path;
	Elf *elf;
	Dwarf_CFI *cfi;	  /* NULL: it has none */
	uint64_t address; /* that its first byte has in the file's own numbers */
};

/* How the caller of an address is found. */
struct rule {
	enum { NO_RULE, UNCLEAR, OUTERMOST, CALLED } kind;
	bool from_frame;    /* the frame begins relative to the frame pointer */
	bool through;	    /* ... or at what is in memory there */
	bool in_register;   /* the return address; true only of functions that call none */
	bool keeps_pointer; /* the frame pointer is the caller's */
	int64_t frame, address, pointer; /* offsets: of the frame; in it, of what was saved */
};

struct stacks {
	struct map spaces;  /* struct space *, by process */
	struct map by_id;   /* one of the processes with that */
	struct names names; /* of files: with their device and inode */
	VEC(struct file) files;
	struct map rules; /* number in v, plus 1, by file and address */
	VEC(struct rule) v;
	struct map texts; /* char *, by hash of the frames */
};

/* ---- files ---- */

/* Opens the file of a mapping: that one, even if another one has its name now. */
static int open_mapped(pid_t pid, const struct mapping *m, const char *path)
{
	char *exact = xasprintf("/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, m->from, m->until);
	int fd = open(exact, O_RDONLY | O_CLOEXEC);

	free(exact);
	return fd >= 0 ? fd : open(path, O_RDONLY | O_CLOEXEC);
}

/* The address of the segment with the first byte of the file. */
static uint64_t first_address(Elf *elf)
{
	size_t n = 0;
	GElf_Phdr h;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &h) && h.p_type == PT_LOAD)
			return (h.p_vaddr - h.p_offset) & ~(uint64_t)4095;
	return 0;
}

/* Reads into memory what is needed, as the file may become shorter. */
static void read_file(struct file *f, int fd)
{
	f->elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (f->elf) {
		f->cfi = dwarf_getcfi_elf(f->elf);
		f->address = first_address(f->elf);
		elf_cntl(f->elf, ELF_C_FDDONE);
	}
	if (fd >= 0)
		close(fd);
}

/* id: " fe:01 1234   /path". */
static uint32_t file_of(struct stacks *s, pid_t pid, const struct mapping *m, const char *id)
{
	static const char deleted[] = " (deleted)";
	size_t number = names_add(&s->names, id);

	if (number < s->files.n)
		return (uint32_t)number;
	struct file f = { .path = xstrdup(strchr(id, '/')) };
	size_t n = strlen(f.path), cut = sizeof(deleted) - 1;
	if (n > cut && !strcmp(f.path + n - cut, deleted))
		f.path[n - cut] = '\0';
	read_file(&f, open_mapped(pid, m, f.path));
	vec_push(&s->files, f);
	return (uint32_t)number;
}

/* ---- what is mapped ---- */

static void free_space(struct space *p)
{
	vec_free(&p->mappings);
	free(p);
}

/* The file whose first byte was mapped last, and where. */
struct begun {
	uint64_t file; /* hash of the end of its line */
	uint64_t base;
};

/* Takes a line such as "7f00-7f80 r-xp 00001000 08:01 123   /path". */
static void take_line(struct stacks *s, pid_t pid, struct space *space, struct begun *begun,
		      char *line)
{
	struct mapping m = { .from = strtoull(line, &line, 16) };
	m.until = strtoull(*line ? line + 1 : line, &line, 16);
	if (strlen(line) < 6)
		return;
	bool code = line[3] == 'x';
	uint64_t offset = strtoull(line + 6, &line, 16);
	uint64_t file = hash_bytes(line, strlen(line));
	if (!strchr(line, '/'))
		return;
	if (!offset)
		*begun = (struct begun){ file, m.from };
	if (!code || begun->file != file)
		return;
	m.base = begun->base;
	m.file = file_of(s, pid, &m, line);
	vec_push(&space->mappings, m);
}

static struct space *read_space(struct stacks *s, pid_t pid)
{
	static const int fields[] = { 26, 27, 28 }; /* startcode, endcode, startstack */
	struct space *space = xcalloc(1, sizeof(*space));
	char *path = xasprintf("/proc/%d/maps", pid), *line = NULL;
	FILE *f = fopen(path, "re");
	struct begun begun = { 0 };
	int64_t id[3];
	size_t room = 0;

	while (f && getline(&line, &room, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		take_line(s, pid, space, &begun, line);
	}
	free(line);
	free(path);
	if (f)
		fclose(f);
	/* Afterwards: it was the same before, as an execve changes it for good. */
	if (program_stat(pid, fields, id, 3) == 3)
		space->id =
		    (struct record_space){ (uint64_t)id[0], (uint64_t)id[1], (uint64_t)id[2] };
	return space;
}

void stacks_forget(struct stacks *s, pid_t pid)
{
	struct space *space = map_pointer(&s->spaces, (uint64_t)pid);

	if (space)
		free_space(space);
	map_remove(&s->spaces, (uint64_t)pid);
}

static void forget_all(struct stacks *s)
{
	struct space *space;

	for (size_t at = 0; (space = map_next_pointer(&s->spaces, &at));)
		free_space(space);
	map_free(&s->spaces);
	map_free(&s->by_id);
}

static uint64_t hash_of(const struct record_space *id)
{
	return hash_numbers((const uint64_t[]){ id->code, id->end, id->stack }, 3);
}

static struct space *renew_space(struct stacks *s, pid_t pid)
{
	if (s->spaces.n >= SPACES)
		forget_all(s);
	stacks_forget(s, pid);
	struct space *space = read_space(s, pid);
	*map_at(&s->spaces, (uint64_t)pid) = (uintptr_t)space;
	uint64_t *like = map_at(&s->by_id, hash_of(&space->id));
	if (!map_find(&s->spaces, *like))
		*like = (uint64_t)pid;
	return space;
}

void stacks_expect(struct stacks *s, pid_t pid)
{
	if (!map_find(&s->spaces, (uint64_t)pid))
		renew_space(s, pid);
}

static bool is_same(const struct space *space, const struct record_space *id)
{
	return space && space->id.code == id->code && space->id.end == id->end &&
	       space->id.stack == id->stack;
}

/* Returns what the process had mapped when it wrote the record.  If it has ended, or runs another
 * program by now, that is what its parent has, or another child of that.  NULL: that is unknown. */
static const struct space *space_of(struct stacks *s, const struct record_stack *r)
{
	const struct space *space = map_pointer(&s->spaces, r->head.pid);

	if (!is_same(space, &r->space))
		space = renew_space(s, (pid_t)r->head.pid);
	if (!is_same(space, &r->space)) {
		const uint64_t *like = map_find(&s->by_id, hash_of(&r->space));

		space = like ? map_pointer(&s->spaces, *like) : NULL;
	}
	return is_same(space, &r->space) ? space : NULL;
}

static const struct mapping *mapping_at(const struct space *space, uint64_t address)
{
	size_t i;

	vec_search(i, space->mappings.n, space->mappings.v[i].until > address);
	return i < space->mappings.n && space->mappings.v[i].from <= address ? &space->mappings.v[i]
									     : NULL;
}

/* ---- rules ---- */

/* Sets where the frame begins; false: in a way that is not understood. */
static bool read_frame(Dwarf_Frame *f, struct rule *rule)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(f, &ops, &n) || !n || n > 2)
		return false;
	bool any = ops->atom == DW_OP_bregx;
	uint64_t from = any ? ops->number : ops->atom - (uint64_t)DW_OP_breg0;
	rule->through = n == 2 && ops[1].atom == DW_OP_deref;
	rule->from_frame = from == FRAME_POINTER;
	rule->frame = (int64_t)(any ? ops->number2 : ops->number);
	return (n == 1 || rule->through) && (from == FRAME_POINTER || from == STACK_POINTER);
}

/* Where a register of the caller is. */
enum saved { IS_UNDEFINED, IS_SAME, IS_SAVED, IS_UNKNOWN };

static enum saved read_register(Dwarf_Frame *f, int number, int64_t *offset)
{
	Dwarf_Op memory[3], *ops;
	size_t n;

	if (dwarf_frame_register(f, number, memory, &ops, &n))
		return IS_UNKNOWN;
	if (!n)
		return ops ? IS_UNDEFINED : IS_SAME;
	*offset = n == 2 ? (int64_t)ops[1].number : 0;
	return ops[0].atom == DW_OP_call_frame_cfa &&
		       (n == 1 || (n == 2 && ops[1].atom == DW_OP_plus_uconst))
		   ? IS_SAVED
		   : IS_UNKNOWN;
}

static struct rule read_rule(const struct file *file, uint64_t address)
{
	struct rule rule = { .kind = NO_RULE };
	Dwarf_Frame *f = NULL;
	bool signal = false;

	if (!file->cfi || dwarf_cfi_addrframe(file->cfi, file->address + address, &f))
		return rule;
	int number = dwarf_frame_info(f, NULL, NULL, &signal);
	enum saved back = read_register(f, number, &rule.address);
	enum saved pointer = read_register(f, FRAME_POINTER, &rule.pointer);
	rule.kind = back == IS_UNDEFINED ? OUTERMOST : UNCLEAR;
	rule.in_register = back == IS_SAME;
	rule.keeps_pointer = pointer != IS_SAVED;
	/* Of a frame that a signal interrupted, and of all else that is rare, nothing is guessed.
	 */
	if (!signal && read_frame(f, &rule) && (back == IS_SAME || back == IS_SAVED) &&
	    (pointer == IS_SAME || pointer == IS_SAVED))
		rule.kind = CALLED;
	free(f);
	return rule;
}

static const struct rule *rule_at(struct stacks *s, uint64_t frame)
{
	uint64_t *at = map_at(&s->rules, frame);

	if (!*at) {
		vec_push(&s->v, read_rule(&s->files.v[frame >> FILE_SHIFT], frame & offset_bits));
		*at = s->v.n;
	}
	return &s->v.v[*at - 1];
}

/* ---- stacks ---- */

struct registers {
	uint64_t at, stack, frame;
};

static bool read_word(const struct record_stack *r, uint64_t address, uint64_t *word)
{
	uint64_t offset = address - r->stack_pointer;

	if (offset > r->bytes || r->bytes - offset < sizeof(*word))
		return false;
	memcpy(word, r->stack + offset, sizeof(*word));
	return true;
}

/* Moves *g to the caller; false: there is none, or it is not known. */
static bool go_up(const struct record_stack *r, const struct rule *rule, struct registers *g,
		  bool innermost)
{
	static const struct rule by_pointer = {
		.kind = CALLED, .from_frame = true, .frame = 16, .address = -8, .pointer = -16
	};

	if (rule->kind == OUTERMOST || rule->kind == UNCLEAR)
		return false;
	if (rule->kind == NO_RULE)
		rule = &by_pointer;
	uint64_t begin = (rule->from_frame ? g->frame : g->stack) + (uint64_t)rule->frame;
	if (rule->through && !read_word(r, begin, &begin))
		return false;
	if (rule->in_register && innermost)
		g->at = r->link;
	else if (rule->in_register || !read_word(r, begin + (uint64_t)rule->address, &g->at))
		return false;
	if (!rule->keeps_pointer && !read_word(r, begin + (uint64_t)rule->pointer, &g->frame))
		return false;
	bool up = begin > g->stack || innermost;
	g->stack = begin;
	return up;
}

static char *text_of(const struct stacks *s, const uint64_t *frames, size_t n)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < n; i++)
		text = xappend(text, "%s%s+0x%" PRIx64, i ? " < " : "",
			       s->files.v[frames[i] >> FILE_SHIFT].path, frames[i] & offset_bits);
	return text;
}

const char *stacks_find(struct stacks *s, const struct record_stack *r)
{
	const struct space *space = space_of(s, r);
	struct registers g = { r->at, r->stack_pointer, r->frame_pointer };
	uint64_t frames[FRAMES];
	size_t n = 0;

	while (space && n < FRAMES) {
		/* A return address may be that of another function, behind the call. */
		uint64_t at = g.at - (n > 0);
		const struct mapping *m = mapping_at(space, at);

		if (!m || at - m->base > offset_bits)
			break;
		frames[n] = (uint64_t)m->file << FILE_SHIFT | (at - m->base);
		const struct rule *rule = rule_at(s, frames[n]);
		/* Where a thread begins is not what it does. */
		n += rule->kind != OUTERMOST || !n;
		if (!go_up(r, rule, &g, n == 1))
			break;
	}
	if (!n)
		return NULL;
	uint64_t *text = map_at(&s->texts, hash_numbers(frames, n));
	if (!*text)
		*text = (uintptr_t)text_of(s, frames, n);
	return (const char *)(uintptr_t)*text;
}

/* ---- all of them ---- */

struct stacks *stacks_new(void)
{
	elf_version(EV_CURRENT);
	return xcalloc(1, sizeof(struct stacks));
}

void stacks_free(struct stacks *s)
{
	char *text;

	if (!s)
		return;
	forget_all(s);
	for (size_t at = 0; (text = map_next_pointer(&s->texts, &at));)
		free(text);
	for (size_t i = 0; i < s->files.n; i++) {
		struct file *f = &s->files.v[i];

		if (f->cfi)
			dwarf_cfi_end(f->cfi);
		elf_end(f->elf);
		free(f->path);
	}
	map_free(&s->rules);
	map_free(&s->texts);
	names_free(&s->names);
	vec_free(&s->files);
	vec_free(&s->v);
	free(s);
}

#else

#include <stddef.h>

struct stacks *stacks_new(void)
{
	return NULL;
}

const char *stacks_find(struct stacks *s, const struct record_stack *r)
{
	(void)s, (void)r;
	return NULL;
}

void stacks_expect(struct stacks *s, pid_t pid)
{
	(void)s, (void)pid;
}

void stacks_forget(struct stacks *s, pid_t pid)
{
	(void)s, (void)pid;
}

void stacks_free(struct stacks *s)
{
	(void)s;
}

#endif
