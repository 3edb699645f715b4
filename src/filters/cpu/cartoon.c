/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws as in a cartoon: `bilateral` smooths the picture a few times, its luminance is reduced to a few levels, and the
 * edges that `canny` finds in the luminance of the smooth picture are drawn in black.
 */
#include "filters/cpu/cartoon.h"

#include <string.h>

#include "filters/bands.h"
#include "filters/cpu/kinds.h"
#include "filters/cpu/luminance.h"
#include "filters/cpu/narrow.h"

enum { LEVELS, PASSES, LINE, LOW, HIGH, COLOUR, RADIUS };
enum { THOUSAND = 1000, VALUES = 256 };

void kst_filter_cartoon_settle(const struct filter_value *value, struct filter_cartoon *cartoon)
{
    *cartoon = (struct filter_cartoon){.levels = (uint32_t)value[LEVELS].number,
        .passes = (uint32_t)value[PASSES].number,
        .line = (uint32_t)value[LINE].number,
        .bilateral = {value[COLOUR], {.number = value[RADIUS].number * THOUSAND * 2 / 3}, value[RADIUS]},
        .canny = {value[LOW], value[HIGH]}};
}

/* Holds pixels in one block of memory, row by row without padding. */
struct filter_sheet {
    struct filter_pixels pixels;
    uint8_t *memory;
};

static kst_status make_sheet(
    struct memory *memory, const struct filter_pixels *like, uint32_t channels, struct filter_sheet *sheet)
{
    kst_status status = KST_OK;
    size_t row = (size_t)like->width * channels;
    sheet->memory = kst_memory_array(memory, like->height, row, &status);
    sheet->pixels = *like;
    sheet->pixels.data = sheet->memory;
    sheet->pixels.pitch = (ptrdiff_t)row;
    sheet->pixels.channels = channels;
    sheet->pixels.colours = channels < like->colours ? channels : like->colours;
    return status;
}

/* Apply another filter. */
static kst_status apply(const struct filter_work *work, const struct filter_kind *kind,
    const struct filter_value *value, const struct filter_pixels *from, const struct filter_pixels *to)
{
    const struct filter_work inner = {
        work->context, work->operation, value, NULL, from, to, work->source, work->target};
    return kind->run(&inner);
}

/* Smooth the picture; the last pass writes to work->to. */
static kst_status smooth(const struct filter_work *work, const struct filter_cartoon *cartoon)
{
    struct filter_sheet sheet = {.memory = NULL};
    const struct filter_pixels *from = work->from;
    kst_status status = KST_OK;
    if (cartoon->passes > 1)
        status = make_sheet(work->operation->memory, work->to, work->to->channels, &sheet);
    for (uint32_t left = cartoon->passes; left > 0 && !status; left--) {
        const struct filter_pixels *to = left % 2 == 1 ? work->to : &sheet.pixels;
        status = apply(work, &kst_filter_bilateral, cartoon->bilateral, from, to);
        from = to;
    }
    kst_memory_release(work->operation->memory, sheet.memory);
    return status;
}

/*
 * Holds what threads need to draw: the smooth picture, its edges, and the number to add to each luminance to get its
 * level.
 */
struct filter_drawing {
    const struct filter_pixels *smooth, *edges;
    uint32_t line;
    int16_t rise[VALUES];
};

static void list_rises(const struct filter_cartoon *cartoon, int32_t greatest, int16_t *rise)
{
    int32_t levels = (int32_t)cartoon->levels;
    for (int32_t i = 0; i <= greatest; i++) {
        int32_t level = i * levels / (greatest + 1);
        rise[i] = (int16_t)((level * greatest * 2 + levels - 1) / ((levels - 1) * 2) - i);
    }
}

/*
 * Find the pixels of a row that lines cover. A line is drawn with a square pen, `line` pixels wide, at each edge pixel.
 */
static void find_lines(const struct filter_drawing *drawing, uint32_t y, uint8_t *across, uint8_t *dark)
{
    const uint32_t width = drawing->edges->width, before = drawing->line / 2;
    memset(across, 0, (size_t)width + drawing->line);
    memset(dark, 0, width);
    for (uint32_t k = 0; k < drawing->line; k++) {
        int64_t row = (int64_t)y + k - before;
        const uint8_t *edges =
            row < 0 || row >= drawing->edges->height ? NULL : kst_filter_row(drawing->edges, (uint32_t)row);
        for (size_t x = 0; edges && x < width; x++)
            across[x + before] |= edges[x];
    }
    for (uint32_t k = 0; k < drawing->line; k++)
        for (size_t x = 0; x < width; x++)
            dark[x] |= across[x + k];
}

