/* SPDX-License-Identifier: MIT */
/* What conf/model.conf may say, and the model error that residuals show. */
#include "model/modelerror.c"

#include "stats/random.h"
#include "../tap.h"
#include "util/vec.h"

static int parse(struct model_error *m, const char *text, struct error *e)
{
	char copy[256];

	strcpy(copy, text);
	return model_error_parse(m, copy, "model.conf", 2, e);
}

static void test_file(void)
{
	static const char *const wrong[] = {
		"native\n",	    "native x\n",	    "native nan\n",  "native -1\n",
		"native 3\n",	    "freedom 0\n",	    "level x\n",     "size 1\n",
		"bias 0.1 0.2\n",   "native 0.1 0.2 0.3\n", "reference 1\n", "native 0.1 x\n",
		"lines 2.1\n",	    "alike 0.1\n",	    "host 2.1\n",    "host 0.1 0\n",
		"host 0.1 0.1 1\n",
	};
	struct model_error m;
	struct error e;

	ok(!parse(&m,
		  "# found\nnative 0.25 0.5\nsiblings 0.07\nbias 0.1\nhosted 0.05\nlines 0.4\nhost "
		  "0.3 0.2\nfreedom 8\n",
		  &e),
	   "six lines");
	cmp_near(m.kinds[KIND_NATIVE].own, 0.25, 0, "own");
	cmp_near(m.kinds[KIND_NATIVE].common, 0.5, 0, "common");
	cmp_near(m.bias, 0.1, 0, "bias");
	cmp_near(m.siblings, 0.07, 0, "siblings");
	cmp_near(m.freedom, 8, 0, "freedom");
	cmp_near(m.lines, 0.4, 0, "lines");
	cmp_near(m.host, 0.3, 0, "host");
	cmp_near(model_error_host(&m, &(struct host){ .spread = 0.05 }), 0.075, 1e-12,
		 "a quarter of it where loops varied by a quarter of the second number");
	cmp_near(model_error_host(&m, &(struct host){ .spread = INFINITY }), 0.3, 0,
		 "all where that is not known");
	cmp_near(m.kinds[KIND_HOSTED].own, 0.05, 0, "hosted");
	cmp_near(m.kinds[KIND_HOSTED].common, 0, 0, "nothing in common when it is not given");
	cmp_near(m.kinds[KIND_REFERENCE].own, 0.25, 0, "the reference runs anew as natives do");
	cmp_near(m.kinds[KIND_REFERENCE].common, 0, 0, "and is the one they are relative to");
	ok(m.kinds[KIND_TRANSLATED].own > 0, "a kind that is not mentioned keeps the prior");
	ok(!m.prior, "but this is none");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ok(parse(&m, wrong[i], &e) < 0 && !strncmp(e.text, "model.conf:1: ", 14),
		   "wrong: %.20s", strtok(strcpy((char[64]){ "" }, wrong[i]), "\n"));
}

static void test_layout(void)
{
	struct model_error m;
	struct error e;

	ok(!parse(&m, "  native \t 0.25  0.5 \r\n \r\n\nbias\t0.1\r\n", &e), "blanks and CR LF");
	cmp_near(m.kinds[KIND_NATIVE].common, 0.5, 0, "common");
	cmp_near(m.bias, 0.1, 0, "bias");
	ok(parse(&m, "bias 0.1\nbias 0.2\n", &e) < 0 && !strncmp(e.text, "model.conf:2: ", 14),
	   "a line given twice");
	ok(!parse(&m, "# nothing\n", &e) && m.prior, "a file without lines leaves the prior");
}

