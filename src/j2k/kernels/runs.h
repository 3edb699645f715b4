/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes a code-block for a work-group that processes all its samples at the same time. A work-item has a run of up
 * to eight columns of a stripe with four rows each: 32 samples in the order in which they are coded, as the bits of a
 * word, the first one lowest. In blocks of up to four columns, a run has two stripes, one in each half of the word.
 * Runs are numbered in coding order, too.
 */
#include "j2k/kernels/contexts.h"
#include "j2k/kernels/measure.h"

enum { RUN_COLUMNS = 8, NARROW_COLUMNS = 4 };

#define FIRST_ROWS 0x11111111u
#define ROWS_BUT_FIRST 0xEEEEEEEEu
#define ROWS_BUT_LAST 0x77777777u
#define LAST_ROWS 0x88888888u

struct run {
    u32 narrow; /* a run has two stripes of up to four columns */
    u32 across; /* number of runs of a stripe */
    u32 runs;   /* number of runs of the block */
    u32 self;
    u32 stripe, column;       /* stripe and column of its first sample */
    u32 from_west, from_east; /* samples that have a neighbour in that direction in the same run */
    u32 causal;
    u32 live; /* samples that exist */
};

/* Return the rows of a stripe that exist, as bits. */
FUNCTION u32 stripe_rows(u32 height, u32 stripe)
{
    u32 rows = height > 4 * stripe ? height - 4 * stripe : 0;
    return rows < 4 ? (1u << rows) - 1 : 15;
}

FUNCTION struct run find_run(GLOBAL const struct j2k_work_coded_block *block)
{
    struct run r;
    u32 stripes = (block->height + 3) / 4;
    r.self = local_index();
    r.narrow = block->width <= NARROW_COLUMNS;
    r.across = r.narrow ? 1 : (block->width + RUN_COLUMNS - 1) / RUN_COLUMNS;
    r.runs = r.narrow ? (stripes + 1) / 2 : stripes * r.across;
    r.stripe = r.narrow ? 2 * r.self : r.self / r.across;
    r.column = r.narrow ? 0 : r.self % r.across * RUN_COLUMNS;
    r.from_west = r.narrow ? 0xFFF0FFF0u : 0xFFFFFFF0u;
    r.from_east = r.narrow ? 0x0FFF0FFFu : 0x0FFFFFFFu;
    u32 columns = block->width - r.column, low = stripe_rows(block->height, r.stripe);
    u32 high = r.narrow ? stripe_rows(block->height, r.stripe + 1) : low;
    u32 most = r.narrow ? NARROW_COLUMNS : RUN_COLUMNS;
    columns = columns < most ? columns : most;
    u32 there = columns == RUN_COLUMNS ? 0xFFFFFFFFu : (1u << 4 * columns) - 1;
    there |= r.narrow ? there << 16 : 0;
    r.live = r.self < r.runs ? ((low * 0x1111u) | (high * 0x1111u) << 16) & there : 0;
    return r;
}

/* Return the column, and with the next function the row, of the sample at bit i of a run's word. */
FUNCTION u32 run_column(const struct run *r, u32 i)
{
    return r->column + (r->narrow ? i / 4 % NARROW_COLUMNS : i / 4);
}

FUNCTION u32 run_row(const struct run *r, u32 i)
{
    return 4 * (r->stripe + (r->narrow ? i / 16 : 0)) + i % 4;
}

/*
 * Load the planes of a run's samples, with signs in the last word. The bits of all magnitudes are joined with *any.
 * Returns the quantiser's error, if it is wanted.
 */
