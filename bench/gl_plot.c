/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws what kostka-gl measured: kostka-gl PICTURE.jpg >TABLE; kostka-gl-plot MACHINE FOLDER <TABLE
 * makes gl-420.svg and gl-444.svg.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_chart.h"

static const struct {
    const char *name, *colour, *style;
} lines[] = {{"Kostka", "#c02030", "none"}, {"Kostka, bytes pinned", "#c02030", "5 3"},
    {"Kostka, by way of the host", "#e09040", "none"}, {"nvJPEG and a copy", "#4878a8", "none"},
    {"libjpeg-turbo and an upload", "#777", "none"}, {"upload of raw pixels alone", "#111", "2 3"}};

enum { LINES = sizeof lines / sizeof lines[0] };

/* Read a row of the table: | 512², 4:2:0 | MB | milliseconds, or – | … */
static void read_row(char *row, struct chart *chart)
{
    char *cell = strtok(row, "|");
    double side = cell ? strtod(cell, NULL) : 0;
    strtok(NULL, "|"); /* MB */
    for (int i = 0; i < LINES && side > 0; i++) {
        struct chart_line *line = &chart->line[i];
        cell = strtok(NULL, "|");
        double value = cell ? strtod(cell, NULL) : 0;
        if (value <= 0 || line->points == CHART_POINTS)
            continue;
        line->x[line->points] = side;
        line->y[line->points++] = value;
    }
}

static void start(struct chart *chart, const char *title, const char *machine)
{
    *chart = (struct chart){
        .title = title, .subtitle = machine, .x_title = "width and height in pixels", .base = 2, .lines = LINES};
    for (int i = 0; i < LINES; i++)
        chart->line[i] = (struct chart_line){.name = lines[i].name, .colour = lines[i].colour, .style = lines[i].style};
}

int main(int argc, char **argv)
{
    struct chart sampled, whole;
    char row[512];
    if (argc != 3) {
        fputs("Usage: kostka-gl-plot MACHINE FOLDER <TABLE\n", stderr);
        return 2;
    }
    start(&sampled, "From a JPEG in host memory to a texture that is ready, 4:2:0 q90", argv[1]);
    start(&whole, "From a JPEG in host memory to a texture that is ready, 4:4:4 q90", argv[1]);
    while (fgets(row, sizeof row, stdin)) {
        bool full = strstr(row, "4:4:4") != NULL;
        if (full || strstr(row, "4:2:0"))
            read_row(row, full ? &whole : &sampled);
    }
    bool drawn = chart_write(&sampled, argv[2], "gl-420.svg");
    return chart_write(&whole, argv[2], "gl-444.svg") && drawn ? 0 : 1;
}
