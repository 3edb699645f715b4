/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes a run of MCUs with AVX2 and BMI2, one look-up after the other without a branch on whether a block ends: where
 * blocks have few symbols, predicting their ends wrongly takes as long as everything else.
 */
#include <immintrin.h>

#include "jpeg/cpu/entropy/run.h"

#define INLINE static inline __attribute__((always_inline))

/* The bytes of an entry of struct jpeg_pairs. */
enum { TOTAL = 0, FIRST_ADVANCE = 1, STARTS = 2, ADVANCE = 6 };

/* Holds the state of decoding between two look-ups. */
struct run_walk {
    struct jpeg_bits bits;
    const struct jpeg_pairs *table; /* for the next look-up */
    const struct jpeg_run_block *block;
    int64_t index; /* the zig-zag index of the next symbol minus 64 */
};

/* Holds the outcome of a look-up: one symbol, which is there twice, or two. */
struct run_symbols {
    const uint8_t *entry;
    int64_t first;  /* the zig-zag index of the first value minus 64 */
    int64_t behind; /* that of the second one plus 1 minus 64: not negative if the block ends */
};

/* Look up a single symbol. Returns false if it is no code. */
__attribute__((noinline)) static bool find_single(const struct jpeg_lookup *lookup, uint64_t loaded, uint64_t *pair)
{
    jpeg_symbol symbol = jpeg_lookup_symbol(lookup, loaded);
    *pair = kst_jpeg_cpu_pair_single(symbol);
    return !jpeg_symbol_invalid(symbol);
}

/*
 * Look up the next symbols. A symbol that is put at the end of the block or behind it must be looked up alone, since
 * what follows belongs to the next block; one that ends the block advances further. JPEG_NO_PAIR looks like such a
 * symbol. The entry of a single symbol is put at `single`. Returns false if there is no code.
 */
INLINE bool find_symbols(const struct run_walk *walk, struct run_symbols *symbols, uint64_t *single)
{
    const uint8_t *entry = (const uint8_t *)&walk->table->entry[walk->bits.loaded >> (64 - JPEG_PAIR_BITS)];
    int64_t first = walk->index + entry[FIRST_ADVANCE];
    bool full = (uint64_t)(first + 1) <= JPEG_END_ADVANCE - 64;
    if (__builtin_expect(full, 0)) {
        bool dc = walk->index == -64;
        if (!find_single(dc ? walk->block->single_dc : walk->block->single_ac, walk->bits.loaded, single))
            return false;
        entry = (const uint8_t *)single;
        first = walk->index + entry[FIRST_ADVANCE];
    }
    *symbols = (struct run_symbols){entry, first, walk->index + entry[ADVANCE]};
    return true;
}

/* Return the values of both symbols, in 64 bits each (EXTEND, F.12). */
INLINE __m128i find_values(uint64_t loaded, const uint8_t *entry)
{
    int32_t starts;
    memcpy(&starts, entry + STARTS, sizeof starts);
    __m256i counts = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(starts));
    __m128i value = _mm_sllv_epi64(_mm_set1_epi64x((long long)loaded), _mm256_castsi256_si128(counts));
    __m128i negative = _mm_cmpgt_epi64(value, _mm_set1_epi64x(-1));
    value = _mm_srli_epi64(_mm_xor_si128(value, negative), 1);
    value = _mm_srlv_epi64(value, _mm256_extracti128_si256(counts, 1));
    return _mm_sub_epi64(_mm_xor_si128(value, negative), negative);
}

/* Move on behind the symbols. Returns −1 if the block goes on, else 0: the next look-up is for the next block. */
INLINE int64_t move_on(struct run_walk *walk, const struct run_symbols *symbols)
{
    int64_t going = symbols->behind >> 63;
    const uint8_t *next = (const uint8_t *)walk->block->next;
    walk->bits.loaded <<= symbols->entry[TOTAL] & 63;
    walk->bits.count -= symbols->entry[TOTAL];
    walk->table = (const struct jpeg_pairs *)(const void *)(next + (walk->block->ac & going));
    walk->block += 1;
    walk->block = (const void *)((const uint8_t *)walk->block - (sizeof *walk->block & (uint64_t)going));
    walk->index = ((symbols->behind + 64) & going) - 64;
    return going;
}

/* Holds the coefficients of the block that is being read, and where its last index goes. */
struct run_place {
    int16_t *block;
    uint8_t *last;
};