FUNCTION u64 load_planes(const struct run *r, GLOBAL const struct j2k_work_coded_block *block,
    GLOBAL const u32 *samples, u32 *word, LOCAL u32 *any)
{
    u64 error = 0;
    u32 bits = 0, aligned = ((block->from | block->pitch) & 3) == 0 && !r->narrow;
    UNROLL for (u32 row = 0; row < 4; row++)
    {
        u32 at = block->from + (4 * r->stripe + row) * block->pitch + r->column;
        if (aligned && r->live == 0xFFFFFFFFu) {
            GLOBAL const u32x4 *from = (GLOBAL const u32x4 *)(GLOBAL const void *)(samples + at);
            u32x4 low = from[0], high = from[1];
            word[row] = low.x;
            word[4 + row] = low.y;
            word[8 + row] = low.z;
            word[12 + row] = low.w;
            word[16 + row] = high.x;
            word[20 + row] = high.y;
            word[24 + row] = high.z;
            word[28 + row] = high.w;
        } else {
            UNROLL for (u32 i = row; i < RUN_SAMPLES; i += 4) word[i] =
                r->live >> i & 1 ? samples[block->from + run_row(r, i) * block->pitch + run_column(r, i)] : 0;
        }
    }
    float factor = float_of(block->factor);
    if (!block->exact && (block->measured & J2K_MEASURED_ERRORS) != 0) {
        UNROLL for (u32 i = 0; i < RUN_SAMPLES; i++) error += error_of_real(word[i], factor);
    }
    if (block->exact) {
        UNROLL for (u32 i = 0; i < RUN_SAMPLES; i++) word[i] = index_of_integer(word[i]);
    } else {
        UNROLL for (u32 i = 0; i < RUN_SAMPLES; i++) word[i] = index_of_real(word[i], factor);
    }
    if (block->right > block->left) {
        UNROLL for (u32 i = 0; i < RUN_SAMPLES; i++) word[i] = raised(block, word[i], run_column(r, i), run_row(r, i));
    }
    UNROLL for (u32 i = 0; i < RUN_SAMPLES; i++) bits |= word[i];
    join_local(any, bits & 0x7FFFFFFFu);
    transpose(word);
    return error;
}

/*
 * Holds a word of the run and the words of the runs around it. Those above and below are from the adjacent stripes,
 * with columns as in the run's word.
 */
struct around {
    u32 own, west, east, above, above_west, above_east, below, below_west, below_east;
};

FUNCTION u32 word_of(LOCAL const u32 *words, u32 index, u32 is_there)
{
    return is_there ? words[index] : 0;
}

FUNCTION struct around look_around(const struct run *r, LOCAL const u32 *words)
{
    struct around a;
    u32 self = r->self, there = self < r->runs, last = r->across - 1, k = r->narrow ? 0 : self % r->across;
    u32 up = self >= r->across, down = there && self + r->across < r->runs && !r->causal;
    a.own = words[self];
    a.west = word_of(words, self - 1, there && k > 0);
    a.east = word_of(words, self + 1, there && k < last);
    a.above = word_of(words, self - r->across, there && up);
    a.above_west = word_of(words, self - r->across - 1, there && up && k > 0);
    a.above_east = word_of(words, self - r->across + 1, there && up && k < last);
    a.below = word_of(words, self + r->across, down);
    a.below_west = word_of(words, self + r->across - 1, down && k > 0);
    a.below_east = word_of(words, self + r->across + 1, down && k < last);
    if (r->narrow) {
        a.above = a.above >> 16 | a.own << 16;
        a.below = r->causal ? 0 : a.own >> 16 | a.below << 16;
    }
    return a;
}

FUNCTION struct around join_around(const struct around *a, const struct around *b)
{
    struct around both;
    both.own = a->own | b->own;
    both.west = a->west | b->west;
    both.east = a->east | b->east;
    both.above = a->above | b->above;
    both.above_west = a->above_west | b->above_west;
    both.above_east = a->above_east | b->above_east;
    both.below = a->below | b->below;
    both.below_west = a->below_west | b->below_west;
    both.below_east = a->below_east | b->below_east;
    return both;
}

/*
 * Return, for each sample, the value of its western neighbour in the same row, and with the next function of its
 * eastern neighbour. The words are those of the run and of the adjacent run.
 */
FUNCTION u32 to_west(const struct run *r, u32 own, u32 west)
{
    return (own << 4 & r->from_west) | west >> 28;
}

FUNCTION u32 to_east(const struct run *r, u32 own, u32 east)
{
    return (own >> 4 & r->from_east) | east << 28;
}

/*
 * Return the samples of first rows for which any of the three nearest samples of the stripe above is set, and with the
 * next function the same for last rows and the stripe below.
 */
