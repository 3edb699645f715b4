/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts pixels to the samples of components: clamping, level shift, component transform (T.800 Annex G). */
#include "kernels/search.h"

#include "j2k/kernels/work.h"
#include "j2k/tables/blocks.h"
#include "j2k/tables/transforms.h"

enum { INTAKE_ACROSS = J2K_OUTPUT_WIDTH / J2K_OUTPUT_PIXELS };

/* Return the channel that contains the samples of a component. */
FUNCTION GLOBAL const struct j2k_work_channel *channel_of(GLOBAL const struct j2k_work_view *view, u32 component)
{
    u32 k = 0;
    while (k + 1 < view->channels && view->channel[k].component != component)
        k++;
    return &view->channel[k];
}

/* Return the offset of a channel's sample in the buffer of pixels or, with CUDA, perhaps its address. */
FUNCTION u64 sample_place(GLOBAL const struct j2k_work_channel *channel, u32 x, u32 y, u32 step)
{
    u64 offset = (u64)channel->offset[1] << 32 | channel->offset[0];
    return offset + (u64)((i64)y * (i32)channel->pitch) + (u64)x * step;
}

/* Point to a channel's sample. */
FUNCTION GLOBAL const u8 *sample_at(
    GLOBAL const struct j2k_work_channel *channel, GLOBAL const u8 *pixels, u32 x, u32 y, u32 step)
{
    u64 place = sample_place(channel, x, y, step);
#if defined(__CUDACC__)
    if (channel->absolute) /* relative to `pixels`, so that the compiler knows the kind of memory */
        place -= (u64)pixels;
#endif
    return pixels + place;
}

/* Load a sample as it lies in memory. */
FUNCTION i32 load_sample(
    GLOBAL const struct j2k_work_channel *channel, GLOBAL const u8 *pixels, u32 x, u32 y, u32 is_signed)
{
    GLOBAL const u8 *from = sample_at(channel, pixels, x, y, channel->stride * channel->bytes);
    u32 value = from[0];
    if (channel->bytes == 1)
        return is_signed ? (i32)(value ^ 0x80) - 0x80 : (i32)value;
    value |= (u32)from[1] << 8;
    if (channel->bytes == 4)
        return (i32)(value | (u32)from[2] << 16 | (u32)from[3] << 24);
    return is_signed ? (i32)(value ^ 0x8000) - 0x8000 : (i32)value;
}

/* Clamp a sample to its depth, and subtract half of the range from unsigned ones (G.1). */
FUNCTION i32 shift_sample(i32 value, u32 depth, u32 is_signed)
{
    i32 range = (i32)(1u << (depth - 1)), low = is_signed ? -range : 0, high = range - 1 + (is_signed ? 0 : range);
    value = value < low ? low : value;
    value = value > high ? high : value;
    return value - (is_signed ? 0 : range);
}

/* Apply the forward component transforms (G.2.1, G.3.1). */
FUNCTION void transform_sample(u32 transform, u32 reversible, const i32 *value, u32 *to)
{
    if (transform == J2K_TRANSFORM_RCT) {
        u32 r = (u32)value[0], g = (u32)value[1], b = (u32)value[2];
        to[0] = (u32)((i32)(r + 2 * g + b) >> 2);
        to[1] = b - g;
        to[2] = r - g;
    } else if (transform == J2K_TRANSFORM_ICT) {
        float r = (float)value[0], g = (float)value[1], b = (float)value[2];
        to[0] = bits_of(J2K_ICT_Y_RED * r + J2K_ICT_Y_GREEN * g + J2K_ICT_Y_BLUE * b);
        to[1] = bits_of(-J2K_ICT_CB_RED * r - J2K_ICT_CB_GREEN * g + 0.5f * b);
        to[2] = bits_of(0.5f * r - J2K_ICT_CR_GREEN * g - J2K_ICT_CR_BLUE * b);
    } else {
        UNROLL for (u32 c = 0; c < 3; c++) to[c] = reversible ? (u32)value[c] : bits_of((float)value[c]);
    }
}

