/* SPDX-License-Identifier: MIT */
/* What conf/model.conf may say. */
#include "model/modelerror.c"

#include "../tap.h"

static int parse(struct model_error *m, const char *text, struct error *e)
{
	char copy[256];

	strcpy(copy, text);
	return model_error_parse(m, copy, "model.conf", e);
}

int main(void)
{
	static const char *const wrong[] = {
		"spread\n",   "spread x\n",  "spread nan\n", "spread -1\n",
		"spread 3\n", "freedom 0\n", "size 1\n",     "spread 0.1 0.2\n",
	};
	struct model_error m;
	struct error e;

	ok(!parse(&m, "# found\nspread 0.25\nbias 0.1\nalike 0.05\nfreedom 8\n", &e),
	   "four numbers");
	cmp_near(m.spread, 0.25, 0, "spread");
	cmp_near(m.bias, 0.1, 0, "bias");
	cmp_near(m.freedom, 8, 0, "freedom");
	cmp_near(m.alike, 0.05, 0, "alike");
	ok(!m.prior, "no prior");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ok(parse(&m, wrong[i], &e) < 0 && !strncmp(e.text, "model.conf:1: ", 14),
		   "wrong: %.20s", strtok(strcpy((char[64]){ "" }, wrong[i]), "\n"));
	return done_testing();
}
