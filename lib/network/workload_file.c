/* SPDX-License-Identifier: MIT */
/* Reads and writes workload files, workload(5): text, which is parsed line by line, and binary,
 * which consists of the encoded operations of each rank, preceded by their length. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "network/workload.h"
#include "network/workload_formats.h"
#include "util/file.h"
#include "util/number.h"
#include "util/vec.h"

static const char magic[8] = "CCMODWL1";
enum { LENGTH = 4, WORDS = 64, LONGEST = 1 << 30 };

/* An operation of a section; it is added to every rank of the section. */
struct statement {
	struct op op;  /* OP_REPEAT: amount is the count; OP_END: the end of a loop */
	char relative; /* '+' or '-': op.peer is relative to the rank itself */
	size_t line;
};

struct parser {
	const char *name;
	size_t line;
	struct workload *w;
	struct {
		struct statement *v;
		size_t n, cap;
	} section;
	unsigned depth; /* of open loops */
	struct op_group who[WORDS];
	size_t whos;
	char *word[WORDS];
	size_t words;
	struct error *error;
};

static int wrong(const struct parser *p, const char *what, const char *word)
{
	return error_set(p->error, "%s:%zu: %s%s%s%s", p->name, p->line, what, word ? " '" : "",
			 word ? word : "", word ? "'" : "");
}

static bool parse_rank(const struct parser *p, const char *s, uint32_t *out)
{
	uint64_t v;

	if (!number_parse_u64(s, &v) || v >= p->w->ranks)
		return false;
	*out = (uint32_t)v;
	return true;
}

/* Parses "3", "0-7", "0-14/2" or "*". */
static int parse_group(const struct parser *p, char *word, struct op_group *out)
{
	char *step = strchr(word, '/'), *dash = strchr(word, '-');
	uint64_t by = 1;

	if (step)
		*step++ = '\0';
	if (dash)
		*dash++ = '\0';
	out->first = 0;
	out->last = p->w->ranks - 1;
	if (strcmp(word, "*")) {
		const char *last = dash ? dash : word;

		if (!parse_rank(p, word, &out->first))
			return wrong(p, "no such rank:", word);
		if (!parse_rank(p, last, &out->last))
			return wrong(p, "no such rank:", last);
		if (out->first > out->last)
			return wrong(p, "a range that ends before it begins, at", word);
	}
	if (step && (!number_parse_u64(step, &by) || !by || by > WORKLOAD_RANKS))
		return wrong(p, "not a step:", step);
	out->step = (uint32_t)by;
	return 0;
}

/* Parses an amount such as "4k", "exp:4k" or "uniform:1k-64k"; for OP_COMPUTE, a time. */
static bool parse_one_amount(const char *s, bool is_time, uint64_t *out)
{
	double seconds;

	if (!is_time)
		return number_parse_size(s, out) && *out <= UINT64_C(1) << 60;
	/* 10^15 ns are, rounded, more than 10^6 s. */
	if (!number_parse_time(s, &seconds) || !(seconds >= 0 && seconds <= 1e6 + 1e-6))
		return false;
	*out = (uint64_t)fmin(seconds * 1e12 + 0.5, 1e18);
	return true;
}

static bool parse_amount(struct op *op, char *s)
{
	bool is_time = op->kind == OP_COMPUTE;
	char *dash;
	uint64_t high;

	if (!strncmp(s, "exp:", 4)) {
		op->draw = DRAW_EXPONENTIAL;
		return parse_one_amount(s + 4, is_time, &op->amount);
	}
	if (strncmp(s, "uniform:", 8))
		return parse_one_amount(s, is_time, &op->amount);
	op->draw = DRAW_UNIFORM;
	dash = strchr(s, '-');
	if (!dash)
		return false;
	*dash = '\0';
	if (!parse_one_amount(s + 8, is_time, &op->amount) ||
	    !parse_one_amount(dash + 1, is_time, &high) || high < op->amount)
		return false;
	op->spread = high - op->amount;
	return true;
}

static int parse_peer(struct parser *p, struct statement *s, const char *word)
{
	bool receives = s->op.kind == OP_RECV || s->op.kind == OP_IRECV;
	bool sends = s->op.kind == OP_SEND || s->op.kind == OP_SSEND || s->op.kind == OP_ISEND;

	if (receives && !strcmp(word, "any"))
		s->op.peer = PEER_ANY;
	else if (sends && !strcmp(word, "last"))
		s->op.peer = PEER_LAST;
	else if (*word == '+' || *word == '-') {
		s->relative = *word;
		if (!parse_rank(p, word + 1, &s->op.peer))
			return wrong(p, "not a distance below the number of ranks:", word);
	} else if (!parse_rank(p, word, &s->op.peer))
		return wrong(p, "no such rank:", word);
	return 0;
}

