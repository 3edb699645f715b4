/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws charts with two logarithmic axes as SVG. */
#include "gpu_chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "print/svg.h"

enum { WIDTH = 900, HEIGHT = 520, LEFT = 70, RIGHT = 230, TOP = 70, BOTTOM = 50 };

/* Holds the powers at the ends of the axes. */
struct axes {
    double base, x0, x1, y0, y1;
};

static struct axes find_axes(const struct chart *chart)
{
    struct axes axes = {.base = log(chart->base), .x0 = 1e9, .x1 = -1e9, .y0 = 1e9, .y1 = -1e9};

    for (int i = 0; i < chart->lines; i++) {
        const struct chart_line *line = &chart->line[i];
        for (int j = 0; j < line->points; j++) {
            axes.x0 = fmin(axes.x0, floor(log(line->x[j]) / axes.base));
            axes.x1 = fmax(axes.x1, ceil(log(line->x[j]) / axes.base));
            axes.y0 = fmin(axes.y0, floor(log10(line->y[j])));
            axes.y1 = fmax(axes.y1, ceil(log10(line->y[j])));
        }
    }
    return axes;
}

static double place_x(const struct axes *axes, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (log(x) / axes->base - axes->x0) / fmax(axes->x1 - axes->x0, 1);
}

static double place_y(const struct axes *axes, double y)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (log10(y) - axes->y0) / fmax(axes->y1 - axes->y0, 1);
}

static void draw_grid(struct svg *svg, const struct chart *chart, const struct axes *axes)
{
    for (int i = (int)axes->x0; i <= (int)axes->x1; i++) {
        double value = pow(chart->base, i), x = place_x(axes, value);
        svg_line(svg, x, TOP, x, HEIGHT - BOTTOM, "#ddd", "none");
        svg_text(svg, x, HEIGHT - BOTTOM + 16, "middle", "#555", "%g", value);
    }
    for (int i = (int)axes->y0; i <= (int)axes->y1; i++) {
        double value = pow(10, i), y = place_y(axes, value);
        svg_line(svg, LEFT, y, WIDTH - RIGHT, y, "#ddd", "none");
        svg_text(svg, LEFT - 6, y + 4, "end", "#555", "%g", value);
    }
    svg_text(svg, WIDTH - RIGHT, HEIGHT - BOTTOM + 34, "end", "#555", "%s", chart->x_title);
    svg_text(svg, 16, TOP - 10, "start", "#555", "ms");
}

static void draw_line(struct svg *svg, const struct chart_line *line, const struct axes *axes)
{
    for (int i = 0; i < line->points; i++) {
        double x = place_x(axes, line->x[i]), y = place_y(axes, line->y[i]);
        svg_dot(svg, x, y, 3, line->colour);
        if (i > 0)
            svg_line(
                svg, place_x(axes, line->x[i - 1]), place_y(axes, line->y[i - 1]), x, y, line->colour, line->style);
    }
}

static void draw_key(struct svg *svg, const struct chart *chart)
{
    double y = TOP + 8;

    for (int i = 0; i < chart->lines; i++) {
        const struct chart_line *line = &chart->line[i];
        if (line->points == 0)
            continue;
        svg_line(svg, WIDTH - RIGHT + 14, y, WIDTH - RIGHT + 38, y, line->colour, line->style);
        svg_dot(svg, WIDTH - RIGHT + 26, y, 3, line->colour);
        svg_text(svg, WIDTH - RIGHT + 44, y + 4, "start", "#222", "%s", line->name);
        y += 20;
    }
}

bool chart_write(const struct chart *chart, const char *folder, const char *name)
{
    struct axes axes = find_axes(chart);
    struct svg svg;
    char path[512];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (axes.x0 > axes.x1 || !svg_begin(&svg, WIDTH, HEIGHT)) {
        fprintf(stderr, "%s: nothing to draw\n", path);
        return false;
    }
    svg_text(&svg, 16, 26, "start", "#222", "%s", chart->title);
    svg_text(&svg, 16, 44, "start", "#555", "%s", chart->subtitle);
    draw_grid(&svg, chart, &axes);
    for (int i = 0; i < chart->lines; i++)
        draw_line(&svg, &chart->line[i], &axes);
    draw_key(&svg, chart);
    bool good = svg_end(&svg);
    FILE *file = good ? fopen(path, "w") : NULL;
    good = file != NULL && fwrite(svg.text, 1, svg.length, file) == svg.length;
    if (file != NULL)
        good = fclose(file) == 0 && good;
    free(svg.text);
    if (!good)
        fprintf(stderr, "%s: cannot be written\n", path);
    return good;
}
