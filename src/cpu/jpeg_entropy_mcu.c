/* SPDX-License-Identifier: BSD-2-Clause */
/* The inner loop of Huffman decoding, compiled once a tier. */
#include "core/report.h"
#include "cpu/jpeg_entropy.h"

/* Zig-zag index → raster index; what lies past the block (a run too long, or JPEG_END_ADVANCE with value 0) is put
 * at 63. */
static const uint8_t natural[64 + JPEG_END_ADVANCE + 16] = {0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, //
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,                                                   //
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,                                                 //
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,                                                 //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                                                 //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                                                 //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                                                 //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,                                                 //
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63};

static void note_invalid(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, const uint8_t *at)
{
    if (cursor->damage.first == KST_OK) {
        cursor->damage.first = KST_WARNING_JPEG_CODE;
        cursor->damage.first_offset = (uint64_t)(at - entropy->plan->data);
    }
    cursor->damage.invalid++;
}

static inline __attribute__((always_inline)) void consume(struct jpeg_bits *bits, jpeg_symbol symbol)
{
    bits->window <<= jpeg_symbol_total(symbol);
    bits->count -= (int32_t)jpeg_symbol_total(symbol);
}

/* Sixteen bytes at a time; as memset it becomes a string instruction, which is slow to start. */
static inline __attribute__((always_inline)) void clear_block(int16_t *block)
{
    typedef int16_t row __attribute__((vector_size(16), may_alias));
    for (uint32_t i = 0; i < 8; i++)
        ((row *)block)[i] = (row){0};
}

/*
 * The DC coefficient (F.2.2.1). Sizes up to 15 let the prediction exceed 32 bits only in damaged data; it wraps.
 */
static inline __attribute__((always_inline)) jpeg_symbol read_dc(
    struct jpeg_bits *bits, const struct jpeg_lookup *table, int32_t *prediction)
{
    jpeg_symbol symbol = jpeg_lookup_symbol(table, bits->window);
    *prediction = (int32_t)((uint32_t)*prediction + (uint32_t)jpeg_symbol_value(symbol, bits->window));
    consume(bits, symbol);
    return symbol;
}

/* The next AC coefficient (F.2.2.2), to its place. Returns the index behind it. */
static inline __attribute__((always_inline)) uint32_t read_ac(
    struct jpeg_bits *bits, const struct jpeg_lookup *table, uint32_t k, int16_t *block, jpeg_symbol *symbol)
{
    *symbol = jpeg_lookup_symbol(table, bits->window);
    int32_t value = jpeg_symbol_value(*symbol, bits->window);
    consume(bits, *symbol);
    k += jpeg_symbol_advance(*symbol);
    block[natural[k]] = (int16_t)value;
    return k + 1;
}

/* Whether the longest symbol, 31 bits, is loaded. */
static inline __attribute__((always_inline)) bool has_symbol(const struct jpeg_bits *bits)
{
    return __builtin_expect(bits->count >= 31, 1);
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

        /* A refill lasts for three symbols of ordinary length; a branch on the count alone would often be mispredicted.
         */
        const struct jpeg_lookup *table = entropy->ac[i];
        jpeg_symbol ac;
        uint32_t k = 1;
        if (!has_symbol(&bits))
            jpeg_bits_refill(&bits);
        for (;;) {
            k = read_ac(&bits, table, k, block, &ac);
            if (k >= 64)
                break;
            if (has_symbol(&bits)) {
                k = read_ac(&bits, table, k, block, &ac);
                if (k >= 64)
                    break;
            }
            jpeg_bits_refill(&bits);
        }
        /* An end of block added JPEG_END_ADVANCE + 1 to the index behind the last coefficient. */
        last[i] = jpeg_symbol_advance(ac) == JPEG_END_ADVANCE ? (uint8_t)(k - JPEG_END_ADVANCE - 2) : 63;
        if (__builtin_expect(jpeg_symbol_invalid(dc), 0))
            note_invalid(entropy, cursor, bits.next);
        if (__builtin_expect(jpeg_symbol_invalid(ac), 0))
            note_invalid(entropy, cursor, bits.next);
    }
    cursor->bits = bits;
}

static inline __attribute__((always_inline)) uint32_t skip_ac(
    struct jpeg_bits *bits, const struct jpeg_lookup *table, uint32_t k)
{
    jpeg_symbol symbol = jpeg_lookup_symbol(table, bits->window);
    consume(bits, symbol);
    return k + jpeg_symbol_advance(symbol) + 1;
}

static inline __attribute__((always_inline)) void skip_mcu(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor)
{
    struct jpeg_bits bits = cursor->bits;
    for (uint32_t i = 0; i < entropy->mcu_blocks; i++) {
        jpeg_bits_refill(&bits);
        read_dc(&bits, entropy->dc[i], &cursor->dc[entropy->block_component[i]]);
        const struct jpeg_lookup *table = entropy->ac[i];
        uint32_t k = 1;
        if (!has_symbol(&bits))
            jpeg_bits_refill(&bits);
        for (;;) {
            k = skip_ac(&bits, table, k);
            if (k >= 64)
                break;
            if (has_symbol(&bits)) {
                k = skip_ac(&bits, table, k);
                if (k >= 64)
                    break;
            }
            jpeg_bits_refill(&bits);
        }
    }
    cursor->bits = bits;
}

static void read_mcu_c(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, int16_t *blocks, uint8_t *last)
{
    read_mcu(entropy, cursor, blocks, last);
}

static void skip_mcu_c(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor)
{
    skip_mcu(entropy, cursor);
}

#if defined(__x86_64__)
/* BMI2 shifts by any register without touching the flags. */
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
#endif

void kst_jpeg_entropy_tier(struct jpeg_entropy *entropy, enum cpu_tier tier)
{
    entropy->read_mcu = read_mcu_c;
    entropy->skip_mcu = skip_mcu_c;
#if defined(__x86_64__)
    if (tier < CPU_AVX2 || tier > CPU_AVX512)
        return;
    entropy->read_mcu = read_mcu_bmi2;
    entropy->skip_mcu = skip_mcu_bmi2;
#else
    (void)tier;
#endif
}
