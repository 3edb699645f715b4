/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes an image of the gradients of each colour, by Sobel's operators. */
#include "filters/cpu/gradient.h"
#include "filters/cpu/kinds.h"

enum { APERTURE, SHOWN };
enum { SHOWN_SUM, SHOWN_LENGTH, SHOWN_X, SHOWN_Y };

static kst_status sobel_shape(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    (void)value;
    return kst_filter_check_narrow("sobel", shape, reason);
}

static uint32_t magnitude_of(int32_t value)
{
    return (uint32_t)(value < 0 ? -value : value);
}

/* Return the square root, rounded down, but at most 255. */
static uint32_t root(uint32_t square)
{
    uint32_t made = 0;
    for (uint32_t bit = 128; bit > 0; bit >>= 1)
        if ((made + bit) * (made + bit) <= square)
            made += bit;
    return made;
}

static uint32_t show(int32_t dx, int32_t dy, int32_t shown)
{
    switch (shown) {
    case SHOWN_SUM:
        return magnitude_of(dx) + magnitude_of(dy);
    case SHOWN_LENGTH:
        return root((uint32_t)(dx * dx + dy * dy));
    default:
        return magnitude_of(shown == SHOWN_X ? dx : dy);
    }
}

static void show_row(const struct filter_work *work, const int16_t *dx, const int16_t *dy, uint32_t y)
{
    const struct filter_pixels *from = work->from;
    uint8_t *to = kst_filter_row(work->to, y);
    for (size_t i = 0, count = kst_filter_row_samples(from); i < count; i++) {
        uint32_t value = show(dx[i], dy[i], work->value[SHOWN].number);
        if (i % from->channels >= from->colours)
            value = kst_filter_row(from, y)[i];
        to[i] = (uint8_t)(value < from->greatest ? value : from->greatest);
    }
}

static kst_status sobel_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const int64_t radius = work->value[APERTURE].number + 1;
    struct memory *memory = work->operation->memory;
    struct filter_sobel sobel;
    kst_status status = kst_filter_sobel_make(work->operation, work->from, (uint32_t)radius, &sobel);
    int16_t *dx = status ? NULL : kst_memory_array(memory, sobel.pitch * 2, sizeof *dx, &status);
    (void)arg;
    for (int64_t y = first - radius; y < end + radius && !status; y++) {
        kst_filter_sobel_load(&sobel, y);
        if (y < first + radius)
            continue;
        kst_filter_sobel_row(&sobel, y - radius, dx, dx + sobel.pitch);
        show_row(work, dx, dx + sobel.pitch, (uint32_t)(y - radius));
    }
    kst_memory_release(memory, dx);
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
    NULL, sobel_shape, sobel_run};
