/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts components, each of which was written to a plane, to the channels of an image, as j2k/cpu/convert.c does:
 * enlarges subsampled components, looks up palettes (T.800 I.5.3.4), converts sYCC and adds constant alpha. It also
 * turns the image upright and makes floating-point samples. A work-item makes some pixels of a row.
 */
#include "kernels/halves.h"
#include "kernels/search.h"
#include "kernels/turn.h"

#include "j2k/kernels/output.h"
#include "j2k/tables/transforms.h"

/* Return which row or column of samples covers a row or column of pixels. */
FUNCTION u32 sample_at(u32 at, u32 separation, u32 first, u32 end)
{
    u32 index = separation == 1 ? at : at / separation;
    index = index < first ? first : index;
    return (index < end ? index : end - 1) - first;
}

/* Return the sample of a source at a pixel of the reference grid, looked up in its palette if it has one. */
FUNCTION i32 source_value(
    GLOBAL const u32 *work, GLOBAL const struct j2k_work_source *source, GLOBAL const u8 *pixels, u32 x, u32 y)
{
    u64 offset = (u64)source->offset[1] << 32 | source->offset[0];
    GLOBAL const u8 *row = pixels + offset + (u64)sample_at(y, source->dy, source->y0, source->y1) * source->pitch;
    u32 index = sample_at(x, source->dx, source->x0, source->x1) * source->stride;
    u32 sample = source->bytes == 2 ? ((GLOBAL const u16 *)(GLOBAL const void *)row)[index] : row[index];
    if (source->palette)
        sample =
            ((GLOBAL const u16 *)(GLOBAL const void *)(work +
                                                       source->palette))[sample < source->last ? sample : source->last];
    return (i32)sample;
}

/*
 * Convert sYCC to RGB (IEC 61966-2-1 Annex F), with 16 fraction bits, rounded. The factors 1.402, 0.71414 and 1.772 are
 * split into 1 (65536) and the rest, so that no product with 16-bit samples exceeds 31 bits; the result is the same.
 */
FUNCTION void turn_ycc(u32 depth, i32 *value)
{
    i32 half_range = (i32)(1u << (depth - 1)), most = 2 * half_range - 1, luma = value[0];
    i32 blue = value[1] - half_range, red = value[2] - half_range;
    i32 made[3];
    made[0] = luma + red + (((J2K_SYCC_RED_CR - 65536) * red + 32768) >> 16);
    made[1] = luma - red + (((65536 - J2K_SYCC_GREEN_CR) * red - J2K_SYCC_GREEN_CB * blue + 32768) >> 16);
    made[2] = luma + blue + (((J2K_SYCC_BLUE_CB - 65536) * blue + 32768) >> 16);
    UNROLL for (u32 c = 0; c < 3; c++) value[c] = made[c] < 0 ? 0 : made[c] < most ? made[c] : most;
}

/* Find the value of each source at a pixel of the stored image. */
FUNCTION void convert_pixel(GLOBAL const u32 *work, GLOBAL const struct j2k_work_composite *composite,
    GLOBAL const u8 *pixels, u32 x, u32 y, i32 *value)
{
    UNROLL for (u32 s = 0; s < J2K_WORK_CHANNELS; s++)
    {
        value[s] = 0;
        if (s < composite->sources)
            value[s] = source_value(work, &composite->source[s], pixels, composite->x + x, composite->y + y);
    }
    if (composite->ycc)
        turn_ycc(composite->ycc, value);
}

/* Find the value of each source at a pixel of the upright image. */
FUNCTION void seen_pixel(GLOBAL const u32 *work, GLOBAL const struct j2k_work_composite *composite,
    GLOBAL const u8 *pixels, u32 x, u32 y, i32 *value)
{
    struct turn turn = find_turn(composite->orientation);
    u32 across = turn.swaps ? y : x, down = turn.swaps ? x : y;
    across = turn.from_right ? composite->width - 1 - across : across;
    down = turn.from_bottom ? composite->height - 1 - down : down;
    convert_pixel(work, composite, pixels, across, down, value);
}

