/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares sequential Huffman coding of blocks (T.81 F.1.2): the tables, and functions that code runs of blocks or
 * count their symbols. The scan coders (scan_encode.h) use them.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_HUFFMAN_ENCODE_H
#define KOSTKA_JPEG_CPU_ENTROPY_HUFFMAN_ENCODE_H

#include "core/cpu.h"
#include "jpeg/cpu/entropy/bit_string.h"
#include "jpeg/plan/frame.h"
#include "jpeg/plan/huffman.h"

enum {
    JPEG_DC_BITS = 11, /* most bits of a DC difference (F.1.2.1), with samples of 8 bits */
    JPEG_AC_BITS = 10, /* most bits of an AC coefficient (F.1.2.2) */
    JPEG_DEEP_MORE = JPEG_DEEP - 8,
    /* Bytes of the longest block: a DC code with its bits and 63 AC codes with theirs. */
    JPEG_BLOCK_BYTES = (16 + JPEG_DC_BITS + JPEG_DEEP_MORE + 63 * (16 + JPEG_AC_BITS + JPEG_DEEP_MORE) + 7) / 8
};

/* Return how many more bits a frame's differences and coefficients may have than with samples of 8 bits. */
static inline uint32_t jpeg_more_bits(const struct jpeg_frame *frame)
{
    return frame->precision == JPEG_DEEP ? JPEG_DEEP_MORE : 0;
}

/* A code (bits 8 and up) and its length (bits 0–7). */
typedef uint32_t jpeg_code;

struct jpeg_coder {
    jpeg_code dc[16];
    jpeg_code ac[256];
    /*
     * The code of a run up to 15 and a coefficient in ±31, followed by the coefficient's bits: [run][coefficient mod
     * 64].
     */
    jpeg_code small[16][64];
};

void kst_jpeg_cpu_coder_init(struct jpeg_coder *coder, const struct jpeg_huffman *dc, const struct jpeg_huffman *ac);

struct jpeg_histogram {
    uint64_t dc[257];
    uint64_t ac[257];
};

/* Holds blocks in coding order: whole MCUs within one restart interval. */
struct jpeg_run {
    const int16_t *block; /* blocks in zig-zag order, 64 coefficients apart, 64-byte aligned */
    const uint64_t *mask; /* one per block, made by jpeg_dsp.zigzag */
    uint32_t block_count;
    uint32_t mcu_blocks;
    const uint8_t *component;    /* for each block of an MCU: its index in the arrays below */
    int32_t dc[JPEG_COMPONENTS]; /* DC predictions, updated */
    const struct jpeg_coder *coder[JPEG_COMPONENTS];
    struct jpeg_histogram *histogram[JPEG_COMPONENTS];
    uint32_t more;     /* jpeg_more_bits() */
    bool out_of_range; /* set if a difference is longer than JPEG_DC_BITS and `more` */
};

struct jpeg_huffman_encode {
    /*
     * Code a run. Coefficients other than DC must have at most JPEG_AC_BITS and `more`, the tables must have a code for
     * every symbol that occurs, and `bits` must have room for JPEG_BLOCK_BYTES per block.
     */
    void (*encode)(struct jpeg_run *run, struct jpeg_bit_string *bits);
    /* Count the symbols that coding the run would use. In the first `skip` blocks only the AC symbols are counted. */
    void (*count)(struct jpeg_run *run, uint32_t skip);
};

void kst_jpeg_cpu_huffman_encode_init(struct jpeg_huffman_encode *functions, enum cpu_tier tier);
void kst_jpeg_cpu_huffman_encode_avx2(struct jpeg_huffman_encode *functions);

#endif
