/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From coefficients to what the coding passes read: quantiser indices (T.800 Annex E), regions of interest (Annex H),
 * columns of bits; and what each plane gains, by which rates are allocated. A work-group takes a block.
 */
#include "j2k_encode_work.h"
#include "j2k_window.h"

enum {
    MEASURED_BITS = 8, /* below a plane, by which its gain is told */
    LEFT_BITS = 24,    /* of an error that is left out, the uppermost */
    GAIN_SHARES = J2K_PREPARE_GROUP / J2K_GAIN_PLANES
};

/* Half steps that do not count, log2, of a plane's gains and of what is left behind it. */
FUNCTION u32 gain_shift(u32 plane)
{
    return plane + 1 > MEASURED_BITS ? plane + 1 - MEASURED_BITS : 0;
}

FUNCTION u32 left_shift(u32 plane)
{
    return plane + 1 > LEFT_BITS ? plane + 1 - LEFT_BITS : 0;
}

/* The error that is left of the part below and including a plane, which is 2^top; nothing below plane 0. */
FUNCTION i32 error_left(u32 plane, u32 top, i32 part)
{
    i32 one = 1 << top, left = (part & (one - 1)) - (one >> 1);
    return plane == 0 ? 0 : left * left;
}

/* An index with its sign in bit 31, and the quantiser's error in 2^-14 of its step, squared. */
FUNCTION u32 load_index(GLOBAL const struct coded_block *block, GLOBAL const u32 *samples, u32 x, u32 y, u64 *error)
{
    u32 from = samples[block->from + y * block->pitch + x], index;
    if (block->exact) {
        u32 sign = from >> 31;
        index = (from ^ (0 - sign)) + sign + (sign << 31);
    } else {
        float value = float_of(from) * float_of(block->factor), size = value < 0.0f ? -value : value;
        u32 magnitude = (u32)(i32)size;
        float middle = magnitude > 0 ? (float)magnitude + 0.5f : 0.0f;
        i32 part = (i32)((size - middle) * 16384.0f);
        *error += (u64)((i64)part * part);
        index = magnitude | (value < 0.0f ? 0x80000000u : 0);
    }
    if (x >= block->left && x < block->right && y >= block->top && y < block->bottom)
        index = (index & 0x80000000u) | (index & 0x7FFFFFFFu) << block->roi_shift;
    return index;
}

/* Sums over a share of the samples of what a plane gains, and of what all below it would. */
FUNCTION void measure_share(LOCAL const u32 *sample, u32 count, u32 share, u32 plane, u32 exact, i32 *gains, u64 *left)
{
    u32 shift = gain_shift(plane), top = plane + 1 - shift, cut = left_shift(plane), odd = exact ? 0 : 1;
    i32 one = 1 << top;
    for (u32 i = share; i < count; i += GAIN_SHARES) {
        u32 index = sample[i], magnitude = index & 0x7FFFFFFFu, value = (index << 1 | odd) >> shift;
        i32 part = (i32)(value & (u32)(2 * one - 1)), rest = error_left(plane, top, part);
        gains[0] += value >> top == 1 ? part * part - rest : 0;
        gains[1] += value >> top > 1 ? (part - one) * (part - one) - rest : 0;
        gains[2] += value >> top == 1;
        gains[3] += value >> top > 1;
        u32 known = magnitude >> plane << plane, half_steps = 2 * magnitude + odd;
        u32 middle = known > 0 ? 2 * known + (1u << plane) : 0;
        u64 missing = (half_steps > middle ? half_steps - middle : middle - half_steps) >> cut;
        *left += magnitude > 0 ? missing * missing : 0;
    }
}

/* Bits of four planes of a column, the first of them lowest; `first` is the number of a plane, or beyond the last. */
FUNCTION u32 column_planes(const u32 *index, i32 first)
{
    u32 bits = 0;
    for (u32 k = 0; k < J2K_HISTORY && first - (i32)k >= 0; k++)
        UNROLL for (u32 r = 0; r < 4; r++) bits |= (index[r] >> (u32)(first - (i32)k) & 1) << (4 * k + r);
    return bits;
}

/* The eight bits behind the first one of each index, by which its gain is told; of fewer planes fewer bits. */
FUNCTION u32 column_fractions(const u32 *index, u32 exact)
{
    u32 packed = 0;
    UNROLL for (u32 r = 0; r < 4; r++)
    {
        u32 magnitude = index[r] & 0x7FFFFFFFu;
        if (magnitude > 0) {
            u32 plane = 31 - leading_zeros(magnitude), shift = gain_shift(plane);
            u32 part = (magnitude << 1 | (exact ? 0 : 1)) >> shift;
            packed |= (part - (1u << (plane + 1 - shift))) << (8 * r);
        }
    }
    return packed;
}

/* Where a block's lane of its bundle's state starts; in turn: columns, edges, fractions, history. */
struct lane_state {
    GLOBAL u32 *columns, *edges, *fractions;
    GLOBAL u16 *history;
    u32 step, edge_words; /* columns, and words of edges, of each lane */
};

FUNCTION struct lane_state find_lane(GLOBAL const struct work_bundle *bundle, GLOBAL u32 *states, u32 lane)
{
    struct lane_state s;
    u32 chunks = (bundle->width + J2K_CHUNK - 1) / J2K_CHUNK;
    s.step = bundle->width * bundle->stripes;
    s.edge_words = bundle->stripes * chunks * J2K_EDGES;
    s.columns = states + bundle->state + lane;
    s.edges = s.columns + s.step * bundle->lanes;
    s.fractions = s.edges + s.edge_words * bundle->lanes;
    s.history = (GLOBAL u16 *)(states + bundle->state + (2 * s.step + s.edge_words) * bundle->lanes) + lane;
    return s;
}

