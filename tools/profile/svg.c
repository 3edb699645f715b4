/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws a profile: the steps on a time line, and how close each comes to the limits of memory and bus. */
#include <math.h>

#include "print/svg.h"
#include "profile/profile.h"

enum {
    WIDTH = 940,
    LEFT = 180,
    RIGHT = 210,
    TOP = 70,
    ROW = 22,
    BAR = 14,
    GAP = 90,
    ROOF_HEIGHT = 320,
    LEAST_BYTES = 1000, /* where the axis of the roofline plot begins */
    KINDS = KST_STEP_FILL + 1
};

static const char *const colours[KINDS] = {"#4878a8", "#d8843c", "#c05050", "#7a9e4f", "#8a7ab0"};
static const char GREY[] = "#555", FAINT[] = "#ddd", BLACK[] = "#222";

static double end_of(const struct profile *profile)
{
    double last = 1e-9;

    for (size_t i = 0; i < profile->step_count; i++) {
        double end = profile->step[i].start + profile->step[i].seconds;
        last = end > last ? end : last;
    }
    return last;
}

/* Return 1, 2 or 5 times a power of ten, such that at most ten of these units span the range. */
static double round_unit(double range)
{
    double unit = pow(10, floor(log10(range / 10)));
    while (range / unit > 10)
        unit *= range / unit > 50 ? 5 : 2;
    return unit;
}

static void draw_time_axis(struct svg *svg, double last, double scale, double bottom)
{
    double unit = round_unit(last);

    for (int i = 0; i * unit <= last; i++) {
        double x = LEFT + i * unit * scale;
        svg_line(svg, x, TOP - 8, x, bottom, FAINT, "none");
        svg_text(svg, x, bottom + 14, "middle", GREY, "%g", i * unit * 1e3);
    }
    svg_text(svg, WIDTH - RIGHT, bottom + 30, "end", GREY, "milliseconds of device time");
}

static void draw_time_line(struct svg *svg, const struct profile *profile)
{
    double last = end_of(profile), scale = (WIDTH - LEFT - RIGHT) / last;

    draw_time_axis(svg, last, scale, TOP + (double)profile->step_count * ROW);
    for (size_t i = 0; i < profile->step_count; i++) {
        const struct profile_step *step = &profile->step[i];
        double y = TOP + (double)i * ROW, x = LEFT + step->start * scale, width = step->seconds * scale;
        double rate = profile_rate(step);
        svg_text(svg, LEFT - 8, y + BAR - 2, "end", BLACK, "%s", step->step.name);
        svg_rect(svg, x, y, width < 1 ? 1 : width, BAR, colours[step->step.kind]);
        svg_text(svg, WIDTH - RIGHT + 8, y + BAR - 2, "start", BLACK, "%.4f ms, %.0f GB/s, %.0f%%", step->seconds * 1e3,
            rate * 1e-9, 100 * rate / profile_ceiling(profile, &step->step));
    }
}

/* Holds the axes of the roofline plot: bytes horizontally and bytes a second vertically, both as powers of ten. */
struct roof {
    double left, top, x0, x1, y0, y1;
};

static double across(const struct roof *roof, double bytes)
{
    double part = (log10(bytes > 1 ? bytes : 1) - roof->x0) / (roof->x1 - roof->x0);
    return roof->left + (WIDTH - LEFT - RIGHT) * (part < 0 ? 0 : part > 1 ? 1 : part);
}

static double up(const struct roof *roof, double rate)
{
    double part = (log10(rate > 1 ? rate : 1) - roof->y0) / (roof->y1 - roof->y0);
    return roof->top + ROOF_HEIGHT * (1 - (part < 0 ? 0 : part > 1 ? 1 : part));
}

static void draw_grid(struct svg *svg, const struct roof *roof)
{
    double bottom = roof->top + ROOF_HEIGHT, right = WIDTH - RIGHT;

    for (int i = (int)roof->x0; i <= (int)roof->x1; i++) {
        double x = across(roof, pow(10, i));
        svg_line(svg, x, roof->top, x, bottom, FAINT, "none");
        svg_text(svg, x, bottom + 14, "middle", GREY, "%g", pow(10, i - 6));
    }
    for (int i = (int)roof->y0; i <= (int)roof->y1; i++) {
        double y = up(roof, pow(10, i));
        svg_line(svg, roof->left, y, right, y, FAINT, "none");
        svg_text(svg, roof->left - 6, y + 4, "end", GREY, "%g", pow(10, i - 9));
    }
    svg_text(svg, right, bottom + 30, "end", GREY, "megabytes moved at least");
    svg_text(svg, 16, roof->top - 12, "start", GREY, "GB/s");
}

