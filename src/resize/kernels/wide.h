/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes rows of samples of 9 to 16 bits, in sums of 64 bits. */
#include "resize/kernels/step.h"

FUNCTION u32 round_wide(i64 sum, u32 greatest)
{
    i64 value = (sum + ((i64)1 << (RESIZE_WIDE_BITS - 1))) >> RESIZE_WIDE_BITS;
    return value < 0 ? 0 : value > (i64)greatest ? greatest : (u32)value;
}

FUNCTION u32 weight_of(u32x4 quad, u32 index)
{
    return index == 0 ? quad.x : index == 1 ? quad.y : index == 2 ? quad.z : quad.w;
}

/* Return the weighted sum of samples that are `stride` samples apart; quads of their weights are `step` quads apart. */
FUNCTION i64 weighed_sum(GLOBAL const u16 *samples, u32 count, u64 stride, GLOBAL const u32x4 *weights, u64 step)
{
    i64 sum = 0;
    for (u32 i = 0; i < count; i += 4, weights += step) {
        u32x4 quad = *weights;
        for (u32 j = 0; j < 4 && i + j < count; j++)
            sum += (i64)(i32)weight_of(quad, j) * (i64)samples[(i + j) * stride];
    }
    return sum;
}

FUNCTION GLOBAL u16 *wide_target(GLOBAL const struct resize_work_step *step, GLOBAL u8 *to, u32 y)
{
    return (GLOBAL u16 *)(GLOBAL void *)target_at(to, place_of(step->to) + (u64)y * step->to_pitch);
}

/* Resize horizontally, 128 pixels of a row in each work-group. */
KERNEL(RESIZE_GROUP_ITEMS)
resize_across_wide(GLOBAL const u32 *work, GLOBAL const u8 *from, GLOBAL u8 *to, u32 list, u32 steps, u32 count)
{
    u32 group;
    GLOBAL const struct resize_work_step *step = find_step(work, list, steps, count, &group);
    u32 x = group % step->groups_of_row * RESIZE_GROUP_ITEMS + local_index(), y = group / step->groups_of_row;
    u32 channels = step->channels;
    if (x >= step->width)
        return;
    GLOBAL const u32 *window = work + step->window + 2 * x;
    GLOBAL const u32x4 *weights = quads_at(work, step->weights) + x;
    GLOBAL const u16 *row = source_halves_at(from, place_of(step->from) + (u64)y * step->from_pitch);
    GLOBAL u16 *line = wide_target(step, to, y);
    for (u32 c = 0; c < channels; c++) {
        i64 sum = weighed_sum(row + (u64)window[0] * channels + c, window[1], channels, weights, step->width);
        line[(u64)x * channels + c] = (u16)round_wide(sum, step->greatest);
    }
}

/* Resize vertically, 128 samples of a row in each work-group. */
KERNEL(RESIZE_GROUP_ITEMS)
resize_down_wide(GLOBAL const u32 *work, GLOBAL const u8 *from, GLOBAL u8 *to, u32 list, u32 steps, u32 count)
{
    u32 group;
    GLOBAL const struct resize_work_step *step = find_step(work, list, steps, count, &group);
    u32 at = group % step->groups_of_row * RESIZE_GROUP_ITEMS + local_index(), y = group / step->groups_of_row;
    if (at >= step->width * step->channels)
        return;
    GLOBAL const u32 *window = work + step->window + 2 * y;
    GLOBAL const u32x4 *weights = quads_at(work, step->weights) + (u64)y * step->quads;
    u64 place = place_of(step->from) + (u64)window[0] * step->from_pitch;
    i64 sum = weighed_sum(source_halves_at(from, place) + at, window[1], step->from_pitch / 2, weights, 1);
    wide_target(step, to, y)[at] = (u16)round_wide(sum, step->greatest);
}