/* Lines before the first level are of all, those of a section of its level alone. */
static void test_levels(void)
{
	static const char text[] = "native 0.1\nhost 0.2\nlevel 0\nnative 0.3\nhosted 0.4\n"
				   "level 1\nnative 0.5\n";
	static const double natives[] = { 0.3, 0.5, 0.1 };
	struct model_error m;
	struct error e;

	for (unsigned level = 0; level < 3; level++) {
		char copy[sizeof(text)];

		ok(!model_error_parse(&m, strcpy(copy, text), "model.conf", level, &e) && !m.prior,
		   "level %u", level);
		cmp_near(m.kinds[KIND_NATIVE].own, natives[level], 0, "its natives");
		cmp_near(m.kinds[KIND_HOSTED].own, level ? prior.kinds[KIND_HOSTED].own : 0.4, 0,
			 "a kind of one section");
		cmp_near(m.host, 0.2, 0, "what is of all");
	}
	char other[] = "level 1\nbias 0.5\n", wrong[] = "level 1\nbias 9\n";
	ok(!model_error_parse(&m, other, "model.conf", 2, &e) && m.prior,
	   "a file that says nothing of a level leaves the prior");
	char seventh[] = "level 7\n", twice[] = "level 0\nlevel 1\nlevel 0\n";
	ok(model_error_parse(&m, seventh, "model.conf", 2, &e) < 0 &&
	       model_error_parse(&m, twice, "model.conf", 2, &e) < 0 &&
	       !strncmp(e.text, "model.conf:3: ", 14),
	   "there are three levels, each once");
	ok(model_error_parse(&m, wrong, "model.conf", 2, &e) < 0 &&
	       !strncmp(e.text, "model.conf:2: ", 14),
	   "mistakes are found in every section");
}

/* By hand: 0.3 and 0.4 apart in lines. */
static void test_formula(void)
{
	const struct model_error m = {
		.kinds = { [KIND_NATIVE] = { 0.1, 0.2 }, [KIND_HOSTED] = { 0.3, 0.4 } },
		.bias = 9,
		.siblings = INFINITY,
		.lines = 2,
		.host = 0.4,
		.host_from = 1
	};
	const struct model_case a = {
		.kind = KIND_NATIVE, .state = 0.05, .lines = (double[]){ 0.5, 0.1 }, .nlines = 2
	};
	const struct model_case b = {
		.kind = KIND_HOSTED, .state = 0.06, .lines = (double[]){ 0.2, 0.5 }, .nlines = 2
	};
	const struct model_case c = { .kind = KIND_NATIVE };
	const struct osvec *one = (void *)&a, *two = (void *)&b; /* hosts: addresses alone count */
	const struct model_case moved[] = { { .host = { one, 4, 1, 1, NULL, NULL } },
					    { .host = { one, 4, 1, 0.5, NULL, NULL } },
					    { .host = { two, 1, 1, 1, NULL, NULL } },
					    { .host = { one, 4, 1, 1, one, NULL } },
					    { .host = { two, 1, 1, 1, one, NULL } } };

	cmp_near(model_error_of(&m, &a), sqrt(0.01 + 0.04 + 4 * 0.26 + 0.0025), 1e-12,
		 "all of a time's");
	cmp_near(model_error_of_ratio(&m, &a, &b),
		 sqrt(0.01 + 0.09 + 0.04 + 0.16 + 4 * 0.25 + 0.0025 + 0.0036), 1e-12,
		 "all of two machines', and of lines what is different");
	cmp_near(model_error_of_ratio(&m, &c, &a), sqrt(0.02 + 4 * 0.26 + 0.0025), 1e-12,
		 "what a kind shares cancels");
	const struct model_case start = { .kind = KIND_NATIVE,
					  .lines = (double[]){ 0.5, 0 },
					  .user = (double[]){ 0, -0.3 },
					  .nlines = 2 };
	cmp_near(model_error_of(&m, &start), sqrt(0.01 + 0.04 + 4 * (0.25 + 0.09)), 1e-12,
		 "of user time that follows calls, too");
	cmp_near(model_error_of_ratio(&m, &c, &c), sqrt(0.02), 1e-12, "equal lines cancel");
	const struct model_case kin[] = { { .kind = KIND_NATIVE, .host.kin = one },
					  { .kind = KIND_NATIVE, .host.kin = one },
					  { .kind = KIND_NATIVE, .host.kin = two },
					  { .kind = KIND_HOSTED, .host.kin = two } };
	struct model_error close = m;

	close.siblings = 0.03;
	cmp_near(model_error_of_ratio(&close, &kin[0], &kin[1]), sqrt(2) * 0.03, 1e-12,
		 "natives on one host: what they do not share");
	cmp_near(model_error_of_ratio(&close, &kin[1], &kin[2]), sqrt(2) * 0.1, 1e-12,
		 "on two: all");
	cmp_near(model_error_of_ratio(&close, &kin[2], &kin[3]), sqrt(0.01 + 0.09 + 0.04 + 0.16),
		 1e-12, "a hosted kernel has no siblings");
	cmp_near(model_error_of(&close, &kin[1]), hypot(0.1, 0.2), 1e-12, "nor has a time alone");
	close.siblings = 0.5;
	cmp_near(model_error_of_ratio(&close, &kin[0], &kin[1]), sqrt(2) * 0.1, 1e-12,
		 "never more than their own");
	cmp_near(model_error_of(&m, &moved[0]), sqrt(0.16 * 1.25), 1e-12,
		 "another state later, and that of four vectors");
	cmp_near(model_error_of_ratio(&m, &moved[0], &moved[1]), sqrt(0.16 * 1.25 + 0.01), 1e-12,
		 "of one host: two later states, and what they moved unequally");
	cmp_near(model_error_of_ratio(&m, &moved[0], &moved[2]), sqrt(0.16 * 3.25), 1e-12,
		 "of two: those of the vectors besides");
	cmp_near(model_error_of_ratio(&m, &moved[3], &moved[4]), 0, 1e-12, "in turns: none");
	cmp_near(model_error_of_ratio(&m, &moved[3], &moved[2]), sqrt(0.16 * 3.25), 1e-12,
		 "but to others");
	cmp_near(model_error_of_ratio(&m, &moved[3], &moved[0]), sqrt(0.16 * 2), 1e-12,
		 "and to another vector of their host, two later states");
}

