/* SPDX-License-Identifier: MIT */
/* Tests of driver/suite. */
#include "../../driver/suite.h"

#include "../tap.h"
#include "util/xalloc.h"

static struct suite *parse(const char *text, struct error *e)
{
	e->text[0] = '\0';
	return suite_parse(text, strlen(text), "t.suite", NULL, e);
}

static void test_entries(void)
{
	struct error e;
	struct suite *s = parse("# a comment\n"
				"lat_ctx shared 16k 32\n"
				"\t lat_roundtrip pipe  64 @other x2\t# two pairs\r\n"
				"\n"
				"lat_roundtrip pipe 64 x3 @same\n"
				"cpu_int",
				&e);

	if (!ok(s != NULL, "a suite %s", e.text))
		return;
	cmp_int(s->n, 4, "four entries");
	is_string(s->entries[0].name, "lat_ctx_shared_16k_32", "program and parameters");
	is_string(s->entries[0].program, "lat_ctx", "the program");
	ok(s->entries[0].nwords == 3 && !strcmp(s->entries[0].words[2], "32"), "its parameters");
	ok(s->entries[0].copies == 1 && !s->entries[0].placement, "one copy, placed as usual");
	is_string(s->entries[1].name, "lat_roundtrip_pipe_64@otherx2",
		  "placement and copies are in the name");
	is_string(s->entries[1].measured, "lat_roundtrip_pipe_64@otherx2",
		  "which the program says");
	ok(s->entries[1].copies == 2 && !strcmp(s->entries[1].placement, "other"),
	   "both understood");
	is_string(s->entries[2].name, "lat_roundtrip_pipe_64@samex3",
		  "so is one that the program has unasked");
	is_string(s->entries[3].name, "cpu_int", "a last line without newline, no parameters");
	cmp_int(s->entries[3].line, 6, "its line");
	cmp_int(suite_find(s, "lat_roundtrip_pipe_64@samex3"), 2, "found by name");
	ok(suite_find(s, "lat_roundtrip") == SIZE_MAX, "an unknown name");
	suite_free(s);
}

static void test_modes(void)
{
	struct error e;
	struct suite *s = parse("lat_recv tcp 1 x2 @cold @far\nlat_x @cold @threaded\n"
				"set control lat_y_1@after=64k\nlat_y 1 @after=65536,@after=0",
				&e);

	if (!ok(s && s->entries[0].modes[SUITE_COLD] && !s->entries[0].modes[SUITE_THREADED],
		"cold caches %s", e.text))
		return;
	is_string(s->entries[0].name, "lat_recv_tcp_1@far@coldx2", "are in the name");
	is_string(s->entries[0].measured, "lat_recv_tcp_1@far@coldx2", "as the program writes it");
	char *line = suite_line(&s->entries[0]);
	is_string(line, "lat_recv tcp 1 @far @cold x2", "and in the line");
	is_string(s->entries[1].name, "lat_x@threaded@cold", "modes have one order");
	is_string(s->entries[2].name, "lat_y_1@after=64k", "a footprint has one spelling");
	is_string(s->entries[3].name, "lat_y_1@after=0", "and may be nothing");
	is_string(s->entries[4].measured, "lat_y_1@after=64k", "a control has it, too");
	ok(!s->entries[1].modes[SUITE_AFTER], "others have none");
	free(line);
	suite_free(s);
}

static void test_lists(void)
{
	struct error e;
	struct suite *s = parse("# lists\nlat_a 1,2 x,y @same,@other\nlat_b 1 x2,x3\nlat_c", &e);

	if (!ok(s && s->n == 11, "lists of values stand for all combinations %s", e.text))
		return;
	is_string(s->entries[1].name, "lat_a_1_x@other", "the last list changes fastest");
	is_string(s->entries[7].name, "lat_a_2_y@other", "up to the last values");
	is_string(s->entries[9].name, "lat_b_1x3", "numbers of copies are listed as well");
	cmp_int(s->entries[9].line, 3, "an entry knows the line of its list");
	cmp_int(s->entries[9].number, 9, "and its own number");
	char *text = suite_text(s);
	ok(strstr(text, "lat_a 1 x @same\nlat_a 1 x @other\nlat_a 1 y @same\n") == text &&
	       strstr(text, "\nlat_b 1 x3\nlat_c\n"),
	   "the text spells them out");
	struct suite *again = suite_parse(text, strlen(text), "t.suite", NULL, &e);
	free(text);
	size_t same = 0;
	for (size_t i = 0; again && i < again->n && i < s->n; i++)
		same += !strcmp(again->entries[i].name, s->entries[i].name);
	cmp_int(same, 11, "and stands for the same entries");
	suite_free(again);
	suite_free(s);
}

