/* SPDX-License-Identifier: MIT */
/* cea caches: shows where documents were when proxies were asked for them, from the access logs of
 * the proxies. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "transitions.h"

static struct transitions set;

static const struct opt options[] = { TRANSITIONS_OPTIONS(set), { 0 } };

static const struct opt_usage usage = {
	.program = "cea caches",
	.operands = "LOG...",
	.summary =
	    "Prints where documents were when proxies were asked for them.  Each LOG is the access "
	    "log of one proxy, in squid's native format or the common log format.",
	.example = "cea caches proxy1.log proxy2.log",
};

enum { WORDS = 12 };
enum origin { FROM_OWN, FROM_SIBLING, FROM_PARENT, FROM_SERVER, FROM_UNKNOWN, ORIGINS };

/* A request for a document, read from a line of a log. */
struct request {
	double time, seconds; /* since 1970; duration, NaN: unknown */
	enum origin origin;
	bool known; /* whether the line says if the proxy had the document */
	bool had;
	const char *url;
};

struct log {
	const char *path;
	FILE *f;
	char *line;
	size_t room;
	uint64_t number;
	struct request next;
};

struct row {
	uint64_t count;
	double seconds;
};

static struct {
	struct movement documents;
	struct names urls;
	struct row rows[MOVEMENT_STATES][ORIGINS];
	uint64_t requests, other, bad, guessed;
	const char *bad_path;
	uint64_t bad_line;
	bool timed;
} all;

/* ---- lines ---- */

/* Splits a line at blanks; text in quotes or brackets is one word.  Returns the number of words. */
static int cut(char *line, char *words[WORDS])
{
	int n = 0;

	for (char *p = line; n < WORDS;) {
		p += strspn(p, " \t\r\n");
		if (!*p)
			break;
		char end = *p == '"' ? '"' : *p == '[' ? ']' : 0;
		words[n++] = end ? ++p : p;
		p = end ? strchr(p, end) : p + strcspn(p, " \t\r\n");
		if (!p)
			return 0;
		if (*p)
			*p++ = '\0';
	}
	return n;
}

/* Interprets codes such as "TCP_MISS/200" and "SIBLING_HIT/10.0.0.1".  Returns false if no document
 * was requested. */
static bool take_codes(struct request *r, const char *code, const char *peer)
{
	if (strncmp(code, "TCP_", 4) != 0 || strstr(code, "DENIED") || strstr(code, "/000"))
		return false;
	r->known = true;
	r->had = strstr(code, "HIT") || strstr(code, "UNMODIFIED");
	r->origin = r->had					     ? FROM_OWN
		    : strstr(peer, "SIBLING")			     ? FROM_SIBLING
		    : strstr(peer, "PARENT") || strstr(peer, "CARP") ? FROM_PARENT
		    : strstr(peer, "DIRECT")			     ? FROM_SERVER
								     : FROM_UNKNOWN;
	return true;
}

/*
 * Parses squid's native format: time elapsed client code/status bytes method URL user
 * peerstatus/peer type.  Returns 1, 0 if no document was requested, or -1 if it is another format.
 */
static int parse_native(struct request *r, char *words[WORDS], int n)
{
	char *end, *end2;

	if (n < 9)
		return -1;
	r->time = strtod(words[0], &end);
	r->seconds = strtod(words[1], &end2) * 1e-3;
	/* Words such as "nan" and "1e300" are numbers, too. */
	if (*end || *end2 || !(r->time > 0 && r->time < 1e11) ||
	    !(r->seconds >= 0 && r->seconds < 1e9))
		return -1;
	r->url = words[6];
	return !strcmp(words[5], "GET") && take_codes(r, words[3], words[8]);
}

/* Parses the common log format: host ident user [time] "method URL protocol" status bytes, followed
 * by code:peerstatus if squid wrote it.  Returns the same. */
static int parse_common(struct request *r, char *words[WORDS], int n)
{
	struct tm tm = { 0 };
	char *rest = n >= 7 ? strptime(words[3], "%d/%b/%Y:%H:%M:%S", &tm) : NULL;

	if (!rest)
		return -1;
	int zone = atoi(rest);
	r->time = (double)timegm(&tm) - (zone / 100 * 3600 + zone % 100 * 60);
	r->seconds = 0;
	char *blank = strchr(words[4], ' ');
	if (!blank)
		return -1;
	*blank = '\0';
	r->url = blank + 1;
	blank[1 + strcspn(blank + 1, " ")] = '\0';
	if (strcmp(words[4], "GET") != 0)
		return 0;
	char *peer = n > 7 ? strchr(words[n - 1], ':') : NULL;
	if (peer && !strncmp(words[n - 1], "TCP_", 4))
		return take_codes(r, words[n - 1], peer + 1);
	r->known = false;
	r->origin = FROM_UNKNOWN;
	return 1;
}