FUNCTION u32 any_above(const struct run *r, const struct around *a)
{
    u32 three = a->above | to_west(r, a->above, a->above_west) | to_east(r, a->above, a->above_east);
    return three >> 3 & FIRST_ROWS;
}

FUNCTION u32 any_below(const struct run *r, const struct around *a)
{
    u32 three = a->below | to_west(r, a->below, a->below_west) | to_east(r, a->below, a->below_east);
    return three << 3 & LAST_ROWS;
}

/* Return the samples that are set, or have a neighbour that is set in their column of the stripe. */
FUNCTION u32 with_neighbours(u32 word)
{
    return word | (word << 1 & ROWS_BUT_FIRST) | (word >> 1 & ROWS_BUT_LAST);
}

/*
 * Return the samples that have a set neighbour among all eight, and with the next function those that have one among
 * the neighbours that are coded before them.
 */
FUNCTION u32 any_near(const struct run *r, const struct around *a)
{
    u32 sides = to_west(r, a->own, a->west) | to_east(r, a->own, a->east);
    u32 column = (a->own << 1 & ROWS_BUT_FIRST) | (a->own >> 1 & ROWS_BUT_LAST);
    return with_neighbours(sides) | column | any_above(r, a) | any_below(r, a);
}

FUNCTION u32 any_before(const struct run *r, const struct around *a)
{
    return with_neighbours(to_west(r, a->own, a->west)) | (a->own << 1 & ROWS_BUT_FIRST) | any_above(r, a);
}

/*
 * A board is a 64-bit word with ten columns of six bits: the run's columns and one on either side, with rows −1 to 4.
 * Sample i is bit board_place(i) + 7, with its neighbours around it. In narrow runs, an empty column lies between the
 * two halves.
 */
FUNCTION u32 board_gap(const struct run *r)
{
    return r->narrow ? 6 : 0;
}

FUNCTION u32 board_place(const struct run *r, u32 i)
{
    return i + i / 4 * 2 + (i >= 16 ? board_gap(r) : 0);
}

FUNCTION u64 board_rows(const struct run *r, u32 word)
{
    u64 low = 0, high = 0;
    UNROLL for (u32 c = 0; c < 4; c++)
    {
        low |= (u64)(word >> 4 * c & 15) << (6 * c + 7);
        high |= (u64)(word >> (4 * c + 16) & 15) << (6 * c + 31);
    }
    return low | high << board_gap(r);
}

/* Return a board on which the samples of first rows of a word are in row −1. */
FUNCTION u64 board_row(const struct run *r, u32 word)
{
    u64 low = 0, high = 0;
    UNROLL for (u32 c = 0; c < 4; c++)
    {
        low |= (u64)(word >> 4 * c & 1) << (6 * c + 6);
        high |= (u64)(word >> (4 * c + 16) & 1) << (6 * c + 30);
    }
    return low | high << board_gap(r);
}

/*
 * Return the frame of a board: the samples around the run, from `before` if they are coded before the run, and
 * otherwise from `after`.
 */
FUNCTION u64 board_frame(const struct run *r, const struct around *before, const struct around *after)
{
    u32 west = before->above_west >> 31 | before->west >> 28 << 1 | (after->below_west >> 28 & 1) << 5;
    u32 east = (before->above_east >> 3 & 1) | (after->east & 15) << 1 | (after->below_east & 1) << 5;
    return board_row(r, before->above >> 3) | board_row(r, after->below) << 5 | west | (u64)east << 54;
}

/*
 * Return a sample's neighbourhood on a board, as an index into the table of zero-coding contexts, and with the next
 * function into that of sign contexts.
 */
FUNCTION u32 board_near(u64 board, u32 place)
{
    u32 bits = (u32)(board >> place);
    return (bits & 7) | (bits >> 3 & 0x38) | (bits >> 6 & 0x1C0);
}

FUNCTION u32 board_cross(u64 significant, u64 negative, u32 place)
{
    const u32 cross = 1u << 1 | 1u << 6 | 1u << 8 | 1u << 13;
    u32 both = ((u32)(significant >> place) & cross) | ((u32)(negative >> place) & cross) << 1;
    return (both >> 1 & 3) | (both >> 4 & 0x3C) | (both >> 7 & 0xC0);
}
