/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the inner loop of Huffman decoding, which is compiled once per tier. */
#include "core/report.h"
#include "jpeg/cpu/entropy/run.h"

enum {
    /* Below this index a pair's first symbol, a run of at most 15 and a coefficient, cannot end the block. */
    PAIRS_END = 48
};

static void note_invalid(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, struct jpeg_bits bits)
{
    const uint8_t *data = entropy->plan->data;
    uint64_t offset = (uint64_t)(kst_jpeg_cpu_bits_place(bits, data, NULL) - data);
    kst_jpeg_cpu_damage_note(&cursor->damage, KST_WARNING_JPEG_CODE, offset);
    cursor->damage.invalid++;
}

static inline __attribute__((always_inline)) void consume(struct jpeg_bits *bits, jpeg_symbol symbol)
{
    bits->loaded <<= jpeg_symbol_total(symbol);
    bits->count -= (int32_t)jpeg_symbol_total(symbol);
}

/* Clear a block, sixteen bytes at a time. As memset it would become a string instruction, which is slow to start. */
static inline __attribute__((always_inline)) void clear_block(int16_t *block)
{
    typedef int16_t row __attribute__((vector_size(16), may_alias));
    for (uint32_t i = 0; i < 8; i++)
        ((row *)block)[i] = (row){0};
}

/*
 * Decode the DC coefficient (F.2.2.1). Sizes up to 15 let the prediction exceed 32 bits only in damaged data, where it
 * wraps.
 */
static inline __attribute__((always_inline)) jpeg_symbol read_dc(
    struct jpeg_bits *bits, const struct jpeg_lookup *table, int32_t *prediction)
{
    jpeg_symbol symbol = jpeg_lookup_symbol(table, bits->loaded);
    *prediction = (int32_t)((uint32_t)*prediction + (uint32_t)jpeg_symbol_value(symbol, bits->loaded));
    consume(bits, symbol);
    return symbol;
}

/*
 * Decode the next AC coefficient (F.2.2.2) and store it in its place, unless `block` is null. Returns the index after
 * it.
 */
static inline __attribute__((always_inline)) uint32_t read_ac(
    struct jpeg_bits *bits, const struct jpeg_lookup *table, uint32_t k, int16_t *block)
{
    jpeg_symbol symbol = jpeg_lookup_symbol(table, bits->loaded);
    k += jpeg_symbol_advance(symbol);
    if (block)
        block[kst_jpeg_cpu_raster[k]] = (int16_t)jpeg_symbol_value(symbol, bits->loaded);
    consume(bits, symbol);
    return k + 1;
}

/* Decode the next one or two AC coefficients, while k < PAIRS_END. Returns the index after the last of them. */
static inline __attribute__((always_inline)) uint32_t read_pair(
    struct jpeg_bits *bits, const struct jpeg_pairs *pairs, const struct jpeg_lookup *table, uint32_t k, int16_t *block)
{
    uint64_t pair = pairs->entry[bits->loaded >> (64 - JPEG_PAIR_BITS)];
    if (__builtin_expect(pair == JPEG_NO_PAIR, 0))
        return read_ac(bits, table, k, block);
    uint32_t behind = k + jpeg_pair_advance(pair);
    if (block) {
        block[kst_jpeg_cpu_raster[k + jpeg_pair_first_advance(pair)]] = (int16_t)jpeg_pair_first(pair, bits->loaded);
        block[kst_jpeg_cpu_raster[behind - 1]] = (int16_t)jpeg_pair_second(pair, bits->loaded);
    }
    bits->loaded <<= pair & 63;
    bits->count -= (int32_t)(pair & 255);
    return behind;
}

/* Return whether the longest symbol, 31 bits, is loaded. A pair takes at most JPEG_PAIR_BITS − 1 + 15 bits. */
static inline __attribute__((always_inline)) bool has_symbol(const struct jpeg_bits *bits)
{
    return __builtin_expect(bits->count >= 31, 1);
}

/*
 * Decode the AC coefficients of a block. A refill lasts for two pairs of ordinary length; a branch on the bit count
 * alone would often be mispredicted. Returns the index after the last coefficient, which is larger than 63.
 */
