/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws curves of rate and distortion, a panel for each picture: kostka-curves TITLE OUT.svg, with lines
 * "PICTURE<tab>CODEC<tab>BITS-A-PIXEL<tab>DECIBELS" on standard input. The points of a curve come one after the other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "print/svg.h"

enum { NAME = 40, POINTS = 512, ACROSS = 3, WIDTH = 330, HEIGHT = 300, LEFT = 44, RIGHT = 12, TOP = 34, BOTTOM = 48 };
enum { LABEL_HEIGHT = 18 /* of text, with the room around it */ };

struct point {
    char picture[NAME], codec[NAME];
    double bits, decibels;
};

/* Holds all points, and the ranges that the axes must cover. */
struct points {
    struct point point[POINTS];
    int count;
    double low_bits, high_bits, low_decibels, high_decibels;
};

/* Read a field up to a tab or the end. Returns false if it does not fit. */
static bool field(char **text, char *to)
{
    size_t length = strcspn(*text, "\t\n");
    if (length == 0 || length >= NAME)
        return false;
    memcpy(to, *text, length);
    to[length] = '\0';
    *text += length + (*(*text + length) == '\t');
    return true;
}

static bool parse(char *line, struct point *point)
{
    char bits[NAME], decibels[NAME];
    if (!field(&line, point->picture) || !field(&line, point->codec) || !field(&line, bits) || !field(&line, decibels))
        return false;
    point->bits = strtod(bits, NULL);
    point->decibels = strtod(decibels, NULL);
    return point->bits > 0 && point->decibels > 0 && point->decibels < HUGE_VAL;
}

static bool read_points(struct points *points)
{
    char line[256];
    points->low_bits = points->low_decibels = HUGE_VAL;
    while (points->count < POINTS && fgets(line, sizeof line, stdin) != NULL) {
        struct point *point = &points->point[points->count];
        if (!parse(line, point))
            return false;
        points->low_bits = fmin(points->low_bits, point->bits);
        points->high_bits = fmax(points->high_bits, point->bits);
        points->low_decibels = fmin(points->low_decibels, point->decibels);
        points->high_decibels = fmax(points->high_decibels, point->decibels);
        points->count++;
    }
    points->low_bits = exp2(floor(log2(points->low_bits)));
    points->high_bits = exp2(ceil(log2(points->high_bits)));
    points->low_decibels = 5 * floor(points->low_decibels / 5);
    points->high_decibels = 5 * ceil(points->high_decibels / 5);
    return points->count > 0;
}

/* Holds the place of a panel, and the axes in it. */
struct panel {
    struct svg *svg;
    const struct points *points;
    double x, y;
};

static double across(const struct panel *panel, double bits)
{
    const struct points *p = panel->points;
    double part = (log2(bits) - log2(p->low_bits)) / fmax(1, log2(p->high_bits) - log2(p->low_bits));
    return panel->x + LEFT + part * (WIDTH - LEFT - RIGHT);
}

static double up(const struct panel *panel, double decibels)
{
    const struct points *p = panel->points;
    double part = (decibels - p->low_decibels) / fmax(1, p->high_decibels - p->low_decibels);
    return panel->y + HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
}

/* Return the width of a label. Digits are its widest characters: 7.7 pixels in the widest usual font. */
static double label_width(const char *text)
{
    return 7.7 * (double)strlen(text);
}

/* Return the smallest n for which every n-th of labels that lie `distance` apart has room. */
static int every(double distance, double size)
{
    return (int)fmax(1, ceil(size / distance));
}

static void draw_axes(const struct panel *panel, const char *picture)
{
    const struct points *p = panel->points;
    double left = across(panel, p->low_bits), right = across(panel, p->high_bits);
    double bottom = up(panel, p->low_decibels), top = up(panel, p->high_decibels);
    svg_text(panel->svg, (left + right) / 2, panel->y + TOP - 12, "middle", "#222", "%s", picture);
    int powers = (int)lround(log2(p->high_bits / p->low_bits)),
        fives = (int)lround((p->high_decibels - p->low_decibels) / 5);
    char widest[32];
    snprintf(widest, sizeof widest, "%g", p->low_bits);
    int across_each = every((right - left) / fmax(1, powers), label_width(widest) + 8);
    int up_each = every((bottom - top) / fmax(1, fives), LABEL_HEIGHT);
    for (int i = 0; i <= powers; i++) {
        double x = across(panel, ldexp(p->low_bits, i));
        svg_line(panel->svg, x, bottom, x, top, "#ddd", "none");
        if (i % across_each == 0)
            svg_text(panel->svg, x, bottom + 20, "middle", "#555", "%g", ldexp(p->low_bits, i));
    }
    for (int i = 0; i <= fives; i++) {
        double decibels = p->low_decibels + 5.0 * i, y = up(panel, decibels);
        svg_line(panel->svg, left, y, right, y, "#ddd", "none");
        if (i % up_each == 0)
            svg_text(panel->svg, left - 6, y + 4, "end", "#555", "%g", decibels);
    }
    svg_text(panel->svg, right, bottom + 38, "end", "#555", "bits a pixel");
    svg_text(panel->svg, left, bottom + 38, "start", "#555", "PSNR in dB");
}

