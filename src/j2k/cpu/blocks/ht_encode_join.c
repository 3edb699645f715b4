/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends the streams of a cleanup pass and joins them in its segment (T.814, 7.1). */
#include "j2k/cpu/blocks/ht_encode_stuff.h"

/* End MagSgn with ones. A decoder assumes ones behind it, so that a last byte of ones is left out. Returns the end. */
static uint8_t *end_signs(struct j2k_ht_encoder *encoder)
{
    uint64_t count = ht_flat_end(&encoder->signs, encoder->flat_signs, UINT64_MAX);
    uint8_t *end = ht_stuff_forward(encoder->flat_signs, count, encoder->data);
    return end > encoder->data && end[-1] == 0xFF ? end - 1 : end;
}

/*
 * Write the last bits of MEL and VLC: into one byte if they agree in it and it is not 0xFF. The byte that holds a part
 * of Scup, which is the first one of VLC, is not shared. Returns the end of MEL.
 */
static uint8_t *end_runs(
    const struct j2k_ht_runs *runs, struct j2k_ht_backward *codes, const uint8_t *stuffed, uint8_t *to)
{
    const uint32_t mask = 0xFFu << runs->room & 0xFF, other = (1u << codes->count) - 1;
    const uint32_t byte = runs->byte << runs->room & 0xFF, both = byte | codes->byte;
    if ((mask | other) == 0)
        return to;
    if (((both ^ byte) & mask) == 0 && ((both ^ codes->byte) & other) == 0 && both != 0xFF && codes->end > stuffed) {
        *to++ = (uint8_t)both;
        return to;
    }
    if (mask != 0)
        *to++ = (uint8_t)byte;
    if (other != 0)
        *codes->end++ = (uint8_t)codes->byte;
    return to;
}

uint32_t kst_j2k_cpu_ht_join(struct j2k_ht_encoder *encoder)
{
    uint8_t *signs = end_signs(encoder), *to = signs;
    uint64_t count = ht_flat_end(&encoder->codes, encoder->flat_codes, 0);
    struct j2k_ht_backward codes = ht_stuff_backward(encoder->flat_codes, count, encoder->stuffed);
    size_t length = (size_t)(encoder->runs.at - encoder->run_bytes);
    memcpy(to, encoder->run_bytes, length);
    to = end_runs(&encoder->runs, &codes, encoder->stuffed, to + length);
    while (codes.end > encoder->stuffed)
        *to++ = *--codes.end;
    const uint32_t suffix = (uint32_t)(to - signs) + 1; /* Scup */
    to[-1] = (uint8_t)((to[-1] & 0xF0) | (suffix & 0xF));
    *to++ = (uint8_t)(suffix >> 4);
    return (uint32_t)(to - encoder->data);
}