static void test_settings(void)
{
	struct error e;
	struct suite *s = parse("lat_x\n", &e);

	ok(s && s->settings.processes_min == 15 && s->settings.processes_max == 60 &&
	       s->settings.precision == 0.02 && s->settings.timeout == 60,
	   "defaults");
	ok(s && s->settings.batch == 0 && s->settings.batches == 0 && s->settings.budget == 0,
	   "what programs and users decide");
	suite_free(s);
	s = parse("set batch 1s\nset batches 1\nset processes 50\nset precision 0.5%\n"
		  "set budget 90s\nset timeout 5m\nlat_x\n",
		  &e);
	ok(s && s->settings.processes_min == 50 && s->settings.processes_max == 50,
	   "one number of processes");
	ok(s && s->settings.batch == 1 && s->settings.batches == 1 &&
	       fabs(s->settings.precision - 0.005) < 1e-12 && s->settings.budget == 90 &&
	       s->settings.timeout == 300,
	   "settings");
	suite_free(s);
	s = parse("set canary b\nset control a\na\nb\nc\n", &e);
	if (ok(s && s->n == 4, "a control is one entry more")) {
		ok(s->entries[1].role == SUITE_CANARY && s->entries[0].role == SUITE_PLAIN,
		   "a canary");
		ok(s->entries[3].role == SUITE_CONTROL &&
		       !strcmp(s->entries[3].name, "control_a") &&
		       !strcmp(s->entries[3].twin, "a") && !strcmp(s->entries[3].measured, "a"),
		   "a control knows its twin");
		ok(suite_is_control(s->entries[3].name) && !suite_is_control(s->entries[0].name),
		   "and is known by its name");
	}
	suite_free(s);
}

static void test_errors(void)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "", "t.suite: no entry" },
		{ "# nothing\n", "t.suite: no entry" },
		{ "lat_x\nlat_x\n", "t.suite:2: duplicate entry lat_x, first in line 1" },
		{ "lat_x 1 x2\nlat_x 1 x2\n", "t.suite:2: duplicate entry lat_x_1x2" },
		{ "lat_x @here\n", "t.suite:1: unknown '@here': @cold, @threaded, @shared, "
				   "@after=SIZE, or @ and one of same, sib" },
		{ "lat_x @other @free\n", "t.suite:1: two placements" },
		{ "lat_x @cold @other @cold\n", "t.suite:1: @cold twice" },
		{ "lat_x @after=1k @after=2k\n", "t.suite:1: @after= twice" },
		{ "lat_x @after=\n", "t.suite:1: unknown '@after='" },
		{ "lat_x @after=1g\n", "t.suite:1: unknown '@after=1g'" },
		{ "lat_x @after=-1\n", "t.suite:1: unknown '@after=-1'" },
		{ "lat_x @3\n", "t.suite:1: unknown '@3'" },
		{ "lat_x x2 x2\n", "t.suite:1: two numbers of copies" },
		{ "lat_x @shared\n", "t.suite:1: @shared: with how many copies?" },
		{ "lat_x @after=4k @cold\n", "t.suite:1: @cold empties the caches" },
		{ "lat_x x0\n", "t.suite:1: 'x0': from x1 to x1024" },
		{ "lat_x x99999999999999999999\n", "t.suite:1: 'x9999" },
		{ "lat_x @other 64\n", "t.suite:1: '@other' must follow" },
		{ "../sh\n", "t.suite:1: '../sh' is no name" },
		{ "/bin/sh -c id\n", "t.suite:1: '/bin/sh' is no name" },
		{ "Lat_x\n", "t.suite:1: 'Lat_x' is no name" },
		{ "lat_x -T 1s\n", "t.suite:1: '-T': an entry has no options" },
		{ "lat_x a/b\n", "t.suite:1: 'a/b' is no parameter" },
		{ "lat_x 1 *\n", "t.suite:1: cannot ask lat_x what '*' stands for: no bench" },
		{ "../x *\n", "t.suite:1: cannot ask ../x what '*' stands for: '../x' is no name" },
		{ "lat_x 1,,2\n", "t.suite:1: '1,,2': an empty value" },
		{ "lat_x 1,-T\n", "t.suite:1: '-T': an entry has no options" },
		{ "lat_x 1,2 @other 3\n", "t.suite:1: '@other' must follow" },
		{ "\nlat_x 1,2\nlat_x 3,2\n",
		  "t.suite:3: duplicate entry lat_x_2, first in line 2" },
		{ "set control a,b\na\nb\n", "t.suite:1: no line of this suite is the entry a,b" },
		{ "lat_x a*b\n", "t.suite:1: 'a*b' is no parameter" },
		{ "\n\nset\nlat_x\n", "t.suite:3: set what" },
		{ "set colour red\nlat_x\n", "t.suite:1: unknown setting 'colour'" },
		{ "set batch\nlat_x\n", "t.suite:1: set batch takes a duration" },
		{ "set batch 0\nlat_x\n", "t.suite:1: set batch takes" },
		{ "set batch -1s\nlat_x\n", "t.suite:1: set batch takes" },
		{ "set batches 1 2\nlat_x\n", "t.suite:1: set batches takes" },
		{ "set processes 20 10\nlat_x\n", "t.suite:1: set processes takes" },
		{ "set precision 2\nlat_x\n", "t.suite:1: set precision takes a percentage" },
		{ "set precision 0%\nlat_x\n", "t.suite:1: set precision takes" },
		{ "set precision nan%\nlat_x\n", "t.suite:1: set precision takes" },
		{ "set canary\nlat_x\n", "t.suite:1: which entries?" },
		{ "set canary lat_y\nlat_x\n",
		  "t.suite:1: no line of this suite is the entry lat_y" },
		{ "set control lat_x lat_x\nlat_x\n", "t.suite:1: duplicate entry control_lat_x" },
		{ "lat_x 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n",
		  "t.suite:1: more than 16 words" },
	};
	struct error e;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct suite *s = parse(bad[i].text, &e);

		ok(!s && !strncmp(e.text, bad[i].message, strlen(bad[i].message)), "%s", e.text);
		suite_free(s);
	}
	ok(!suite_parse("lat_x\n\0\n", 8, "t.suite", NULL, &e), "a zero byte: %s", e.text);
	ok(!suite_read("/nonexistent.suite", &e) && strstr(e.text, "/nonexistent.suite"),
	   "a missing file is named");

	char ten[] = "0,1,2,3,4,5,6,7,8,9", many[128];
	snprintf(many, sizeof(many), "lat_x %s %s %s %s %s\n", ten, ten, ten, ten, ten);
	ok(!parse(many, &e) && strstr(e.text, "more than 10000 entries"), "too many: %s", e.text);

	char name[260];
	memset(name, 'a', sizeof(name));
	memcpy(name + 220, "\n", 2);
	ok(!parse(name, &e) && strstr(e.text, "longer than 200"), "a name too long for a file");
}

