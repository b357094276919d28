/* SPDX-License-Identifier: MIT */
/* svg.h - writes pictures with axes as SVG. */
#ifndef UTIL_SVG_H
#define UTIL_SVG_H

#include <stdbool.h>
#include <stdio.h>

/* Where the data is in a picture, and which data values its edges are. */
struct plot {
	FILE *f;
	double left, top, width, height; /* in pixels */
	double x0, x1, y0, y1;		 /* data values at left, right, bottom, top */
};

/* Starts a white picture of that size in pixels, with a title at the top. */
void svg_begin(FILE *f, double width, double height, const char *title);
/* Writes text at a position; anchor is "start", "middle" or "end".  It is of 12 pixels, unless a
 * <g> around it says otherwise. */
void svg_text(FILE *f, double x, double y, const char *anchor, const char *color, const char *fmt,
	      ...) __attribute__((format(printf, 6, 7)));
/* Returns the horizontal position of a data value in pixels. */
double plot_x(const struct plot *p, double x);
/* Returns the vertical one. */
double plot_y(const struct plot *p, double y);
/* Draws the horizontal axis with round numbers, as times if seconds is true. */
void plot_x_axis(const struct plot *p, const char *label, bool seconds);
/* Draws the vertical one. */
void plot_y_axis(const struct plot *p, const char *label, bool seconds);
/* Ends the picture; f stays open. */
void svg_end(FILE *f);

#endif
