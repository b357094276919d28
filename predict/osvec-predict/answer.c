/* SPDX-License-Identifier: MIT */
#include "answer.h"

#include <err.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "util/number.h"
#include "util/wrap.h"
#include "util/xalloc.h"

void answer_say(const struct query *q, const char *fmt, ...)
{
	va_list ap;

	if (query_format(q) != TABLE_TEXT)
		return;
	va_start(ap, fmt);
	char *text = xvasprintf(fmt, ap);
	va_end(ap);
	wrap_print(stdout, text, 0);
	free(text);
}

static void print_fact(const struct query *q, const char *key, json_t *value)
{
	if (query_format(q) == TABLE_JSON) {
		char *text = json_dumps(value, JSON_ENCODE_ANY);

		printf("\"%s\": %s,\n", key, text);
		free(text);
	}
	json_decref(value);
}

void answer_number(const struct query *q, const char *key, double value)
{
	print_fact(q, key, json_double(value));
}

void answer_word(const struct query *q, const char *key, const char *value)
{
	print_fact(q, key, json_text(value));
}

void answer_begin(const struct query *q)
{
	if (query_format(q) == TABLE_JSON)
		printf("{\n");
	answer_word(q, "application", q->application->name);
	answer_word(q, "unit", q->unit);
	answer_number(q, "units_per_run", q->units_per_run);
	answer_number(q, "level", (double)q->level);
	answer_word(q, "reference", q->reference ? q->reference->machine : NULL);
	answer_number(q, "inflation", q->inflation);
	answer_number(q, "footprint", q->footprint);
	answer_number(q, "same_cpu", q->same_cpu);
}

void answer_table(const struct query *q, const char *key, struct table *t, bool main)
{
	enum table_format format = query_format(q);

	if (format == TABLE_JSON)
		printf("\"%s\": ", key);
	if (format != TABLE_CSV || main)
		table_print(t, stdout, format);
	if (format == TABLE_JSON)
		printf(",\n");
	table_free(t);
}

void answer_end(const struct query *q)
{
	enum table_format format = query_format(q);

	if (format == TABLE_JSON) {
		json_t *notes = json_array();

		for (size_t i = 0; i < q->notes.n; i++)
			json_array_append_new(notes, json_text(q->notes.v[i]));
		char *text = json_dumps(notes, JSON_INDENT(1));
		printf("\"notes\": %s\n}\n", text);
		free(text);
		json_decref(notes);
	} else if (format == TABLE_CSV) {
		for (size_t i = 0; i < q->notes.n; i++)
			warnx("%s", q->notes.v[i]);
	} else {
		if (q->notes.n)
			putchar('\n');
		for (size_t i = 0; i < q->notes.n; i++) {
			char *text = xasprintf("note: %s", q->notes.v[i]);

			wrap_print(stdout, text, 6);
			free(text);
		}
	}
}

void answer_time(const struct query *q, struct table *t, double seconds)
{
	table_seconds(t, query_time(q, seconds));
}

void answer_share(struct table *t, size_t part, size_t of)
{
	char shown[64];

	snprintf(shown, sizeof(shown), "%zu/%zu", part, of);
	table_shown(t, of ? (double)part / (double)of : NAN, shown);
}

void answer_join(char **list, const char *word)
{
	*list = xappend(*list, "%s%s", *list ? ", " : "", word);
}

const char *answer_bool(bool yes)
{
	return yes ? "yes" : "no";
}

const char *answer_line_name(const struct prediction_line *line)
{
	static char name[128];
	static const char *const suffix[] = {
		[LINE_KERNEL] = "",    [LINE_SWITCHES] = " (switches)", [LINE_FAULTS] = " (faults)",
		[LINE_USER] = " time", [LINE_USER_ENTRY] = " (user)",	[LINE_WAIT] = " (wait)",
		[LINE_ASLEEP] = "",
	};

	snprintf(name, sizeof(name), "%.100s%s", line->name, suffix[line->kind]);
	return name;
}
