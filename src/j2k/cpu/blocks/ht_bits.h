/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines how the decoder of T.814 reads and writes bits. The lowest bit of a byte is always its first. */
#ifndef KOSTKA_J2K_CPU_BLOCKS_HT_BITS_H
#define KOSTKA_J2K_CPU_BLOCKS_HT_BITS_H

#include <string.h>

#include "j2k/cpu/blocks/ht_decode.h"

static inline uint64_t j2k_load64(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline void j2k_store64(uint8_t *at, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(at, &word, sizeof word);
}

/* Return whether any byte of a word equals a value. */
static inline bool j2k_has_byte(uint64_t word, uint32_t value)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), other = word ^ ones * value;
    return ((other - ones) & ~other & ones << 7) != 0;
}

/* Return at least 57 bits from a position on. */
static inline uint64_t j2k_ht_peek(const uint8_t *data, uint32_t at)
{
    return j2k_load64(data + at / 8) >> at % 8;
}

/* Holds the state of writing bits, of which fewer than 8 wait in `word`. */
struct j2k_ht_writer {
    uint8_t *to;
    uint32_t length; /* whole bytes that were written */
    uint32_t bits;
    uint64_t word;
};

/* Add up to 8 bits. The value's other bits must be 0. Eight bytes are stored. */
static inline void j2k_ht_put(struct j2k_ht_writer *writer, uint32_t value, uint32_t bits)
{
    writer->word |= (uint64_t)value << writer->bits;
    writer->bits += bits;
    j2k_store64(writer->to + writer->length, writer->word);
    writer->length += writer->bits / 8;
    writer->word >>= writer->bits / 8 * 8;
    writer->bits %= 8;
}

/* Add 64 bits. Sixteen bytes may be stored. */
static inline void j2k_ht_put_word(struct j2k_ht_writer *writer, uint64_t value)
{
    j2k_store64(writer->to + writer->length, writer->word | value << writer->bits);
    writer->length += 8;
    writer->word = writer->bits > 0 ? value >> (64 - writer->bits) : 0;
}

/*
 * Write the last bits, with zeros above them. Returns the number of all bits; `length` becomes the number of all bytes.
 */
static inline uint32_t j2k_ht_end(struct j2k_ht_writer *writer)
{
    uint32_t count = 8 * writer->length + writer->bits;
    j2k_store64(writer->to + writer->length, writer->word);
    writer->length += writer->bits > 0;
    return count;
}

#endif
