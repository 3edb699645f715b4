/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the last level of three components together with their pixels, so that the samples of that level are never
 * in memory. A work-group goes down a strip of all three components at the same time (synthesis.h), and a work-item
 * writes four pixels of each row.
 */
#include "j2k/kernels/output.h"
#include "j2k/kernels/synthesis.h"

/* Lists the ways in which the pixels of a strip are made. */
enum {
    FINISH_ANY,   /* as the output and the view say */
    FINISH_PLAIN, /* from three interleaved components of 8 bits */
    FINISH_TURNED /* likewise, after the component transform of the filter's kind */
};

/* Holds the output of a strip, and says which pixels of it the group and the work-item write. */
struct finish {
    GLOBAL const struct j2k_work_output *output;
    GLOBAL const struct j2k_work_view *view;
    i32 left, top;    /* where the output begins, in the strip's coordinates */
    i32 begin, end;   /* rows that the group writes */
    u32 first, count; /* those of the work-item's four columns that it writes */
    u32 kind;
    u32 packed;     /* bytes of a pixel whose channels are interleaved; otherwise 0 */
    u32 whole;      /* four pixels of a row are three or four whole words of memory */
    u32 pitch;      /* bytes from row to row; this and the next member are for packed pixels */
    GLOBAL u8 *row; /* the work-item's first pixel in row `begin` */
};

FUNCTION u32 find_kind(GLOBAL const struct j2k_work_output *output, u32 is_integer)
{
    if (!output->plain)
        return FINISH_ANY;
    if (output->transform == 0)
        return FINISH_PLAIN;
    return output->transform == (is_integer ? J2K_TRANSFORM_RCT : J2K_TRANSFORM_ICT) ? FINISH_TURNED : FINISH_ANY;
}

FUNCTION struct finish find_finish(const struct strip *s, GLOBAL const struct j2k_work_output *output,
    GLOBAL const struct j2k_work_view *view, u32 is_integer, GLOBAL u8 *pixels)
{
    struct finish f;
    f.output = output;
    f.view = view;
    f.left = s->x0 + (i32)output->left;
    f.top = s->y0 + (i32)output->top;
    f.begin = s->y > f.top ? s->y : f.top;
    f.end = s->end < f.top + (i32)output->height ? s->end : f.top + (i32)output->height;
    i32 first = f.left > s->left ? f.left : s->left, last = f.left + (i32)output->width;
    first = first > s->x ? first : s->x;
    last = last < s->right ? last : s->right;
    last = last < s->x + STRIP_COLUMNS ? last : s->x + STRIP_COLUMNS;
    f.first = (u32)(first - s->x);
    f.count = last > first ? (u32)(last - first) : 0;
    f.kind = find_kind(output, is_integer);
    f.packed = view->packed;
    f.pitch = view->channel[0].pitch;
    f.row =
        channel_at(&view->channel[0], pixels, output->x + (u32)(first - f.left), output->y + (u32)(f.begin - f.top));
    f.whole = f.count == STRIP_COLUMNS && is_aligned(f.row) && f.pitch % 4 == 0;
    return f;
}

OUTLINED u32 pack_any(
    GLOBAL const struct j2k_work_output *o, GLOBAL const struct j2k_work_view *view, u32 first, u32 second, u32 third)
{
    u32 from[3];
    i32 value[3];
    from[0] = first;
    from[1] = second;
    from[2] = third;
    finish_samples(o, from, value);
    return pack_pixel(view, o, value);
}

OUTLINED void put_any(const struct finish *f, GLOBAL u8 *pixels, u32 x, u32 y, const u32 *sample)
{
    u32 from[3];
    i32 value[3];
    UNROLL for (u32 c = 0; c < 3; c++) from[c] = sample[c];
    finish_samples(f->output, from, value);
    put_pixel(f->view, f->output, pixels, x, y, value);
}

/* Round a number to the nearest integer; halves are rounded up. */
FUNCTION i32 rounded(float value)
{
    return saturated_integer(value + 128.0f + 0.5f);
}

/* Pack a pixel of three components of 8 bits. */
FUNCTION u32 pack_plain(u32 transform, u32 is_integer, u32 *from)
{
    turn_colours(transform, from);
    if (is_integer)
        return pack_bytes((i32)(from[0] + 128), (i32)(from[1] + 128), (i32)(from[2] + 128), 0);
    return pack_bytes(rounded(as_real(from[0])), rounded(as_real(from[1])), rounded(as_real(from[2])), 0);
}

