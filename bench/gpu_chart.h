/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws charts of lines between points on two logarithmic axes. */
#ifndef KOSTKA_BENCH_GPU_CHART_H
#define KOSTKA_BENCH_GPU_CHART_H

#include <stdbool.h>

enum { CHART_POINTS = 16, CHART_LINES = 12 };

struct chart_line {
    const char *name, *colour;
    const char *style; /* as svg_line() */
    double x[CHART_POINTS], y[CHART_POINTS];
    int points;
};

struct chart {
    const char *title, *subtitle, *x_title;
    double base; /* the base of the horizontal axis: 2 or 10; the vertical one is in milliseconds, with base 10 */
    struct chart_line line[CHART_LINES];
    int lines;
};

/* Write a chart. Lines without points are left out. On failure prints a message and returns false. */
bool chart_write(const struct chart *chart, const char *folder, const char *name);

#endif
