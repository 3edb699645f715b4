/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins weak pixels to edges by rows of bits. A row takes the weak pixels that touch an edge of the row before, and
 * then those that are linked to edges along the row, 64 at once. One sweep down and one up reach every pixel that is
 * linked to an edge without turning back; a few sweeps are enough for photographs. Spirals are left to canny_join.c,
 * which follows pixels one by one.
 */
#include "filters/cpu/canny_sweep.h"

#include "filters/cpu/canny_join.h"

enum { BITS = 64, BYTES = 8, SWEEPS = 6 };

/* Holds two rows of bits for each row of pixels: edges, and pixels that are edges or weak. */
struct filter_sweep_map {
    uint64_t *edge, *open;
    size_t words;
    uint32_t rows;
};

/* Return the least bit of each of eight bytes, the first byte's lowest. */
static uint64_t gather_bits(uint64_t bytes)
{
    return (bytes & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56;
}

/* Read eight marks, the first one into the lowest byte; pixels behind the row's end get 0. */
static uint64_t load_eight(const uint8_t *row, size_t count)
{
    uint64_t eight = 0;
    if (count >= BYTES)
        for (size_t i = 0; i < BYTES; i++)
            eight |= (uint64_t)row[i] << BYTES * i;
    else
        for (size_t i = 0; i < count; i++)
            eight |= (uint64_t)row[i] << BYTES * i;
    return eight;
}

/*
 * Load the marks of a row as bits. Marks are 0, 1 (weak) and 255 (an edge): the lowest bit is set for both kinds, the
 * next one for edges.
 */
static void load_row(const uint8_t *row, size_t width, uint64_t *edge, uint64_t *open)
{
    for (size_t x = 0; x < width; x += BITS) {
        uint64_t edges = 0, opens = 0;
        for (size_t i = 0; i < BITS && x + i < width; i += BYTES) {
            uint64_t eight = load_eight(row + x + i, width - x - i);
            opens |= gather_bits(eight) << i;
            edges |= gather_bits(eight >> 1) << i;
        }
        edge[x / BITS] = edges;
        open[x / BITS] = opens;
    }
}

/* Return the bits reached from `from` through runs of open bits, towards higher and lower places. */
static uint64_t flood(uint64_t from, uint64_t open)
{
    uint64_t up = open & (~(open + from) | from), path = open; /* a carry runs to the end of the open bits */
    for (unsigned step = 1; step < BITS; step *= 2) {
        up |= path & (up >> step);
        path &= path >> step;
    }
    return up;
}

/*
 * Join a row's pixels to edges of the row `beside` it, unless that is null, and along the row. Returns whether any
 * pixel was joined.
 */
static bool join_row(uint64_t *edge, const uint64_t *open, const uint64_t *beside, size_t words)
{
    uint64_t carry = 0, changed = 0;
    for (size_t i = 0; i < words; i++) {
        uint64_t from = edge[i] | carry;
        if (beside) {
            uint64_t before = i > 0 ? beside[i - 1] >> (BITS - 1) : 0;
            uint64_t behind = i + 1 < words ? beside[i + 1] << (BITS - 1) : 0;
            from |= beside[i] | beside[i] << 1 | beside[i] >> 1 | before | behind;
        }
        from &= open[i];
        uint64_t made = open[i] != edge[i] ? flood(from, open[i]) : from;
        changed |= made & ~edge[i];
        edge[i] = made;
        carry = made >> (BITS - 1);
    }
    for (size_t i = words - 1; i-- > 0;) {
        uint64_t from = (edge[i + 1] << (BITS - 1)) & open[i] & ~edge[i];
        if (from)
            edge[i] |= flood(from, open[i]);
        changed |= from;
    }
    return changed > 0;
}

static bool sweep(const struct filter_sweep_map *map, bool up)
{
    bool changed = false;
    for (uint32_t k = 0; k < map->rows; k++) {
        size_t y = up ? map->rows - 1 - k : k;
        const uint64_t *beside = k == 0 ? NULL : map->edge + (up ? y + 1 : y - 1) * map->words;
        changed |= join_row(map->edge + y * map->words, map->open + y * map->words, beside, map->words);
    }
    return changed;
}

/* Write the pixels that became edges. */
static void store_row(uint8_t *row, const uint64_t *edge, size_t words)
{
    for (size_t i = 0; i < words; i++)
        for (uint64_t rest = edge[i]; rest; rest &= rest - 1)
            row[i * BITS + (size_t)__builtin_ctzll(rest)] = FILTER_EDGE;
}

kst_status kst_filter_canny_sweep(
    struct memory *memory, const struct filter_pixels *map, uint32_t first, uint32_t end, bool *done)
{
    kst_status status = KST_OK;
    struct filter_sweep_map bits = {.words = ((size_t)map->width + BITS - 1) / BITS, .rows = end - first};
    bits.edge = kst_memory_array(memory, 2 * (size_t)bits.rows, bits.words * sizeof *bits.edge, &status);
    if (!bits.edge)
        return status;
    bits.open = bits.edge + bits.rows * bits.words;
    for (uint32_t y = 0; y < bits.rows; y++)
        load_row(kst_filter_row(map, first + y), map->width, bits.edge + y * bits.words, bits.open + y * bits.words);
    uint32_t made = 0, still = 0;
    for (; made < SWEEPS && still < 2; made++)
        still = sweep(&bits, made % 2 == 1) ? 0 : still + 1;
    *done = still == 2; /* neither direction finds more */
    for (uint32_t y = 0; y < bits.rows; y++)
        store_row(kst_filter_row(map, first + y), bits.edge + y * bits.words, bits.words);
    kst_memory_release(memory, bits.edge);
    return KST_OK;
}
