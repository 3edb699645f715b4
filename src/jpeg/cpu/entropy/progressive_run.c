/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the inner loops of progressive decoding, which are compiled once per tier. */
#include "core/report.h"
#include "jpeg/cpu/entropy/progressive.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

static const jpeg_history first_bit = (jpeg_history)1 << 63;

static void note_invalid(const struct jpeg_progressive *scan, struct jpeg_cursor *cursor, struct jpeg_bits bits)
{
    const uint8_t *data = scan->entropy->plan->data;
    uint64_t offset = (uint64_t)(kst_jpeg_cpu_bits_place(bits, data, NULL) - data);
    kst_jpeg_cpu_damage_note(&cursor->damage, KST_WARNING_JPEG_CODE, offset);
    cursor->damage.invalid++;
}

/* Read 0–56 bits. */
ALWAYS_INLINE uint64_t get_bits(struct jpeg_bits *bits, uint32_t n)
{
    if (bits->count < (int32_t)n)
        jpeg_bits_refill(bits);
    uint64_t value = bits->loaded >> 1 >> (63 - n);
    bits->loaded <<= n;
    bits->count -= (int32_t)n;
    return value;
}

ALWAYS_INLINE void consume(struct jpeg_bits *bits, uint32_t n)
{
    bits->loaded <<= n;
    bits->count -= (int32_t)n;
}

ALWAYS_INLINE jpeg_symbol next_symbol(struct jpeg_bits *bits, const struct jpeg_lookup *table)
{
    if (bits->count < 32)
        jpeg_bits_refill(bits);
    return jpeg_lookup_symbol(table, bits->loaded);
}

ALWAYS_INLINE int32_t symbol_value(const struct jpeg_bits *bits, jpeg_symbol symbol)
{
    return jpeg_symbol_value(symbol, bits->loaded);
}

/* Read the first DC scan (G.1.2.1). Sums beyond 32 bits, which only damaged data have, wrap; 16 bits are stored. */
ALWAYS_INLINE uint32_t read_dc_first(
    const struct jpeg_progressive *scan, struct jpeg_cursor *cursor, const struct jpeg_mcu_run *run)
{
    const struct jpeg_entropy *entropy = scan->entropy;
    struct jpeg_bits bits = cursor->bits;
    uint32_t done = 0;
    while (done < run->count && !jpeg_bits_overrun(&bits)) {
        for (uint32_t i = 0; i < entropy->mcu_blocks; i++) {
            uint32_t component = entropy->block_component[i];
            jpeg_symbol dc = next_symbol(&bits, entropy->dc[i]);
            uint32_t sum = (uint32_t)cursor->dc[component] + (uint32_t)symbol_value(&bits, dc);
            consume(&bits, jpeg_symbol_total(dc));
            cursor->dc[component] = (int32_t)sum;
            run->block[i][(size_t)done * run->step[i]] = (int16_t)(sum << scan->al);
            if (__builtin_expect(jpeg_symbol_invalid(dc), 0))
                note_invalid(scan, cursor, bits);
        }
        done++;
    }
    cursor->bits = bits;
    return done;
}

ALWAYS_INLINE uint32_t read_dc_refine(
    const struct jpeg_progressive *scan, struct jpeg_cursor *cursor, const struct jpeg_mcu_run *run)
{
    struct jpeg_bits bits = cursor->bits;
    uint32_t blocks = scan->entropy->mcu_blocks;
    uint32_t done = 0;
    while (done < run->count && !jpeg_bits_overrun(&bits)) {
        uint32_t plane = (uint32_t)get_bits(&bits, blocks);
        for (uint32_t i = 0; i < blocks; i++) {
            int16_t *coefficient = &run->block[i][(size_t)done * run->step[i]];
            *coefficient = (int16_t)(*coefficient | (int32_t)((plane >> (blocks - 1 - i) & 1) << scan->al));
        }
        done++;
    }
    cursor->bits = bits;
    return done;
}

