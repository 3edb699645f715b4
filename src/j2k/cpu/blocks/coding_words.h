/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the contexts of a stripe's coefficients (T.800 D.3), one bit of the context's number for a word of
 * coefficients at a time. This can be done before a pass, because an encoder knows which coefficients become
 * significant in it.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_CODING_WORDS_H
#define KOSTKA_J2K_CPU_BLOCKS_CODING_WORDS_H

#include "j2k/cpu/blocks/block_encode.h"

enum { J2K_STRIPE_WORDS = J2K_BLOCK_SIDE / 16 };

/* The rules of Table D.1. */
enum j2k_zero_rule { J2K_LOW_RULE, J2K_HIGH_LOW_RULE, J2K_HIGH_HIGH_RULE };

/* Holds the words of a stripe. All sets except the plane's bits have zero words around them (scan_words.h). */
struct j2k_stripe {
    uint32_t words;
    uint64_t rows, last_columns; /* bits that belong to the block: in every word, in the last word */
    const uint64_t *bits;        /* bits of the plane */
    uint64_t *significant, *visited, *refined, *negative;
    ptrdiff_t pitch; /* distance to the words of the stripe below */
};

ALWAYS_INLINE struct j2k_stripe j2k_stripe_at(struct j2k_block_encoder *encoder, uint32_t stripe)
{
    const size_t pitch = encoder->words + 1, index = (stripe + 1) * pitch + 1;
    return (struct j2k_stripe){.words = encoder->words,
        .rows = stripe + 1 == encoder->stripes ? encoder->last_rows : UINT64_MAX,
        .last_columns = encoder->last_columns,
        .bits = encoder->bits + (size_t)stripe * encoder->words,
        .significant = encoder->significant + index,
        .visited = encoder->visited + index,
        .refined = encoder->refined + index,
        .negative = encoder->negative + index,
        .pitch = (ptrdiff_t)pitch};
}

/* Return the coefficients of a word that are in the block and not significant. */
ALWAYS_INLINE uint64_t j2k_insignificant(const struct j2k_stripe *s, uint32_t w)
{
    return s->rows & (w + 1 == s->words ? s->last_columns : UINT64_MAX) & ~s->significant[w];
}

/*
 * Find the coefficients of a word that the significance pass codes (D.3.1), once it has coded those before; mark them
 * significant if the plane has their bit set. The loop branches only on how often significance spreads from one
 * coefficient to the next, not on which coefficients these are.
 */
ALWAYS_INLINE uint64_t j2k_spread_significance(const struct j2k_stripe *s, uint32_t w, bool causal)
{
    uint64_t open = j2k_insignificant(s, w), reached = open & j2k_near(s->significant + w, s->pitch, causal);
    for (uint64_t fresh = reached & s->bits[w]; fresh != 0;) {
        uint64_t more = open & ~reached & j2k_later_neighbours(fresh);
        reached |= more;
        fresh = more & s->bits[w];
    }
    s->significant[w] |= reached & s->bits[w];
    return reached;
}

/* Return the coefficients that have a significant neighbour. */
ALWAYS_INLINE uint64_t j2k_have_neighbours(const uint64_t *significant, ptrdiff_t pitch, bool causal)
{
    uint64_t below = causal ? 0 : significant[pitch];
    uint64_t near = j2k_near_in_columns(significant, pitch, causal);
    uint64_t left = j2k_near_in_columns(significant - 1, pitch, causal);
    uint64_t right = j2k_near_in_columns(significant + 1, pitch, causal);
    return j2k_below_in_columns(*significant, significant[-pitch]) | j2k_above_in_columns(*significant, below) |
           near << 4 | left >> 60 | near >> 4 | right << 60;
}

/* Holds the significant neighbours of a word's coefficients at the moment when they are coded. */
struct j2k_around {
    uint64_t north, west, east, south;
    uint64_t north_west, north_east, south_west, south_east;
};

/* Describes a word and its neighbours to the left and the right. */
struct j2k_three {
    uint64_t left, own, right;
};

ALWAYS_INLINE struct j2k_three j2k_three_at(const uint64_t *word)
{
    return (struct j2k_three){word[-1], word[0], word[1]};
}

/* Return for each coefficient the bit of the column to its left or, below, to its right. */
ALWAYS_INLINE uint64_t j2k_from_left(uint64_t own, uint64_t left)
{
    return own << 4 | left >> 60;
}

ALWAYS_INLINE uint64_t j2k_from_right(uint64_t own, uint64_t right)
{
    return own >> 4 | right << 60;
}

/*
 * Find significant neighbours. `after` and `above` are the significance after the pass, in this stripe and in the one
 * above; `before` and `below` are the significance before the pass, in this stripe and in the one below.
 */