/* Parses what follows the operation's keyword: peer, amount, "tag N", "as N", "in GROUP". */
static int parse_fields(struct parser *p, struct statement *s)
{
	unsigned fields = op_forms[s->op.kind].fields;
	size_t at = 1;
	uint64_t v;

	if (fields & FIELD_PEER) {
		if (at == p->words)
			return wrong(p, "the other rank is missing after", p->word[0]);
		if (parse_peer(p, s, p->word[at++]))
			return -1;
	}
	if (fields & FIELD_AMOUNT) {
		bool is_time = s->op.kind == OP_COMPUTE;

		if (at == p->words || !parse_amount(&s->op, p->word[at++]))
			return wrong(
			    p, is_time ? "not a time such as 10us:" : "not a size such as 4k:",
			    at <= p->words ? p->word[at - 1] : "");
	}
	if (s->op.kind == OP_WAIT) {
		if (at == p->words || !number_parse_u64(p->word[at++], &v) || !v || v > UINT32_MAX)
			return wrong(p, "wait needs the number of a request", NULL);
		s->op.request = (uint32_t)v;
	}
	for (; at + 1 < p->words; at += 2) {
		const char *word = p->word[at], *value = p->word[at + 1];
		bool tag = !strcmp(word, "tag") && fields & FIELD_TAG;
		bool any = tag && !strcmp(value, "any") && !(fields & FIELD_AMOUNT);

		if (!strcmp(word, "in") && fields & FIELD_GROUP) {
			if (parse_group(p, p->word[at + 1], &s->op.group))
				return -1;
			continue;
		}
		if (!tag && (strcmp(word, "as") || !(fields & FIELD_REQUEST)))
			break;
		if (!any && (!number_parse_u64(value, &v) || v >= TAG_LIMIT || (!tag && !v)))
			return wrong(p,
				     tag ? "not a tag from 0 to 2147483647:"
					 : "not a request from 1 to 2147483647:",
				     value);
		*(tag ? &s->op.tag : &s->op.request) = any ? TAG_ANY : (uint32_t)v;
	}
	return at < p->words ? wrong(p, "not understood:", p->word[at]) : 0;
}

static int parse_statement(struct parser *p)
{
	struct statement s = { .line = p->line };
	uint64_t v;

	while (s.op.kind < OP_KINDS && strcmp(op_forms[s.op.kind].word, p->word[0]))
		s.op.kind++;
	if (s.op.kind == OP_KINDS)
		return wrong(p, "no such operation:", p->word[0]);
	if (!p->whos)
		return wrong(
		    p, "an operation before any 'rank ...': begin with 'ranks N' and 'rank ...'",
		    NULL);
	if (s.op.kind == OP_REPEAT) {
		if (p->words != 2 || !number_parse_u64(p->word[1], &v) || v > UINT64_C(1) << 40)
			return wrong(p, "repeat needs one number", NULL);
		if (p->depth++ == WORKLOAD_LOOPS)
			return wrong(p, "loops are nested too deep", NULL);
		s.op.amount = v;
	} else if (s.op.kind == OP_END && !p->depth--)
		return wrong(p, "there is no loop to end", NULL);
	else if (parse_fields(p, &s))
		return -1;
	vec_push(&p->section, s);
	return 0;
}

static int flush_rank(struct parser *p, uint32_t rank)
{
	uint32_t n = p->w->ranks;

	for (size_t i = 0; i < p->section.n; i++) {
		struct statement s = p->section.v[i];

		if (s.relative)
			s.op.peer =
			    (s.relative == '+' ? rank + s.op.peer : rank + n - s.op.peer) % n;
		if (!group_has(&s.op.group, rank) ||
		    (op_forms[s.op.kind].fields & FIELD_PEER && !group_has(&s.op.group, s.op.peer)))
			return error_set(p->error,
					 "%s:%zu: rank %u or the root is not in the group of %s",
					 p->name, s.line, rank, op_forms[s.op.kind].word);
		if (s.op.kind == OP_REPEAT)
			workload_repeat(p->w, rank, s.op.amount);
		else if (s.op.kind == OP_END)
			workload_end_repeat(p->w, rank);
		else
			workload_add(p->w, rank, &s.op);
		if (p->w->code[rank].n > LONGEST)
			return wrong(p, "more than 1 GiB of operations in one rank: use repeat",
				     NULL);
	}
	return 0;
}