static inline __attribute__((always_inline)) uint32_t read_block(
    struct jpeg_bits *bits, const struct jpeg_pairs *pairs, const struct jpeg_lookup *table, int16_t *block)
{
    uint32_t k = 1;
    if (!has_symbol(bits))
        jpeg_bits_refill(bits);
    for (;;) {
        k = read_pair(bits, pairs, table, k, block);
        if (k >= PAIRS_END)
            break;
        if (has_symbol(bits)) {
            k = read_pair(bits, pairs, table, k, block);
            if (k >= PAIRS_END)
                break;
        }
        jpeg_bits_refill(bits);
    }
    while (k < 64) {
        if (!has_symbol(bits))
            jpeg_bits_refill(bits);
        k = read_ac(bits, table, k, block);
    }
    return k;
}

static inline __attribute__((always_inline)) void read_mcu(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, int16_t *blocks, uint8_t *last)
{
    struct jpeg_bits bits = cursor->bits;
    for (uint32_t i = 0; i < entropy->mcu_blocks; i++) {
        int16_t *block = blocks + (size_t)i * 64;
        clear_block(block);
        jpeg_bits_refill(&bits);
        int32_t *prediction = &cursor->dc[entropy->block_component[i]];
        jpeg_symbol dc = read_dc(&bits, entropy->dc[i], prediction);
        block[0] = (int16_t)*prediction;
        uint32_t k = read_block(&bits, entropy->pairs[i], entropy->ac[i], block);
        last[i] = 63;
        if (k >= JPEG_ENDED)
            last[i] = (uint8_t)(k - JPEG_ENDED);
        if (__builtin_expect(k >= JPEG_INVALID, 0)) {
            last[i] = (uint8_t)(k - JPEG_INVALID);
            note_invalid(entropy, cursor, bits);
        }
        if (__builtin_expect(jpeg_symbol_invalid(dc), 0))
            note_invalid(entropy, cursor, bits);
    }
    cursor->bits = bits;
}

static inline __attribute__((always_inline)) void skip_mcu(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor)
{
    struct jpeg_bits bits = cursor->bits;
    for (uint32_t i = 0; i < entropy->mcu_blocks; i++) {
        jpeg_bits_refill(&bits);
        read_dc(&bits, entropy->dc[i], &cursor->dc[entropy->block_component[i]]);
        read_block(&bits, entropy->pairs[i], entropy->ac[i], NULL);
    }
    cursor->bits = bits;
}

static inline __attribute__((always_inline)) bool fits_token(int32_t value)
{
    return (uint32_t)(value + JPEG_TOKEN_ESCAPE - 1) < JPEG_TOKEN_VALUES - 1;
}

static inline __attribute__((always_inline)) uint16_t pack_token(int32_t value, uint32_t k)
{
    return (uint16_t)((value & (JPEG_TOKEN_VALUES - 1)) | kst_jpeg_cpu_raster[k] * JPEG_TOKEN_VALUES);
}

static inline __attribute__((always_inline)) uint16_t *store_ac(
    struct jpeg_bits *bits, const struct jpeg_lookup *table, uint32_t *k, uint16_t *token)
{
    jpeg_symbol symbol = jpeg_lookup_symbol(table, bits->loaded);
    int32_t value = jpeg_symbol_value(symbol, bits->loaded);
    consume(bits, symbol);
    *k += jpeg_symbol_advance(symbol);
    bool fits = fits_token(value);
    *token++ = pack_token(fits ? value : JPEG_TOKEN_ESCAPE, *k);
    if (__builtin_expect(!fits, 0))
        *token++ = (uint16_t)value;
    *k += 1;
    return token;
}

/*
 * Store the next one or two AC coefficients as tokens. A single coefficient is written twice; the next token overwrites
 * the second copy.
 */
