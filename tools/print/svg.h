/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws pictures as SVG text, in memory. */
#ifndef KOSTKA_TOOL_SVG_H
#define KOSTKA_TOOL_SVG_H

#include <stdbool.h>
#include <stdio.h>

struct svg {
    FILE *to;
    char *text; /* the caller frees it */
    size_t length;
};

/* Begin a picture. Returns false if out of memory. */
bool svg_begin(struct svg *svg, double width, double height);
/* End a picture. Returns false, without a text, if some of it could not be written. */
bool svg_end(struct svg *svg);

void svg_rect(struct svg *svg, double x, double y, double width, double height, const char *colour);
/* Draw a line. `style` is "none" or a value of stroke-dasharray. */
void svg_line(struct svg *svg, double x1, double y1, double x2, double y2, const char *colour, const char *style);
void svg_dot(struct svg *svg, double x, double y, double radius, const char *colour);
/* Write a text. `anchor` is "start", "middle" or "end". */
__attribute__((format(printf, 6, 7))) void svg_text(
    struct svg *svg, double x, double y, const char *anchor, const char *colour, const char *format, ...);

#endif