static int flush_section(struct parser *p)
{
	if (p->depth)
		return wrong(p, "a loop has no end", NULL);
	for (size_t i = 0; i < p->whos; i++)
		for (uint64_t r = p->who[i].first; r <= p->who[i].last; r += p->who[i].step)
			if (flush_rank(p, (uint32_t)r))
				return -1;
	p->section.n = p->whos = 0;
	return 0;
}

/* Parses "rank" and one or more groups of ranks. */
static int parse_section(struct parser *p)
{
	if (!p->w)
		return wrong(p, "begin with 'ranks N'", NULL);
	if (flush_section(p))
		return -1;
	for (size_t i = 1; i < p->words; i++) {
		if (parse_group(p, p->word[i], &p->who[i - 1]))
			return -1;
		p->whos = i;
	}
	return p->whos ? 0 : wrong(p, "rank needs numbers, or *", NULL);
}

static int parse_ranks(struct parser *p)
{
	uint64_t v;

	if (p->w)
		return wrong(p, "the number of ranks is given twice", NULL);
	if (p->words != 2 || !number_parse_u64(p->word[1], &v) || !v || v > WORKLOAD_RANKS)
		return wrong(p, "ranks needs a number from 1 to 1048576", NULL);
	p->w = workload_new(p->name, (uint32_t)v);
	return 0;
}

static int parse_line(struct parser *p, char *line)
{
	char *save;

	p->words = 0;
	line[strcspn(line, "#")] = '\0';
	for (char *s = strtok_r(line, " \t\r", &save); s; s = strtok_r(NULL, " \t\r", &save)) {
		if (p->words == WORDS)
			return wrong(p, "too many words", NULL);
		p->word[p->words++] = s;
	}
	if (!p->words)
		return 0;
	if (!strcmp(p->word[0], "ranks"))
		return parse_ranks(p);
	if (!strcmp(p->word[0], "rank"))
		return parse_section(p);
	return parse_statement(p);
}

/* Whether the first line that is neither empty nor a comment begins with num_ranks. */
static bool is_goal(const char *text)
{
	while (*text == '#' || *text == '\n' || *text == ' ' || *text == '\t' || *text == '\r')
		text += *text == '#' ? strcspn(text, "\n") : 1;
	return !strncmp(text, "num_ranks", 9);
}

static struct workload *parse_text(const char *data, size_t n, const char *name, struct error *e)
{
	struct parser p = { .name = name, .error = e };
	char *text = xstrndup(data, n), *next = text;
	int status = 0;

	if (memchr(data, '\0', n))
		status = error_set(e, "%s: contains NUL bytes: not a workload", name);
	else if (is_goal(text)) {
		p.w = workload_parse_goal(text, name, e);
		free(text);
		return p.w;
	}
	while (!status && next) {
		char *line = strsep(&next, "\n");

		p.line++;
		status = parse_line(&p, line);
	}
	if (!status && !p.w)
		status = error_set(e, "%s: not a workload: 'ranks N' is missing", name);
	if (!status)
		status = flush_section(&p);
	free(p.section.v);
	free(text);
	if (status) {
		workload_free(p.w);
		return NULL;
	}
	return p.w;
}

static uint32_t get_length(const char *p)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < LENGTH; i++)
		v |= (uint32_t)(uint8_t)p[i] << 8 * i;
	return v;
}

static struct workload *parse_binary(const char *data, size_t n, const char *name, struct error *e)
{
	const char *p = data + sizeof(magic), *end = data + n;
	uint32_t ranks = n >= sizeof(magic) + LENGTH ? get_length(p) : 0;

	p += LENGTH;
	if (!ranks || ranks > WORKLOAD_RANKS || (size_t)(end - p) / LENGTH < ranks) {
		error_set(e, "%s: is damaged: ends early", name);
		return NULL;
	}
	struct workload *w = workload_new(name, ranks);
	for (uint32_t r = 0; r < ranks; r++) {
		uint32_t length = end - p >= LENGTH ? get_length(p) : UINT32_MAX;

		if (length == UINT32_MAX || length > (size_t)(end - p) - LENGTH) {
			error_set(e, "%s: is damaged: rank %u ends early", name, r);
			workload_free(w);
			return NULL;
		}
		p += LENGTH;
		vec_reserve(&w->code[r], length);
		if (length)
			memcpy(w->code[r].v, p, length);
		w->code[r].n = length;
		p += length;
	}
	if (p < end) {
		error_set(e, "%s: is damaged: goes on after the last rank", name);
		workload_free(w);
		return NULL;
	}
	return w;
}

