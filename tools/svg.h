/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures as SVG text, drawn into memory. */
#ifndef KOSTKA_TOOL_SVG_H
#define KOSTKA_TOOL_SVG_H

#include <stdbool.h>
#include <stdio.h>

struct svg {
    FILE *to;
    char *text; /* to be freed */
    size_t length;
};

/* False: out of memory. */
bool svg_begin(struct svg *svg, double width, double height);
/* False where not all of it could be written; then there is no text. */
bool svg_end(struct svg *svg);

void svg_rect(struct svg *svg, double x, double y, double width, double height, const char *colour);
/* `style`: "none", or what stroke-dasharray takes. */
void svg_line(struct svg *svg, double x1, double y1, double x2, double y2, const char *colour, const char *style);
void svg_dot(struct svg *svg, double x, double y, double radius, const char *colour);
/* `anchor`: "start", "middle" or "end". */
__attribute__((format(printf, 6, 7))) void svg_text(
    struct svg *svg, double x, double y, const char *anchor, const char *colour, const char *format, ...);

#endif