/*
 * Return whether three components are the interleaved bytes of pixels, in order, and every four pixels are whole words.
 */
FUNCTION u32 is_plain(GLOBAL const struct j2k_work_view *view, GLOBAL const struct j2k_work_output *o)
{
    u32 plain = view->packed == 3 && o->count == 3;
    for (u32 c = 0; c < 3; c++)
        plain = plain && view->channel[c].component == c;
    return plain && ((u32)sample_place(&view->channel[0], o->x, o->y, view->packed) & 3) == 0 &&
           (view->channel[0].pitch & 3) == 0;
}

/* Read four neighbouring pixels of a plain picture, and store their samples. */
FUNCTION void take_four(GLOBAL const struct j2k_work_view *view, GLOBAL const struct j2k_work_output *o,
    GLOBAL const u8 *pixels, GLOBAL u32 *samples, u32 x, u32 y)
{
    GLOBAL const u8 *bytes = sample_at(&view->channel[0], pixels, o->x + x, o->y + y, view->packed);
    GLOBAL const u32 *from = (GLOBAL const u32 *)(GLOBAL const void *)bytes;
    u32 word[3], to[3][4];
    UNROLL for (u32 i = 0; i < 3; i++) word[i] = from[i];
    UNROLL for (u32 i = 0; i < 4; i++)
    {
        i32 value[3];
        u32 own[3];
        UNROLL for (u32 c = 0; c < 3; c++)
        {
            u32 byte = word[(3 * i + c) / 4] >> (3 * i + c) % 4 * 8 & 255;
            value[c] =
                shift_sample(o->is_signed[c] ? (i32)(byte ^ 0x80) - 0x80 : (i32)byte, o->depth[c], o->is_signed[c]);
        }
        transform_sample(o->transform, o->reversible, value, own);
        UNROLL for (u32 c = 0; c < 3; c++) to[c][i] = own[c];
    }
    UNROLL for (u32 c = 0; c < 3; c++)
    {
        GLOBAL u32 *row = samples + (o->from[c] + y * o->pitch[c] + x);
        if (((o->from[c] | o->pitch[c]) & 3) == 0)
            *(GLOBAL u32x4 *)(GLOBAL void *)row = make_u32x4(to[c][0], to[c][1], to[c][2], to[c][3]);
        else
            UNROLL for (u32 i = 0; i < 4; i++) row[i] = to[c][i];
    }
}

/*
 * Return whether an output has one component, whose samples in memory follow each other, and every four of them are
 * aligned there and in the buffer of samples.
 */
FUNCTION u32 is_dense(GLOBAL const struct j2k_work_channel *channel, GLOBAL const struct j2k_work_output *o)
{
    const u32 place = (u32)sample_place(channel, o->x, o->y, channel->bytes) | channel->pitch;
    return o->count == 1 && channel->stride == 1 && place % (4 * channel->bytes) == 0 &&
           ((o->from[0] | o->pitch[0]) & 3) == 0;
}

/* Read four neighbouring samples of such an output as they lie in memory. */
FUNCTION void load_four(GLOBAL const u8 *from, u32 bytes, u32 is_signed, i32 *value)
{
    GLOBAL const void *at = from;
    if (bytes == 4) {
        const u32x4 word = *(GLOBAL const u32x4 *)at;
        value[0] = (i32)word.x;
        value[1] = (i32)word.y;
        value[2] = (i32)word.z;
        value[3] = (i32)word.w;
        return;
    }
    const u32x2 pair = bytes == 2 ? *(GLOBAL const u32x2 *)at : make_u32x2(*(GLOBAL const u32 *)at, 0);
    const u32 sign = is_signed ? 0x80u << 8 * (bytes - 1) : 0;
    UNROLL for (u32 i = 0; i < 4; i++)
    {
        const u32 two = (i < 2 ? pair.x : pair.y) >> i % 2 * 16 & 0xFFFF, one = pair.x >> 8 * i & 0xFF;
        value[i] = (i32)((bytes == 2 ? two : one) ^ sign) - (i32)sign;
    }
}