/* Read one or two symbols. */
INLINE bool read_symbols(struct run_walk *walk, struct run_place *place)
{
    struct run_symbols symbols;
    uint64_t single;
    if (!find_symbols(walk, &symbols, &single))
        return false;
    __m128i value = find_values(walk->bits.loaded, symbols.entry);
    place->block[kst_jpeg_cpu_raster[64 + symbols.first]] = (int16_t)_mm_extract_epi16(value, 0);
    place->block[kst_jpeg_cpu_raster[63 + symbols.behind]] = (int16_t)_mm_extract_epi16(value, 4);
    *place->last = (uint8_t)symbols.behind; /* see has_end() */
    int64_t going = move_on(walk, &symbols);
    place->block += 64 - (64 & going);
    place->last += 1 + going;
    return true;
}

/* Add the difference to the component's prediction, which becomes the DC coefficient. */
INLINE int16_t predict_dc(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t block, int16_t difference)
{
    int32_t *dc = &cursor->dc[entropy->block_component[block]];
    *dc = (int32_t)((uint32_t)*dc + (uint32_t)difference);
    return (int16_t)*dc;
}

/* Return whether a symbol ended the block, by the index that was kept of it: 64 below the one behind that symbol. */
INLINE bool has_end(uint8_t index)
{
    return index >= JPEG_ENDED - 64;
}

INLINE uint8_t last_of(uint8_t index)
{
    return has_end(index) ? (uint8_t)(index - (JPEG_ENDED - 64)) : 63;
}

/* Turn differences and kept indices into DC coefficients and indices of the last coefficients. */
static void finish_blocks(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t mcus, int16_t *block, uint8_t *last)
{
    for (uint32_t mcu = 0; mcu < mcus; mcu++)
        for (uint32_t i = 0; i < entropy->mcu_blocks; i++, block += 64, last++) {
            block[0] = predict_dc(entropy, cursor, i, block[0]);
            *last = last_of(*last);
        }
}

INLINE struct run_walk start_walk(const struct jpeg_entropy *entropy, const struct jpeg_cursor *cursor)
{
    return (struct run_walk){.bits = cursor->bits, .table = entropy->run_start, .block = entropy->run, .index = -64};
}

static bool read_run(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t mcus, int16_t *blocks, uint8_t *last)
{
    uint32_t count = mcus * entropy->mcu_blocks;
    const struct jpeg_run_block *end = entropy->run + count;
    struct run_walk walk = start_walk(entropy, cursor);
    struct run_place place = {blocks, last};
    memset(blocks, 0, (size_t)count * 64 * sizeof *blocks);
    do {
        jpeg_bits_refill(&walk.bits);
        if (!read_symbols(&walk, &place))
            return false;
        if (walk.block == end || walk.bits.count < 31)
            continue;
        if (!read_symbols(&walk, &place))
            return false;
    } while (walk.block < end);
    cursor->bits = walk.bits;
    finish_blocks(entropy, cursor, mcus, blocks, last);
    return !jpeg_bits_overrun(&walk.bits);
}

enum { BLOCK_SYMBOLS = 65, LANES = 16 };

/* Holds the symbols of a run, one after the other, in the first-level cache. */
struct run_kept {
    struct {
        uint16_t symbols; /* number of symbols up to its end */
        uint8_t index;    /* 64 below the index behind its last symbol */
    } block[JPEG_RUN_BLOCKS];
    int16_t value[JPEG_RUN_BLOCKS * BLOCK_SYMBOLS + LANES];
    uint8_t place[JPEG_RUN_BLOCKS * BLOCK_SYMBOLS + LANES];
};

