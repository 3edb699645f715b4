/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes gradients by Sobel's operators: smoothing in one direction, and differences in the other. */
#include "filters/cpu/gradient.h"

#include <stdio.h>

enum { ALIGNMENT = 64, NARROW = 8, SIDE_MOST = 1 << 30 };

kst_status kst_filter_sobel_make(
    const struct operation *operation, const struct filter_pixels *from, uint32_t radius, struct filter_sobel *sobel)
{
    size_t count = kst_filter_row_samples(from);
    *sobel = (struct filter_sobel){.hot = kst_filter_hot(operation->tier)};
    kst_status status = kst_filter_window_make(operation->memory, from, radius, FILTER_REPLICATE, &sobel->window);
    if (status)
        return status;
    sobel->pitch = (count + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const size_t rows = (size_t)sobel->window.count * 2;
    if (from->bytes == 1)
        sobel->memory = kst_memory_zeroed(operation->memory, rows, sobel->pitch * sizeof *sobel->memory, &status);
    else
        sobel->wide = kst_memory_zeroed(operation->memory, rows, sobel->pitch * sizeof *sobel->wide, &status);
    return status;
}

void kst_filter_sobel_drop(struct memory *memory, struct filter_sobel *sobel)
{
    kst_memory_release(memory, sobel->memory);
    kst_memory_release(memory, sobel->wide);
    kst_filter_window_drop(memory, &sobel->window);
}

/* Return the place of a loaded row's horizontal differences; the smoothed row lies behind them. */
static size_t place_of(const struct filter_sobel *sobel, int64_t y)
{
    uint32_t count = sobel->window.count;
    return (size_t)((y + count) % count) * 2 * sobel->pitch;
}

void kst_filter_sobel_load(const struct filter_sobel *sobel, int64_t y)
{
    const struct filter_window *window = &sobel->window;
    const size_t place = place_of(sobel, y), count = kst_filter_row_samples(window->from);
    const int radius = (int)window->radius, step = (int)window->from->channels;
    kst_filter_window_load(window, y);
    const uint8_t *row = kst_filter_window_row(window, y);
    if (sobel->wide) {
        int32_t *derived = sobel->wide + place;
        sobel->hot->sobel_across_16(
            (const uint16_t *)(const void *)row, derived, derived + sobel->pitch, count, radius, step);
    } else {
        int16_t *derived = sobel->memory + place;
        sobel->hot->sobel_across(row, derived, derived + sobel->pitch, count, radius, step);
    }
}

void kst_filter_sobel_row(const struct filter_sobel *sobel, int64_t y, int16_t *dx, int16_t *dy)
{
    const struct filter_window *window = &sobel->window;
    const int16_t *derived[FILTER_APERTURES], *smooth[FILTER_APERTURES];
    for (uint32_t k = 0; k < window->count; k++) {
        derived[k] = sobel->memory + place_of(sobel, y + k - window->radius);
        smooth[k] = derived[k] + sobel->pitch;
    }
    sobel->hot->sobel_down(derived, smooth, dx, dy, kst_filter_row_samples(window->from), (int)window->radius);
}

void kst_filter_sobel_row_wide(const struct filter_sobel *sobel, int64_t y, int32_t *dx, int32_t *dy)
{
    const struct filter_window *window = &sobel->window;
    const int32_t *derived[FILTER_APERTURES], *smooth[FILTER_APERTURES];
    for (uint32_t k = 0; k < window->count; k++) {
        derived[k] = sobel->wide + place_of(sobel, y + k - window->radius);
        smooth[k] = derived[k] + sobel->pitch;
    }
    sobel->hot->sobel_down_16(derived, smooth, dx, dy, kst_filter_row_samples(window->from), (int)window->radius);
}

kst_status kst_filter_check_narrow(const char *name, const struct filter_shape *shape, char reason[FILTER_REASON])
{
    if (shape->depth <= NARROW)
        return KST_OK;
    snprintf(reason, FILTER_REASON, "%s takes samples of up to 8 bits; depth=8 before it makes such", name);
    return KST_ERROR_IMAGE_DEPTH;
}

kst_status kst_filter_check_sides(const char *name, const struct filter_shape *shape, char reason[FILTER_REASON])
{
    if (shape->width <= SIDE_MOST && shape->height <= SIDE_MOST)
        return KST_OK;
    snprintf(reason, FILTER_REASON, "%s takes sides of up to %d pixels", name, (int)SIDE_MOST);
    return KST_ERROR_IMAGE_SIZE;
}