static inline __attribute__((always_inline)) uint16_t *store_pair(struct jpeg_bits *bits,
    const struct jpeg_pairs *pairs, const struct jpeg_lookup *table, uint32_t *k, uint16_t *token)
{
    uint64_t pair = *k < PAIRS_END ? pairs->entry[bits->loaded >> (64 - JPEG_PAIR_BITS)] : JPEG_NO_PAIR;
    int32_t first = jpeg_pair_first(pair, bits->loaded);
    int32_t second = jpeg_pair_second(pair, bits->loaded);
    if (__builtin_expect(pair == JPEG_NO_PAIR || !fits_token(first) || !fits_token(second), 0))
        return store_ac(bits, table, k, token);
    uint32_t place = *k + jpeg_pair_first_advance(pair);
    uint32_t behind = *k + jpeg_pair_advance(pair);
    token[0] = pack_token(first, place);
    token[1] = pack_token(second, behind - 1);
    bits->loaded <<= pair & 63;
    bits->count -= (int32_t)(pair & 255);
    *k = behind;
    return token + (behind - 1 == place ? 1 : 2);
}

static inline __attribute__((always_inline)) uint16_t *store_mcu(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint16_t *token)
{
    struct jpeg_bits bits = cursor->bits;
    for (uint32_t i = 0; i < entropy->mcu_blocks; i++) {
        uint16_t *head = token;
        token += JPEG_TOKEN_HEAD;
        jpeg_bits_refill(&bits);
        int32_t *prediction = &cursor->dc[entropy->block_component[i]];
        jpeg_symbol dc = read_dc(&bits, entropy->dc[i], prediction);
        uint32_t k = 1;
        do {
            if (!has_symbol(&bits))
                jpeg_bits_refill(&bits);
            token = store_pair(&bits, entropy->pairs[i], entropy->ac[i], &k, token);
        } while (k < 64);
        uint32_t last = 63;
        if (k >= JPEG_ENDED) { /* the symbol that ends the block was written as a token too */
            last = k - JPEG_ENDED;
            token--;
        }
        if (__builtin_expect(k >= JPEG_INVALID || jpeg_symbol_invalid(dc), 0))
            note_invalid(entropy, cursor, bits);
        head[0] = (uint16_t)*prediction;
        head[1] = (uint16_t)((uint32_t)(token - head - JPEG_TOKEN_HEAD) | (last & 63) << 8);
    }
    cursor->bits = bits;
    return token;
}

static void read_mcu_c(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, int16_t *blocks, uint8_t *last)
{
    read_mcu(entropy, cursor, blocks, last);
}

static void skip_mcu_c(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor)
{
    skip_mcu(entropy, cursor);
}

static uint16_t *store_mcu_c(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint16_t *token)
{
    return store_mcu(entropy, cursor, token);
}

#if defined(__x86_64__)
/* BMI2 shifts by any register without changing the flags. */
__attribute__((target("avx2,bmi,bmi2,lzcnt"))) static void read_mcu_bmi2(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, int16_t *blocks, uint8_t *last)
{
    read_mcu(entropy, cursor, blocks, last);
}

__attribute__((target("avx2,bmi,bmi2,lzcnt"))) static void skip_mcu_bmi2(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor)
{
    skip_mcu(entropy, cursor);
}

__attribute__((target("avx2,bmi,bmi2,lzcnt"))) static uint16_t *store_mcu_bmi2(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint16_t *token)
{
    return store_mcu(entropy, cursor, token);
}
#endif

void kst_jpeg_cpu_entropy_tier(struct jpeg_entropy *entropy, enum cpu_tier tier)
{
    entropy->read_mcu = read_mcu_c;
    entropy->skip_mcu = skip_mcu_c;
    entropy->store_mcu = store_mcu_c;
    entropy->read_run = NULL;
    entropy->store_run = NULL;
#if defined(__x86_64__)
    if (tier < CPU_AVX2 || tier > CPU_AVX512)
        return;
    entropy->read_mcu = read_mcu_bmi2;
    entropy->skip_mcu = skip_mcu_bmi2;
    entropy->store_mcu = store_mcu_bmi2;
    kst_jpeg_cpu_run_avx2(entropy);
#else
    (void)tier;
#endif
}
