/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts the samples of components to pixels: component transform, level shift and clamping (T.800 Annex G), and the
 * order of channels.
 */
#include "kernels/search.h"

#include "j2k/kernels/store.h"
#include "j2k/kernels/work.h"
#include "j2k/tables/blocks.h"
#include "j2k/tables/transforms.h"

enum { OUTPUT_ACROSS = J2K_OUTPUT_WIDTH / J2K_OUTPUT_PIXELS };

FUNCTION i32 finish_integer(i32 from, u32 depth, u32 is_signed)
{
    i32 half_range = (i32)(1u << (depth - 1));
    i32 low = is_signed ? -half_range : 0, high = is_signed ? half_range - 1 : half_range - 1 + half_range;
    i32 value = (i32)((u32)from + (is_signed ? 0 : (u32)half_range));
    value = value < low ? low : value;
    return value > high ? high : value;
}

/*
 * Round a sample and clamp it to its depth. Even a signed sample is shifted so that it is not negative, because
 * truncation then rounds down.
 */
FUNCTION i32 finish_real(float from, u32 depth, u32 is_signed)
{
    u32 half_range = 1u << (depth - 1);
    float rounding = depth < 24 ? 0.5f : 0.0f;
    float high = (float)(2 * half_range - (depth <= 24 ? 1 : 1u << (depth - 24)));
    float value = from + (float)half_range;
    value = value > 0.0f ? value : 0.0f;
    value = value < high ? value : high;
    return (i32)(value + rounding) - (is_signed ? (i32)half_range : 0);
}

/* Apply the inverse component transform. */
FUNCTION void turn_colours(u32 transform, u32 *from)
{
    if (transform == J2K_TRANSFORM_RCT) {
        u32 green = from[0] - (u32)((i32)(from[1] + from[2]) >> 2), first = from[1];
        from[0] = from[2] + green;
        from[1] = green;
        from[2] = first + green;
    } else if (transform == J2K_TRANSFORM_ICT) {
        float luma = as_real(from[0]), blue = as_real(from[1]), red = as_real(from[2]);
        from[0] = real_bits(luma + J2K_SINGLE(J2K_ICT_RED_CR) * red);
        from[1] = real_bits(luma - J2K_SINGLE(J2K_ICT_GREEN_CB) * blue - J2K_SINGLE(J2K_ICT_GREEN_CR) * red);
        from[2] = real_bits(luma + J2K_SINGLE(J2K_ICT_BLUE_CB) * blue);
    }
}

/* Turn the samples of an output's components into samples of the image. */
FUNCTION void finish_samples(GLOBAL const struct j2k_work_output *o, u32 *from, i32 *value)
{
    turn_colours(o->transform, from);
    UNROLL for (u32 c = 0; c < 3; c++)
    {
        value[c] = 0;
        if (c < o->count)
            value[c] = o->reversible ? finish_integer((i32)from[c], o->depth[c], o->is_signed[c])
                                     : finish_real(as_real(from[c]), o->depth[c], o->is_signed[c]);
    }
}

/* Make the image's samples of an output's components at a position. */
FUNCTION void make_samples(GLOBAL const struct j2k_work_output *o, GLOBAL const u32 *samples, u32 x, u32 y, i32 *value)
{
    u32 from[3];
    UNROLL for (u32 c = 0; c < 3; c++) from[c] =
        c < o->count && !o->filled ? take_sample(samples, o->from[c] + y * o->pitch[c] + x, o->narrow) : 0;
    finish_samples(o, from, value);
}

FUNCTION GLOBAL u8 *channel_at(GLOBAL const struct j2k_work_channel *channel, GLOBAL u8 *pixels, u32 x, u32 y)
{
    u64 offset = (u64)channel->offset[1] << 32 | channel->offset[0];
    offset += (u64)y * channel->pitch + (u64)x * channel->stride * channel->bytes;
#if defined(__CUDACC__)
    if (channel->absolute)
        return (u8 *)offset;
#endif
    return pixels + offset;
}

/*
 * Return whether channel k takes a value of this output, and set *which to the index of that value. A constant is
 * written together with the first channel's component, because other components, such as component 0, may not be
 * decoded.
 */
FUNCTION u32 takes(GLOBAL const struct j2k_work_output *o, GLOBAL const struct j2k_work_view *view, u32 k, u32 *which)
{
    u32 own = view->channel[k].component, component = own == J2K_CONSTANT ? view->channel[0].component : own;
    *which = component - o->first;
    return component >= o->first && component - o->first < o->count;
}

/* Return an element of an array that has to stay in registers. */
FUNCTION i32 chosen(const i32 *value, u32 which)
{
    return which == 0 ? value[0] : which == 1 ? value[1] : value[2];
}