static void draw_row(
    const struct filter_work *work, const struct filter_drawing *drawing, const uint8_t *dark, uint32_t y)
{
    const struct filter_pixels *smooth = drawing->smooth;
    const int32_t greatest = (int32_t)smooth->greatest;
    const uint8_t *row = kst_filter_row(smooth, y);
    for (size_t x = 0; x < smooth->width; x++) {
        uint8_t *to = kst_filter_row(work->to, y) + x * smooth->channels;
        uint32_t luminance = kst_filter_luminance(smooth, row, x);
        int32_t rise = drawing->rise[luminance < smooth->greatest ? luminance : smooth->greatest];
        for (uint32_t c = 0; c < smooth->channels; c++) {
            int32_t value = row[x * smooth->channels + c];
            if (c < smooth->colours)
                value = dark[x] ? 0 : value + rise < 0 ? 0 : value + rise > greatest ? greatest : value + rise;
            to[c] = (uint8_t)value;
        }
    }
}

static kst_status draw_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_drawing *drawing = arg;
    struct memory *memory = work->operation->memory;
    kst_status status = KST_OK;
    size_t width = work->to->width;
    uint8_t *across = kst_memory_zeroed(memory, 2 * width + drawing->line, 1, &status);
    for (uint32_t y = first; y < end && !status; y++) {
        if (drawing->line > 0)
            find_lines(drawing, y, across, across + width + drawing->line);
        draw_row(work, drawing, across + width + drawing->line, y);
    }
    kst_memory_release(memory, across);
    return status;
}

/* Find the edges of the smooth picture's luminance. */
static kst_status find_edges(const struct filter_work *work, const struct filter_cartoon *cartoon,
    const struct filter_pixels *smooth, struct filter_sheet *edges)
{
    struct memory *memory = work->operation->memory;
    struct filter_sheet grey;
    kst_status status = make_sheet(memory, smooth, 1, &grey);
    if (!status)
        status = make_sheet(memory, smooth, 1, edges);
    edges->pixels.greatest = VALUES - 1;
    if (!status)
        status = apply(work, &kst_filter_grey, NULL, smooth, &grey.pixels);
    if (!status)
        status = apply(work, &kst_filter_canny, cartoon->canny, &grey.pixels, &edges->pixels);
    kst_memory_release(memory, grey.memory);
    return status;
}

static kst_status cartoon_bytes(const struct filter_work *work)
{
    struct filter_cartoon cartoon;
    struct filter_sheet edges = {.memory = NULL};
    kst_filter_cartoon_settle(work->value, &cartoon);
    struct filter_drawing drawing = {
        .smooth = cartoon.passes > 0 ? work->to : work->from, .edges = &edges.pixels, .line = cartoon.line};
    list_rises(&cartoon, (int32_t)work->from->greatest, drawing.rise);
    kst_status status = smooth(work, &cartoon);
    if (!status && cartoon.line > 0)
        status = find_edges(work, &cartoon, drawing.smooth, &edges);
    if (!status)
        status = kst_filter_bands(work, work->to->height, draw_band, &drawing);
    kst_memory_release(work->operation->memory, edges.memory);
    return status;
}

static kst_status cartoon_run(const struct filter_work *work)
{
    return kst_filter_in_bytes(work, cartoon_bytes);
}

const struct filter_kind kst_filter_cartoon = {"cartoon",
    "draw as in a cartoon: smooth, with few tones and black lines",
    {{"levels", "of luminance", KST_FILTER_INTEGER, false, 2, 64, 8, NULL},
        {"passes", "of bilateral", KST_FILTER_INTEGER, false, 0, 8, 2, NULL},
        {"line", "the width of lines in pixels; 0: none", KST_FILTER_INTEGER, false, 0, 9, 2, NULL},
        {"low", "of canny", KST_FILTER_DECIMAL, false, 0, 2000000, 40, NULL},
        {"high", "of canny", KST_FILTER_DECIMAL, false, 0, 2000000, 100, NULL},
        {"colour", "of bilateral", KST_FILTER_DECIMAL, false, 1, 1000, 25, NULL},
        {"radius", "of bilateral", KST_FILTER_INTEGER, false, 1, 12, 3, NULL}},
    NULL, NULL, cartoon_run};