/* Draw the limit: the rate of a copy and, for small sizes, the time of the smallest copy. */
static void draw_roof(struct svg *svg, const struct roof *roof, const struct profile *profile)
{
    double corner = profile->copy_rate * profile->least, right = WIDTH - RIGHT;
    double lowest = pow(10, roof->x0);

    svg_line(
        svg, across(roof, corner), up(roof, profile->copy_rate), right, up(roof, profile->copy_rate), BLACK, "none");
    svg_text(
        svg, right + 8, up(roof, profile->copy_rate) + 4, "start", BLACK, "copy, %.0f GB/s", profile->copy_rate * 1e-9);
    svg_line(svg, across(roof, lowest), up(roof, lowest / profile->least), across(roof, corner),
        up(roof, profile->copy_rate), BLACK, "4 3");
    svg_line(svg, roof->left, up(roof, profile->up_rate), right, up(roof, profile->up_rate), colours[KST_STEP_UPLOAD],
        "4 3");
    svg_text(svg, right + 8, up(roof, profile->up_rate) + 4, "start", colours[KST_STEP_UPLOAD], "bus, %.0f GB/s",
        profile->up_rate * 1e-9);
}

static struct roof place_roof(const struct profile *profile, double top)
{
    struct roof roof = {.left = LEFT, .top = top, .x0 = 12, .x1 = 0, .y0 = 15, .y1 = ceil(log10(profile->copy_rate))};

    for (size_t i = 0; i < profile->step_count; i++) {
        double bytes = (double)profile->step[i].step.bytes, rate = profile_rate(&profile->step[i]);
        if (bytes < LEAST_BYTES)
            continue;
        roof.x0 = fmin(roof.x0, floor(log10(bytes)));
        roof.x1 = fmax(roof.x1, ceil(log10(bytes)));
        roof.y0 = fmin(roof.y0, floor(log10(fmax(rate, 1))));
        roof.y1 = fmax(roof.y1, ceil(log10(fmax(rate, 1))));
    }
    roof.x1 = fmax(roof.x1, roof.x0 + 1);
    roof.y0 = fmax(roof.y0, roof.y1 - 6);
    return roof;
}

static void draw_roofline(struct svg *svg, const struct profile *profile, double top)
{
    struct roof roof = place_roof(profile, top);

    draw_grid(svg, &roof);
    draw_roof(svg, &roof, profile);
    for (size_t i = 0; i < profile->step_count; i++) {
        const struct profile_step *step = &profile->step[i];
        double x = across(&roof, (double)step->step.bytes), y = up(&roof, profile_rate(step));
        if (step->step.bytes < LEAST_BYTES)
            continue;
        svg_dot(svg, x, y, 4, colours[step->step.kind]);
        if (x < roof.left + (WIDTH - LEFT - RIGHT) * 0.6)
            svg_text(svg, x + 6, y + (i % 2 ? 12 : -4), "start", GREY, "%s", step->step.name);
        else
            svg_text(svg, x - 6, y + (i % 2 ? 12 : -4), "end", GREY, "%s", step->step.name);
    }
}

char *profile_draw(const struct profile *profile, size_t *length)
{
    double lines = TOP + (double)profile->step_count * ROW, top = lines + GAP;
    struct svg svg;

    if (!svg_begin(&svg, WIDTH, top + ROOF_HEIGHT + 50))
        return NULL;
    svg_text(&svg, 16, 24, "start", BLACK, "%s %s, %u × %u, %u at once", profile->work, profile->file, profile->width,
        profile->height, profile->batch);
    svg_text(&svg, 16, 42, "start", GREY, "%s, %s; medians of %zu runs; share of the device's own copies",
        profile->device.name, profile->device.model, profile->runs);
    draw_time_line(&svg, profile);
    draw_roofline(&svg, profile, top);
    *length = 0;
    if (!svg_end(&svg))
        return NULL;
    *length = svg.length;
    return svg.text;
}
