/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the last level of three components together with their pixels, so that the samples between them are never in
 * memory. A work-group computes a patch of the level for each component, as levels.h does: the steps along rows for all
 * three together, those along columns for one after the other, and then the pixels of the samples that a work-item has.
 * Pixels of several bytes pass through the group's memory to form whole words.
 */
#include "j2k/kernels/levels.h"
#include "j2k/kernels/output.h"

enum {
    FINISH_TURNS = 3 * LEVEL_TURNS,
    FINISH_PATCH = LEVEL_ROWS * LEVEL_ROW, /* values of a component */
    FINISH_PIXELS = J2K_LEVEL_WIDTH * J2K_LEVEL_HEIGHT,
    FINISH_ACROSS = 64, /* work-items that write the words of a row */
    FINISH_DOWN = J2K_LEVEL_GROUP / FINISH_ACROSS
};

/*
 * Holds what a work-group writes: those pixels of its patch that the output has. x and y are the patch's first pixel in
 * the output.
 */
struct finish {
    GLOBAL const struct j2k_work_output *output;
    GLOBAL const struct j2k_work_view *view;
    i32 x, y;
};

FUNCTION struct finish find_finish(GLOBAL const u32 *work, u32 list, u32 count, u32 first, struct level_patch *t)
{
    struct finish f;
    GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;
    GLOBAL const u32 *groups = work + list;
    u32 index = find_owner(groups, count, group_index());
    f.output = (GLOBAL const struct j2k_work_output *)(work + head->output) + first + index;
    f.view = (GLOBAL const struct j2k_work_view *)(work + head->view) + f.output->view;
    *t = patch_of(
        (GLOBAL const struct j2k_work_level *)(work + head->level) + f.output->level, group_index() - groups[index]);
    f.x = t->x + LEVEL_MARGIN - (i32)(t->level->x0 + f.output->left);
    f.y = t->y + LEVEL_MARGIN - (i32)(t->level->y0 + f.output->top);
    return f;
}

/* Return the distance of a component's band from that of the first component. */
FUNCTION u32 band_distance(const struct level_patch *t, u32 c, u32 band)
{
    return c > 0 ? t->level[c].band[band] - t->level->band[band] : 0;
}