/* Pack four such pixels. In `made`, the samples of a component follow each other. `transform` must be a constant. */
FUNCTION void pack_four(u32 transform, u32 is_integer, const u32 *made, u32 *pixel)
{
    UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++)
    {
        u32 from[3];
        UNROLL for (u32 c = 0; c < 3; c++) from[c] = made[c * STRIP_LINE + i];
        pixel[i] = pack_plain(transform, is_integer, from);
    }
}

/* Write the work-item's packed pixels of a row. */
FUNCTION void put_four(const struct finish *f, GLOBAL u8 *to, const u32 *pixel)
{
    if (f->whole) {
        put_words((GLOBAL u32 *)(GLOBAL void *)to, f->packed, pixel);
        return;
    }
    UNROLL for (u32 i = 0; i < STRIP_COLUMNS;
                i++) if (i >= f->first && i - f->first < f->count) for (u32 k = 0; k < f->packed; k++)
        to[(i - f->first) * f->packed + k] = (u8)(pixel[i] >> 8 * k);
}

/* Make pixels of any kind, and write them if they are not packed. */
FUNCTION void finish_any(
    const struct strip *s, const struct finish *f, i32 y, const u32 *made, GLOBAL u8 *pixels, u32 *pixel)
{
    UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++)
    {
        u32 sample[3];
        UNROLL for (u32 c = 0; c < 3; c++) sample[c] = made[c * STRIP_LINE + i];
        if (f->packed)
            pixel[i] = pack_any(f->output, f->view, sample[0], sample[1], sample[2]);
        else if (i >= f->first && i - f->first < f->count)
            put_any(f, pixels, (u32)(s->x - f->left) + i, (u32)(y - f->top), sample);
    }
}

/* Write a work-item's pixels of row y, if it has any. `made` has the samples of all components. */
FUNCTION void finish_row(
    const struct strip *s, const struct finish *f, u32 is_integer, i32 y, const u32 *made, GLOBAL u8 *pixels)
{
    u32 pixel[STRIP_COLUMNS];
    if (y < f->begin || y >= f->end || f->count == 0)
        return;
    if (f->kind == FINISH_TURNED)
        pack_four(is_integer ? J2K_TRANSFORM_RCT : J2K_TRANSFORM_ICT, is_integer, made, pixel);
    else if (f->kind == FINISH_PLAIN)
        pack_four(0, is_integer, made, pixel);
    else
        finish_any(s, f, y, made, pixels, pixel);
    if (f->packed)
        put_four(f, f->row + (size_t)(u32)(y - f->begin) * f->pitch, pixel);
}

/*
 * Define a kernel for samples of a type. `filter` names the steps of its filter, and `format` says how coefficients lie
 * in memory.
 */
#define FINISH(name, filter, type, format)                                                                             \
    DENSE_KERNEL(J2K_STRIP_GROUP, 12)                                                                                  \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT samples, GLOBAL u8 *RESTRICT pixels, u32 list,    \
        u32 count, u32 first_output)                                                                                   \
    {                                                                                                                  \
        STRIP_MEMORY(3)                                                                                                \
        GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;                           \
        GLOBAL const u32 *groups = work + list;                                                                        \
        u32 index = find_owner(groups, count, group_index());                                                          \
        GLOBAL const struct j2k_work_output *output =                                                                  \
            (GLOBAL const struct j2k_work_output *)(work + head->output) + first_output + index;                       \
        const struct strip s =                                                                                         \
            strip_of_bands((GLOBAL const struct j2k_work_level *)(work + head->level) + output->level, 3,              \
                group_index() - groups[index], table);                                                                 \
        const struct finish f = find_finish(&s, output,                                                                \
            (GLOBAL const struct j2k_work_view *)(work + head->view) + output->view, filter == 53, pixels);            \
        DESCEND(s, samples, filter, type, format, 3, {                                                                 \
            finish_row(&s, &f, filter == 53, row, made, pixels);                                                       \
            finish_row(&s, &f, filter == 53, row + 1, made + STRIP_COLUMNS, pixels);                                   \
        })                                                                                                             \
    }

FINISH(finish_53, 53, i32, STRIP_WORDS)
FINISH(finish_53_narrow, 53, i32, STRIP_HALVES)
FINISH(finish_97, 97, float, STRIP_WORDS)
FINISH(finish_97_indices, 97, float, STRIP_INDICES)
