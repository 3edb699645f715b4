/* SPDX-License-Identifier: BSD-2-Clause */
/* Charts of lines between points on two axes of powers. */
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
    double base; /* the horizontal axis has its powers: 2 or 10; the vertical one is milliseconds, those of 10 */
    struct chart_line line[CHART_LINES];
    int lines;
};

/* Lines without points are left out. False, with a message on standard error, where that failed. */
bool chart_write(const struct chart *chart, const char *folder, const char *name);

#endif
