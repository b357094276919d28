/* SPDX-License-Identifier: MIT */
/*
 * The output of perf script, with its default fields or others, as long as there are these, and
 * what the kernel's ftrace prints in /sys/kernel/tracing/trace:
 *
 *	COMM TID [CPU] SECONDS: SYSTEM:EVENT: FIELDS
 *	COMM-TID (PID) [CPU] FLAGS SECONDS: EVENT: FIELDS
 *
 * TID may be PID/TID; [CPU], (PID) and FLAGS may be missing.  Fields are those that the kernel's
 * own format of the event prints.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format/perf/perf.h"
#include "trace/syscalls.h"

enum { SURVEY = 64 << 10 /* bytes */ };

struct perf_text {
	struct perf perf; /* first */
	bool ended;
	uint64_t line;
	const char *recorder;
	char host[64], kernel[64];
};

/* What a line says. */
enum line_kind { BAD, NOTE, SAMPLE, LOST, PERF_TRACE, TICKS, KINDS };

/* ---- the fields of an event ---- */

/* "S", "R+", "D|N": the kernel's letters as its bits. */
static int64_t parse_state(const char *p)
{
	static const char letters[] = "SDTtXZPI";
	const char *at = *p ? strchr(letters, *p) : NULL;

	return !at ? 0 : *at == 'I' ? 2 : (int64_t)1 << (at - letters);
}

static void add_field(struct tracepoint_hit *s, enum field field, const char *p, const char *end)
{
	if (field == FIELDS)
		return;
	while (end > p && (end[-1] == ' ' || end[-1] == '>' || end[-1] == '='))
		end--;
	s->has |= 1u << field;
	s->value[field].text = p;
	s->value[field].n = (size_t)(end - p);
	s->value[field].number = field == FIELD_PREV_STATE ? parse_state(p) : input_number(p);
}

/* "comm=a b pid=12 ==> next_comm=c": the last value before a name is that of the name before. */
static void parse_pairs(const char *p, struct tracepoint_hit *s)
{
	enum field field = FIELDS;
	const char *value = p, *at = p;

	while (*at) {
		const char *word = at;

		while (islower((unsigned char)*at) || *at == '_')
			at++;
		if (*at == '=' && at > word && at[1] != '=') {
			add_field(s, field, value, word);
			field = field_named(TRACER_PERF, word, (size_t)(at - word));
			value = at + 1;
		}
		at += strcspn(at, " ");
		at += *at == ' ';
	}
	add_field(s, field, value, at);
}

/* "NR 12 (0, 7ffd, 0, 0, 0, 0)" or "NR 12 = -2". */
static bool parse_raw(const char *p, struct tracepoint_hit *s)
{
	char *at;

	if (strncmp(p, "NR ", 3))
		return false;
	s->has |= 1u << FIELD_ID;
	s->value[FIELD_ID].number = strtoll(p + 3, &at, 10);
	if (!strncmp(at, " = ", 3)) {
		add_field(s, FIELD_RET, at + 3, at + 3);
		return true;
	}
	if (strncmp(at, " (", 2))
		return false;
	at++;
	for (int i = 0; i < 6 && (*at == '(' || *at == ','); i++)
		s->args[i] = strtoull(at + 1, &at, 16);
	return *at == ')';
}

/* "fd: 0x00000003, buf: 0x7ffd" or "0x3". */
static bool parse_call(const char *p, struct tracepoint_hit *s)
{
	unsigned n = 0;

	if (!strncmp(p, "0x", 2)) {
		add_field(s, FIELD_RET, p, p);
		return true;
	}
	while (n < 6 && (p = strstr(p, ": "))) {
		p += 2;
		s->args[n++] = (uint64_t)input_number(p);
	}
	return true;
}

/* ---- a line ---- */

/* "49023.060918:" at p as nanoseconds; what follows, or NULL. */
static const char *parse_time(const char *p, uint64_t *ns)
{
	int64_t time;
	const char *end = input_seconds(p, &time);

	if (!end || *end != ':' || !memchr(p, '.', (size_t)(end - p)))
		return NULL;
	*ns = (uint64_t)time;
	return end + 1;
}

/* Whether p is a time of a clock that counts ticks: "4233193473:". */
static bool is_ticks(const char *p)
{
	size_t n = strspn(p, "0123456789");

	return n && p[n] == ':' && p[n + 1] == ' ';
}

/* A number of a thread or CPU at p; what follows it, or NULL. */
static const char *parse_id(const char *p, uint32_t *id)
{
	char *end = NULL;
	unsigned long v = isdigit((unsigned char)*p) ? strtoul(p, &end, 10) : UINT32_MAX;

	*id = v <= INT32_MAX ? (uint32_t)v : 0;
	return v <= INT32_MAX ? end : NULL;
}

/* The context that the flags of ftrace show: its third character is that of handlers. */
static enum wake_context parse_flags(const char *flags, size_t n)
{
	char handler = n > 2 ? flags[2] : '?';

