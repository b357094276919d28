/* SPDX-License-Identifier: MIT */
#include "access_log.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORDS = 12 };

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

/* Whether a status of HTTP such as "200" comes with a document: errors do not, nor "000", with
 * which squid says that the client went away. */
static bool has_document(const char *status)
{
	return *status >= '1' && *status <= '3';
}

/* Interprets codes such as "TCP_MISS/200" and "SIBLING_HIT/10.0.0.1".  Returns false if no document
 * was requested, or none came. */
static bool take_codes(struct access *r, const char *code, const char *peer)
{
	const char *slash = strchr(code, '/');

	if (strncmp(code, "TCP_", 4) != 0 || strstr(code, "DENIED") ||
	    (slash && !has_document(slash + 1)))
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
static int parse_native(struct access *r, char *words[WORDS], int n)
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
static int parse_common(struct access *r, char *words[WORDS], int n)
{
	struct tm tm = { 0 };
	char *rest = n >= 7 ? strptime(words[3], "%d/%b/%Y:%H:%M:%S", &tm) : NULL;

	if (!rest)
		return -1;
	long zone = strtol(rest, NULL, 10); /* such as -0330 */
	if (zone < -9999 || zone > 9999)
		return -1;
	r->time = (double)timegm(&tm) - (zone / 100 * 3600 + zone % 100 * 60);
	r->seconds = 0;
	char *blank = strchr(words[4], ' ');
	if (!blank)
		return -1;
	*blank = '\0';
	r->url = blank + 1;
	blank[1 + strcspn(blank + 1, " ")] = '\0';
	if (strcmp(words[4], "GET") != 0 || !has_document(words[5]))
		return 0;
	char *peer = n > 7 ? strchr(words[n - 1], ':') : NULL;
	if (peer && !strncmp(words[n - 1], "TCP_", 4))
		return take_codes(r, words[n - 1], peer + 1);
	r->known = false;
	r->origin = FROM_UNKNOWN;
	return 1;
}

bool access_log_read(struct access_log *l)
{
	char *words[WORDS];

	while (getline(&l->line, &l->room, l->f) > 0) {
		l->number++;
		int n = cut(l->line, words), got = parse_native(&l->next, words, n);

		if (got > 0)
			l->timed = true;
		if (got < 0)
			got = parse_common(&l->next, words, n);
		if (got > 0)
			return true;
		l->other += got == 0;
		if (got < 0 && !l->bad++)
			l->first_bad = l->number;
	}
	fclose(l->f);
	free(l->line);
	l->f = NULL;
	l->line = NULL;
	return false;
}