/* Read the length of an EOB run, this block included (figure G.3). The symbol is not consumed yet. */
ALWAYS_INLINE uint32_t read_eob_run(struct jpeg_bits *bits, jpeg_symbol symbol)
{
    uint32_t n = jpeg_symbol_advance(symbol);
    consume(bits, jpeg_symbol_length(symbol));
    if (n == 0 || n == JPEG_INVALID_ADVANCE)
        return 1;
    return (1U << n) + (uint32_t)get_bits(bits, n);
}

/* Derive a block's history from its coefficients, if values may have vanished. */
static jpeg_history look_at_block(const int16_t *block)
{
    jpeg_history history = 0;
    for (uint32_t k = 1; k < 64; k++)
        if (block[kst_jpeg_natural[k]] != 0)
            history |= first_bit >> k;
    return history;
}

/* Read a first AC scan (G.1.2.2). Runs may lead past Se and past the block, where everything is stored at index 63. */
ALWAYS_INLINE uint32_t read_ac_first(
    const struct jpeg_progressive *scan, struct jpeg_cursor *cursor, const struct jpeg_mcu_run *run)
{
    const struct jpeg_lookup *table = scan->ac;
    const uint32_t ss = scan->ss;
    const uint32_t se = scan->se;
    const uint32_t al = scan->al;
    const uint32_t count = run->count;
    struct jpeg_bits bits = cursor->bits;
    uint32_t eob_run = cursor->eob_run;
    uint32_t done = 0;
    while (done < count && !jpeg_bits_overrun(&bits)) {
        if (eob_run > 0) {
            uint32_t skip = eob_run < count - done ? eob_run : count - done;
            eob_run -= skip;
            done += skip;
            continue;
        }
        int16_t *block = run->block[0] + (size_t)done * 64;
        jpeg_history history = 0;
        uint32_t k = ss;
        jpeg_bits_refill(&bits); /* usually enough for the whole block */
        do {
            jpeg_symbol symbol = next_symbol(&bits, table);
            if (__builtin_expect(jpeg_symbol_size(symbol) == 0, 0)) {
                if (jpeg_symbol_advance(symbol) == 15) {
                    consume(&bits, jpeg_symbol_length(symbol));
                    k += 16;
                    continue;
                }
                eob_run = read_eob_run(&bits, symbol) - 1;
                if (__builtin_expect(jpeg_symbol_invalid(symbol), 0))
                    note_invalid(scan, cursor, bits);
                break;
            }
            int32_t value = symbol_value(&bits, symbol);
            consume(&bits, jpeg_symbol_total(symbol));
            k += jpeg_symbol_advance(symbol);
            block[kst_jpeg_natural[k]] = (int16_t)((uint32_t)value << al);
            history |= first_bit >> (k < 63 ? k : 63);
            k++;
        } while (k <= se);
        if (run->history) {
            run->history[done] |= history;
            if (__builtin_expect(scan->vanishing, 0))
                run->history[done] = look_at_block(block);
        }
        done++;
    }
    cursor->bits = bits;
    cursor->eob_run = eob_run;
    return done;
}

/* Spread the lowest bits of `value` over the places set in `mask`. */
ALWAYS_INLINE uint64_t deposit(uint64_t value, uint64_t mask, bool bmi2)
{
#if defined(__x86_64__)
    if (bmi2) {
        uint64_t result;
        __asm__("pdep %2, %1, %0" : "=r"(result) : "r"(value), "r"(mask));
        return result;
    }
#else
    (void)bmi2;
#endif
    uint64_t result = 0;
    for (; mask != 0; mask &= mask - 1, value >>= 1)
        result |= (mask & -mask) & -(value & 1);
    return result;
}

ALWAYS_INLINE uint32_t count_ones(uint64_t value)
{
    return (uint32_t)__builtin_popcountll(value);
}

/* Correction bits in the order in which they were read, the last one lowest. A block has at most 63. */
typedef uint64_t correction_bits;

ALWAYS_INLINE correction_bits read_corrections(struct jpeg_bits *bits, correction_bits before, uint32_t n)
{
    if (__builtin_expect(n > 32, 0)) {
        before = before << 31 << 1 | get_bits(bits, 32);
        n -= 32;
    }
    uint64_t value = get_bits(bits, n);
    return before << n | value;
}

