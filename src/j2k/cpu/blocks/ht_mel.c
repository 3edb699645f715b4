/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes MEL (T.814 7.3.3). */
#include "j2k/cpu/blocks/ht_mel.h"

#include "j2k/cpu/blocks/ht_decode.h"

enum { LEAST = 6 }; /* bits that one step may take */

static const uint8_t exponents[J2K_HT_MEL_STATES] = {J2K_HT_MEL_EXPONENTS};

/* The segment's last two bytes also hold Scup, in place of ones. */
static uint32_t mel_byte(struct j2k_ht_mel *mel)
{
    if (mel->next > mel->end)
        return 0xFF;
    uint32_t byte = *mel->next;
    return mel->next++ == mel->end ? byte | 15 : byte;
}

static void mel_refill(struct j2k_ht_mel *mel)
{
    while (mel->bits <= 56) {
        uint32_t byte = mel_byte(mel), bits = mel->stuffed ? 7 : 8;
        mel->word |= (uint64_t)(byte & ((1U << bits) - 1)) << (64 - bits - mel->bits);
        mel->bits += bits;
        mel->stuffed = byte == 0xFF;
    }
}

static uint32_t mel_take(struct j2k_ht_mel *mel, uint32_t bits)
{
    uint32_t value = bits > 0 ? (uint32_t)(mel->word >> (64 - bits)) : 0;
    mel->word <<= bits;
    mel->bits -= bits;
    return value;
}

uint32_t kst_j2k_cpu_ht_zeros(struct j2k_ht_mel *mel)
{
    uint32_t zeros = 0;
    while (zeros < J2K_BLOCK_SAMPLES) {
        if (mel->bits < LEAST)
            mel_refill(mel);
        uint32_t exponent = exponents[mel->state];
        if (mel_take(mel, 1) == 0) {
            mel->state -= mel->state > 0;
            return zeros + mel_take(mel, exponent);
        }
        zeros += 1U << exponent;
        mel->state += mel->state < J2K_HT_MEL_STATES - 1;
    }
    return zeros;
}
