/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts pixels: before the passes, multiplies colours by alpha; after them, divides by alpha again and writes the
 * pixels where the caller wants them, possibly mirrored, as floating-point numbers, or with a plane for each channel.
 */
#include "kernels/halves.h"

#include "resize/kernels/step.h"

FUNCTION u32 load_sample(GLOBAL const u8 *pixel, u32 bytes, u32 index)
{
    return bytes == 1 ? pixel[index] : ((GLOBAL const u16 *)(GLOBAL const void *)pixel)[index];
}

/* Multiply or divide a colour by alpha, with the results of resize/cpu/finish.c. The second product is below 2^32. */
FUNCTION u32 change_by_alpha(u32 value, u32 alpha, u32 greatest, u32 change)
{
    if (change == RESIZE_ALPHA_WEIGHED)
        return (u32)(((u64)value * alpha + greatest / 2) / greatest);
    if (change == RESIZE_ALPHA_KEPT || alpha == 0 || alpha == greatest)
        return value;
    u32 colour = value * greatest / alpha;
    return colour < greatest ? colour : greatest;
}

/* Return the bits of the floating-point number for a value: (value − mean) × scale, each operation rounded once. */
FUNCTION u32 number_of(GLOBAL const struct resize_work_step *step, u32 value, u32 channel)
{
    float difference = (float)value - float_of(step->mean[channel]);
    return bits_of(difference * float_of(step->scale[channel]));
}

FUNCTION void store_sample(GLOBAL const struct resize_work_step *step, GLOBAL u8 *to, u32 value, u32 channel)
{
    if (step->sample == RESIZE_BYTES)
        *to = (u8)value;
    else if (step->sample == RESIZE_WORDS)
        *(GLOBAL u16 *)(GLOBAL void *)to = (u16)value;
    else if (step->sample == RESIZE_HALVES)
        *(GLOBAL u16 *)(GLOBAL void *)to = (u16)half_of(number_of(step, value, channel));
    else
        *(GLOBAL u32 *)(GLOBAL void *)to = number_of(step, value, channel);
}

/* Convert 128 pixels of a row in each work-group. */
KERNEL(RESIZE_GROUP_ITEMS)
resize_pixels(GLOBAL const u32 *work, GLOBAL const u8 *from, GLOBAL u8 *to, u32 list, u32 steps, u32 count)
{
    u32 group;
    GLOBAL const struct resize_work_step *step = find_step(work, list, steps, count, &group);
    u32 x = group % step->groups_of_row * RESIZE_GROUP_ITEMS + local_index(), y = group / step->groups_of_row;
    u32 bytes = step->length, channels = step->channels, value[RESIZE_CHANNELS];
    if (x >= step->width)
        return;
    u32 column = step->mirror ? step->width - 1 - x : x;
    u64 at = place_of(step->from) + (u64)y * step->from_pitch + (u64)column * channels * bytes;
    GLOBAL const u8 *pixel = source_at(from, at);
    UNROLL for (u32 c = 0; c < RESIZE_CHANNELS; c++) value[c] = c < channels ? load_sample(pixel, bytes, c) : 0;
    UNROLL for (u32 c = 0; c < RESIZE_CHANNELS; c++)
    {
        u32 sample = c < 3 ? change_by_alpha(value[c], value[3], step->greatest, step->alpha) : value[c];
        u64 place = place_of(step->plane[c]) + (u64)y * step->plane_pitch[c] + (u64)x * step->pixel;
        if (c < channels)
            store_sample(step, target_at(to, place), sample, c);
    }
}