FUNCTION void put_pixel(GLOBAL const struct j2k_work_view *view, GLOBAL const struct j2k_work_output *o,
    GLOBAL u8 *pixels, u32 x, u32 y, const i32 *value)
{
    for (u32 k = 0; k < view->channels; k++) {
        GLOBAL const struct j2k_work_channel *channel = &view->channel[k];
        u32 which;
        if (!takes(o, view, k, &which))
            continue;
        GLOBAL u8 *to = channel_at(channel, pixels, o->x + x, o->y + y);
        u32 sample = channel->component == J2K_CONSTANT ? channel->value : (u32)chosen(value, which);
        if (channel->bytes == 2)
            *(GLOBAL u16 *)(GLOBAL void *)to = (u16)sample;
        else if (channel->bytes == 4)
            *(GLOBAL u32 *)(GLOBAL void *)to = sample;
        else
            *to = (u8)sample;
    }
}

/* Pack all channels of a pixel, which have a byte each. */
FUNCTION u32 pack_pixel(
    GLOBAL const struct j2k_work_view *view, GLOBAL const struct j2k_work_output *o, const i32 *value)
{
    u32 packed = 0;
    for (u32 k = 0; k < view->packed; k++) {
        GLOBAL const struct j2k_work_channel *channel = &view->channel[k];
        u32 sample =
            channel->component == J2K_CONSTANT ? channel->value : (u32)chosen(value, channel->component - o->first);
        packed |= (sample & 0xFF) << (8 * k);
    }
    return packed;
}

/* Load four samples, with one load if their place is aligned, as the buffer itself is. */
FUNCTION u32x4 load_four(GLOBAL const u32 *samples, u32 at, u32 narrow)
{
    if (narrow)
        return make_u32x4(take_sample(samples, at, 1), take_sample(samples, at + 1, 1), take_sample(samples, at + 2, 1),
            take_sample(samples, at + 3, 1));
    if (at % 4 == 0)
        return *(GLOBAL const u32x4 *)(GLOBAL const void *)(samples + at);
    return make_u32x4(samples[at], samples[at + 1], samples[at + 2], samples[at + 3]);
}

/* Write four pixels of three or four bytes. */
FUNCTION void put_words(GLOBAL u32 *to, u32 packed, const u32 *pixel)
{
    if (packed == 3) {
        to[0] = pixel[0] | pixel[1] << 24;
        to[1] = pixel[1] >> 8 | pixel[2] << 16;
        to[2] = pixel[2] >> 16 | pixel[3] << 8;
    } else {
        UNROLL for (u32 i = 0; i < J2K_OUTPUT_PIXELS; i++) to[i] = pixel[i];
    }
}

/* Write four neighbouring pixels, whose channels are all interleaved, in whole words. */
FUNCTION void put_packed(GLOBAL const struct j2k_work_view *view, GLOBAL const struct j2k_work_output *o,
    GLOBAL const u32 *samples, GLOBAL u32 *to, u32 x, u32 y)
{
    u32 pixel[J2K_OUTPUT_PIXELS];
    u32x4 four[3];
    UNROLL for (u32 c = 0; c < 3; c++) four[c] = load_four(samples, o->from[c] + y * o->pitch[c] + x, o->narrow);
    UNROLL for (u32 i = 0; i < J2K_OUTPUT_PIXELS; i++)
    {
        i32 value[3];
        u32 from[3];
        UNROLL for (u32 c = 0; c < 3; c++) from[c] = i == 0   ? four[c].x
                                                     : i == 1 ? four[c].y
                                                     : i == 2 ? four[c].z
                                                              : four[c].w;
        finish_samples(o, from, value);
        pixel[i] = pack_pixel(view, o, value);
    }
    put_words(to, view->packed, pixel);
}

KERNEL(J2K_OUTPUT_GROUP)
put_out(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT samples, GLOBAL u8 *RESTRICT pixels, u32 list,
    u32 count, u32 first_output)
{
    GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;
    GLOBAL const u32 *groups = work + list;
    u32 index = find_owner(groups, count, group_index()), group = group_index() - groups[index];
    GLOBAL const struct j2k_work_output *o =
        (GLOBAL const struct j2k_work_output *)(work + head->output) + first_output + index;
    GLOBAL const struct j2k_work_view *view = (GLOBAL const struct j2k_work_view *)(work + head->view) + o->view;
    u32 across = (o->width + J2K_OUTPUT_WIDTH - 1) / J2K_OUTPUT_WIDTH;
    u32 x = group % across * J2K_OUTPUT_WIDTH + local_index() % OUTPUT_ACROSS * J2K_OUTPUT_PIXELS;
    u32 y = group / across * J2K_OUTPUT_HEIGHT + local_index() / OUTPUT_ACROSS;
    if (x >= o->width || y >= o->height)
        return;
    GLOBAL u8 *to = channel_at(&view->channel[0], pixels, o->x + x, o->y + y);
    if (view->packed && o->count == 3 && !o->filled && o->width - x >= J2K_OUTPUT_PIXELS && is_aligned(to)) {
        put_packed(view, o, samples, (GLOBAL u32 *)(GLOBAL void *)to, x, y);
        return;
    }
    for (u32 i = 0; i < J2K_OUTPUT_PIXELS && x + i < o->width; i++) {
        i32 value[3];
        make_samples(o, samples, x + i, y, value);
        put_pixel(view, o, pixels, x + i, y, value);
    }
}
