/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codes the SigProp and the MagRef pass of T.814 (7.4 and 7.5), which refine a cleanup pass by one plane. The two
 * passes share no byte, so that a block may be cut between them.
 */
#include "j2k/cpu/blocks/ht_encode_stuff.h"

/* Holds what is known about a sample. */
enum { SIGNIFICANT = 1, COARSE = 2 /* after the cleanup pass */ };

enum { STRIPE = 4, GROUP = 4 /* rows of a stripe, and columns whose signs follow their bits */ };

/* Holds the state of both passes; `known` is where the sample at the top left is. */
struct refining {
    struct j2k_ht_encoder *encoder;
    uint8_t *known;
    size_t pitch;
    uint32_t one; /* the bit of the plane */
    struct j2k_ht_flat flat;
};

static void mark_coarse(struct refining *refining)
{
    const struct j2k_ht_encoder *encoder = refining->encoder;
    memset(refining->encoder->known, 0, sizeof encoder->known);
    const uint32_t *sample = encoder->sample;
    for (uint32_t y = 0; y < encoder->height; y++)
        for (uint32_t x = 0; x < encoder->width; x++, sample++)
            if ((*sample & 0x7FFFFFFF) >> encoder->plane != 0)
                refining->known[y * refining->pitch + x] = SIGNIFICANT | COARSE;
}

/* Return whether one of the eight neighbours is significant; `below`: those below count. */
static bool has_neighbour(const uint8_t *known, size_t pitch, bool below)
{
    const uint8_t *up = known - pitch, *down = known + pitch;
    uint32_t any = up[-1] | up[0] | up[1] | known[-1] | known[1];
    if (below)
        any |= down[-1] | down[0] | down[1];
    return (any & SIGNIFICANT) != 0;
}

/* Code a sample's bit if SigProp visits it. Returns whether it becomes significant. */
static bool propagate(struct refining *refining, uint32_t x, uint32_t y)
{
    const struct j2k_ht_encoder *encoder = refining->encoder;
    uint8_t *known = refining->known + y * refining->pitch + x;
    const bool causal = (encoder->style & J2K_STYLE_CAUSAL) != 0;
    if (*known != 0 || !has_neighbour(known, refining->pitch, !causal || y % STRIPE != STRIPE - 1))
        return false;
    const bool one = (encoder->sample[y * encoder->width + x] & refining->one) != 0;
    ht_flat_put(&refining->flat, one, 1);
    *known = one ? SIGNIFICANT : 0;
    return one;
}

/* Code the bits of up to four columns of a stripe, and then the signs of the samples that became significant. */
static void propagate_group(struct refining *refining, uint32_t x0, uint32_t y0)
{
    const struct j2k_ht_encoder *encoder = refining->encoder;
    const uint32_t x1 = encoder->width - x0 < GROUP ? encoder->width : x0 + GROUP;
    const uint32_t y1 = encoder->height - y0 < STRIPE ? encoder->height : y0 + STRIPE;
    uint32_t signs = 0, count = 0;
    for (uint32_t x = x0; x < x1; x++)
        for (uint32_t y = y0; y < y1; y++)
            if (propagate(refining, x, y))
                signs |= encoder->sample[y * encoder->width + x] >> 31 << count++;
    ht_flat_put(&refining->flat, signs, count);
}

/*
 * Code SigProp. Bits behind the end are 0, so that bytes of zeros at the end may be left out. Returns the end of the
 * pass.
 */
static uint8_t *significance_pass(struct refining *refining, uint8_t *to)
{
    const struct j2k_ht_encoder *encoder = refining->encoder;
    ht_flat_start(&refining->flat, refining->encoder->flat_codes);
    for (uint32_t y = 0; y < encoder->height; y += STRIPE)
        for (uint32_t x = 0; x < encoder->width; x += GROUP)
            propagate_group(refining, x, y);
    uint64_t count = ht_flat_end(&refining->flat, encoder->flat_codes, 0);
    uint8_t *end = ht_stuff_forward(encoder->flat_codes, count, to);
    if (end > to && end[-1] == 0xFF)
        *end++ = 0;
    return end;
}

static void refine_stripe(struct refining *refining, uint32_t y0)
{
    const struct j2k_ht_encoder *encoder = refining->encoder;
    const uint32_t y1 = encoder->height - y0 < STRIPE ? encoder->height : y0 + STRIPE;
    for (uint32_t x = 0; x < encoder->width; x++)
        for (uint32_t y = y0; y < y1; y++)
            if ((refining->known[y * refining->pitch + x] & COARSE) != 0)
                ht_flat_put(&refining->flat, (encoder->sample[y * encoder->width + x] & refining->one) != 0, 1);
}

/* Code MagRef, which is read backward from the end of the segment. Returns the end. */
static uint8_t *refinement_pass(struct refining *refining, uint8_t *to)
{
    const struct j2k_ht_encoder *encoder = refining->encoder;
    uint8_t *stuffed = refining->encoder->refined;
    ht_flat_start(&refining->flat, refining->encoder->flat_codes);
    for (uint32_t y = 0; y < encoder->height; y += STRIPE)
        refine_stripe(refining, y);
    uint64_t count = ht_flat_end(&refining->flat, encoder->flat_codes, 0);
    struct j2k_ht_backward end = ht_stuff_backward(encoder->flat_codes, count, stuffed);
    if (end.count > 0)
        *end.end++ = (uint8_t)end.byte;
    while (end.end > stuffed)
        *to++ = *--end.end;
    return to;
}

/* Return the length of the first pass, which may be cut where only zeros follow. */
static uint32_t length_without_zeros(const struct j2k_ht_encoder *encoder, uint32_t least, uint32_t length)
{
    while (length > least && encoder->data[length - 1] == 0)
        length--;
    return length > least && encoder->data[length - 1] == 0xFF ? length + 1 : length;
}

void kst_j2k_cpu_ht_refine(struct j2k_ht_encoder *encoder, uint32_t passes)
{
    struct refining refining = {.encoder = encoder,
        .known = encoder->known + encoder->width + 3,
        .pitch = encoder->width + 2,
        .one = UINT32_C(1) << (encoder->plane - 1)};
    mark_coarse(&refining);
    uint8_t *end = significance_pass(&refining, encoder->data + encoder->length);
    encoder->pass[1].length = length_without_zeros(encoder, encoder->length, (uint32_t)(end - encoder->data));
    if (passes > 1) {
        end = refinement_pass(&refining, end);
        encoder->pass[2].length = (uint32_t)(end - encoder->data);
    }
    encoder->length = encoder->pass[passes].length;
}
