/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares rectangles of tiles, resolutions and subbands (T.800 B.3–B.7) for the parser, the packet reader and the
 * executors.
 */
#ifndef KOSTKA_J2K_SYNTAX_GEOMETRY_H
#define KOSTKA_J2K_SYNTAX_GEOMETRY_H

#include "j2k/plan/plan.h"
#include "j2k/syntax/stream.h"

/*
 * The reach of the inverse filters in interleaved samples: an output sample does not depend on samples farther away
 * (F.3).
 */
enum { J2K_REACH_53 = 2, J2K_REACH_97 = 4 };

static inline uint32_t j2k_ceil_shift(uint32_t value, uint32_t shift)
{
    return (uint32_t)(((uint64_t)value + (UINT64_C(1) << shift) - 1) >> shift);
}

static inline uint32_t j2k_ceil_divide(uint32_t value, uint32_t divisor)
{
    return (uint32_t)(((uint64_t)value + divisor - 1) / divisor);
}

/*
 * Map position i into [i0, i1) by periodic symmetric extension (F-4, F-5); its parity stays the same. The interval must
 * hold at least two positions.
 */
static inline int64_t j2k_mirror(int64_t i, int64_t i0, int64_t i1)
{
    int64_t period = 2 * (i1 - i0 - 1), offset = (i - i0) % period;
    if (offset < 0)
        offset += period;
    return i0 + (offset < period - offset ? offset : period - offset);
}

static inline bool j2k_is_empty(struct j2k_rect rect)
{
    return rect.x0 >= rect.x1 || rect.y0 >= rect.y1;
}

static inline bool j2k_same_rect(struct j2k_rect a, struct j2k_rect b)
{
    return a.x0 == b.x0 && a.y0 == b.y0 && a.x1 == b.x1 && a.y1 == b.y1;
}

static inline struct j2k_rect j2k_intersect(struct j2k_rect a, struct j2k_rect b)
{
    return (struct j2k_rect){.x0 = a.x0 > b.x0 ? a.x0 : b.x0,
        .y0 = a.y0 > b.y0 ? a.y0 : b.y0,
        .x1 = a.x1 < b.x1 ? a.x1 : b.x1,
        .y1 = a.y1 < b.y1 ? a.y1 : b.y1};
}

/*
 * Return the part of a block that lies in its band's window. It is never empty, because a plan leaves out other blocks.
 */
static inline struct j2k_rect j2k_wanted_part(const struct j2k_plan *plan, const struct j2k_block *block)
{
    const struct j2k_rect rect = {block->x, block->y, block->x + block->width, block->y + block->height};
    return j2k_intersect(rect, plan->band[block->band].window);
}

/* Return a rectangle divided by dx and dy (B-12), or by 2^shift (B-14), rounded up. */
struct j2k_rect kst_j2k_divide(struct j2k_rect rect, uint32_t dx, uint32_t dy);
struct j2k_rect kst_j2k_reduce(struct j2k_rect rect, uint32_t shift);

/* Return tile `index` on the reference grid (B-7 … B-10). */
struct j2k_rect kst_j2k_tile_rect(const struct j2k_size *size, uint32_t index);

/*
 * Return the columns and rows of the tiles that contain `region`, which lies in the image, on the reference grid
 * divided by 2^reduce.
 */
struct j2k_rect kst_j2k_tiles_of(const struct j2k_size *size, struct j2k_rect region, uint32_t reduce);

/*
 * Return the samples of a rectangle that fall into the low (0) or high (1) band along x and along y, in the band's
 * coordinates.
 */
struct j2k_rect kst_j2k_band_of(struct j2k_rect rect, uint32_t high_x, uint32_t high_y);

/* Return the rectangle enlarged by `margin` on all sides and clipped to `bounds`. */
struct j2k_rect kst_j2k_enlarge(struct j2k_rect rect, uint32_t margin, struct j2k_rect bounds);

/*
 * Return whether a code-block of the plan is needed to decode `region`, which is on the reference grid, reduced like
 * the plan.
 */
bool kst_j2k_needs_block(const struct j2k_plan *plan, struct j2k_rect region, const struct j2k_block *block);

/*
 * Return how many components decoding makes, and describe one of them: those that CBD declares, which a multiple
 * component transform makes, or else those of SIZ.
 */
uint32_t kst_j2k_made_count(const struct j2k_stream *stream);
struct j2k_component_size kst_j2k_made_component(const struct j2k_stream *stream, uint32_t index);

/* Return the image area on the reference grid, divided by 2^reduce. */
struct j2k_rect kst_j2k_reduced_image(const struct j2k_stream *stream, uint32_t reduce);

#endif
