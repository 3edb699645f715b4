/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads three components whose pixels are interleaved bytes, and transforms their last level in the same kernel, so
 * that the samples of that level are only in the group's memory. The operations are those of take_in and analyse_53 or
 * analyse_97, in the same order.
 */
#include "j2k/kernels/analyse.h"
#include "j2k/kernels/intake.h"

enum { BEGIN_GROUPS = 6 /* groups that a multiprocessor should hold; more would spill registers */ };

/* Return where pixel (x, y) of an output lies. */
FUNCTION GLOBAL const u8 *find_pixel(GLOBAL const struct j2k_work_view *view, GLOBAL const struct j2k_work_output *o,
    GLOBAL const u8 *pixels, u32 x, u32 y)
{
    u64 place = pixel_place(view, o->x + x, o->y + y);
#if defined(__CUDACC__)
    if (view->channel[0].absolute)
        return (const u8 *)place;
#endif
    return pixels + place;
}

/* Load a pixel: red in the lowest byte, then green and blue. */
FUNCTION u32 load_pixel(GLOBAL const u8 *from)
{
    return (u32)from[0] | (u32)from[1] << 8 | (u32)from[2] << 16;
}

/*
 * Load a work-item's pixels of a patch, or their mirror images, to its places in the group's memory, because registers
 * are scarce.
 */
FUNCTION void load_pixels(const struct level_patch *t, GLOBAL const struct j2k_work_view *view,
    GLOBAL const struct j2k_work_output *o, GLOBAL const u8 *pixels, LOCAL u32 *pixel)
{
    GLOBAL const struct j2k_work_level *level = t->level;
    i32 x0 = (i32)level->x0, y0 = (i32)level->y0, y1 = (i32)level->y1;
    i32 y = t->y + (i32)(local_index() / (2 * LEVEL_PAIRS));
    u32 x = (u32)(mirror(t->x + (i32)own_column(), x0, (i32)level->x1) - x0);
    if (t->y >= y0 && t->y + LEVEL_ROWS <= y1) {
        GLOBAL const u8 *from = find_pixel(view, o, pixels, x, (u32)(y - y0));
        i64 step = (i64)LOAD_STEP * (i32)view->channel[0].pitch;
        u32 found[LOADED];
        UNROLL for (u32 k = 0; k < LOADED; k++) found[k] = load_pixel(from + (i64)k * step);
        UNROLL for (u32 k = 0; k < LOADED; k++) pixel[k * J2K_LEVEL_GROUP + local_index()] = found[k];
        return;
    }
    UNROLL for (u32 k = 0; k < LOADED; k++)
    {
        i32 row = mirror(y + (i32)(k * LOAD_STEP), y0, y1) - y0;
        pixel[k * J2K_LEVEL_GROUP + local_index()] = load_pixel(find_pixel(view, o, pixels, x, (u32)row));
    }
}

/* Return a byte of a pixel as a level-shifted sample of 8 bits (G.1). */
FUNCTION i32 sample_of(u32 pixel, u32 channel)
{
    return (i32)(pixel >> 8 * channel & 255) - 128;
}

/* Return the sample of component `c` (G.2.1, G.3.1), as the bits of the type that the filter takes. */
FUNCTION u32 component_53(u32 pixel, u32 c, u32 transform)
{
    i32 red = sample_of(pixel, 0), green = sample_of(pixel, 1), blue = sample_of(pixel, 2);
    if (transform == J2K_TRANSFORM_NONE)
        return (u32)sample_of(pixel, c);
    return (u32)(c == 0 ? (red + 2 * green + blue) >> 2 : c == 1 ? blue - green : red - green);
}

FUNCTION u32 component_97(u32 pixel, u32 c, u32 transform)
{
    float red = (float)sample_of(pixel, 0), green = (float)sample_of(pixel, 1), blue = (float)sample_of(pixel, 2);
    float from_red = c == 0 ? J2K_ICT_Y_RED : c == 1 ? -J2K_ICT_CB_RED : 0.5f;
    float from_green = c == 0 ? J2K_ICT_Y_GREEN : c == 1 ? -J2K_ICT_CB_GREEN : -J2K_ICT_CR_GREEN;
    float from_blue = c == 0 ? J2K_ICT_Y_BLUE : c == 1 ? 0.5f : -J2K_ICT_CR_BLUE;
    if (transform == J2K_TRANSFORM_NONE)
        return bits_of((float)sample_of(pixel, c));
    return bits_of(from_red * red + from_green * green + from_blue * blue);
}

/*
 * Define a kernel for a filter. A launch reads the pixels of those outputs of the part whose last level is computed
 * with them.
 */
#define BEGIN(name, filter, type)                                                                                      \
    DENSE_KERNEL(J2K_LEVEL_GROUP, BEGIN_GROUPS)                                                                        \
    name(GLOBAL const u32 *RESTRICT work, GLOBAL const u8 *RESTRICT pixels, GLOBAL u32 *RESTRICT samples, u32 list,    \
        u32 count, u32 first_output)                                                                                   \
    {                                                                                                                  \
        SHARED type patch[LEVEL_ROWS * LEVEL_ROW];                                                                     \
        SHARED u32 pixel[LOADED * J2K_LEVEL_GROUP];                                                                    \
        GLOBAL const struct j2k_part_work *head = (GLOBAL const struct j2k_part_work *)work;                           \
        GLOBAL const u32 *groups = work + list;                                                                        \
        u32 index = find_owner(groups, count, group_index());                                                          \
        GLOBAL const struct j2k_work_output *o =                                                                       \
            (GLOBAL const struct j2k_work_output *)(work + head->output) + first_output + index;                       \
        GLOBAL const struct j2k_work_level *level =                                                                    \
            (GLOBAL const struct j2k_work_level *)(work + head->level) + o->level;                                     \
        struct level_patch t = patch_of(level, group_index() - groups[index]);                                         \
        u32 sample[LOADED], even[ANALYSED_TURNS], odd[ANALYSED_TURNS];                                                 \
        load_pixels(&t, (GLOBAL const struct j2k_work_view *)(work + head->view) + o->view, o, pixels, pixel);         \
        ROLL for (u32 c = 0; c < 3; c++)                                                                               \
        {                                                                                                              \
            UNROLL for (u32 k = 0; k < LOADED; k++) sample[k] =                                                        \
                component_##filter(pixel[k * J2K_LEVEL_GROUP + local_index()], c, o->transform);                       \
            t.level = level + c;                                                                                       \
            barrier_local();                                                                                           \
            analyse_patch_##filter(&t, patch, sample, even, odd);                                                      \
            store_in_band(&t, samples, 0, even);                                                                       \
            store_in_band(&t, samples, 1, odd);                                                                        \
        }                                                                                                              \
    }

BEGIN(begin_53, 53, i32)
BEGIN(begin_97, 97, float)
