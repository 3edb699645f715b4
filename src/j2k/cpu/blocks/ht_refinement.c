/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes the bits of significance propagation, and opens the bytes of both refinement passes (T.814 7.1, 7.4). */
#include "j2k/cpu/blocks/ht_refinement.h"

#include "j2k/cpu/blocks/ht_bits.h"

enum { TOP_ROW = 0x1111, BOTTOM_ROW = 0x8888, FIRST_COLUMN = 0x000F, LAST_COLUMN = 0xF000, ALL = 0xFFFF };

/*
 * Return which samples of two quads are significant, as half of a group: a quad's rows are bits 0 and 1 of each column.
 */
static uint32_t half_of_group(const uint16_t *quad)
{
    uint32_t left = J2K_HT_VLC_RHO(quad[0]), right = J2K_HT_VLC_RHO(quad[1]);
    return (left & 3) | (left & 12) << 2 | (right & 3) << 8 | (right & 12) << 10;
}

/* Return the bits of a group for samples inside the block. */
static uint32_t inside(const struct j2k_ht_decoder *decoder, uint32_t stripe, uint32_t group)
{
    uint32_t columns = decoder->width - 4 * group, rows = decoder->height - 4 * stripe;
    uint32_t mask = columns < 4 ? (1U << 4 * columns) - 1 : ALL;
    return rows < 4 ? mask & TOP_ROW * ((1U << rows) - 1) : mask;
}

static void find_significant(struct j2k_ht_decoder *decoder)
{
    for (uint32_t s = 0; s < decoder->stripes; s++)
        for (uint32_t g = 0; g < decoder->group_columns; g++) {
            const uint16_t *quad = decoder->quad + (size_t)2 * s * decoder->quad_pitch + 2 * g + 1;
            uint32_t bits = half_of_group(quad);
            if (2 * s + 1 < decoder->quad_rows)
                bits |= half_of_group(quad + decoder->quad_pitch) << 2;
            decoder->significant[j2k_ht_group_at(decoder, s, g)] = (uint16_t)(bits & inside(decoder, s, g));
        }
}

void kst_j2k_cpu_ht_refinement_open(
    struct j2k_ht_decoder *decoder, const struct j2k_ht_set *set, bool causal, struct j2k_ht_refinement *refinement)
{
    const size_t groups = (size_t)(decoder->stripes + 2) * decoder->group_pitch;
    memset(decoder->significant, 0, groups * sizeof *decoder->significant);
    memset(decoder->spread, 0, groups * sizeof *decoder->spread);
    find_significant(decoder);
    refinement->causal = causal;
    kst_j2k_cpu_ht_open_refinement(decoder, set, &refinement->forward, &refinement->backward);
}

/* Spread bits to their neighbours above and below in a column, and to those on both sides inside the group. */
static uint32_t grow(uint32_t bits)
{
    uint32_t column = bits | (bits << 1 & (ALL & ~TOP_ROW)) | (bits >> 1 & (ALL & ~BOTTOM_ROW));
    return (column | column << 4 | column >> 4) & ALL;
}

/*
 * Do the same for one row of the groups above or below, row `from`: return its bits and their neighbours, in row `row`
 * of this group.
 */
static uint32_t from_row(const uint16_t *group, uint32_t from, uint32_t row)
{
    uint32_t left = (uint32_t)group[-1] >> (12 + from) & 1, right = (uint32_t)group[1] >> from & 1;
    uint32_t here = (uint32_t)group[0] >> from & TOP_ROW;
    return ((here | here << 4 | here >> 4 | left | right << 12) & ALL) << row;
}

static uint32_t column_of(uint32_t bits)
{
    return (bits | bits << 1 | bits >> 1) & FIRST_COLUMN;
}

/*
 * Find samples next to those that are significant so far: `now` after the cleanup pass, and `before` since, in groups
 * that significance propagation has visited.
 */
static uint32_t neighbours(
    const struct j2k_ht_decoder *decoder, const uint16_t *before, const uint16_t *now, bool causal)
{
    const ptrdiff_t pitch = (ptrdiff_t)decoder->group_pitch;
    uint32_t near = grow(now[0]);
    near |= column_of((uint32_t)(before[-1] | now[-1]) >> 12);
    near |= column_of((uint32_t)now[1] & FIRST_COLUMN) << 12;
    const uint16_t above[3] = {(uint16_t)(before[-pitch - 1] | now[-pitch - 1]),
        (uint16_t)(before[-pitch] | now[-pitch]), (uint16_t)(before[-pitch + 1] | now[-pitch + 1])};
    near |= from_row(above + 1, 3, 0);
    return causal ? near : near | from_row(now + pitch, 0, 3);
}

uint32_t kst_j2k_cpu_ht_spread(
    struct j2k_ht_decoder *decoder, struct j2k_ht_refinement *refinement, uint32_t stripe, uint32_t group)
{
    const size_t at = j2k_ht_group_at(decoder, stripe, group);
    const uint16_t *now = decoder->significant + at;
    uint16_t *spread = decoder->spread + at;
    const uint32_t open = inside(decoder, stripe, group) & ~(uint32_t)*now;
    uint32_t next = open & neighbours(decoder, spread, now, refinement->causal), seen = next, fresh = 0;
    while (next != 0) {
        uint32_t bit = next & -next;
        next ^= bit;
        if (!j2k_ht_take(&refinement->forward))
            continue;
        fresh |= bit;
        uint32_t more = open & ~seen & grow(bit) & -bit;
        seen |= more;
        next |= more;
    }
    *spread = (uint16_t)fresh;
    return fresh;
}