/* Add `one` to the magnitude of each of the coefficients unless that bit is already set (G.1.2.3). */
ALWAYS_INLINE void correct(int16_t *block, jpeg_history corrections, int32_t one)
{
    while (corrections != 0) {
        uint32_t k = (uint32_t)__builtin_clzll(corrections);
        corrections ^= first_bit >> k;
        int16_t *coefficient = &block[kst_jpeg_natural[k]];
        int32_t value = *coefficient;
        int32_t sign = value >> 31;
        int32_t step = (value & one) == 0 ? (one ^ sign) - sign : 0;
        *coefficient = (int16_t)(value + step);
    }
}

/*
 * Isolate a bit of those set in `zeros`: number n from the lowest, found with the tier's instruction, or the (run +
 * 1)th from the highest, which is the same bit.
 */
ALWAYS_INLINE jpeg_history pick(jpeg_history zeros, uint32_t n, uint32_t run, bool bmi2)
{
    if (bmi2)
        return deposit((uint64_t)1 << n, zeros, true);
    for (; run > 0; run--)
        zeros ^= first_bit >> __builtin_clzll(zeros);
    return first_bit >> __builtin_clzll(zeros);
}

/* Handle a code that asks for more zeros than are left: the new coefficient, if any, is stored right after the band. */
static jpeg_history store_behind(int16_t *block, uint32_t se, uint32_t size, int32_t value)
{
    if (size == 0)
        return 0;
    block[kst_jpeg_natural[se + 1]] = (int16_t)value;
    return first_bit >> (se < 63 ? se + 1 : 63);
}

/*
 * Refine one block that no EOB run covers; returns the EOB run that starts in it. What is read depends only on which
 * coefficients are zero, not on their values, so corrections can wait for the end of the block.
 */
ALWAYS_INLINE uint32_t refine_block(const struct jpeg_progressive *scan, struct jpeg_cursor *cursor,
    struct jpeg_bits *bits, int16_t *block, jpeg_history *history, jpeg_history band, bool bmi2)
{
    const int32_t one = 1 << scan->al;
    const jpeg_history last = first_bit >> scan->se;
    const jpeg_history before = *history & band;
    jpeg_history zeros = ~*history & band;
    jpeg_history left = before; /* nonzero coefficients that were not passed yet */
    jpeg_history fresh = 0;
    jpeg_history replaced = 0;
    correction_bits corrections = 0;
    uint32_t zeros_left = count_ones(zeros);
    uint32_t eob_run = 0;
    jpeg_history place;
    jpeg_bits_refill(bits); /* usually enough for the whole block */
    do {
        if (bits->count < JPEG_LONGEST_CODE + 1)
            jpeg_bits_refill(bits);
        jpeg_symbol symbol = jpeg_lookup_symbol(scan->ac, bits->loaded);
        uint32_t size = jpeg_symbol_size(symbol);
        uint32_t run = jpeg_symbol_advance(symbol);
        int32_t value = 0;
        if (__builtin_expect(size == 1, 1)) {
            consume(bits, jpeg_symbol_length(symbol));
            value = bits->loaded & first_bit ? one : -one;
            consume(bits, 1);
        } else if (size == 0 && run != 15) {
            eob_run = read_eob_run(bits, symbol);
            corrections = read_corrections(bits, corrections, count_ones(left));
            left = 0;
            if (__builtin_expect(jpeg_symbol_invalid(symbol), 0))
                note_invalid(scan, cursor, *bits);
            break;
        } else {
            consume(bits, jpeg_symbol_length(symbol));
            if (size > 1) { /* treated as if it were 1 */
                value = get_bits(bits, 1) ? one : -one;
                note_invalid(scan, cursor, *bits);
            }
        }
        if (__builtin_expect(run >= zeros_left, 0)) {
            corrections = read_corrections(bits, corrections, count_ones(left));
            left = 0;
            replaced = store_behind(block, scan->se, size, value);
            break;
        }
        zeros_left -= run + 1;
        place = pick(zeros, zeros_left, run, bmi2);
        if (!bmi2)
            zeros &= place - 1;
        if (size != 0) {
            block[kst_jpeg_natural[__builtin_clzll(place)]] = (int16_t)value;
            fresh |= place;
        }
        jpeg_history passed = left & ~(place - 1);
        if (passed != 0) { /* a branch, so that the rest need not wait for the number of bits */
            corrections = read_corrections(bits, corrections, count_ones(passed));
            left ^= passed;
        }
    } while (place != last);
    *history |= fresh | replaced;
    correct(block, deposit(corrections, before & ~left, bmi2) & ~replaced, one);
    return eob_run;
}

