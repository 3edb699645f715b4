/* SPDX-License-Identifier: BSD-2-Clause */
/* Works out the symbols of the four kinds of progressive scans (T.81 G.1.2) as tokens. */
#include "jpeg/cpu/entropy/tokens.h"

#include <string.h>

#include "jpeg/cpu/entropy/huffman_encode.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { EOB_RUN_MOST = 0x7FFF, RAW_MOST = 16 };

/*
 * Hand out the tokens. Once the consumer asked for the end of the scan, tokens are still made but dropped until the
 * scan notices.
 */
static void deliver(struct jpeg_tokens *t)
{
    if (t->count > 0 && !t->stopped) {
        jpeg_token *more = t->consume(t->arg, t->token, t->count);
        t->stopped = !more;
        t->token = more ? more : t->token;
    }
    t->count = 0;
}

static inline void add(struct jpeg_tokens *t, jpeg_token token)
{
    t->token[t->count++] = token;
    if (t->count == JPEG_TOKEN_CHUNK)
        deliver(t);
}

static inline void flush_raw(struct jpeg_tokens *t)
{
    if (t->raw_length > 0)
        add(t, kst_jpeg_token(JPEG_TOKEN_BITS, 0, 0, t->raw, t->raw_length));
    t->raw = t->raw_length = 0;
}

static inline void add_bit(struct jpeg_tokens *t, uint32_t bit)
{
    t->raw = t->raw << 1 | bit;
    if (++t->raw_length == RAW_MOST)
        flush_raw(t);
}

static inline void add_symbol(
    struct jpeg_tokens *t, uint32_t destination, uint32_t symbol, uint32_t bits, uint32_t length)
{
    flush_raw(t);
    add(t, kst_jpeg_token(JPEG_TOKEN_SYMBOL, destination, symbol, bits, length));
}

static inline uint32_t bit_length(uint32_t value)
{
    return value == 0 ? 0 : 32 - (uint32_t)__builtin_clz(value);
}

/* Return the `size` bits that represent a value of that size (F.1.2.1.1). */
static inline uint32_t value_bits(int32_t value, uint32_t size)
{
    return (uint32_t)(value + (value >> 31)) & ((1U << size) - 1);
}

/* Mark the coefficients of a zig-zag block whose magnitude is at least 2^shift, one bit each. */
static uint64_t significant(const int16_t *block, uint32_t shift)
{
    uint64_t mask = 0;
#if defined(__SSE2__)
    const __m128i below = _mm_set1_epi16((int16_t)((1U << shift) - 1)), zero = _mm_setzero_si128();
    for (uint32_t i = 0; i < 64; i += 16) {
        __m128i a = _mm_load_si128((const __m128i *)(const void *)(block + i));
        __m128i b = _mm_load_si128((const __m128i *)(const void *)(block + i + 8));
        a = _mm_cmpgt_epi16(_mm_max_epi16(a, _mm_subs_epi16(zero, a)), below);
        b = _mm_cmpgt_epi16(_mm_max_epi16(b, _mm_subs_epi16(zero, b)), below);
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b)) << i;
    }
#else
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t magnitude = (uint32_t)(block[i] < 0 ? -block[i] : block[i]);
        mask |= (uint64_t)(magnitude >> shift != 0) << i;
    }
#endif
    return mask;
}

static inline uint32_t magnitude_of(int16_t value)
{
    return (uint32_t)(value < 0 ? -value : value);
}

static void add_corrections(struct jpeg_tokens *t, const uint8_t *bit, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        add_bit(t, bit[i]);
}

/* Put a run of bands without anything new in them, then the correction bits of those bands (G.1.2.2). */
static void end_run(struct jpeg_tokens *t)
{
    if (t->eob_run == 0)
        return;
    uint32_t size = bit_length(t->eob_run) - 1;
    add_symbol(t, t->destination, size << 4, t->eob_run & ((1U << size) - 1), size);
    t->eob_run = 0;
    add_corrections(t, t->correction, t->correction_count);
    t->correction_count = 0;
}

