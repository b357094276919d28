/* SPDX-License-Identifier: MIT */
#include "util/svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "util/number.h"
#include "util/xalloc.h"

static const char font[] = "font-family='sans-serif' font-size='12'";

static void escape(FILE *f, const char *s)
{
	for (; *s; s++) {
		const unsigned char c = (unsigned char)*s;

		if (c == '<')
			fputs("&lt;", f);
		else if (c == '&')
			fputs("&amp;", f);
		else if (c == '>')
			fputs("&gt;", f);
		else
			fputc(c < ' ' || c > '~' ? '?' : c, f);
	}
}

void svg_text(FILE *f, double x, double y, const char *anchor, const char *color, const char *fmt,
	      ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *text = xvasprintf(fmt, ap);
	va_end(ap);
	fprintf(f, "<text x='%.1f' y='%.1f' text-anchor='%s' fill='%s'>", x, y, anchor, color);
	escape(f, text);
	fprintf(f, "</text>\n");
	free(text);
}

void svg_begin(FILE *f, double width, double height, const char *title)
{
	fprintf(f,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' "
		"viewBox='0 0 %.0f %.0f' %s>\n<rect width='%.0f' height='%.0f' fill='white'/>\n"
		"<g font-weight='bold'>\n",
		width, height, width, height, font, width, height);
	svg_text(f, 16, 22, "start", "#222", "%s", title);
	fprintf(f, "</g>\n");
}

void svg_end(FILE *f)
{
	fprintf(f, "</svg>\n");
}

double plot_x(const struct plot *p, double x)
{
	return p->left + (x - p->x0) / (p->x1 - p->x0) * p->width;
}

double plot_y(const struct plot *p, double y)
{
	return p->top + p->height - (y - p->y0) / (p->y1 - p->y0) * p->height;
}

/* Returns a round distance that gives about five marks over the range. */
static double step(double range)
{
	double unit = pow(10, floor(log10(range / 5)));
	double times = range / 5 / unit;

	return unit * (times > 5 ? 10 : times > 2 ? 5 : times > 1 ? 2 : 1);
}

static const char *mark(char *out, double v, bool seconds)
{
	if (v == 0)
		return "0";
	return seconds ? number_format_duration(out, v) : number_format_si(out, v);
}

void plot_x_axis(const struct plot *p, const char *label, bool seconds)
{
	double by = step(p->x1 - p->x0), bottom = p->top + p->height;
	char text[NUMBER_MAX];

	for (double v = ceil(p->x0 / by) * by; v <= p->x1 * (1 + 1e-9); v += by) {
		fprintf(p->f, "<path d='M%.1f %.1fV%.1f' stroke='#ddd'/>\n", plot_x(p, v), p->top,
			bottom + 4);
		svg_text(p->f, plot_x(p, v), bottom + 18, "middle", "#555", "%s",
			 mark(text, fabs(v) < by * 1e-9 ? 0 : v, seconds));
	}
	svg_text(p->f, p->left + p->width / 2, bottom + 36, "middle", "#222", "%s", label);
}

void plot_y_axis(const struct plot *p, const char *label, bool seconds)
{
	double by = step(p->y1 - p->y0);
	char text[NUMBER_MAX];

	for (double v = ceil(p->y0 / by) * by; v <= p->y1 * (1 + 1e-9); v += by) {
		fprintf(p->f, "<path d='M%.1f %.1fH%.1f' stroke='#ddd'/>\n", p->left - 4,
			plot_y(p, v), p->left + p->width);
		svg_text(p->f, p->left - 8, plot_y(p, v) + 4, "end", "#555", "%s",
			 mark(text, fabs(v) < by * 1e-9 ? 0 : v, seconds));
	}
	svg_text(p->f, p->left, p->top - 8, "start", "#222", "%s", label);
}