ALWAYS_INLINE uint32_t read_ac_refine(
    const struct jpeg_progressive *scan, struct jpeg_cursor *cursor, const struct jpeg_mcu_run *run, bool bmi2)
{
    const jpeg_history band = (~(jpeg_history)0 >> scan->ss) & (~(jpeg_history)0 << (63 - scan->se));
    const uint32_t count = run->count;
    struct jpeg_bits bits = cursor->bits;
    uint32_t eob_run = cursor->eob_run;
    uint32_t done = 0;
    while (done < count && !jpeg_bits_overrun(&bits)) {
        int16_t *block = run->block[0] + (size_t)done * 64;
        jpeg_history *history = &run->history[done];
        if (eob_run == 0)
            eob_run = refine_block(scan, cursor, &bits, block, history, band, bmi2);
        else if ((*history & band) != 0)
            correct(block, deposit(read_corrections(&bits, 0, count_ones(*history & band)), *history & band, bmi2),
                1 << scan->al);
        eob_run -= eob_run > 0;
        done++;
    }
    cursor->bits = bits;
    cursor->eob_run = eob_run;
    return done;
}

/* The four kinds of scans as functions for one tier. */
#define FUNCTIONS(suffix, attributes, bmi2)                                                                            \
    attributes static uint32_t dc_first_##suffix(                                                                      \
        const struct jpeg_progressive *scan, struct jpeg_cursor *cursor, const struct jpeg_mcu_run *run)               \
    {                                                                                                                  \
        return read_dc_first(scan, cursor, run);                                                                       \
    }                                                                                                                  \
    attributes static uint32_t dc_refine_##suffix(                                                                     \
        const struct jpeg_progressive *scan, struct jpeg_cursor *cursor, const struct jpeg_mcu_run *run)               \
    {                                                                                                                  \
        return read_dc_refine(scan, cursor, run);                                                                      \
    }                                                                                                                  \
    attributes static uint32_t ac_first_##suffix(                                                                      \
        const struct jpeg_progressive *scan, struct jpeg_cursor *cursor, const struct jpeg_mcu_run *run)               \
    {                                                                                                                  \
        return read_ac_first(scan, cursor, run);                                                                       \
    }                                                                                                                  \
    attributes static uint32_t ac_refine_##suffix(                                                                     \
        const struct jpeg_progressive *scan, struct jpeg_cursor *cursor, const struct jpeg_mcu_run *run)               \
    {                                                                                                                  \
        return read_ac_refine(scan, cursor, run, bmi2);                                                                \
    }                                                                                                                  \
    static jpeg_read_run *const functions_##suffix[2][2] = {                                                           \
        {dc_first_##suffix, dc_refine_##suffix}, {ac_first_##suffix, ac_refine_##suffix}};

FUNCTIONS(c, , false)
#if defined(__x86_64__)
FUNCTIONS(bmi2, __attribute__((target("bmi,bmi2,lzcnt,popcnt"))), true)
#endif

jpeg_read_run *kst_jpeg_cpu_progressive_tier(const struct jpeg_scan *scan, enum cpu_tier tier)
{
#if defined(__x86_64__)
    bool deposits = scan->ss > 0 && scan->ah > 0;
    if (tier >= CPU_AVX2 && tier <= CPU_AVX512 && !(deposits && kst_cpu_deposits_slowly()))
        return functions_bmi2[scan->ss > 0][scan->ah > 0];
#else
    (void)tier;
#endif
    return functions_c[scan->ss > 0][scan->ah > 0];
}
