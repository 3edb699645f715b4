/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the bits of T.814's streams. MagSgn, VLC, SigProp and MagRef are first written without the bits that stuffing
 * adds, so that no decision is needed for each byte; then whole words of bits are stuffed together.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_HT_ENCODE_BITS_H
#define KOSTKA_J2K_CPU_BLOCKS_HT_ENCODE_BITS_H

#include <string.h>

#include "j2k/cpu/blocks/block_words.h"
#include "j2k/cpu/blocks/ht_encode.h"

ALWAYS_INLINE uint64_t ht_in_order(uint64_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return bytes;
#else
    return __builtin_bswap64(bytes);
#endif
}

ALWAYS_INLINE void ht_flat_start(struct j2k_ht_flat *flat, uint8_t *at)
{
    *flat = (struct j2k_ht_flat){.at = at};
}

/* Append up to 56 bits. The value's other bits must be 0. Eight bytes are written, however few are full. */
ALWAYS_INLINE void ht_flat_put(struct j2k_ht_flat *flat, uint64_t value, uint32_t count)
{
    uint64_t bits = flat->bits | value << flat->count, bytes = ht_in_order(bits);
    uint32_t sum = flat->count + count;
    memcpy(flat->at, &bytes, sizeof bytes);
    flat->at += sum >> 3;
    flat->bits = bits >> (sum & 56);
    flat->count = sum & 7;
}

/* Return the first bit of each pair of quads of which any is in the mask. */
ALWAYS_INLINE uint32_t ht_pairs(uint32_t quads)
{
    return (quads | quads >> 1) & 0x55555555;
}

enum { J2K_HT_QUADS_AT_ONCE = 32 /* quads that a mask covers */ };
enum { J2K_HT_SHORT_BOUND = 14 /* U with which MagSgn of a quad fits into one word */ };

/* Append MagSgn of a quad. */
ALWAYS_INLINE void ht_put_signs(
    struct j2k_ht_flat *flat, const uint32_t value[4], uint32_t rho, uint32_t known, uint32_t u)
{
    uint32_t length[4];
    for (uint32_t i = 0; i < 4; i++)
        length[i] = (u - (known >> i & 1)) & (0 - (rho >> i & 1));
    if (u <= J2K_HT_SHORT_BOUND) {
        uint64_t bits = 0;
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 4; i++) {
            bits |= (uint64_t)(value[i] & ((UINT32_C(1) << length[i]) - 1)) << sum;
            sum += length[i];
        }
        ht_flat_put(flat, bits, sum);
        return;
    }
    for (uint32_t i = 0; i < 4; i++)
        ht_flat_put(flat, value[i] & ((UINT64_C(1) << length[i]) - 1), length[i]);
}

/*
 * End the bits: write those that fill no byte, and behind them more than a word of `fill`, which is 0 or all ones.
 * Returns the number of bits from `begin` on.
 */
ALWAYS_INLINE uint64_t ht_flat_end(struct j2k_ht_flat *flat, const uint8_t *begin, uint64_t fill)
{
    uint64_t bytes = ht_in_order(flat->bits | fill << flat->count);
    memcpy(flat->at, &bytes, sizeof bytes);
    memcpy(flat->at + sizeof bytes, &fill, sizeof fill);
    return 8 * (uint64_t)(flat->at - begin) + flat->count;
}

/* Return at least 56 of the bits from `place` on. */
ALWAYS_INLINE uint64_t ht_flat_bits(const uint8_t *begin, uint64_t place)
{
    uint64_t bytes;
    memcpy(&bytes, begin + (place >> 3), sizeof bytes);
    return ht_in_order(bytes) >> (place & 7);
}

#endif
