/* SPDX-License-Identifier: MIT */
/*
 * cpu_branch - branches that depend on data: a state machine parses headers such as "Name: value"
 * byte by byte.  The text is random and longer than a branch predictor remembers.
 */
#include "measure/bench.h"
#include "stats/random.h"
#include "util/xalloc.h"

enum { LINES = 8192, LINE_MOST = 64 };

enum state { NAME, COLON, VALUE, QUOTED, ESCAPED, DONE };

struct found {
	uint64_t letters, values, quotes;
};

static char *text;	       /* LINES lines, each ended by a newline */
static const char *at;	       /* the next line */
static size_t line;	       /* its number */
static struct found *expected; /* [k]: in the first k lines */
static struct found found;
static uint64_t passes; /* complete, through the text */

static struct random rng;

static char *put_letters(char *p, size_t n)
{
	while (n--)
		*p++ = (char)('a' + random_below(&rng, 26));
	return p;
}

/* A value of some letters, in quotes now and then, and then with an escaped quote in it. */
static char *put_value(char *p, struct found *f)
{
	size_t letters = random_below(&rng, 24);

	f->values += letters;
	if (random_below(&rng, 4))
		return put_letters(p, letters);
	f->quotes++;
	f->values++;
	*p++ = '"';
	p = put_letters(p, letters);
	*p++ = '\\';
	*p++ = '"';
	*p++ = '"';
	return p;
}

static char *put_line(char *p, struct found *f)
{
	size_t name = 1 + random_below(&rng, 16);

	f->letters += name;
	p = put_letters(p, name);
	*p++ = ':';
	for (size_t spaces = random_below(&rng, 3); spaces; spaces--)
		*p++ = ' ';
	p = put_value(p, f);
	*p++ = '\n';
	return p;
}

static void setup(void)
{
	char *p = text = xmalloc(LINES * LINE_MOST);
	struct found sum = { 0 };

	random_seed(&rng, 1);
	expected = xcalloc(LINES + 1, sizeof(*expected));
	for (size_t i = 0; i < LINES; i++) {
		p = put_line(p, &sum);
		expected[i + 1] = sum;
	}
	at = text;
}

static const char *parse_line(const char *p)
{
	enum state state = NAME;

	for (; state != DONE; p++)
		switch (state) {
		case NAME:
			if (*p == ':')
				state = COLON;
			else
				found.letters++;
			break;
		case COLON:
			if (*p == ' ')
				break;
			state = VALUE;
			/* fall through */
		case VALUE:
			if (*p == '\n') {
				state = DONE;
			} else if (*p == '"') {
				found.quotes++;
				state = QUOTED;
			} else {
				found.values++;
			}
			break;
		case QUOTED:
			if (*p == '"')
				state = VALUE;
			else if (*p == '\\')
				state = ESCAPED;
			else
				found.values++;
			break;
		case ESCAPED:
			found.values++;
			state = QUOTED;
			break;
		case DONE: break;
		}
	return p;
}

static void run(uint64_t n)
{
	while (n--) {
		at = parse_line(at);
		if (++line == LINES) {
			line = 0;
			at = text;
			passes++;
		}
	}
}

static const char *check(uint64_t n)
{
	const struct found *all = &expected[LINES], *part = &expected[line];

	return found.letters == passes * all->letters + part->letters &&
		       found.values == passes * all->values + part->values &&
		       found.quotes == passes * all->quotes + part->quotes
		   ? NULL
		   : "the text was parsed wrongly";
}

const struct bench bench = {
	.summary = "Branches that depend on data: text parsed by a state machine.",
	.operation = "one line of some 25 bytes",
	.setup = setup,
	.computes = true,
	.run = run,
	.check = check,
};