	return strchr("hHzZ", handler) ? WAKE_INTERRUPT
	       : handler == 's'	       ? WAKE_SOFTIRQ
	       : handler == '.'	       ? WAKE_THREAD
				       : WAKE_UNKNOWN;
}

/* The last dash in word[n], or NULL. */
static const char *last_dash(const char *word, size_t n)
{
	while (n && word[n - 1] != '-')
		n--;
	return n ? word + n - 1 : NULL;
}

/* COMM-TID (PID), from p up to the last word[n], before which it ends; PID may be dashes. */
static bool parse_ftrace(const char *p, const char *end, const char *word, size_t n,
			 struct tracepoint_hit *s)
{
	static const char unknown[] = "<...>";

	if (n && word[n - 1] == ')') {
		parse_id(word + (*word == '('), &s->pid);
		if (*word != '(')
			input_last_word(p, &end, &n); /* "(", before a short number */
		word = input_last_word(p, &end, &n);
	}
	const char *dash = last_dash(word, n);
	if (!dash || parse_id(dash + 1, &s->tid) != word + n)
		return false;
	s->value[FIELD_COMM].text = p;
	s->value[FIELD_COMM].n = (size_t)(dash - p);
	if (s->tid && strncmp(p, unknown, sizeof(unknown) - 1))
		s->has |= 1u << FIELD_COMM;
	return true;
}

/* What is before the time, from p up to end. */
static bool parse_who(const char *p, const char *end, bool *ftrace, struct tracepoint_hit *s)
{
	const char *at;
	size_t n;

	while (end > p && end[-1] == ' ')
		end--;
	const char *word = input_last_word(p, &end, &n);
	if (*word != '[' && !isdigit((unsigned char)*word)) {
		s->context = parse_flags(word, n);
		word = input_last_word(p, &end, &n);
	}
	bool cpu = *word == '[';
	if (cpu) {
		at = parse_id(word + 1, &s->cpu);
		if (!at || *at != ']')
			return false;
		word = input_last_word(p, &end, &n);
	}
	*ftrace = cpu && n && (word[n - 1] == ')' || last_dash(word, n));
	if (*ftrace)
		return parse_ftrace(p, end, word, n, s);
	at = parse_id(word, &s->tid);
	if (at && *at == '/') {
		s->pid = s->tid;
		at = parse_id(at + 1, &s->tid);
	}
	if (!at || *at != ' ' || end <= p)
		return false;
	s->has |= 1u << FIELD_COMM; /* of the thread; an event's own replaces it */
	s->value[FIELD_COMM].text = p;
	s->value[FIELD_COMM].n = (size_t)(end - p);
	return true;
}

/* Parses what is behind the time. */
static enum line_kind parse_event(const char *p, bool ftrace, struct tracepoint_hit *s)
{
	char name[128];

	p += strspn(p, " ");
	if (isdigit((unsigned char)*p)) { /* a period */
		p += strspn(p, "0123456789");
		p += strspn(p, " ");
	}
	size_t n = strcspn(p, " ");
	if (!strncmp(p, "PERF_RECORD_LOST", 16)) {
		const char *count = strstr(p, "lost ");

		s->args[0] = count ? (uint64_t)input_number(count + 5) : 0;
		return LOST;
	}
	if (!strncmp(p, "PERF_RECORD_", 12))
		return NOTE;
	n -= n && p[n - 1] == ':';
	if (!n || n >= sizeof(name) || (!ftrace && !memchr(p, ':', n)))
		return BAD;
	memcpy(name, p, n);
	name[n] = '\0';
	s->meaning = meaning_of(ftrace ? TRACER_FTRACE : TRACER_PERF, name);
	p += n;
	p += strspn(p, ": ");
	if (!s->meaning.take)
		return NOTE;
	if (ftrace)
		add_field(s, FIELD_MESSAGE, p, p + strlen(p));
	if (!strncmp(name, "raw_", 4) || !strcmp(name, "sys_enter") || !strcmp(name, "sys_exit"))
		return parse_raw(p, s) ? SAMPLE : BAD;
	if (s->meaning.call != UINT32_MAX)
		return parse_call(p, s) ? SAMPLE : BAD;
	parse_pairs(p, s);
	return SAMPLE;
}

static enum line_kind parse_line(const char *p, size_t n, struct tracepoint_hit *s)
{
	const char *at, *ticks = NULL, *rest = NULL;
	uint64_t written;
	bool ftrace;

