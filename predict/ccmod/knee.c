/* SPDX-License-Identifier: MIT */
/* ccmod knee: throughput and delay of a network as its load grows, and the load at which their
 * ratio is best. */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "output.h"
#include "setup.h"
#include "util/number.h"
#include "util/svg.h"

static struct setup s = SETUP_DEFAULT;
static const char *svg;
static double share = 0.3;

static const struct opt options[] = {
	SETUP_OPTIONS(s),
	{ 0, "share", OPT_NUMBER, &share, "SHARE", 0, 0.95,
	  "constant background load of the second curve (default 0.3)" },
	{ 0, "svg", OPT_STRING, &svg, "FILE", 0, 0, "draw both curves" },
	{ 0 },
};

static const struct opt_usage usage = {
	"ccmod knee",
	"WORKLOAD",
	"Runs a workload with longer and shorter computations and prints throughput and delay of "
	"its "
	"messages, without and with background load; the knee is where their ratio is best.",
	"ccmod knee -n myrinet --svg knee.svg sweep3d.wl",
};

/* factors of the computation times: from a low load to the highest possible */
static const double stretches[] = { 16, 8, 4, 2.8, 2, 1.4, 1, 0.7, 0.5, 0.35, 0.25, 0.125, 0 };

enum { CURVES = 2, POINTS = sizeof(stretches) / sizeof(*stretches) };

static struct curve {
	double share;
	struct point {
		double throughput; /* full packets per second on the busiest link */
		double delay;	   /* mean delay of a message */
	} points[POINTS];
	size_t knee;
} curves[CURVES];

static double packets(double bytes)
{
	double packet = s.network->packet > 0 ? s.network->packet + s.network->header : 1;

	return bytes / packet;
}

static void run(struct curve *c, size_t i)
{
	struct engine_options o = s.options;
	struct engine_result r;
	uint32_t busiest = 0;

	o.stretch *= stretches[i];
	if (c->share > 0)
		o.background = (struct background){ BACKGROUND_CONSTANT, c->share, 0 };
	setup_run(&s, &o, &r);
	for (uint32_t l = 0; l < r.links; l++)
		if (r.link[l].bytes > r.link[busiest].bytes)
			busiest = l;
	c->points[i].throughput = r.seconds > 0 ? packets(r.link[busiest].bytes) / r.seconds : 0;
	c->points[i].delay = r.messages ? r.delay / (double)r.messages : 0;
	if (!(r.link[busiest].bytes > 0))
		errx(1, "%s: no message uses a link, so there is no knee", s.workload->name);
	engine_result_free(&r);
}

/* Maximizes Kleinrock's power, throughput over delay. */
static void find_knee(struct curve *c)
{
	for (size_t i = 1; i < POINTS; i++)
		if (c->points[i].throughput * c->points[c->knee].delay >
		    c->points[c->knee].throughput * c->points[i].delay)
			c->knee = i;
}

static void print(void)
{
	static const struct table_column columns[] = {
		{ "compute", "stretch", TABLE_RIGHT },
		{ "throughput", NULL, TABLE_RIGHT },
		{ "delay", NULL, TABLE_RIGHT },
		{ "", "knee", TABLE_LEFT },
		{ "with load", "loaded_throughput", TABLE_RIGHT },
		{ "delay", "loaded_delay", TABLE_RIGHT },
		{ "", "loaded_knee", TABLE_LEFT },
	};
	struct table *t = table_of(columns);
	char text[NUMBER_MAX];

	for (size_t i = 0; i < POINTS; i++) {
		table_number(t, stretches[i], "%gx");
		for (int c = 0; c < CURVES; c++) {
			const struct point *p = &curves[c].points[i];

			table_shown(t, p->throughput, number_format_si(text, p->throughput));
			table_seconds(t, p->delay);
			table_text(t, curves[c].knee == i ? "knee" : "");
		}
	}
	if (setup_format(&s) == TABLE_TEXT)
		printf("%s on %s: %s per second on the busiest link, and\n"
		       "the mean delay of a message, by the factor of computation times;\n"
		       "with load: %.0f %% background load\n\n",
		       s.workload->name, s.network->name,
		       s.network->packet > 0 ? "full packets" : "bytes", 100 * share);
	table_end(t, stdout, setup_format(&s));
	for (int c = 0; c < CURVES; c++)
		if (setup_format(&s) == TABLE_TEXT && curves[c].knee == POINTS - 1)
			printf("\nThe knee with %.0f %% background load is not reached: throughput "
			       "over "
			       "delay\nstill rises without any computation.\n",
			       100 * curves[c].share);
}

static void draw(FILE *f)
{
	static const char *const colors[CURVES] = { "#4477aa", "#cc4411" };
	struct plot p = { .f = f, .left = 80, .top = 64, .width = 640, .height = 360 };

	for (int c = 0; c < CURVES; c++)
		for (size_t i = 0; i < POINTS; i++) {
			p.x1 = fmax(p.x1, curves[c].points[i].throughput * 1.05);
			p.y1 = fmax(p.y1, curves[c].points[i].delay * 1.05);
		}
	if (!(p.x1 > 0 && p.y1 > 0))
		p.x1 = p.y1 = 1;
	svg_begin(f, 740, 480, s.workload->name);
	svg_text(f, 16, 40, "start", "#555", "%s", s.network->name);
	plot_x_axis(&p,
		    s.network->packet > 0 ? "full packets per second on the busiest link"
					  : "bytes per second on the busiest link",
		    false);
	plot_y_axis(&p, "mean delay of a message", true);
	for (int c = 0; c < CURVES; c++) {
		const struct point *v = curves[c].points, *k = &v[curves[c].knee];

		fprintf(f, "<path fill='none' stroke-width='2' stroke='%s' d='", colors[c]);
		for (size_t i = 0; i < POINTS; i++)
			fprintf(f, "%c%.1f %.1f", i ? 'L' : 'M', plot_x(&p, v[i].throughput),
				plot_y(&p, v[i].delay));
		fprintf(f, "'/>\n");
		for (size_t i = 0; i < POINTS; i++)
			fprintf(f, "<circle r='%d' cx='%.1f' cy='%.1f' fill='%s'/>\n",
				i == curves[c].knee ? 6 : 3, plot_x(&p, v[i].throughput),
				plot_y(&p, v[i].delay), colors[c]);
		/* The loaded curve is never below the other one. */
		svg_text(f, plot_x(&p, k->throughput) - 10, plot_y(&p, k->delay) + (c ? -10 : 20),
			 "end", colors[c], "knee, %.0f %% background", 100 * curves[c].share);
	}
	svg_end(f);
}

int command_knee(int argc, char **argv)
{
	setup_read(&s, argc, argv, &usage, options);
	if (s.options.background.kind != BACKGROUND_NONE)
		opt_bad_usage(&usage, "--background does not apply to knee: use --share");
	setup_spare(&s, svg, &usage);
	for (int c = 0; c < CURVES; c++) {
		curves[c].share = c ? share : 0;
		for (size_t i = 0; i < POINTS; i++)
			run(&curves[c], i);
		find_knee(&curves[c]);
	}
	print();
	if (svg) {
		FILE *f = output_open(svg);

		draw(f);
		output_close(f, svg);
	}
	setup_free(&s);
	return 0;
}
