/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets filters that work on bytes take samples of more than 8 bits. */
#include "filters/cpu/narrow.h"

#include "filters/bands.h"
#include "filters/cpu/kinds.h"

/* Describe the same pixels with samples of 8 bits, row by row without padding. */
static struct filter_pixels narrow_like(const struct filter_pixels *wide, uint8_t *data)
{
    struct filter_pixels narrow = *wide;
    narrow.data = data;
    narrow.pitch = (ptrdiff_t)kst_filter_row_samples(wide);
    narrow.bytes = 1;
    narrow.greatest = UINT8_MAX;
    return narrow;
}

static kst_status change_depth(
    const struct filter_work *work, const struct filter_pixels *from, const struct filter_pixels *to)
{
    struct filter_work inner = *work;
    inner.from = from;
    inner.to = to;
    return kst_filter_depth.run(&inner);
}

static kst_status keep_alpha(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_pixels *pixels = work->to;
    (void)arg;
    for (uint32_t y = first; y < end; y++) {
        const uint16_t *from = (const uint16_t *)(const void *)kst_filter_row(work->from, y);
        uint16_t *to = (uint16_t *)(void *)kst_filter_row(pixels, y);
        for (size_t i = pixels->colours; i < kst_filter_row_samples(pixels); i += pixels->channels)
            to[i] = from[i];
    }
    return KST_OK;
}

kst_status kst_filter_in_bytes(const struct filter_work *work, kst_status (*run)(const struct filter_work *work))
{
    struct memory *memory = work->operation->memory;
    const size_t length = kst_filter_row_samples(work->from);
    kst_status status = KST_OK;
    if (work->from->bytes == 1)
        return run(work);
    uint8_t *block = kst_memory_array(memory, 2 * (size_t)work->from->height, length, &status);
    if (!block)
        return status;
    const struct filter_pixels from = narrow_like(work->from, block);
    const struct filter_pixels to = narrow_like(work->to, block + length * work->from->height);
    struct filter_work inner = *work;
    inner.from = &from;
    inner.to = &to;
    status = change_depth(work, work->from, &from);
    if (!status)
        status = run(&inner);
    if (!status)
        status = change_depth(work, &to, work->to);
    if (!status && work->to->channels > work->to->colours)
        status = kst_filter_bands(work, work->to->height, keep_alpha, NULL);
    kst_memory_release(memory, block);
    return status;
}