/* Returns the last component of a path without its suffix. */
static char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');

	return dot && dot > base ? xstrndup(base, (size_t)(dot - base)) : xstrdup(base);
}

struct workload *workload_parse(const char *data, size_t n, const char *name, struct error *e)
{
	bool binary = n >= sizeof(magic) && !memcmp(data, magic, sizeof(magic));
	struct workload *w = (binary ? parse_binary : parse_text)(data, n, name, e);

	if (w && workload_check(w, e)) {
		workload_free(w);
		return NULL;
	}
	if (w) {
		free(w->name);
		w->name = base_name(name);
	}
	return w;
}

struct workload *workload_read(const char *path, struct error *e)
{
	size_t n;
	char *data = file_read(path, (size_t)4 << 30, &n, e);
	struct workload *w = data ? workload_parse(data, n, path, e) : NULL;

	free(data);
	return w;
}

int workload_write(const struct workload *w, const char *path, struct error *e)
{
	VEC(char) out = { 0 };

	vec_reserve(&out, sizeof(magic));
	memcpy(out.v, magic, sizeof(magic));
	out.n = sizeof(magic);
	for (unsigned i = 0; i < LENGTH; i++)
		vec_push(&out, (char)(w->ranks >> 8 * i));
	for (uint32_t r = 0; r < w->ranks; r++) {
		const struct workload_code *c = &w->code[r];

		for (unsigned i = 0; i < LENGTH; i++)
			vec_push(&out, (char)(c->n >> 8 * i));
		vec_reserve(&out, c->n);
		if (c->n)
			memcpy(out.v + out.n, c->v, c->n);
		out.n += c->n;
	}
	int status = file_write(path, out.v, out.n, e);
	free(out.v);
	return status;
}

static void print_amount(FILE *f, const struct op *op)
{
	static const char *const words[OP_DRAWS] = { "", "exp:", "uniform:" };
	uint64_t v[2] = { op->amount, op->amount + op->spread };

	fprintf(f, " %s", words[op->draw]);
	for (int i = 0; i < 1 + (op->draw == DRAW_UNIFORM); i++) {
		char size[NUMBER_MAX];

		if (op->kind == OP_COMPUTE)
			fprintf(f, v[i] % 1000 ? "%s%llu.%03uns" : "%s%lluns", i ? "-" : "",
				(unsigned long long)v[i] / 1000, (unsigned)(v[i] % 1000));
		else
			fprintf(f, "%s%s", i ? "-" : "", number_format_size(size, v[i]));
	}
}

static void print_code(FILE *f, const uint8_t *p, const uint8_t *end, int indent)
{
	struct op op;

	while (p < end && (p = op_decode(p, end, &op))) {
		unsigned fields = op_forms[op.kind].fields;

		fprintf(f, "%*s%s", indent, "", op_forms[op.kind].word);
		if (op.kind == OP_REPEAT) {
			fprintf(f, " %llu\n", (unsigned long long)op.amount);
			print_code(f, p, p + op.spread, indent + 2);
			fprintf(f, "%*send\n", indent, "");
			p += op.spread;
			continue;
		}
		if (fields & FIELD_PEER && op.peer >= PEER_LAST)
			fprintf(f, " %s", op.peer == PEER_ANY ? "any" : "last");
		else if (fields & FIELD_PEER)
			fprintf(f, " %u", op.peer);
		if (fields & FIELD_AMOUNT)
			print_amount(f, &op);
		if (fields & FIELD_TAG && op.tag == TAG_ANY)
			fprintf(f, " tag any");
		else if (fields & FIELD_TAG && op.tag)
			fprintf(f, " tag %u", op.tag);
		if (fields & FIELD_REQUEST && op.request)
			fprintf(f, op.kind == OP_WAIT ? " %u" : " as %u", op.request);
		if (op.group.step)
			fprintf(f, " in %u-%u/%u", op.group.first, op.group.last, op.group.step);
		fputc('\n', f);
	}
}

char *workload_text(const struct workload *w)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	fprintf(f, "ranks %u\n", w->ranks);
	for (uint32_t r = 0; r < w->ranks; r++) {
		const struct workload_code *c = &w->code[r];

		if (c->n) {
			fprintf(f, "rank %u\n", r);
			print_code(f, c->v, c->v + c->n, 2);
		}
	}
	fclose(f);
	return text;
}