enum { TRIALS = 2000 };

/* Errors of known size, with states, lines and errors of measurement that are known too, are found
 * again. */
static void test_recovery(void)
{
	const struct demand demand = { .nruns = 1 };
	const struct prediction exact = {
		.demand = &demand, .kernel = 1, .total = 1, .coverage = 1
	};
	const struct prediction tenth = {
		.demand = &demand, .kernel = 1, .total = 1, .coverage = 0.8
	};
	static double none[2], lines[2] = { 0.3, -0.3 };
	const struct osvec *const host = (void *)&demand; /* its address alone counts */
	enum { MACHINES = 8 };
	struct residual *r = xcalloc(TRIALS * MACHINES, sizeof(*r));
	const double half = 0.5; /* of the price of each line: the prior */
	struct random random;
	size_t n = 0;

	random_seed(&random, 1);
	for (size_t t = 0; t < TRIALS; t++) {
		const double bias = 0.1 * random_normal(&random);
		const double common = 0.3 * random_normal(&random);
		const double line =
		    half * (0.3 * random_normal(&random) - 0.3 * random_normal(&random));
		const enum kind kinds[MACHINES] = { KIND_REFERENCE,  KIND_NATIVE,
						    KIND_HOSTED,     KIND_HOSTED,
						    KIND_TRANSLATED, KIND_TRANSLATED,
						    KIND_NATIVE,     KIND_NATIVE };
		const double kin = 0.04 * random_normal(&random);

		for (size_t i = 0; i < MACHINES; i++) {
			const bool hosted = kinds[i] == KIND_HOSTED;
			const bool translated = kinds[i] == KIND_TRANSLATED;
			const bool sibling = i >= 6, noisy = i > 0 && !sibling;
			const double own = translated ? 0.2 : hosted ? 0.01 : sibling ? 0.03 : 0.05;
			const double state = hosted ? 0.15 : 0;

			r[n++] = (struct residual){
				t,
				{ .kind = kinds[i],
				  .state = state,
				  .lines = hosted ? lines : none,
				  .nlines = 2,
				  .host.kin = sibling ? host : NULL },
				bias + (sibling ? kin : 0) + (translated ? common : 0) +
				    (hosted ? line : 0) +
				    hypot(own, hypot(state, noisy ? 0.1 : 0)) *
					random_normal(&random),
				noisy ? &tenth : &exact,
			};
		}
	}
	struct model_error m = model_error_fit(r, n, 100000);
	cmp_near(m.bias, 0.1, 0.07, "bias");
	cmp_near(m.kinds[KIND_NATIVE].own, 0.05, 0.1, "own of natives");
	cmp_near(m.siblings, 0.03, 0.1, "and what is left of it on one host");
	cmp_near(m.kinds[KIND_TRANSLATED].own, 0.2, 0.05, "own of emulators");
	cmp_near(m.kinds[KIND_TRANSLATED].common, 0.3, 0.05, "and what they share");
	cmp_near(m.kinds[KIND_HOSTED].own, m.kinds[KIND_NATIVE].own, 1e-12,
		 "states and lines explain the others': no better than natives");
	ok(m.kinds[KIND_HOSTED].common < 0.04, "nor do they share more");
	cmp_near(m.kinds[KIND_VIRTUAL].own, prior.kinds[KIND_VIRTUAL].own, 0,
		 "a kind without residuals has the prior");
	cmp_near(m.lines, prior.lines, 0, "and so have the lines");
	free(r);
}

