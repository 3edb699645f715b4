/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes all scans of a picture to coefficients and hands out their blocks, smoothed if the picture lacks scans. */
#include "jpeg/cpu/blocks.h"

#include <string.h>

kst_status kst_jpeg_cpu_blocks_decode(
    const struct operation *op, const struct jpeg_plan *plan, bool strict, struct jpeg_blocks *blocks)
{
    kst_status status = kst_jpeg_cpu_decode_coefficients(op, plan, strict, &blocks->coefficients);
    if (status)
        return status;
    blocks->smoothed = kst_jpeg_cpu_smoothing_useful(plan);
    if (blocks->smoothed)
        kst_jpeg_cpu_smoothing_init(&blocks->smoothing, plan, &blocks->coefficients);
    return KST_OK;
}

void kst_jpeg_cpu_blocks_release(struct memory *memory, struct jpeg_blocks *blocks)
{
    kst_jpeg_coefficients_release(memory, &blocks->coefficients);
}

void kst_jpeg_cpu_blocks_copy(
    const void *source, uint32_t component, uint32_t x, uint32_t y, uint32_t count, int16_t *out)
{
    const struct jpeg_blocks *blocks = source;
    if (!blocks->smoothed) {
        memcpy(out, kst_jpeg_block(&blocks->coefficients, component, x, y), (size_t)count * 64 * sizeof *out);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        kst_jpeg_cpu_smooth_block(&blocks->smoothing, component, x + i, y, out + (size_t)i * 64);
}