/* Code a block of a first AC scan (figure G.3). `band` has the bits of the scan's coefficients set. */
static void ac_first(struct jpeg_tokens *t, const int16_t *block, uint64_t band)
{
    const uint32_t al = t->scan->al;
    uint64_t mask = significant(block, al) & band;
    if (mask != 0)
        end_run(t);
    uint32_t last = t->scan->ss - 1U;
    for (; mask != 0; mask &= mask - 1) {
        uint32_t k = (uint32_t)__builtin_ctzll(mask), run = k - last - 1;
        last = k;
        for (; run > 15; run -= 16)
            add_symbol(t, t->destination, 0xF0, 0, 0);
        uint32_t magnitude = magnitude_of(block[k]) >> al, size = bit_length(magnitude);
        t->out_of_range |= size > JPEG_AC_BITS + jpeg_more_bits(t->frame);
        int32_t value = block[k] < 0 ? -(int32_t)magnitude : (int32_t)magnitude;
        add_symbol(t, t->destination, run << 4 | (size & 15), value_bits(value, size), size);
    }
    if (last != t->scan->se && ++t->eob_run == EOB_RUN_MOST)
        end_run(t);
}

/* Code a block of an AC refinement scan (figure G.7). `band` has the bits of the scan's coefficients set. */
static void ac_refine(struct jpeg_tokens *t, const int16_t *block, uint64_t band)
{
    const uint32_t al = t->scan->al;
    uint64_t mask = significant(block, al) & band;
    const uint64_t fresh = mask & ~significant(block, al + 1);
    const uint32_t end = fresh == 0 ? 0 : 63 - (uint32_t)__builtin_clzll(fresh);
    uint8_t *correction = t->correction + t->correction_count;
    uint32_t corrections = 0, run = 0, last = t->scan->ss - 1U;
    for (; mask != 0; mask &= mask - 1) {
        uint32_t k = (uint32_t)__builtin_ctzll(mask);
        run += k - last - 1;
        last = k;
        /* After the last new coefficient, zeros count towards the end of the band. */
        while (run > 15 && k <= end) {
            end_run(t);
            add_symbol(t, t->destination, 0xF0, 0, 0);
            run -= 16;
            add_corrections(t, correction, corrections);
            correction = t->correction;
            corrections = 0;
        }
        if (!(fresh >> k & 1)) {
            correction[corrections++] = magnitude_of(block[k]) >> al & 1;
            continue;
        }
        end_run(t);
        add_symbol(t, t->destination, run << 4 | 1, block[k] > 0, 1);
        add_corrections(t, correction, corrections);
        correction = t->correction;
        corrections = 0;
        run = 0;
    }
    if (run == 0 && last == t->scan->se && corrections == 0)
        return;
    t->eob_run++;
    t->correction_count += corrections;
    if (t->eob_run == EOB_RUN_MOST || t->correction_count > JPEG_CORRECTIONS_MOST)
        end_run(t);
}

/* Start a new restart interval if this MCU begins one; call it before each MCU. Returns whether it does. */
static bool restart(struct jpeg_tokens *t)
{
    if (t->restart_interval == 0)
        return false;
    if (t->until_restart-- > 0)
        return false;
    t->until_restart = t->restart_interval - 1;
    end_run(t);
    flush_raw(t);
    add(t, kst_jpeg_token(JPEG_TOKEN_RESTART, 0, 0, 0, 0));
    return true;
}

/* Return the number of rows of a component's blocks that an MCU row of the frame has. */
static uint32_t rows_in_mcu(const struct jpeg_tokens *t, uint32_t c)
{
    return t->frame->component_count == 1 ? 1 : t->frame->component[c].v;
}

/* Fetch the coefficients of an MCU row, unless all are in memory. */
static void bring(struct jpeg_tokens *t, uint32_t row)
{
    if (!t->bring || t->stopped)
        return;
    for (uint32_t c = 0; c < t->frame->component_count; c++)
        t->first[c] = row * rows_in_mcu(t, c);
    if (!t->bring(t->arg, row))
        t->unbrought = t->stopped = true;
}

