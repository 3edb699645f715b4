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

static inline __attribute__((always_inline)) jpeg_symbol next_symbol(
    struct jpeg_bits *bits, const struct jpeg_lookup *table)
{
    if (bits->count < 32)
        jpeg_bits_refill(bits);
    return jpeg_lookup_symbol(table, bits->window);
}

static inline __attribute__((always_inline)) void consume(struct jpeg_bits *bits, jpeg_symbol symbol)
{
    bits->window <<= jpeg_symbol_total(symbol);
    bits->count -= (int32_t)jpeg_symbol_total(symbol);
}

static inline __attribute__((always_inline)) int32_t symbol_value(const struct jpeg_bits *bits, jpeg_symbol symbol)
{
    return jpeg_extend(bits->window << jpeg_symbol_length(symbol), jpeg_symbol_size(symbol));
}

/* F.2.2.2: sizes up to 15 and 65,500² samples let the prediction exceed 32 bits only in damaged data; it wraps. */
static inline __attribute__((always_inline)) void read_mcu(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, int16_t *blocks, uint8_t *last)
{
    struct jpeg_bits bits = cursor->bits;
    for (uint32_t i = 0; i < entropy->mcu_blocks; i++) {
        int16_t *block = blocks + (size_t)i * 64;
        uint32_t component = entropy->block_component[i];
        jpeg_symbol dc = next_symbol(&bits, entropy->dc[i]);
        int32_t difference = symbol_value(&bits, dc);
        consume(&bits, dc);
        cursor->dc[component] = (int32_t)((uint32_t)cursor->dc[component] + (uint32_t)difference);
        block[0] = (int16_t)cursor->dc[component];

        const struct jpeg_lookup *table = entropy->ac[i];
        jpeg_symbol ac;
        uint32_t k = 1;
        do {
            ac = next_symbol(&bits, table);
            int32_t value = symbol_value(&bits, ac);
            consume(&bits, ac);
            k += jpeg_symbol_advance(ac);
            block[natural[k]] = (int16_t)value;
            k++;
        } while (k < 64);
        /* An end of block added JPEG_END_ADVANCE + 1 to the index behind the last coefficient. */
        last[i] = jpeg_symbol_advance(ac) == JPEG_END_ADVANCE ? (uint8_t)(k - JPEG_END_ADVANCE - 2) : 63;
        if (__builtin_expect(jpeg_symbol_invalid(dc), 0))
            note_invalid(entropy, cursor, bits.next);
        if (__builtin_expect(jpeg_symbol_invalid(ac), 0))
            note_invalid(entropy, cursor, bits.next);
    }
    cursor->bits = bits;
}

static inline __attribute__((always_inline)) void skip_mcu(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor)
{
    struct jpeg_bits bits = cursor->bits;
    for (uint32_t i = 0; i < entropy->mcu_blocks; i++) {
        uint32_t component = entropy->block_component[i];
        jpeg_symbol dc = next_symbol(&bits, entropy->dc[i]);
        int32_t difference = symbol_value(&bits, dc);
        consume(&bits, dc);
        cursor->dc[component] = (int32_t)((uint32_t)cursor->dc[component] + (uint32_t)difference);
        const struct jpeg_lookup *table = entropy->ac[i];
        uint32_t k = 1;
        do {
            jpeg_symbol ac = next_symbol(&bits, table);
            consume(&bits, ac);
            k += jpeg_symbol_advance(ac) + 1;
        } while (k < 64);
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
__attribute__((target("bmi,bmi2,lzcnt"))) static void read_mcu_bmi2(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, int16_t *blocks, uint8_t *last)
{
    read_mcu(entropy, cursor, blocks, last);
}

__attribute__((target("bmi,bmi2,lzcnt"))) static void skip_mcu_bmi2(
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
