/* SPDX-License-Identifier: BSD-2-Clause */
/* From pixels to components' samples: clamping, level shift, component transform (T.800 Annex G). */
#include "search.h"

#include "j2k_work.h"

enum { INTAKE_ACROSS = J2K_OUTPUT_WIDTH / J2K_OUTPUT_PIXELS };

/* The channel that a component's samples come from. */
FUNCTION GLOBAL const struct work_channel *channel_of(GLOBAL const struct work_view *view, u32 component)
{
    u32 k = 0;
    while (k + 1 < view->channels && view->channel[k].component != component)
        k++;
    return &view->channel[k];
}

/* As it lies in memory. */
FUNCTION i32 load_sample(
    GLOBAL const struct work_channel *channel, GLOBAL const u8 *pixels, u32 x, u32 y, u32 is_signed)
{
    u64 offset = (u64)channel->offset[1] << 32 | channel->offset[0];
    offset += (u64)((i64)y * (i32)channel->pitch) + (u64)x * channel->step * channel->bytes;
    GLOBAL const u8 *from = pixels + offset;
#if defined(__CUDACC__)
    if (channel->absolute)
        from = (const u8 *)offset;
#endif
    u32 value = from[0];
    if (channel->bytes == 1)
        return is_signed ? (i32)(value ^ 0x80) - 0x80 : (i32)value;
    value |= (u32)from[1] << 8;
    return is_signed ? (i32)(value ^ 0x8000) - 0x8000 : (i32)value;
}

/* Clamped to its depth, unsigned ones moved down by half of the range (G.1). */
FUNCTION i32 shift_sample(i32 value, u32 depth, u32 is_signed)
{
    i32 range = (i32)(1u << (depth - 1)), low = is_signed ? -range : 0, high = is_signed ? range - 1 : 2 * range - 1;
    value = value < low ? low : value;
    value = value > high ? high : value;
    return value - (is_signed ? 0 : range);
}

/* G.2.1, G.3.1 */
FUNCTION void transform_sample(u32 transform, u32 reversible, const i32 *value, u32 *to)
{
    if (transform == 1) {
        u32 r = (u32)value[0], g = (u32)value[1], b = (u32)value[2];
        to[0] = (u32)((i32)(r + 2 * g + b) >> 2);
        to[1] = b - g;
        to[2] = r - g;
    } else if (transform == 2) {
        float r = (float)value[0], g = (float)value[1], b = (float)value[2];
        to[0] = bits_of(0.299f * r + 0.587f * g + 0.114f * b);
        to[1] = bits_of(-0.16875f * r - 0.33126f * g + 0.5f * b);
        to[2] = bits_of(0.5f * r - 0.41869f * g - 0.08131f * b);
    } else {
        UNROLL for (u32 c = 0; c < 3; c++) to[c] = reversible ? (u32)value[c] : bits_of((float)value[c]);
    }
}

/* A group takes what it would put out when decoding; neighbouring work-items have neighbouring pixels. */
KERNEL(J2K_OUTPUT_GROUP)
take_in(GLOBAL const u32 *RESTRICT work, GLOBAL const u8 *RESTRICT pixels, GLOBAL u32 *RESTRICT samples, u32 list,
    u32 count, u32 first_output)
{
    GLOBAL const struct j2k_batch_work *head = (GLOBAL const struct j2k_batch_work *)work;
    GLOBAL const u32 *groups = work + list;
    u32 index = find_owner(groups, count, group_index()), group = group_index() - groups[index];
    GLOBAL const struct work_output *o =
        (GLOBAL const struct work_output *)(work + head->output) + first_output + index;
    GLOBAL const struct work_view *view = (GLOBAL const struct work_view *)(work + head->view) + o->picture;
    u32 across = (o->width + J2K_OUTPUT_WIDTH - 1) / J2K_OUTPUT_WIDTH;
    u32 x0 = group % across * J2K_OUTPUT_WIDTH + local_index() % INTAKE_ACROSS;
    u32 y = group / across * J2K_OUTPUT_HEIGHT + local_index() / INTAKE_ACROSS;
    if (y >= o->height)
        return;
    for (u32 i = 0; i < J2K_OUTPUT_PIXELS; i++) {
        u32 x = x0 + i * INTAKE_ACROSS, to[3];
        i32 value[3];
        if (x >= o->width)
            break;
        UNROLL for (u32 c = 0; c < 3; c++)
        {
            value[c] = 0;
            if (c < o->count)
                value[c] = shift_sample(
                    load_sample(channel_of(view, o->first + c), pixels, o->x + x, o->y + y, o->is_signed[c]),
                    o->depth[c], o->is_signed[c]);
        }
        transform_sample(o->transform, o->reversible, value, to);
        UNROLL for (u32 c = 0; c < 3; c++) if (c < o->count) samples[o->from[c] + y * o->pitch[c] + x] = to[c];
    }
}
