/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the functions of huffman_encode.h. This file is included once per tier; only the compiler flags differ. */

#include "jpeg/cpu/entropy/huffman_encode.h"

/* Holds the bits that are being written, in registers while a run is coded. */
struct huffman_writer {
    uint8_t *out;
    uint64_t accumulator;
    uint32_t pending;
};

static inline uint32_t bit_length(uint32_t value)
{
    return value == 0 ? 0 : 32 - (uint32_t)__builtin_clz(value);
}

static inline void put(struct huffman_writer *w, uint32_t code, uint32_t length)
{
    w->accumulator |= (uint64_t)code << (64 - w->pending - length);
    w->pending += length;
}

/* Write whole bytes out. At most 56 bits may be put between two flushes. */
static inline void flush(struct huffman_writer *w)
{
    kst_jpeg_store_be64(w->out, w->accumulator);
    w->out += w->pending >> 3;
    w->accumulator <<= w->pending & 56;
    w->pending &= 7;
}

/* Put a symbol's code, then the `size` low bits of a value, or of the value minus 1 if it is negative. */
static inline void put_value(struct huffman_writer *w, jpeg_code code, int32_t value, uint32_t size)
{
    uint32_t bits = (uint32_t)(value + (value >> 31)) & (((uint32_t)1 << size) - 1);
    put(w, (code >> 8) << size | bits, (code & 255) + size);
}

static inline uint32_t magnitude_bits(int32_t value)
{
    return bit_length((uint32_t)(value < 0 ? -value : value));
}

static inline void put_ac(struct huffman_writer *w, const struct jpeg_coder *coder, uint32_t run, int32_t value)
{
    if ((uint32_t)(value + 31) < 63) {
        jpeg_code code = coder->small[run][value & 63];
        put(w, code >> 8, code & 255);
    } else {
        uint32_t size = magnitude_bits(value);
        put_value(w, coder->ac[run << 4 | size], value, size);
    }
}

static inline uint32_t put_zero_runs(struct huffman_writer *w, const struct jpeg_coder *coder, uint32_t run)
{
    for (; run > 15; run -= 16) {
        put(w, coder->ac[0xF0] >> 8, coder->ac[0xF0] & 255);
        flush(w);
    }
    return run;
}

/* Put the next nonzero coefficient and the run of zeros before it; run lengths above 15 are put first. */
static inline void put_next(struct huffman_writer *w, const struct jpeg_coder *coder, const int16_t *block,
    uint64_t *mask, uint32_t *last, bool full)
{
    uint32_t k = (uint32_t)__builtin_ctzll(*mask), run = k - *last - 1;
    *mask &= *mask - 1;
    *last = k;
    if (__builtin_expect(run > 15, 0)) {
        if (full)
            flush(w);
        run = put_zero_runs(w, coder, run);
    }
    put_ac(w, coder, run, block[k]);
}

/*
 * Put the coefficients and the end of a block whose DC is put but not flushed. Two codes with their bits fit between
 * two flushes, but only one of a deep picture.
 */
static inline __attribute__((always_inline)) void put_block(
    struct huffman_writer *w, const struct jpeg_coder *coder, const int16_t *block, uint64_t mask, bool deep)
{
    uint32_t last = 0;
    mask &= ~(uint64_t)1;
    if (deep)
        flush(w);
    while (mask != 0) {
        put_next(w, coder, block, &mask, &last, true);
        flush(w);
        if (mask == 0)
            break;
        put_next(w, coder, block, &mask, &last, false);
        if (deep)
            flush(w);
    }
    if (last != 63)
        put(w, coder->ac[0] >> 8, coder->ac[0] & 255);
    flush(w);
}

/* Return the difference from the component's last DC coefficient. */
static inline int32_t difference(struct jpeg_run *run, uint32_t component, const int16_t *block)
{
    int32_t value = block[0] - run->dc[component];
    run->dc[component] = block[0];
    return value;
}

static inline __attribute__((always_inline)) void encode_run(
    struct jpeg_run *run, struct jpeg_bit_string *bits, uint32_t more)
{
    struct huffman_writer w = {bits->data + bits->length, bits->accumulator, bits->pending};
    const int16_t *block = run->block;
    for (uint32_t i = 0, in_mcu = 0; i < run->block_count; i++, block += 64) {
        uint32_t component = run->component[in_mcu];
        in_mcu = in_mcu + 1 == run->mcu_blocks ? 0 : in_mcu + 1;
        const struct jpeg_coder *coder = run->coder[component];
        int32_t value = difference(run, component, block);
        uint32_t size = magnitude_bits(value);
        if (size > JPEG_DC_BITS + more) {
            run->out_of_range = true;
            break;
        }
        put_value(&w, coder->dc[size], value, size);
        put_block(&w, coder, block, run->mask[i], more > 0);
    }
    bits->length = (size_t)(w.out - bits->data);
    bits->accumulator = w.accumulator;
    bits->pending = w.pending;
}

static void encode(struct jpeg_run *run, struct jpeg_bit_string *bits)
{
    if (run->more)
        encode_run(run, bits, JPEG_DEEP_MORE);
    else
        encode_run(run, bits, 0);
}

static inline void count_ac(uint64_t *ac, const int16_t *block, uint64_t mask)
{
    uint32_t last = 0;
    for (mask &= ~(uint64_t)1; mask != 0; mask &= mask - 1) {
        uint32_t k = (uint32_t)__builtin_ctzll(mask);
        uint32_t run = k - last - 1;
        last = k;
        ac[0xF0] += run >> 4;
        ac[(run & 15) << 4 | magnitude_bits(block[k])]++;
    }
    ac[0] += last != 63;
}

static void count(struct jpeg_run *run, uint32_t skip)
{
    const int16_t *block = run->block;
    for (uint32_t i = 0, in_mcu = 0; i < run->block_count; i++, block += 64) {
        uint32_t component = run->component[in_mcu];
        in_mcu = in_mcu + 1 == run->mcu_blocks ? 0 : in_mcu + 1;
        struct jpeg_histogram *histogram = run->histogram[component];
        uint32_t size = magnitude_bits(difference(run, component, block));
        if (i >= skip) {
            if (size > JPEG_DC_BITS + run->more) {
                run->out_of_range = true;
                return;
            }
            histogram->dc[size]++;
        }
        count_ac(histogram->ac, block, run->mask[i]);
    }
}