	if (*p == '#' &&
	    sscanf(p, "# entries-in-buffer/entries-written: %" SCNu64 "/%" SCNu64, &s->args[0],
		   &written) == 2 &&
	    written > s->args[0]) {
		s->args[0] = written - s->args[0]; /* the others were overwritten */
		s->time = 0;
		return LOST;
	}
	if (!n || *p == '#' || *p == '\t' || (n > 16 && strspn(p, " ") > 16))
		return NOTE; /* a heading, a stack */
	if (strstr(p, " ms): ") && memchr(p, '(', 32))
		return PERF_TRACE;
	s->pid = s->tid = s->cpu = s->has = 0;
	s->time = 0;
	s->context = WAKE_UNKNOWN;
	memset(s->args, 0, sizeof(s->args));
	p += strspn(p, " ");
	if (sscanf(p, "CPU:%*u [LOST %" SCNu64 " EVENTS]", &s->args[0]) == 1)
		return LOST;
	for (at = p; (at = strchr(at, ' ')); at++) {
		if (isdigit((unsigned char)at[1]) && (rest = parse_time(at + 1, &s->time)))
			break;
		ticks = !ticks && is_ticks(at + 1) ? at : ticks;
	}
	if (!rest && ticks && parse_who(p, ticks, &ftrace, s) && ftrace)
		return TICKS;
	if (!rest || !parse_who(p, at, &ftrace, s))
		return BAD;
	return parse_event(rest, ftrace, s);
}

/* ---- the log ---- */

static void take_line(struct source *s, const char *line, size_t n)
{
	struct perf_text *t = s->reader;
	uint64_t bad_marks = t->perf.kernel.bad_marks;
	struct tracepoint_hit sample;

	t->line++;
	switch (parse_line(line, n, &sample)) {
	case SAMPLE:
		perf_take(&t->perf, &sample);
		if (t->perf.kernel.bad_marks > bad_marks)
			source_count_bad_line(&s->losses, t->line, "not a mark: see osvec-mark(3)");
		break;
	case LOST: perf_lose(&t->perf, sample.args[0], sample.time); break;
	case NOTE: break;
	default: source_count_bad_line(&s->losses, t->line, "not a line of perf script or ftrace");
	}
}

static int text_next(struct source *s, struct event *out, struct error *e)
{
	struct perf_text *t = s->reader;
	char *line;
	size_t n;

	while (!importer_next(&t->perf.kernel.im, out)) {
		if (t->ended)
			return 0;
		int got = input_line(&s->in, &line, &n, e);
		if (got < 0)
			return -1;
		t->ended = !got;
		if (got)
			take_line(s, line, n);
		else
			kernel_end(&t->perf.kernel);
	}
	return 1;
}

/* Counts the lines of each kind at the beginning; *t, if there is one, gets what headings say. */
static void survey(const unsigned char *data, size_t n, size_t kinds[KINDS], struct perf_text *t)
{
	struct input in;
	struct tracepoint_hit sample;
	char *line, arch[16];
	size_t length;

	input_memory(&in, data, n < SURVEY ? n : SURVEY, "");
	while (input_line(&in, &line, &length, NULL) == 1 &&
	       (n < SURVEY || input_waiting(&in))) { /* the last one may be cut */
		kinds[parse_line(line, length, &sample)]++;
		if (!t)
			continue;
		if (!strncmp(line, "# tracer:", 9))
			t->recorder = "ftrace";
		sscanf(line, "# hostname : %63s", t->host);
		sscanf(line, "# os release : %63s", t->kernel);
		if (sscanf(line, "# arch : %15s", arch) == 1)
			kernel_set_abi(&t->perf.kernel, perf_abi(arch));
	}
	input_close(&in);
}

static bool recognize(const char *path, const unsigned char *data, size_t n)
{
	static const char heading[] = "# tracer:"; /* there may be no more */
	size_t kinds[KINDS] = { 0 };

	(void)path;
	survey(data, n, kinds, NULL);
	return (n >= sizeof(heading) && !memcmp(data, heading, sizeof(heading) - 1)) ||
	       kinds[SAMPLE] + kinds[PERF_TRACE] + kinds[TICKS] > kinds[BAD] / 8;
}

static int text_open(struct source *s, struct error *e)
{
	struct perf_text *t = s->reader = xcalloc(1, sizeof(*t));
	size_t kinds[KINDS] = { 0 };

	kernel_init(&t->perf.kernel, syscall_native_abi());
	t->perf.kernel.partial = true;
	t->recorder = "perf";
	survey(input_at(&s->in), input_waiting(&s->in), kinds, t);
	s->info.recorder = t->recorder;
	s->info.host = t->host;
	s->info.kernel = t->kernel;
	s->info.abi = t->perf.kernel.abi;
	s->info.has_time = s->info.has_duration = true;
	if (kinds[TICKS] > kinds[SAMPLE])
		return error_set(e,
				 "%s: its times are ticks, not seconds; record with another clock: "
				 "echo mono >/sys/kernel/tracing/trace_clock",
				 s->in.name);
	if (!kinds[PERF_TRACE])
		return 0;
	return error_set(e,
			 "%s: is the output of perf trace, which is not read here; record with "
			 "perf trace record, and give its perf.data",
			 s->in.name);
}

static void text_close(struct source *s)
{
	struct perf_text *t = s->reader;

	kernel_free(&t->perf.kernel);
	free(t);
}

const struct format perf_text_format = {
	.name = "perf",
	.text = true,
	.recognize = recognize,
	.open = text_open,
	.next = text_next,
	.close = text_close,
};
