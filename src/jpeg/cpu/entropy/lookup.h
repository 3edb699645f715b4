/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes Huffman codes by table: one look-up gives a symbol's run, size and code length (T.81 F.2.2.3), or even two
 * symbols.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_LOOKUP_H
#define KOSTKA_JPEG_CPU_ENTROPY_LOOKUP_H

#include "jpeg/cpu/entropy/bits.h"
#include "jpeg/plan/huffman.h"

enum {
    JPEG_LOOKUP_BITS = 10,
    JPEG_LONGEST_CODE = 16,
    JPEG_END_ADVANCE = 128,    /* advance of a symbol that ends the block */
    JPEG_INVALID_ADVANCE = 192 /* advance of a bit pattern that is no code, which ends the block too */
};

/*
 * A decoded symbol, packed:
 * - bits 0–7: code length plus size (1–31);
 * - bits 8–15: 63 minus the size (48–63);
 * - bits 16–23: code length (1–17);
 * - bits 24–31: how far the zig-zag index advances before the value's place, which is the run, JPEG_END_ADVANCE for a
 *   symbol of size 0 other than ZRL, or JPEG_INVALID_ADVANCE.
 * If all bits are 0 the code is longer than the look-up. The fields are shift counts, of which only the low six bits
 * count, so most need no masking.
 */
typedef uint32_t jpeg_symbol;

struct jpeg_lookup {
    jpeg_symbol short_code[1 << JPEG_LOOKUP_BITS];
    jpeg_symbol symbol[256]; /* symbols in ascending order of their codes, whatever the codes' length */
    /* [l]: 16-bit prefixes below this value start with a code of at most l bits; [17]: above all prefixes. */
    int32_t ceiling[18];
    int32_t first[17]; /* [l]: index in `symbol` of the first code of length l, minus that code's value */
};

/*
 * In AC scans of progressive files a symbol of size 0 keeps its run as the advance: EOBn (G.1.2.2). In the lossless
 * process size 16, which no bits follow, is kept as size 0 with an advance of 1.
 */
enum jpeg_lookup_kind { JPEG_LOOKUP_DC, JPEG_LOOKUP_AC, JPEG_LOOKUP_PROGRESSIVE_AC, JPEG_LOOKUP_DIFFERENCES };

/* `huffman` must be valid (kst_jpeg_huffman_valid). */
void kst_jpeg_cpu_lookup_init(
    struct jpeg_lookup *lookup, const struct jpeg_huffman *huffman, enum jpeg_lookup_kind kind);

/*
 * Look up a code of any length. A bit pattern that is no code gives a symbol of 17 bits and size 0 that ends the block.
 */
jpeg_symbol kst_jpeg_cpu_lookup_slowly(const struct jpeg_lookup *lookup, uint64_t loaded);

static inline uint32_t jpeg_symbol_total(jpeg_symbol s)
{
    return s & 255;
}

static inline uint32_t jpeg_symbol_size(jpeg_symbol s)
{
    return 63 - (s >> 8 & 63);
}

static inline uint32_t jpeg_symbol_length(jpeg_symbol s)
{
    return s >> 16 & 255;
}

static inline uint32_t jpeg_symbol_advance(jpeg_symbol s)
{
    return s >> 24;
}

/*
 * Two symbols in one look-up, if the second one's code fits into it too. An entry is packed in bytes, from the lowest:
 * - the bits of both symbols with their values (1–41);
 * - how far the zig-zag index advances before the first value's place;
 * - where the first value starts; where the second one starts;
 * - 63 minus the size of the first; 63 minus that of the second;
 * - how far the index advances to behind the second value's place, counted from the same index as the first advance.
 * If there is only one symbol, the second one is the first one again. If the first code is longer than the look-up, the
 * entry is JPEG_NO_PAIR, with an advance that no symbol has.
 */
enum { JPEG_PAIR_BITS = 10, JPEG_NO_PAIR = 64 << 8 };

struct jpeg_pairs {
    uint64_t entry[1 << JPEG_PAIR_BITS];
};

/*
 * Make the pairs of a symbol of one table and the next symbol, which is an AC symbol. `next` is of kind JPEG_LOOKUP_AC,
 * `first` is the same table or one of kind JPEG_LOOKUP_DC.
 */
void kst_jpeg_cpu_pairs_init(struct jpeg_pairs *pairs, const struct jpeg_lookup *first, const struct jpeg_lookup *next);

/* Return the entry for a single symbol. */
uint64_t kst_jpeg_cpu_pair_single(jpeg_symbol symbol);

/* Maps zig-zag indices to raster indices. Everything past the block is put at index 63. */
extern const uint8_t kst_jpeg_cpu_raster[64 + JPEG_INVALID_ADVANCE];

/* Return whether the symbol stands for a bit pattern that is no code. */
static inline bool jpeg_symbol_invalid(jpeg_symbol s)
{
    return jpeg_symbol_length(s) > JPEG_LONGEST_CODE;
}

/* Return the symbol at the head of the loaded bits, of which at least 32 must be valid. */
static inline __attribute__((always_inline)) jpeg_symbol jpeg_lookup_symbol(
    const struct jpeg_lookup *lookup, uint64_t loaded)
{
    jpeg_symbol s = lookup->short_code[loaded >> (64 - JPEG_LOOKUP_BITS)];
    return __builtin_expect(s != 0, 1) ? s : kst_jpeg_cpu_lookup_slowly(lookup, loaded);
}

/*
 * Apply EXTEND (F.12) to the bits at the head of the loaded bits; `shift` is 63 minus their number (0–15). A value that
 * starts with a 0 bit is negative: 2^size − 1 is subtracted from it.
 */
static inline __attribute__((always_inline)) int32_t jpeg_extend(uint64_t loaded, uint32_t shift)
{
    uint64_t negative = (uint64_t)(~(int64_t)loaded >> 63);
    return (int32_t)((uint32_t)(loaded >> 1 >> (shift & 63)) - (uint32_t)(negative >> 1 >> (shift & 63)));
}

static inline __attribute__((always_inline)) int32_t jpeg_pair_first(uint64_t pair, uint64_t loaded)
{
    return jpeg_extend(loaded << (pair >> 16 & 63), (uint32_t)(pair >> 32));
}

static inline __attribute__((always_inline)) int32_t jpeg_pair_second(uint64_t pair, uint64_t loaded)
{
    return jpeg_extend(loaded << (pair >> 24 & 63), (uint32_t)(pair >> 40));
}

static inline __attribute__((always_inline)) uint32_t jpeg_pair_first_advance(uint64_t pair)
{
    return pair >> 8 & 255;
}

/* Return how far the index advances to behind both symbols. */
static inline __attribute__((always_inline)) uint32_t jpeg_pair_advance(uint64_t pair)
{
    return (uint32_t)(pair >> 48);
}

/* Return the value that follows the symbol's code at the head of the loaded bits. */
static inline __attribute__((always_inline)) int32_t jpeg_symbol_value(jpeg_symbol s, uint64_t loaded)
{
    return jpeg_extend(loaded << (s >> 16 & 63), s >> 8);
}

#endif
