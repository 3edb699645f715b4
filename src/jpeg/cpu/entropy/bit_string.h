/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins entropy-coded bits to a stream. Bands of a scan are coded independently into bit strings, which know neither at
 * which bit of a byte they will start nor which bytes need stuffing. Joining them in order shifts them, stuffs bytes
 * (B.1.1.5) and adds restart markers.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_BIT_STRING_H
#define KOSTKA_JPEG_CPU_ENTROPY_BIT_STRING_H

#include "core/sink.h"

/*
 * Holds consecutive pieces of coded data, each starting at a whole byte of `data`. Restart markers go between pieces.
 */
struct jpeg_bit_string {
    struct memory *memory;
    uint8_t *data;
    size_t capacity;
    size_t length;        /* number of whole bytes written */
    size_t piece_start;   /* the byte at which the piece being written starts */
    uint64_t accumulator; /* bits not written yet, from the top; all other bits are 0 */
    uint32_t pending;     /* number of bits in the accumulator: 0–7 between calls */
    uint32_t piece_count; /* number of finished pieces */
    uint32_t piece_capacity;
    uint64_t *piece_bits; /* length in bits of each finished piece */
    kst_status status;    /* sticky: once an allocation failed nothing more may be written */
};

void kst_jpeg_cpu_bit_string_init(struct jpeg_bit_string *bits, struct memory *memory);
void kst_jpeg_cpu_bit_string_release(struct jpeg_bit_string *bits);
void kst_jpeg_cpu_bit_string_clear(struct jpeg_bit_string *bits); /* the memory is kept */

/*
 * Make room for `length` more bytes, and for 8 after them into which a word may spill. On failure `status` is set and
 * the result is false.
 */
bool kst_jpeg_cpu_bit_string_room(struct jpeg_bit_string *bits, size_t length);

/* Finish a piece. */
void kst_jpeg_cpu_bit_string_end_piece(struct jpeg_bit_string *bits);

static inline void kst_jpeg_store_be64(uint8_t *to, uint64_t value)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    __builtin_memcpy(to, &value, sizeof value);
}

/* Append the low `length` bits (1–56) of `code`, whose other bits are 0. There must be room for 8 bytes. */
static inline void kst_jpeg_bit_string_put(struct jpeg_bit_string *bits, uint64_t code, uint32_t length)
{
    bits->accumulator |= code << (64 - bits->pending - length);
    bits->pending += length;
    kst_jpeg_store_be64(bits->data + bits->length, bits->accumulator);
    bits->length += bits->pending >> 3;
    bits->accumulator <<= bits->pending & 56;
    bits->pending &= 7;
}

/* Holds the state of joining pieces at the end of a stream. */
struct jpeg_joiner {
    struct sink *sink;
    uint64_t accumulator; /* as in jpeg_bit_string */
    uint32_t pending;     /* 0–63 bits */
    uint32_t restarts;    /* number of restart markers written */
};

/* Append all pieces with restart markers between them. */
void kst_jpeg_cpu_join_pieces(struct jpeg_joiner *joiner, struct jpeg_bit_string *bits);
/*
 * Append all pieces as above, and the whole bytes of the piece that is being written. The bit string gives them up, and
 * continues with the bits that follow.
 */
void kst_jpeg_cpu_join_so_far(struct jpeg_joiner *joiner, struct jpeg_bit_string *bits);
/* Both fill the last byte with ones (F.1.2.3); the former then writes a restart marker. */
void kst_jpeg_cpu_join_restart(struct jpeg_joiner *joiner);
void kst_jpeg_cpu_join_end(struct jpeg_joiner *joiner);

#endif