/* Reads the next request of a log, or closes it at its end. */
static void read_request(struct log *l)
{
	char *words[WORDS];

	while (getline(&l->line, &l->room, l->f) > 0) {
		l->number++;
		int n = cut(l->line, words), got = parse_native(&l->next, words, n);

		if (got > 0)
			all.timed = true;
		if (got < 0)
			got = parse_common(&l->next, words, n);
		if (got > 0)
			return;
		all.other += got == 0;
		if (got < 0 && !all.bad++) {
			all.bad_path = l->path;
			all.bad_line = l->number;
		}
	}
	fclose(l->f);
	l->f = NULL;
}

/* ---- documents ---- */

static void take(const struct request *r, uint32_t proxy)
{
	struct movement_access a = { .key = names_add(&all.urls, r->url),
				     .user = proxy,
				     .until = 1,
				     .ns = (int64_t)(r->seconds * 1e9) };
	struct movement_step m;

	if (r->known)
		movement_keep(&all.documents, a.key, proxy, r->had);
	all.requests++;
	all.guessed += !r->known;
	if (!movement_take(&all.documents, &a, &m))
		return;
	all.rows[m.state][r->origin].count++;
	all.rows[m.state][r->origin].seconds += r->seconds;
}

static void read_logs(struct log *logs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		logs[i].f = fopen(logs[i].path, "r");
		if (!logs[i].f)
			errx(1, "%s: %s", logs[i].path, strerror(errno));
		read_request(&logs[i]);
	}
	for (;;) {
		struct log *first = NULL;

		for (size_t i = 0; i < n; i++)
			if (logs[i].f && (!first || logs[i].next.time < first->next.time))
				first = &logs[i];
		if (!first)
			break;
		take(&first->next, (uint32_t)(first - logs));
		read_request(first);
	}
	for (size_t i = 0; i < n; i++)
		free(logs[i].line);
}

/* ---- printing ---- */

static void print_rows(void)
{
	static const struct table_column columns[] = {
		{ "DOCUMENT WAS", "state", TABLE_LEFT }, { "TAKEN FROM", "from", TABLE_LEFT },
		{ "REQUESTS", "requests", TABLE_RIGHT }, { "SHARE", "share", TABLE_RIGHT },
		{ "TIME", "seconds", TABLE_RIGHT },	 { "EACH", "each_seconds", TABLE_RIGHT },
	};
	static const char *const origins[ORIGINS] = { "own cache", "sibling", "parent", "server",
						      NULL };
	struct table *t = table_new(columns, 6);
	char name[32];

	for (unsigned s = 0; s < MOVEMENT_STATES; s++)
		for (int o = 0; o < ORIGINS; o++) {
			const struct row *r = &all.rows[s][o];

			if (!r->count)
				continue;
			table_text(t, transitions_state_name(name, sizeof(name), s));
			table_text(t, origins[o]);
			table_count(t, r->count);
			table_percent(t, (double)r->count / (double)all.requests, "%.1f%%");
			table_seconds(t, all.timed ? r->seconds : NAN);
			table_seconds(t, all.timed ? r->seconds / (double)r->count : NAN);
		}
	table_end(t, stdout, transitions_format(&set));
}

static void print_copies(size_t logs)
{
	uint64_t several = 0;

	for (size_t i = 0; i < all.documents.objects.n; i++)
		several += movement_holders(&all.documents.objects.v[i]) > 1;
	printf("\n%" PRIu64 " requests to %zu proxies for %zu documents; at the end, %" PRIu64
	       " (%.1f %%) of these are in several proxies\n",
	       all.requests, logs, all.documents.objects.n, several,
	       100 * (double)several / (double)all.documents.objects.n);
}

int command_caches(int argc, char **argv)
{
	int first = opt_parse_mixed(argc, argv, &usage, options);
	size_t n = (size_t)(argc - first);

	if (!n)
		opt_bad_usage(&usage, "no access log given");
	transitions_check(&set, &usage);
	struct log *logs = xcalloc(n, sizeof(*logs));
	for (size_t i = 0; i < n; i++)
		logs[i].path = argv[first + (int)i];
	read_logs(logs, n);
	free(logs);
	if (!all.requests)
		errx(1,
		     "%s: contains no request for a document%s: is it an access log in squid's "
		     "native format or the common log format?",
		     argv[first], n > 1 ? ", nor do the others" : "");
	if (!transitions_print(&set, &all.documents, NULL)) {
		print_rows();
		if (transitions_format(&set) == TABLE_TEXT)
			print_copies(n);
	}
	if (all.bad)
		warnx("%s:%" PRIu64 ": not a line of an access log; %" PRIu64
		      " such lines are left out",
		      all.bad_path, all.bad_line, all.bad);
	if (all.other)
		warnx("lines that are not about documents, left out: %" PRIu64, all.other);
	if (all.guessed)
		warnx("%" PRIu64
		      " requests do not say whether the proxy had the document: it is assumed "
		      "to keep all documents",
		      all.guessed);
	if (all.documents.left_out)
		warnx("%" PRIu64 " requests for documents beyond the first %d are left out",
		      all.documents.left_out, MOVEMENT_OBJECTS);
	return 0;
}