/* Load the pairs of all three components, whose bands have the same geometry. */
FUNCTION void load_components(const struct level_patch *t, GLOBAL const u32 *samples, u32 narrow, u32 *even, u32 *odd)
{
    const struct level_pair pair = find_pair(t);
    i32 y = t->y + (i32)(local_index() / LEVEL_PAIRS), y0 = (i32)t->level->y0, y1 = (i32)t->level->y1;
    if (t->y >= y0 && t->y + LEVEL_ROWS <= y1) {
        u32 band = 2 * (u32)(y & 1), first = place_of(t, &pair, 0, y), second = place_of(t, &pair, 1, y);
        u32 steps[2];
        UNROLL for (u32 i = 0; i < 2; i++) steps[i] = LEVEL_STEP / 2 * t->level->pitch[band + pair.band[i]];
        UNROLL for (u32 c = 0; c < 3; c++)
        {
            u32 at = first + band_distance(t, c, band + pair.band[0]);
            u32 beside = second + band_distance(t, c, band + pair.band[1]);
            UNROLL for (u32 k = 0; k < LEVEL_TURNS; k++)
            {
                even[c * LEVEL_TURNS + k] = take_sample(samples, at + k * steps[0], narrow);
                odd[c * LEVEL_TURNS + k] = take_sample(samples, beside + k * steps[1], narrow);
            }
        }
    } else {
        UNROLL for (u32 k = 0; k < LEVEL_TURNS; k++)
        {
            i32 row = mirror(y + (i32)(k * LEVEL_STEP), y0, y1);
            u32 band = 2 * (u32)(row & 1), first = place_of(t, &pair, 0, row), second = place_of(t, &pair, 1, row);
            UNROLL for (u32 c = 0; c < 3; c++)
            {
                u32 at = first + band_distance(t, c, band + pair.band[0]);
                u32 beside = second + band_distance(t, c, band + pair.band[1]);
                even[c * LEVEL_TURNS + k] = take_sample(samples, at, narrow);
                odd[c * LEVEL_TURNS + k] = take_sample(samples, beside, narrow);
            }
        }
    }
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

/* Pack a pixel of three components of 8 bits. */
FUNCTION u32 pack_plain(u32 transform, u32 is_integer, u32 *from)
{
    turn_colours(transform, from);
    if (is_integer)
        return pack_bytes((i32)(from[0] + 128), (i32)(from[1] + 128), (i32)(from[2] + 128), 0);
    return (u32)finish_real(as_real(from[0]), 8, 0) | (u32)finish_real(as_real(from[1]), 8, 0) << 8 |
           (u32)finish_real(as_real(from[2]), 8, 0) << 16;
}

/* Pack a work-item's pixels of that kind, which are a row apart. `transform` must be a constant. */
FUNCTION void put_plain(u32 transform, u32 is_integer, const u32 *made, LOCAL u32 *pixel)
{
    UNROLL for (u32 i = 0; i < LEVEL_RUN; i++)
    {
        u32 from[3];
        UNROLL for (u32 c = 0; c < 3; c++) from[c] = made[c * LEVEL_RUN + i];
        pixel[i * J2K_LEVEL_WIDTH] = pack_plain(transform, is_integer, from);
    }
}

/*
 * Put a work-item's pixels into the group's memory if they are packed; otherwise write them. `made` has the samples by
 * component.
 */
FUNCTION void finish_column(
    const struct finish *f, u32 is_integer, const u32 *made, LOCAL u32 *pixel, GLOBAL u8 *pixels)
{
    u32 column = own_column() - LEVEL_MARGIN, first = own_run(), turned = is_integer ? 1 : 2;
    if (column >= J2K_LEVEL_WIDTH)
        return;
    pixel += first * J2K_LEVEL_WIDTH + column;
    if (f->output->plain && f->output->transform == turned) {
        put_plain(turned, is_integer, made, pixel);
        return;
    }
    if (f->output->plain && f->output->transform == 0) {
        put_plain(0, is_integer, made, pixel);
        return;
    }
    UNROLL for (u32 i = 0; i < LEVEL_RUN; i++)
    {
        u32 from[3], x = (u32)f->x + column, y = (u32)f->y + first + i;
        UNROLL for (u32 c = 0; c < 3; c++) from[c] = made[c * LEVEL_RUN + i];
        if (f->view->packed)
            pixel[i * J2K_LEVEL_WIDTH] = pack_any(f->output, f->view, from[0], from[1], from[2]);
        else if (x < f->output->width && y < f->output->height)
            put_any(f, pixels, x, y, from);
    }
}

/* Return the number of bytes since the last word boundary. */
FUNCTION u32 past_word(GLOBAL const u8 *at)
{
#if defined(__CUDACC__)
    return (u32)((u64)at & 3);
#else
    return (u32)((uintptr_t)at & 3);
#endif
}

/* The word at byte `first` of a row of packed pixels. */
FUNCTION u32 packed_word(LOCAL const u32 *pixel, u32 pixels, u32 size, u32 first)
{
    u32 at = size == 3 ? first / 3 : first / 4, low = pixel[at], high = pixel[at + 1 < pixels ? at + 1 : at];
    if (size == 3) {
        low |= high << 24;
        high >>= 8;
    }
    return shift_pair(low, high, 8 * (first - at * size));
}

/*
 * Write a word of a row of packed pixels that goes to `to`; at the ends of the row, only those bytes of it that the row
 * has.
 */
FUNCTION void put_word(GLOBAL u8 *to, u32 word, LOCAL const u32 *pixel, u32 pixels, u32 size)
{
    u32 bytes = pixels * size, past = past_word(to), first = 4 * word - past;
    if (4 * word >= past && first + 4 <= bytes) {
        *(GLOBAL u32 *)(GLOBAL void *)(to + first) = packed_word(pixel, pixels, size, first);
        return;
    }
    for (u32 i = 0; i < 4; i++, first++)
        if (first < bytes) /* a place before 0 has wrapped around and is too large as well */
            to[first] = (u8)(pixel[first / size] >> 8 * (first % size));
}

/* Write all rows of the group's packed pixels. */
FUNCTION void put_rows(const struct finish *f, LOCAL const u32 *pixel, GLOBAL u8 *pixels)
{
    GLOBAL const struct j2k_work_output *o = f->output;
    u32 size = f->view->packed, words = (J2K_LEVEL_WIDTH * size + 3) / 4 + 1, word = local_index() % FINISH_ACROSS;
    u32 pitch = f->view->channel[0].pitch;
    i32 left = f->x > 0 ? f->x : 0, top = f->y > 0 ? f->y : 0;
    i32 right = f->x + J2K_LEVEL_WIDTH, bottom = f->y + J2K_LEVEL_HEIGHT;
    right = right < (i32)o->width ? right : (i32)o->width;
    bottom = bottom < (i32)o->height ? bottom : (i32)o->height;
    if (right <= left || word >= words)
        return;
    u32 first = (u32)top + local_index() / FINISH_ACROSS, count = (u32)(right - left);
    GLOBAL u8 *to = channel_at(&f->view->channel[0], pixels, o->x + (u32)left, o->y + first);
    pixel += (first - (u32)f->y) * J2K_LEVEL_WIDTH + (u32)(left - f->x);
    u32 whole = past_word(to) == 0 && pitch % 4 == 0 && 4 * word + 4 <= count * size;
    for (u32 y = first; (i32)y < bottom; y += FINISH_DOWN) {
        if (whole)
            *(GLOBAL u32 *)(GLOBAL void *)(to + 4 * word) = packed_word(pixel, count, size, 4 * word);
        else
            put_word(to, word, pixel, count, size);
        to += (size_t)FINISH_DOWN * pitch;
        pixel += FINISH_DOWN * J2K_LEVEL_WIDTH;
    }
}

/* A kernel for samples of a type; `filter` names the steps of its filter. `narrow`: samples have 16 bits in memory. */
#define FINISH(name, filter, type, narrow)                                                                             \
    DENSE_KERNEL(J2K_LEVEL_GROUP, 4)                                                                                   \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL const u32 *RESTRICT samples, GLOBAL u8 *RESTRICT pixels, u32 list,    \
        u32 count, u32 first_output)                                                                                   \
    {                                                                                                                  \
        SHARED type patch[3 * FINISH_PATCH];                                                                           \
        SHARED u32 pixel[FINISH_PIXELS];                                                                               \
        struct level_patch t;                                                                                          \
        struct finish f = find_finish(work, list, count, first_output, &t);                                            \
        PLACES_OF_PAIRS                                                                                                \
        u32 first[FINISH_TURNS], second[FINISH_TURNS], made[3 * LEVEL_RUN];                                            \
        type even[FINISH_TURNS], odd[FINISH_TURNS];                                                                    \
        load_components(&t, samples, narrow, first, second);                                                           \
        TYPED_PAIRS(type, FINISH_TURNS, first, second, even, odd)                                                      \
        SYNTHESISE_ROWS_##filter(t, FINISH_TURNS, even, odd, patch);                                                   \
        UNROLL for (u32 c = 0; c < 3; c++)                                                                             \
        {                                                                                                              \
            type value[LEVEL_REACH];                                                                                   \
            synthesise_column_##filter(&t, patch + c * FINISH_PATCH, value);                                           \
            UNROLL for (u32 i = 0; i < LEVEL_RUN; i++) made[c * LEVEL_RUN + i] =                                       \
                bits_of_##type(value[LEVEL_MARGIN + i]);                                                               \
        }                                                                                                              \
        finish_column(&f, filter == 53, made, pixel, pixels);                                                          \
        barrier_local();                                                                                               \
        if (f.view->packed)                                                                                            \
            put_rows(&f, pixel, pixels);                                                                               \
    }

FINISH(finish_53, 53, i32, 0)
FINISH(finish_53_narrow, 53, i32, 1)
FINISH(finish_97, 97, float, 0)
