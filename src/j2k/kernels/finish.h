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
    FINISH_PLAIN, /* from three interleaved components of 8 bits, which make pixels of three bytes */
    FINISH_TURNED /* likewise, after the component transform of the filter's kind */
};

/* Holds the output of a strip, and says which pixels of it the group and the work-item write. */
struct finish {
    GLOBAL const struct j2k_work_output *output;
    GLOBAL const struct j2k_work_view *view;
    i32 left, top;    /* where the output begins, in the strip's coordinates */
    i32 begin, end;   /* rows that the work-item writes */
    u32 first, count; /* those of the work-item's four columns that it writes */
    u32 kind;
    u32 regular;    /* the strip is regular, of plain pixels, and a work-item writes four whole pixels or none */
    u32 packed;     /* bytes of a pixel whose channels are interleaved; otherwise 0 */
    u32 whole;      /* four pixels of a row are three or four whole words of memory */
    u32 pitch;      /* bytes from row to row; this and the next member are for packed pixels */
    GLOBAL u8 *row; /* the work-item's first pixel in row `begin` */
};

FUNCTION u32 find_kind(
    GLOBAL const struct j2k_work_output *output, GLOBAL const struct j2k_work_view *view, u32 is_integer)
{
    if (!output->plain || view->packed != 3)
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
    last = last < s->right ? last : s->right;
    f.kind = find_kind(output, view, is_integer);
    f.regular = is_regular_strip(s) && f.kind == FINISH_TURNED && ((u32)first | (u32)last) % STRIP_COLUMNS == 0;
    first = first > s->x ? first : s->x;
    last = last < s->x + STRIP_COLUMNS ? last : s->x + STRIP_COLUMNS;
    f.first = (u32)(first - s->x);
    f.count = last > first ? (u32)(last - first) : 0;
    f.packed = view->packed;
    f.pitch = view->channel[0].pitch;
    f.row =
        channel_at(&view->channel[0], pixels, output->x + (u32)(first - f.left), output->y + (u32)(f.begin - f.top));
    u32 aligned = is_aligned(f.row) && f.pitch % 4 == 0;
    f.regular = f.regular && aligned;
    f.whole = f.count == STRIP_COLUMNS && aligned;
    f.end = f.count > 0 ? f.end : f.begin;
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

/*
 * Shift a number by 128 and round it to the nearest integer; halves are rounded up. A single addition gives what
 * finish_real() gives for 8 bits, for all numbers.
 */
FUNCTION i32 rounded(float value)
{
    return saturated_integer(value + 128.5f);
}

/*
 * Pack four pixels of three components of 8 bits, which make three words. In `made`, the samples of a component follow
 * each other.
 */
FUNCTION void pack_four(u32 kind, u32 is_integer, const u32 *made, u32 *word)
{
    u32 from[3 * STRIP_COLUMNS];
    i32 byte[3 * STRIP_COLUMNS];
    UNROLL for (u32 i = 0; i < 3 * STRIP_COLUMNS; i++) from[i] = made[i % 3 * STRIP_LINE + i / 3];
    if (kind == FINISH_TURNED)
        UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++)
            turn_colours(is_integer ? J2K_TRANSFORM_RCT : J2K_TRANSFORM_ICT, from + 3 * i);
    UNROLL for (u32 i = 0; i < 3 * STRIP_COLUMNS; i++) byte[i] =
        is_integer ? (i32)(from[i] + 128) : rounded(as_real(from[i]));
    UNROLL for (u32 i = 0; i < 3; i++) word[i] =
        pack_bytes(byte[4 * i], byte[4 * i + 1], byte[4 * i + 2], byte[4 * i + 3]);
}

FUNCTION void put_three_words(GLOBAL u8 *to, const u32 *word)
{
    UNROLL for (u32 i = 0; i < 3; i++)((GLOBAL u32 *)(GLOBAL void *)to)[i] = word[i];
}

/* Write as many of four pixels as the work-item has in a row; their bytes are in three words. */
FUNCTION void put_plain_pixels(const struct finish *f, GLOBAL u8 *to, const u32 *word)
{
    if (f->whole) {
        put_three_words(to, word);
        return;
    }
    UNROLL for (u32 i = 0; i < 3 * STRIP_COLUMNS; i++) if (i / 3 >= f->first && i / 3 - f->first < f->count)
        to[i - 3 * f->first] = (u8)(word[i / 4] >> 8 * (i % 4));
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
    if (y < f->begin || y >= f->end)
        return;
    GLOBAL u8 *to = f->row + (size_t)(u32)(y - f->begin) * f->pitch;
    if (f->kind != FINISH_ANY) {
        pack_four(f->kind, is_integer, made, pixel);
        put_plain_pixels(f, to, pixel);
        return;
    }
    finish_any(s, f, y, made, pixels, pixel);
    if (f->packed)
        put_four(f, to, pixel);
}

/* Write a work-item's pixels of two rows from row y on, if it has any, of a strip for which `regular` is set. */
FUNCTION void finish_two(const struct finish *f, u32 is_integer, i32 y, const u32 *made)
{
    u32 word[6];
    if (y + 1 < f->begin || y >= f->end)
        return;
    GLOBAL u8 *to = f->row + (i64)(y - f->begin) * (i32)f->pitch;
    pack_four(FINISH_TURNED, is_integer, made, word);
    pack_four(FINISH_TURNED, is_integer, made + STRIP_COLUMNS, word + 3);
    if (y >= f->begin)
        put_three_words(to, word);
    if (y + 1 < f->end)
        put_three_words(to + f->pitch, word + 3);
}

/*
 * Define a kernel for samples of a type. `filter` names the steps of its filter, and `format` says how coefficients lie
 * in memory.
 */
#define FINISH(name, filter, type, format)                                                                             \
    DENSE_KERNEL(J2K_STRIP_GROUP, 16)                                                                                  \
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
        DESCEND(s, samples, filter, type, format, 3, f.regular, finish_two(&f, filter == 53, row, made), {             \
            finish_row(&s, &f, filter == 53, row, made, pixels);                                                       \
            finish_row(&s, &f, filter == 53, row + 1, made + STRIP_COLUMNS, pixels);                                   \
        })                                                                                                             \
    }

FINISH(finish_53, 53, i32, STRIP_WORDS)
FINISH(finish_53_narrow, 53, i32, STRIP_HALVES)
FINISH(finish_97, 97, float, STRIP_WORDS)
FINISH(finish_97_indices, 97, float, STRIP_INDICES)