/* Read four neighbouring samples of such an output, and store them. */
FUNCTION void take_dense(GLOBAL const struct j2k_work_channel *channel, GLOBAL const struct j2k_work_output *o,
    GLOBAL const u8 *pixels, GLOBAL u32 *samples, u32 x, u32 y)
{
    GLOBAL const u8 *from = sample_at(channel, pixels, o->x + x, o->y + y, channel->bytes);
    i32 value[4];
    u32 to[4];
    load_four(from, channel->bytes, o->is_signed[0], value);
    UNROLL for (u32 i = 0; i < 4; i++)
    {
        const i32 shifted = shift_sample(value[i], o->depth[0], o->is_signed[0]);
        to[i] = o->real ? (u32)value[i] : o->reversible ? (u32)shifted : bits_of((float)shifted);
    }
    *(GLOBAL u32x4 *)(GLOBAL void *)(samples + o->from[0] + y * o->pitch[0] + x) =
        make_u32x4(to[0], to[1], to[2], to[3]);
}

FUNCTION void take_one(GLOBAL const struct j2k_work_view *view, GLOBAL const struct j2k_work_output *o,
    GLOBAL const u8 *pixels, GLOBAL u32 *samples, u32 x, u32 y)
{
    i32 value[3];
    u32 to[3];
    UNROLL for (u32 c = 0; c < 3; c++)
    {
        value[c] = 0;
        if (c < o->count)
            value[c] = load_sample(channel_of(view, o->first + c), pixels, o->x + x, o->y + y, o->is_signed[c]);
        to[c] = (u32)value[c];
        if (c < o->count && !o->real)
            value[c] = shift_sample(value[c], o->depth[c], o->is_signed[c]);
    }
    if (!o->real)
        transform_sample(o->transform, o->reversible, value, to);
    UNROLL for (u32 c = 0; c < 3; c++) if (c < o->count) samples[o->from[c] + y * o->pitch[c] + x] = to[c];
}

/*
 * Read pixels. A group reads the pixels that it would write in decoding; neighbouring work-items read neighbouring
 * pixels, or groups of four.
 */
KERNEL(J2K_OUTPUT_GROUP)
take_in(GLOBAL const u32 *RESTRICT work, GLOBAL const u8 *RESTRICT pixels, GLOBAL u32 *RESTRICT samples, u32 list,
    u32 count, u32 first_output)
{
    GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;
    GLOBAL const u32 *groups = work + list;
    u32 index = find_owner(groups, count, group_index()), group = group_index() - groups[index];
    GLOBAL const struct j2k_work_output *o =
        (GLOBAL const struct j2k_work_output *)(work + head->output) + first_output + index;
    GLOBAL const struct j2k_work_view *view = (GLOBAL const struct j2k_work_view *)(work + head->view) + o->view;
    u32 across = (o->width + J2K_OUTPUT_WIDTH - 1) / J2K_OUTPUT_WIDTH, left = group % across * J2K_OUTPUT_WIDTH;
    u32 y = group / across * J2K_OUTPUT_HEIGHT + local_index() / INTAKE_ACROSS, column = local_index() % INTAKE_ACROSS;
    if (y >= o->height)
        return;
    if (left + J2K_OUTPUT_WIDTH <= o->width) {
        GLOBAL const struct j2k_work_channel *channel = channel_of(view, o->first);
        const u32 x = left + J2K_OUTPUT_PIXELS * column;
        if (is_plain(view, o)) {
            take_four(view, o, pixels, samples, x, y);
            return;
        }
        if (is_dense(channel, o)) {
            take_dense(channel, o, pixels, samples, x, y);
            return;
        }
    }
    for (u32 i = 0; i < J2K_OUTPUT_PIXELS && left + column + i * INTAKE_ACROSS < o->width; i++)
        take_one(view, o, pixels, samples, left + column + i * INTAKE_ACROSS, y);
}
