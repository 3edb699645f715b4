/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the elements of an SVG picture. */
#include <stdarg.h>
#include <stdlib.h>

#include "print/svg.h"

bool svg_begin(struct svg *svg, double width, double height)
{
    *svg = (struct svg){.to = NULL};
    svg->to = open_memstream(&svg->text, &svg->length);
    if (svg->to == NULL)
        return false;
    fprintf(svg->to,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' font-family='sans-serif' font-size='12'>\n"
        "<rect width='100%%' height='100%%' fill='white'/>\n",
        width, height);
    return true;
}

bool svg_end(struct svg *svg)
{
    fputs("</svg>\n", svg->to);
    bool good = !ferror(svg->to);
    good = fclose(svg->to) == 0 && good;
    if (good)
        return true;
    free(svg->text);
    svg->text = NULL;
    return false;
}

void svg_rect(struct svg *svg, double x, double y, double width, double height, const char *colour)
{
    fprintf(svg->to, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='%s'/>\n", x, y, width, height, colour);
}

void svg_line(struct svg *svg, double x1, double y1, double x2, double y2, const char *colour, const char *style)
{
    fprintf(svg->to, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-dasharray='%s'/>\n", x1, y1, x2,
        y2, colour, style);
}

void svg_dot(struct svg *svg, double x, double y, double radius, const char *colour)
{
    fprintf(svg->to, "<circle cx='%.1f' cy='%.1f' r='%.1f' fill='%s'/>\n", x, y, radius, colour);
}

/* Write text with escapes, because names of files and devices may contain markup. */
static void put_escaped(FILE *to, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<')
            fputs("&lt;", to);
        else if (*text == '&')
            fputs("&amp;", to);
        else
            fputc(*text, to);
    }
}

void svg_text(struct svg *svg, double x, double y, const char *anchor, const char *colour, const char *format, ...)
{
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(svg->to, "<text x='%.1f' y='%.1f' text-anchor='%s' fill='%s'>", x, y, anchor, colour);
    put_escaped(svg->to, text);
    fputs("</text>\n", svg->to);
}