static void scan_ac(struct jpeg_tokens *t)
{
    const uint32_t c = t->scan->component[0], rows = rows_in_mcu(t, c);
    const struct jpeg_component *component = &t->frame->component[c];
    const uint64_t band = (UINT64_MAX >> (63 - t->scan->se)) & (UINT64_MAX << t->scan->ss);
    _Alignas(64) int16_t block[64];
    t->destination = t->huffman[c];
    for (uint32_t y = 0; y < component->blocks_h; y++) {
        if (y % rows == 0)
            bring(t, y / rows);
        for (uint32_t x = 0; x < component->blocks_w && !t->stopped && !t->out_of_range; x++) {
            restart(t);
            t->dsp->zigzag(kst_jpeg_block(t->coefficients, c, x, y - t->first[c]), block);
            if (t->scan->ah == 0)
                ac_first(t, block, band);
            else
                ac_refine(t, block, band);
        }
    }
    end_run(t);
}

/* Return a DC coefficient; for a block of the padding to whole MCUs, the one coded before it in the MCU. */
static int16_t dc_of(const struct jpeg_tokens *t, uint32_t c, uint32_t x, uint32_t y, int16_t before)
{
    const struct jpeg_component *component = &t->frame->component[c];
    if (x >= component->blocks_w || y >= component->blocks_h)
        return before;
    return kst_jpeg_block(t->coefficients, c, x, y - t->first[c])[0];
}

static void dc_block(struct jpeg_tokens *t, uint32_t component, int16_t dc, int32_t *prediction)
{
    int32_t value = dc >> t->scan->al;
    if (t->scan->ah > 0) {
        add_bit(t, (uint32_t)value & 1);
        return;
    }
    int32_t difference = value - *prediction;
    uint32_t size = bit_length((uint32_t)(difference < 0 ? -difference : difference));
    *prediction = value;
    if (size > JPEG_DC_BITS + jpeg_more_bits(t->frame)) {
        t->out_of_range = true;
        return;
    }
    add_symbol(t, t->huffman[component], size, value_bits(difference, size), size);
}

static void dc_mcu(struct jpeg_tokens *t, uint32_t x, uint32_t y, int32_t prediction[JPEG_COMPONENTS])
{
    const bool single = t->scan->component_count == 1;
    for (uint32_t i = 0; i < t->scan->component_count; i++) {
        const uint32_t c = t->scan->component[i];
        const uint32_t h = single ? 1 : t->frame->component[c].h, v = single ? 1 : t->frame->component[c].v;
        int16_t dc = 0;
        for (uint32_t j = 0; j < v; j++) {
            for (uint32_t k = 0; k < h; k++) {
                dc = dc_of(t, c, x * h + k, y * v + j, dc);
                dc_block(t, c, dc, &prediction[i]);
            }
        }
    }
}

static void scan_dc(struct jpeg_tokens *t)
{
    int32_t prediction[JPEG_COMPONENTS] = {0};
    struct jpeg_scan_geometry geometry;
    kst_jpeg_scan_geometry(t->frame, t->scan->component, t->scan->component_count, &geometry);
    const uint32_t rows = t->scan->component_count == 1 ? rows_in_mcu(t, t->scan->component[0]) : 1;
    for (uint32_t y = 0; y < geometry.mcus_h; y++) {
        if (y % rows == 0)
            bring(t, y / rows);
        for (uint32_t x = 0; x < geometry.mcus_w && !t->stopped && !t->out_of_range; x++) {
            if (restart(t))
                memset(prediction, 0, sizeof prediction);
            dc_mcu(t, x, y, prediction);
        }
    }
}

void kst_jpeg_cpu_tokens_scan(struct jpeg_tokens *tokens)
{
    tokens->out_of_range = tokens->unbrought = tokens->stopped = false;
    memset(tokens->first, 0, sizeof tokens->first);
    tokens->until_restart = tokens->restart_interval;
    tokens->raw = tokens->raw_length = tokens->eob_run = tokens->correction_count = tokens->count = 0;
    if (tokens->scan->ss == 0)
        scan_dc(tokens);
    else
        scan_ac(tokens);
    flush_raw(tokens);
    deliver(tokens);
}
