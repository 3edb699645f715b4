/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads three components whose pixels are interleaved bytes, and transforms their last level in the same kernel, so
 * that the samples of that level are never in memory. A work-group goes down a strip of all three components at the
 * same time. The operations are those of take_in and analyse_53 or analyse_97, in the same order.
 */
#include "j2k/kernels/analysis.h"
#include "j2k/kernels/intake.h"

enum {
    BEGIN_GROUPS_53 = 16, /* groups that a multiprocessor should hold; more would spill registers */
    BEGIN_GROUPS_97 = 12,
    PIXEL_BYTES = 3,
    PIXEL_WORDS = STRIP_COLUMNS * PIXEL_BYTES / 4 /* words of a work-item's pixels in a row */
};

/* Says where the pixels of a level are. */
struct pixel_rows {
    GLOBAL const u8 *first; /* the pixel in row 0 of the level's coordinates and in the level's first column */
    i32 pitch;
    u32 whole; /* the work-item's pixels in a row are whole words of memory */
};

FUNCTION struct pixel_rows find_pixels(const struct strip *s, GLOBAL const struct j2k_work_view *view,
    GLOBAL const struct j2k_work_output *o, GLOBAL const u8 *pixels)
{
    struct pixel_rows rows;
    GLOBAL const u8 *first = sample_at(&view->channel[0], pixels, o->x, o->y, view->packed);
    rows.pitch = (i32)view->channel[0].pitch;
    rows.first = first - (i64)s->y0 * rows.pitch;
    rows.whole = s->inside && is_aligned(first + PIXEL_BYTES * s->place[0]) && rows.pitch % 4 == 0;
    return rows;
}

/* Return a byte of a work-item's pixels in a row. */
FUNCTION u32 load_byte(const struct strip *s, GLOBAL const u8 *row, u32 byte)
{
    return row[PIXEL_BYTES * s->place[byte / PIXEL_BYTES] + byte % PIXEL_BYTES];
}

/* Load a work-item's pixels of some rows from y on, or their mirror images, as bytes that follow each other. */
FUNCTION void load_pixels(const struct strip *s, const struct pixel_rows *rows, i32 y, u32 count, u32 *word)
{
    GLOBAL const u8 *row[2];
    UNROLL for (u32 r = 0; r < count; r++) row[r] =
        rows->first + (i64)mirror(y + (i32)r, s->y0, s->y1) * (i64)rows->pitch;
    if (rows->whole) {
        UNROLL for (u32 r = 0; r < count; r++)
        {
            GLOBAL const u32 *from = (GLOBAL const u32 *)(GLOBAL const void *)(row[r] + PIXEL_BYTES * s->place[0]);
            UNROLL for (u32 i = 0; i < PIXEL_WORDS; i++) word[r * PIXEL_WORDS + i] = from[i];
        }
    } else {
        UNROLL for (u32 r = 0; r < count; r++) UNROLL for (u32 i = 0; i < PIXEL_WORDS; i++) word[r * PIXEL_WORDS + i] =
            load_byte(s, row[r], 4 * i) | load_byte(s, row[r], 4 * i + 1) << 8 | load_byte(s, row[r], 4 * i + 2) << 16 |
            load_byte(s, row[r], 4 * i + 3) << 24;
    }
}

/*
 * Return a byte of pixels as a level-shifted sample of 8 bits (G.1). The second function makes a real number without an
 * instruction that converts integers.
 */
FUNCTION i32 sample_of_53(const u32 *word, u32 byte)
{
    return (i32)(word[byte / 4] >> byte % 4 * 8 & 255) - 128;
}

FUNCTION float sample_of_97(const u32 *word, u32 byte)
{
    const float number = float_of(pick_bytes(word[byte / 4], 0x4B000000u, 0x7440 + byte % 4)); /* 2^23 + the byte */
    return number - (8388608.0f + 128.0f);
}

/* Apply the forward component transforms (G.2.1, G.3.1) to three samples. */
FUNCTION void turn_53(i32 red, i32 green, i32 blue, i32 *to)
{
    to[0] = (red + 2 * green + blue) >> 2;
    to[STRIP_LINE] = blue - green;
    to[2 * STRIP_LINE] = red - green;
}

FUNCTION void turn_97(float red, float green, float blue, float *to)
{
    to[0] = J2K_ICT_Y_RED * red + J2K_ICT_Y_GREEN * green + J2K_ICT_Y_BLUE * blue;
    to[STRIP_LINE] = -J2K_ICT_CB_RED * red - J2K_ICT_CB_GREEN * green + 0.5f * blue;
    to[2 * STRIP_LINE] = 0.5f * red - J2K_ICT_CR_GREEN * green - J2K_ICT_CR_BLUE * blue;
}

#define LOAD_PIXELS(y, count, next) load_pixels(&s, &rows, y, count, next)
#define TAKE_PIXELS(filter, next, value)                                                                               \
    if (turned) {                                                                                                      \
        UNROLL for (u32 i = 0; i < STRIP_COLUMNS; i++) turn_##filter(sample_of_##filter(next, PIXEL_BYTES *i),         \
            sample_of_##filter(next, PIXEL_BYTES *i + 1), sample_of_##filter(next, PIXEL_BYTES *i + 2), (value) + i);  \
    } else {                                                                                                           \
        UNROLL for (u32 i = 0; i < PIXEL_BYTES * STRIP_COLUMNS; i++)(value)[i % 3 * STRIP_LINE + i / 3] =              \
            sample_of_##filter(next, i);                                                                               \
    }
#define TAKE_PIXELS_53(next, value) TAKE_PIXELS(53, next, value)
#define TAKE_PIXELS_97(next, value) TAKE_PIXELS(97, next, value)

/*
 * Define a kernel for a filter. A launch reads the pixels of those outputs of the part whose last level is computed
 * with them.
 */
#define BEGIN(name, filter, type)                                                                                      \
    DENSE_KERNEL(J2K_STRIP_GROUP, BEGIN_GROUPS_##filter)                                                               \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL const u8 *RESTRICT pixels, GLOBAL u32 *RESTRICT samples, u32 list,    \
        u32 count, u32 first_output)                                                                                   \
    {                                                                                                                  \
        STRIP_MEMORY(3)                                                                                                \
        GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;                           \
        GLOBAL const u32 *groups = work + list;                                                                        \
        u32 index = find_owner(groups, count, group_index());                                                          \
        GLOBAL const struct j2k_work_output *o =                                                                       \
            (GLOBAL const struct j2k_work_output *)(work + head->output) + first_output + index;                       \
        const struct strip s = strip_of_rows((GLOBAL const struct j2k_work_level *)(work + head->level) + o->level, 3, \
            group_index() - groups[index], table);                                                                     \
        const struct pixel_rows rows =                                                                                 \
            find_pixels(&s, (GLOBAL const struct j2k_work_view *)(work + head->view) + o->view, o, pixels);            \
        const u32 turned = o->transform != J2K_TRANSFORM_NONE;                                                         \
        SINK(s, samples, filter, type, 3, PIXEL_WORDS, LOAD_PIXELS, TAKE_PIXELS_##filter)                              \
    }

BEGIN(begin_53, 53, i32)
BEGIN(begin_97, 97, float)