static void test_select(void)
{
	static const struct {
		const char *pattern;
		size_t n; /* entries kept; 0: an error */
		const char *last;
	} rows[] = {
		{ "lat_a", 4, "control_lat_a_1" },
		{ "lat_?_1", 3, "control_lat_a_1" },
		{ "b_1", 1, "lat_b_1" },
		{ "lat_a_16", 1, "lat_a_16" },
		{ "lat_c", 0, NULL },
	};
	static const char text[] = "set control lat_a_1\nlat_a 1\nlat_a 2\nlat_a 16\nlat_b 1\n";
	struct error e;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct suite *s = parse(text, &e);
		char *pattern = xstrdup(rows[i].pattern);
		int failed = suite_select(s, &pattern, 1, &e);

		ok(rows[i].n ? !failed && s->n == rows[i].n &&
				   !strcmp(s->entries[s->n - 1].name, rows[i].last)
			     : failed && s->n == 5 && strstr(e.text, "'lat_c'"),
		   "pattern %s", pattern);
		free(pattern);
		suite_free(s);
	}
	struct suite *s = parse(text, &e);
	ok(!suite_select(s, NULL, 0, &e) && s->n == 5, "no pattern keeps all");
	suite_free(s);
}

static void test_copies(void)
{
	static const char text[] =
	    "set canary lat_a_1\nset control lat_b lat_b_2@threaded@sharedx2\n"
	    "lat_a 1 @other\nlat_a 1\nlat_b\n"
	    "lat_b 2 @shared @threaded x2\n";
	struct error e;
	struct suite *s = parse(text, &e);

	ok(s && s->n == 6, "a suite with copies %s", s ? "" : e.text);
	char *line = suite_line(&s->entries[3]);
	is_string(line, "lat_b 2 @threaded @shared x2", "threads on one object");
	free(line);
	suite_add_copies(s, 1);
	cmp_int(s->n, 6, "one copy is what there is");
	suite_add_copies(s, 3);
	suite_add_copies(s, 3);
	cmp_int(s->n, 9, "copies once of all, but of lines that have some, and of controls");
	is_string(s->entries[6].name, "lat_a_1@otherx3", "they are named after that");
	cmp_int(s->entries[8].number, 8, "and numbered");
	ok(s->entries[1].role == SUITE_CANARY && s->entries[7].role == SUITE_PLAIN,
	   "no canary is made of a canary");
	char *again = suite_text(s);
	is_string(again,
		  "lat_a 1 @other\nlat_a 1\nlat_b\nlat_b 2 @threaded @shared x2\n"
		  "lat_a 1 @other x3\nlat_a 1 x3\nlat_b x3\nset canary lat_a_1\n"
		  "set control lat_b\nset control lat_b_2@threaded@sharedx2\n",
		  "the text has copies and roles");
	free(again);
	suite_free(s);
}

int main(void)
{
	test_entries();
	test_modes();
	test_lists();
	test_settings();
	test_errors();
	test_select();
	test_copies();
	return done_testing();
}
