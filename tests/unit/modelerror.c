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
	return model_error_parse(m, copy, "model.conf", e);
}

static void test_file(void)
{
	static const char *const wrong[] = {
		"native\n",	 "native x\n",	   "native nan\n",
		"native -1\n",	 "native 3\n",	   "freedom 0\n",
		"size 1\n",	 "bias 0.1 0.2\n", "native 0.1 0.2 0.3\n",
		"reference 1\n", "native 0.1 x\n",
	};
	struct model_error m;
	struct error e;

	ok(!parse(&m, "# found\nnative 0.25 0.5\nbias 0.1\nalike 0.05\nfreedom 8\n", &e),
	   "four lines");
	cmp_near(m.kinds[KIND_NATIVE].own, 0.25, 0, "own");
	cmp_near(m.kinds[KIND_NATIVE].common, 0.5, 0, "common");
	cmp_near(m.bias, 0.1, 0, "bias");
	cmp_near(m.freedom, 8, 0, "freedom");
	cmp_near(m.kinds[KIND_ALIKE].own, 0.05, 0, "alike");
	cmp_near(m.kinds[KIND_ALIKE].common, 0, 0, "nothing in common when it is not given");
	cmp_near(m.kinds[KIND_REFERENCE].own, 0, 0, "the reference has the bias alone");
	ok(m.kinds[KIND_HOSTED].own > 0, "a kind that is not mentioned keeps the prior");
	ok(!m.prior, "but this is none");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ok(parse(&m, wrong[i], &e) < 0 && !strncmp(e.text, "model.conf:1: ", 14),
		   "wrong: %.20s", strtok(strcpy((char[64]){ "" }, wrong[i]), "\n"));
}

/* Residuals by hand. */
static void test_moments(void)
{
	static const struct residual r[] = {
		{ 0, KIND_REFERENCE, 0.1 }, { 0, KIND_NATIVE, 0.3 },	 { 0, KIND_HOSTED, 0.6 },
		{ 0, KIND_HOSTED, 0.4 },    { 1, KIND_REFERENCE, -0.1 }, { 1, KIND_NATIVE, -0.3 },
	};
	const double scale = sqrt(1.0 / 3); /* of a t with 3 degrees of freedom */
	struct model_error m = model_error_fit(r, 6, 2);

	cmp_near(m.freedom, 3, 0, "at least 3 degrees of freedom");
	cmp_near(m.bias, scale * 0.1, 1e-12, "the bias is the reference's");
	cmp_near(m.kinds[KIND_NATIVE].own, scale * 0.2, 1e-12, "others are relative to it");
	cmp_near(m.kinds[KIND_NATIVE].common, 0, 1e-9, "one machine shares nothing");
	cmp_near(m.kinds[KIND_HOSTED].own, scale * sqrt(0.02), 1e-12, "deviation within a kind");
	cmp_near(m.kinds[KIND_HOSTED].common, scale * sqrt(0.17 - 0.02), 1e-12,
		 "and what is common to it");
	ok(m.kinds[KIND_VIRTUAL].own > 0, "a kind without residuals has the prior");
	cmp_near(model_error_fit(r + 5, 1, 9).bias, sqrt(6.0 / 8) * 0.3, 1e-12,
		 "without the reference, all machines stand for it");
}

/* Errors of known size are found again. */
static void test_recovery(void)
{
	enum { TRIALS = 4000, EACH = 3 };
	struct residual *r = xcalloc(TRIALS * (EACH + 1), sizeof(*r));
	struct random random;
	size_t n = 0;

	random_seed(&random, 1);
	for (size_t t = 0; t < TRIALS; t++) {
		double bias = 0.1 * random_normal(&random), common = 0.3 * random_normal(&random);

		r[n++] = (struct residual){ t, KIND_REFERENCE, bias };
		for (int i = 0; i < EACH; i++)
			r[n++] = (struct residual){ t, KIND_TRANSLATED,
						    bias + common + 0.2 * random_normal(&random) };
	}
	struct model_error m = model_error_fit(r, n, 100000);
	cmp_near(m.bias, 0.1, 0.05, "bias");
	cmp_near(m.kinds[KIND_TRANSLATED].own, 0.2, 0.05, "own");
	cmp_near(m.kinds[KIND_TRANSLATED].common, 0.3, 0.05, "common");
	free(r);
}

int main(void)
{
	test_file();
	test_moments();
	test_recovery();
	return done_testing();
}