/* That of Student's t with 4 degrees of freedom, of pairs of a trial. */
static void test_likelihood(void)
{
	const struct osvec machines[] = { { .machine = NULL }, { .machine = NULL } };
	const struct demand demand = { .nruns = 1 };
	const struct prediction p[] = {
		{ .demand = &demand, .total = 1, .machine = &machines[0] },
		{ .demand = &demand, .total = 1, .machine = &machines[1] }
	};
	struct residual r[4];
	size_t pairs = 0;

	for (size_t i = 0; i < 4; i++)
		r[i] = (struct residual){ .trial = i / 3,
					  .of.kind = KIND_NATIVE,
					  .log_ratio = i == 2 ? 0.2 : 0,
					  .prediction = &p[i > 1] };
	const double none = lgamma(2.5) - lgamma(2) - log(4 * M_PI) / 2 - log(2 * 0.12 * 0.12) / 2;
	const double far = none - 2.5 * log1p(0.2 * 0.2 / (2 * 0.12 * 0.12) / 4);
	cmp_near(model_error_likelihood(&prior, r, 4, NULL, &pairs), none + 2 * far, 1e-12, "all");
	cmp_int((long)pairs, 3, "three pairs of the trial of three");
	cmp_near(model_error_likelihood(&prior, r, 4, &machines[1], &pairs), 2 * far, 1e-12,
		 "those of one machine");
	cmp_int((long)pairs, 5, "which are two more");
}

/* One machine in each trial: no pair. */
static void test_alone(void)
{
	const struct residual r[] = { { .trial = 0, .of.kind = KIND_NATIVE, .log_ratio = 0.3 },
				      { .trial = 1, .of.kind = KIND_NATIVE, .log_ratio = -0.3 } };
	struct model_error m = model_error_fit(r, 2, 2);

	cmp_near(m.freedom, 3, 0, "at least 3 degrees of freedom");
	cmp_near(m.bias, sqrt(1.0 / 3) * 0.3, 1e-12, "without the reference, all stand for it");
	cmp_near(m.kinds[KIND_NATIVE].own, prior.kinds[KIND_NATIVE].own, 0, "no pair, no own");
	ok(isinf(m.siblings), "and no siblings");
}

/* What the reference's own part, its state and that of its host explain of its error is no bias; in
 * a trial without it the mean error stands for it. */
static void test_bias(void)
{
	const struct residual reference = { .of = { .kind = KIND_REFERENCE,
						    .state = 0.1,
						    .host = { .vectors = 2, .spread = 1 } },
					    .log_ratio = 0.6 };
	const struct residual others[] = { { .of.kind = KIND_NATIVE, .log_ratio = 0.1 },
					   { .of.kind = KIND_NATIVE, .log_ratio = 0.5 } };
	const struct model_error m = model_error_fit(&reference, 1, 11);

	cmp_near(m.freedom, 10, 0, "one application less");
	cmp_near(m.bias, sqrt(0.8 * (0.36 - 0.1 * 0.1 - 0.1 * 0.1 * 1.5) - 0.12 * 0.12), 1e-12,
		 "what nothing else explains");
	cmp_near(model_error_fit(others, 2, 11).bias, sqrt(0.8) * 0.3, 1e-12, "a mean error");
}

int main(void)
{
	test_bias();
	test_file();
	test_layout();
	test_levels();
	test_formula();
	test_recovery();
	test_alone();
	test_likelihood();
	return done_testing();
}