static const char *const colours[] = {"#4878a8", "#d8843c", "#5a9a52", "#8a5aa8"};

/* Return the colour of a codec, which depends on the order in which codecs are first named. */
static const char *colour_of(const struct points *points, const char *codec)
{
    int rank = 0;
    for (int i = 0; strcmp(points->point[i].codec, codec) != 0; i++) {
        bool first = true;
        for (int k = 0; k < i && first; k++)
            first = strcmp(points->point[k].codec, points->point[i].codec) != 0;
        rank += first;
    }
    return colours[rank % 4];
}

static void draw_curves(const struct panel *panel, const char *picture)
{
    const struct points *p = panel->points;
    for (int i = 0; i < p->count; i++) {
        const struct point *point = &p->point[i], *before = i > 0 ? point - 1 : NULL;
        const char *colour = colour_of(p, point->codec);
        double x = across(panel, point->bits), y = up(panel, point->decibels);
        if (strcmp(point->picture, picture) != 0)
            continue;
        svg_dot(panel->svg, x, y, 2.5, colour);
        if (before != NULL && strcmp(before->picture, picture) == 0 && strcmp(before->codec, point->codec) == 0)
            svg_line(panel->svg, across(panel, before->bits), up(panel, before->decibels), x, y, colour, "none");
    }
}

/* Return whether point i is the first of its picture, or of its codec. */
static bool is_new(const struct points *points, int i, bool codec)
{
    for (int k = 0; k < i; k++)
        if (codec ? strcmp(points->point[k].codec, points->point[i].codec) == 0
                  : strcmp(points->point[k].picture, points->point[i].picture) == 0)
            return false;
    return true;
}

static void draw(struct svg *svg, const struct points *points, const char *title)
{
    double x = 16;
    int panels = 0;
    svg_text(svg, 16, 24, "start", "#222", "%s", title);
    for (int i = 0; i < points->count; i++) {
        if (is_new(points, i, true)) {
            const char *colour = colour_of(points, points->point[i].codec);
            svg_dot(svg, x + 4, 40, 4, colour);
            svg_text(svg, x + 14, 44, "start", colour, "%s", points->point[i].codec);
            x += 14 + label_width(points->point[i].codec) + 24;
        }
        if (is_new(points, i, false)) {
            int column = panels % ACROSS * WIDTH, row = panels / ACROSS * HEIGHT;
            const struct panel panel = {svg, points, column, 50.0 + row};
            draw_axes(&panel, points->point[i].picture);
            draw_curves(&panel, points->point[i].picture);
            panels++;
        }
    }
}

static bool write_file(const struct svg *svg, const char *path)
{
    FILE *to = fopen(path, "w");
    bool good = to != NULL && fwrite(svg->text, 1, svg->length, to) == svg->length;
    return to != NULL && fclose(to) == 0 && good;
}

int main(int argc, char **argv)
{
    static struct points points;
    struct svg svg;
    int panels = 0;
    if (argc != 3) {
        fputs("usage: kostka-curves TITLE OUT.svg <POINTS\n", stderr);
        return 2;
    }
    if (!read_points(&points)) {
        fputs("kostka-curves: lines are PICTURE<tab>CODEC<tab>BITS<tab>DECIBELS, with positive numbers\n", stderr);
        return 1;
    }
    for (int i = 0; i < points.count; i++)
        panels += is_new(&points, i, false);
    int rows = (panels + ACROSS - 1) / ACROSS, columns = panels < ACROSS ? panels : ACROSS;
    if (!svg_begin(&svg, (double)(columns * WIDTH), 54.0 + (double)(rows * HEIGHT)))
        return 1;
    draw(&svg, &points, argv[1]);
    if (!svg_end(&svg))
        return 1;
    bool good = write_file(&svg, argv[2]);
    free(svg.text);
    if (!good)
        perror(argv[2]);
    return good ? 0 : 1;
}