ALWAYS_INLINE struct j2k_around j2k_look_around(
    struct j2k_three before, struct j2k_three after, struct j2k_three above, struct j2k_three below)
{
    uint64_t north = j2k_below_in_columns(after.own, above.own);
    uint64_t south = j2k_above_in_columns(before.own, below.own);
    return (struct j2k_around){.north = north,
        .south = south,
        .west = j2k_from_left(after.own, after.left),
        .east = j2k_from_right(before.own, before.right),
        .north_west = j2k_from_left(north, j2k_below_in_columns(after.left, above.left)),
        .south_west =
            j2k_from_left(j2k_above_in_columns(after.own, below.own), j2k_above_in_columns(after.left, below.left)),
        .north_east = j2k_from_right(
            j2k_below_in_columns(before.own, above.own), j2k_below_in_columns(before.right, above.right)),
        .south_east = j2k_from_right(south, j2k_above_in_columns(before.right, below.right))};
}

ALWAYS_INLINE uint64_t j2k_diagonal_or_beside(const struct j2k_around *a)
{
    return a->west | a->east | a->north_west | a->north_east | a->south_west | a->south_east;
}

/* Holds the bits of contexts' numbers, one word for each bit. */
struct j2k_number {
    uint64_t bit[4];
};

/* Return the contexts of Table D.1. `one_way` are the neighbours along the direction in which the band is low-pass. */
ALWAYS_INLINE struct j2k_number j2k_number_one_way(
    uint64_t one_way, uint64_t both, uint64_t other, uint64_t others, const struct j2k_around *a)
{
    uint64_t up = a->north_west | a->north_east, down = a->south_west | a->south_east, diagonal = up | down;
    uint64_t two = (a->north_west & a->north_east) | (a->south_west & a->south_east) | (up & down);
    uint64_t one = one_way & ~both, none = ~one_way, some = none & other & ~others, neither = none & ~other;
    return (struct j2k_number){{(one & (other | ~diagonal)) | some | (neither & diagonal & ~two),
        (one & (other | diagonal)) | some | (neither & two), one | (none & others), both}};
}

ALWAYS_INLINE struct j2k_number j2k_number_both_ways(const struct j2k_around *a)
{
    uint64_t up = a->north_west | a->north_east, both_up = a->north_west & a->north_east;
    uint64_t down = a->south_west | a->south_east, both_down = a->south_west & a->south_east;
    uint64_t three = (both_up & down) | (both_down & up), two = (both_up | both_down | (up & down)) & ~three;
    uint64_t none = ~(up | down), one = ~(none | two | three);
    uint64_t beside = a->west | a->east, vertical = a->north | a->south, near = beside | vertical;
    uint64_t several = (a->west & a->east) | (a->north & a->south) | (beside & vertical);
    return (struct j2k_number){{(two & near) | (one & (several | ~near)) | (none & near & ~several),
        two | (one & ~near) | (none & several), two | (one & near), three}};
}

ALWAYS_INLINE struct j2k_number j2k_zero_number(enum j2k_zero_rule rule, const struct j2k_around *a)
{
    uint64_t beside = a->west | a->east, both_beside = a->west & a->east;
    uint64_t vertical = a->north | a->south, both_vertical = a->north & a->south;
    if (rule == J2K_LOW_RULE)
        return j2k_number_one_way(beside, both_beside, vertical, both_vertical, a);
    if (rule == J2K_HIGH_LOW_RULE)
        return j2k_number_one_way(vertical, both_vertical, beside, both_beside, a);
    return j2k_number_both_ways(a);
}

/*
 * Return the sign coding (Tables D.2 and D.3): bit 0 is the bit to code, the bits above it are the context's number
 * relative to J2K_CONTEXT_SIGN.
 */
ALWAYS_INLINE struct j2k_number j2k_sign_number(
    const struct j2k_around *a, struct j2k_three negative, uint64_t above, uint64_t below)
{
    uint64_t west = j2k_from_left(negative.own, negative.left), east = j2k_from_right(negative.own, negative.right);
    uint64_t north = j2k_below_in_columns(negative.own, above), south = j2k_above_in_columns(negative.own, below);
    uint64_t plus = (a->west & ~west) | (a->east & ~east), minus = (a->west & west) | (a->east & east);
    uint64_t up = (a->north & ~north) | (a->south & ~south), down = (a->north & north) | (a->south & south);
    uint64_t beside = plus ^ minus, vertical = up ^ down; /* contributions that are not 0 */
    uint64_t same = beside & vertical & ~(minus ^ down);
    uint64_t flipped = (beside & minus) | (~beside & vertical & down);
    return (struct j2k_number){{negative.own ^ flipped, beside ^ vertical, beside & ~same, same}};
}

#endif
