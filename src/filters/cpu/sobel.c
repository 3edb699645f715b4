/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes an image of the gradients of each colour, by Sobel's operators. */
#include "filters/cpu/gradient.h"
#include "filters/cpu/kinds.h"

enum { APERTURE, SHOWN };
enum { SHOWN_SUM, SHOWN_LENGTH, SHOWN_X, SHOWN_Y };

static uint32_t magnitude_of(int32_t value)
{
    return (uint32_t)(value < 0 ? -value : value);
}

/* Return the square root, rounded down, but at most `greatest`. */
static uint32_t root(uint64_t square, uint32_t greatest)
{
    uint32_t made = 0;
    if (square >= (uint64_t)greatest * greatest)
        return greatest;
    for (uint32_t bit = (greatest + 1) / 2; bit > 0; bit >>= 1)
        if ((uint64_t)(made + bit) * (made + bit) <= square)
            made += bit;
    return made;
}

static uint32_t show(int32_t dx, int32_t dy, int32_t shown, uint32_t greatest)
{
    uint32_t x = magnitude_of(dx), y = magnitude_of(dy), value = shown == SHOWN_X ? x : y;
    if (shown == SHOWN_LENGTH)
        return root((uint64_t)x * x + (uint64_t)y * y, greatest);
    if (shown == SHOWN_SUM)
        value = x + y;
    return value < greatest ? value : greatest;
}

static void show_row(const struct filter_work *work, const int16_t *dx, const int16_t *dy, uint32_t y)
{
    const struct filter_pixels *from = work->from;
    const uint8_t *own = kst_filter_row(from, y);
    uint8_t *to = kst_filter_row(work->to, y);
    for (size_t i = 0, count = kst_filter_row_samples(from); i < count; i++) {
        uint32_t alpha = own[i] < from->greatest ? own[i] : from->greatest;
        to[i] = (uint8_t)(i % from->channels >= from->colours
                              ? alpha
                              : show(dx[i], dy[i], work->value[SHOWN].number, from->greatest));
    }
}

static void show_row_wide(const struct filter_work *work, const int32_t *dx, const int32_t *dy, uint32_t y)
{
    const struct filter_pixels *from = work->from;
    const uint16_t *own = (const uint16_t *)(const void *)kst_filter_row(from, y);
    uint16_t *to = (uint16_t *)(void *)kst_filter_row(work->to, y);
    for (size_t i = 0, count = kst_filter_row_samples(from); i < count; i++) {
        uint32_t alpha = own[i] < from->greatest ? own[i] : from->greatest;
        to[i] = (uint16_t)(i % from->channels >= from->colours
                               ? alpha
                               : show(dx[i], dy[i], work->value[SHOWN].number, from->greatest));
    }
}

/* Compute and show the gradients of a row. `gradients` has room for two rows of 32-bit numbers. */
static void make_row(const struct filter_work *work, const struct filter_sobel *sobel, int32_t *gradients, uint32_t y)
{
    int16_t *narrow = (int16_t *)(void *)gradients;
    if (work->from->bytes > 1) {
        kst_filter_sobel_row_wide(sobel, y, gradients, gradients + sobel->pitch);
        show_row_wide(work, gradients, gradients + sobel->pitch, y);
    } else {
        kst_filter_sobel_row(sobel, y, narrow, narrow + sobel->pitch);
        show_row(work, narrow, narrow + sobel->pitch, y);
    }
}

static kst_status sobel_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const int64_t radius = work->value[APERTURE].number + 1;
    struct memory *memory = work->operation->memory;
    struct filter_sobel sobel;
    kst_status status = kst_filter_sobel_make(work->operation, work->from, (uint32_t)radius, &sobel);
    int32_t *gradients = status ? NULL : kst_memory_array(memory, sobel.pitch * 2, sizeof *gradients, &status);
    (void)arg;
    for (int64_t y = first - radius; y < end + radius && !status; y++) {
        kst_filter_sobel_load(&sobel, y);
        if (y >= first + radius)
            make_row(work, &sobel, gradients, (uint32_t)(y - radius));
    }
    kst_memory_release(memory, gradients);
    kst_filter_sobel_drop(memory, &sobel);
    return status;
}

static kst_status sobel_run(const struct filter_work *work)
{
    return kst_filter_bands(work, work->to->height, sobel_band, NULL);
}

const struct filter_kind kst_filter_sobel = {"sobel", "the gradient of each colour",
    {{"aperture", "pixels that the operator covers in each direction", KST_FILTER_WORD, false, 0, 0, 0, "3|5"},
        {"shown", "|dx| + |dy|, the vector's length, |dx| or |dy|", KST_FILTER_WORD, false, 0, 0, 0, "sum|length|x|y"}},
    NULL, NULL, sobel_run};