/* A column of the block, of which the last ones may be short. */
FUNCTION void write_column(GLOBAL const struct coded_block *block, GLOBAL const struct work_bundle *bundle,
    const struct lane_state *s, LOCAL const u32 *sample, u32 stripe, u32 column, u32 planes)
{
    u32 index[4], signs = 0, lanes = bundle->lanes, at = stripe * bundle->width + column;
    UNROLL for (u32 r = 0; r < 4; r++)
    {
        u32 row = 4 * stripe + r;
        index[r] = row < block->height ? sample[row * block->width + column] : 0;
        signs |= (index[r] >> 31) << r;
    }
    s->columns[at * lanes] = signs << COLUMN_SIGN;
    if (block->measured)
        s->fractions[at * lanes] = column_fractions(index, block->exact);
    for (u32 g = 0; g < bundle->history && g * J2K_HISTORY < planes; g++)
        s->history[(u64)(g * s->step + at) * lanes] = (u16)column_planes(index, (i32)planes - 1 - (i32)(4 * g));
}

/* Sums of all shares; the first work-items write one plane each. */
FUNCTION void write_gains(LOCAL const i32 *gains, LOCAL const u64 *left, u32 planes, GLOBAL u32 *to)
{
    u32 plane = local_index();
    if (plane >= planes)
        return;
    i32 sum[4] = {0, 0, 0, 0};
    u64 rest = 0;
    for (u32 i = 0; i < GAIN_SHARES; i++) {
        for (u32 k = 0; k < 4; k++)
            sum[k] += gains[4 * (i * J2K_GAIN_PLANES + plane) + k];
        rest += left[i * J2K_GAIN_PLANES + plane];
    }
    to += plane * J2K_GAIN_WORDS;
    for (u32 k = 0; k < 4; k++)
        to[k] = (u32)sum[k];
    to[4] = (u32)rest;
    to[5] = (u32)(rest >> 32);
}

/* `results`: planes and the quantiser's error of each block; `gains`: of each of its planes, if they are wanted. */
KERNEL(J2K_PREPARE_GROUP)
prepare_blocks(GLOBAL const u32 *RESTRICT list, GLOBAL const u32 *RESTRICT samples, GLOBAL u32 *RESTRICT states,
    GLOBAL u32 *RESTRICT gains, GLOBAL u32 *RESTRICT results)
{
    SHARED u32 sample[J2K_CODED_SAMPLES];
    SHARED i32 share_gains[4 * J2K_PREPARE_GROUP];
    SHARED u64 share_left[J2K_PREPARE_GROUP];
    SHARED u32 most[J2K_PREPARE_GROUP];
    GLOBAL const struct j2k_list_work *head = (GLOBAL const struct j2k_list_work *)list;
    GLOBAL const struct coded_block *block = (GLOBAL const struct coded_block *)(list + head->block) + group_index();
    GLOBAL const struct work_bundle *bundle = (GLOBAL const struct work_bundle *)(list + head->bundle) + block->bundle;
    GLOBAL struct coded_result *result = (GLOBAL struct coded_result *)(results + J2K_LIST_HEAD) + group_index();
    u32 self = local_index(), count = block->width * block->height, any = 0, planes;
    u64 error = 0;
    for (u32 i = self; i < count; i += J2K_PREPARE_GROUP) {
        u32 y = i / block->width, index = load_index(block, samples, i - y * block->width, y, &error);
        sample[i] = index;
        any |= index;
    }
    most[self] = any & 0x7FFFFFFFu;
    share_left[self] = error;
    barrier_local();
    for (u32 step = J2K_PREPARE_GROUP / 2; step > 0; step /= 2) {
        if (self < step) {
            most[self] |= most[self + step];
            share_left[self] += share_left[self + step];
        }
        barrier_local();
    }
    planes = 32 - leading_zeros(most[0]);
    if (self == 0) {
        result->planes = planes;
        result->error_low = block->measured ? (u32)share_left[0] : 0;
        result->error_high = block->measured ? (u32)(share_left[0] >> 32) : 0;
    }
    struct lane_state s = find_lane(bundle, states, block->lane);
    u32 columns = block->width * ((block->height + 3) / 4);
    for (u32 i = self; i < columns; i += J2K_PREPARE_GROUP)
        write_column(block, bundle, &s, sample, i / block->width, i % block->width, planes);
    for (u32 i = self; i < s.edge_words; i += J2K_PREPARE_GROUP)
        s.edges[i * bundle->lanes] = 0;
    barrier_local();
    if (block->measured) {
        u32 plane = self % J2K_GAIN_PLANES;
        i32 own[4] = {0, 0, 0, 0};
        u64 left = 0;
        if (plane < planes)
            measure_share(sample, count, self / J2K_GAIN_PLANES, plane, block->exact, own, &left);
        for (u32 k = 0; k < 4; k++)
            share_gains[4 * self + k] = own[k];
        share_left[self] = left;
        barrier_local();
        write_gains(share_gains, share_left, planes, gains + group_index() * J2K_GAIN_PLANES * J2K_GAIN_WORDS);
    }
}