/* Keep one or two symbols of a block. A single symbol is written twice; the next one overwrites the second copy. */
INLINE bool keep_symbols(struct run_walk *walk, struct run_kept *kept, uint32_t *count, uint32_t *block)
{
    const __m128i words = _mm_setr_epi8(0, 1, 8, 9, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    struct run_symbols symbols;
    uint64_t single;
    if (!find_symbols(walk, &symbols, &single))
        return false;
    __m128i value = find_values(walk->bits.loaded, symbols.entry);
    _mm_storeu_si32(kept->value + *count, _mm_shuffle_epi8(value, words));
    kept->place[*count] = kst_jpeg_cpu_raster[64 + symbols.first];
    kept->place[*count + 1] = kst_jpeg_cpu_raster[63 + symbols.behind];
    *count += symbols.first + 1 != symbols.behind ? 2 : 1;
    kept->block[*block].symbols = (uint16_t)*count;
    kept->block[*block].index = (uint8_t)symbols.behind;
    *block += (uint32_t)(1 + move_on(walk, &symbols));
    return true;
}

/* Write symbols as tokens, some of which need an escape. */
static uint16_t *write_large(const int16_t *value, const uint8_t *place, uint32_t count, uint16_t *token)
{
    for (uint32_t i = 0; i < count; i++) {
        bool fits = (uint32_t)(value[i] + JPEG_TOKEN_ESCAPE - 1) < JPEG_TOKEN_VALUES - 1;
        int32_t low = fits ? value[i] & (JPEG_TOKEN_VALUES - 1) : JPEG_TOKEN_ESCAPE;
        *token++ = (uint16_t)(low | place[i] * JPEG_TOKEN_VALUES);
        if (!fits)
            *token++ = (uint16_t)value[i];
    }
    return token;
}

/*
 * Write symbols as tokens, followed by up to LANES tokens that mean nothing. Returns the place after the last valid
 * token.
 */
INLINE uint16_t *write_tokens(const int16_t *value, const uint8_t *place, uint32_t count, uint16_t *token)
{
    const __m256i lane = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m256i large = _mm256_setzero_si256();
    uint32_t i = 0;
    do {
        __m256i values = _mm256_loadu_si256((const __m256i *)(const void *)(value + i));
        __m256i places = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(place + i)));
        __m256i low = _mm256_and_si256(values, _mm256_set1_epi16(JPEG_TOKEN_VALUES - 1));
        _mm256_storeu_si256((__m256i *)(void *)(token + i), _mm256_or_si256(low, _mm256_slli_epi16(places, 10)));
        __m256i above = _mm256_cmpgt_epi16(_mm256_abs_epi16(values), _mm256_set1_epi16(JPEG_TOKEN_ESCAPE - 1));
        __m256i valid = _mm256_cmpgt_epi16(_mm256_set1_epi16((int16_t)(count - i)), lane);
        large = _mm256_or_si256(large, _mm256_and_si256(above, valid));
        i += LANES;
    } while (__builtin_expect(i < count, 0));
    return _mm256_testz_si256(large, large) ? token + count : write_large(value, place, count, token);
}

/* Write the kept blocks of an MCU as tokens. A block's DC symbol, and a symbol that ended it, do not become tokens. */
static uint16_t *write_mcu(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, const struct run_kept *kept,
    uint32_t first, uint16_t *token)
{
    uint32_t from = first > 0 ? kept->block[first - 1].symbols : 0;
    for (uint32_t i = 0; i < entropy->mcu_blocks; i++) {
        uint8_t index = kept->block[first + i].index;
        uint32_t to = kept->block[first + i].symbols;
        uint16_t *behind = write_tokens(
            kept->value + from + 1, kept->place + from + 1, to - from - 1 - has_end(index), token + JPEG_TOKEN_HEAD);
        token[0] = (uint16_t)predict_dc(entropy, cursor, i, kept->value[from]);
        token[1] = (uint16_t)((uint32_t)(behind - token - JPEG_TOKEN_HEAD) | (uint32_t)last_of(index) << 8);
        token = behind;
        from = to;
    }
    return token;
}

static bool keep_run(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t blocks, struct run_kept *kept)
{
    struct run_walk walk = start_walk(entropy, cursor);
    uint32_t count = 0, block = 0;
    do {
        jpeg_bits_refill(&walk.bits);
        if (!keep_symbols(&walk, kept, &count, &block))
            return false;
        if (block == blocks || walk.bits.count < 31)
            continue;
        if (!keep_symbols(&walk, kept, &count, &block))
            return false;
    } while (block < blocks);
    cursor->bits = walk.bits;
    return !jpeg_bits_overrun(&walk.bits);
}

static bool store_run(
    const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor, uint32_t mcus, uint16_t *token, uint32_t *length)
{
    struct run_kept kept;
    if (!keep_run(entropy, cursor, mcus * entropy->mcu_blocks, &kept))
        return false;
    for (uint32_t i = 0; i < mcus; i++) {
        uint16_t *behind = write_mcu(entropy, cursor, &kept, i * entropy->mcu_blocks, token);
        length[i] = (uint32_t)(behind - token);
        token = behind;
    }
    return true;
}

void kst_jpeg_cpu_run_avx2(struct jpeg_entropy *entropy)
{
    entropy->read_run = read_run;
    entropy->store_run = store_run;
}