/* Return the value of a channel, made from the values of the sources. */
FUNCTION u32 channel_value(GLOBAL const struct j2k_work_channel *channel, const i32 *value)
{
    u32 source = channel->component;
    return source == J2K_CONSTANT ? channel->value : (u32)(source == 3 ? value[3] : chosen(value, source));
}

FUNCTION u32 pack_channels(GLOBAL const struct j2k_work_view *view, const i32 *value)
{
    u32 packed = 0;
    for (u32 k = 0; k < view->packed; k++)
        packed |= (channel_value(&view->channel[k], value) & 0xFF) << (8 * k);
    return packed;
}

/* Return (value − mean) × scale. Each step is rounded once: operations in this order cannot be contracted. */
FUNCTION u32 normal_of(GLOBAL const struct j2k_work_composite *composite, u32 value, u32 k)
{
    float difference = (float)value - as_real(composite->mean[k]);
    return real_bits(difference * as_real(composite->scale[k]));
}

FUNCTION void put_channels(
    GLOBAL const struct j2k_work_composite *composite, GLOBAL u8 *pixels, u32 x, u32 y, const i32 *value)
{
    GLOBAL const struct j2k_work_view *view = &composite->view;
    for (u32 k = 0; k < view->channels; k++) {
        GLOBAL const struct j2k_work_channel *channel = &view->channel[k];
        GLOBAL u8 *to = channel_at(channel, pixels, x, y);
        u32 sample = channel_value(channel, value);
        if (composite->numbers) {
            sample = normal_of(composite, sample, k);
            sample = channel->bytes == 2 ? half_of(sample) : sample;
        }
        if (channel->bytes == 4)
            *(GLOBAL u32 *)(GLOBAL void *)to = sample;
        else if (channel->bytes == 2)
            *(GLOBAL u16 *)(GLOBAL void *)to = (u16)sample;
        else
            *to = (u8)sample;
    }
}

/* Convert pictures. `first` is the offset of the first struct j2k_work_composite. */
KERNEL(J2K_OUTPUT_GROUP)
convert_channels(GLOBAL const u32 *RESTRICT work, GLOBAL u8 *pixels, u32 list, u32 count, u32 first)
{
    GLOBAL const u32 *groups = work + list;
    u32 index = find_owner(groups, count, group_index()), group = group_index() - groups[index];
    GLOBAL const struct j2k_work_composite *composite =
        (GLOBAL const struct j2k_work_composite *)(work + first) + index;
    GLOBAL const struct j2k_work_view *view = &composite->view;
    u32 swaps = find_turn(composite->orientation).swaps;
    u32 width = swaps ? composite->height : composite->width, height = swaps ? composite->width : composite->height;
    u32 across = (width + J2K_OUTPUT_WIDTH - 1) / J2K_OUTPUT_WIDTH;
    u32 x = group % across * J2K_OUTPUT_WIDTH + local_index() % OUTPUT_ACROSS * J2K_OUTPUT_PIXELS;
    u32 y = group / across * J2K_OUTPUT_HEIGHT + local_index() / OUTPUT_ACROSS;
    u32 pixel[J2K_OUTPUT_PIXELS];
    if (x >= width || y >= height)
        return;
    GLOBAL u8 *to = channel_at(&view->channel[0], pixels, x, y);
    u32 whole = view->packed && width - x >= J2K_OUTPUT_PIXELS && is_aligned(to);
    UNROLL for (u32 i = 0; i < J2K_OUTPUT_PIXELS; i++)
    {
        i32 value[J2K_WORK_CHANNELS];
        pixel[i] = 0;
        if (x + i < width) {
            seen_pixel(work, composite, pixels, x + i, y, value);
            if (whole)
                pixel[i] = pack_channels(view, value);
            else
                put_channels(composite, pixels, x + i, y, value);
        }
    }
    if (whole)
        put_words((GLOBAL u32 *)(GLOBAL void *)to, view->packed, pixel);
}
