/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares a row of quads in plain C, for ht_encode_cleanup.h. */
#ifndef KOSTKA_J2K_CPU_BLOCKS_HT_ENCODE_ROW_H
#define KOSTKA_J2K_CPU_BLOCKS_HT_ENCODE_ROW_H

#include "j2k/cpu/blocks/ht_encode_bits.h"
#include "j2k/cpu/blocks/ht_encode_quad.h"

ALWAYS_INLINE void ht_make_quad(
    struct j2k_ht_encoder *encoder, uint32_t index, const struct j2k_ht_quad_samples *quad, uint32_t y)
{
    const struct j2k_ht_above *above = &encoder->above[(y / 2 + 1) % 2];
    struct j2k_ht_above *own = &encoder->above[y / 2 % 2];
    struct j2k_ht_row *row = &encoder->row;
    const bool first = y == 0;
    uint32_t kappa = 1, equal = 0;
    if (!first && (quad->rho & (quad->rho - 1)) != 0) {
        uint32_t around = ht_largest(above->exponent + (size_t)2 * index + 1);
        kappa = around > 2 ? around - 1 : 1;
    }
    const uint32_t bound = quad->largest > kappa ? quad->largest : kappa;
    for (uint32_t i = 0; i < 4 && bound > kappa; i++)
        equal |= (uint32_t)(quad->exponent[i] == bound) << i;
    row->code[index] = (uint16_t)(ht_context(own->rho[index], above->rho + index, first) << 8 | quad->rho << 4 | equal);
    row->bound[index] = (uint8_t)bound;
    row->excess[index] = (uint8_t)(bound - kappa);
    own->rho[index + 1] = (uint8_t)quad->rho;
    own->exponent[2 * index + 2] = (uint8_t)quad->exponent[1];
    own->exponent[2 * index + 3] = (uint8_t)quad->exponent[3];
}

static uint32_t any_bits(const uint32_t *sample, uint32_t count)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++)
        any |= sample[i];
    return any;
}

static bool make_row(struct j2k_ht_encoder *encoder, uint32_t y)
{
    uint32_t some = 0;
    for (uint32_t x = 0, index = 0; x < encoder->width; x += 2, index++) {
        uint32_t sample[4];
        ht_load_quad(encoder, encoder->sample, x, y, sample);
        struct j2k_ht_quad_samples quad = ht_take_quad(sample, encoder->plane, encoder->row.value + (size_t)4 * index);
        ht_make_quad(encoder, index, &quad, y);
        some |= encoder->row.code[index];
    }
    return some != 0;
}

static uint32_t some_codes(const struct j2k_ht_row *row, uint32_t quad, uint32_t count, uint32_t mask)
{
    uint32_t some = 0;
    for (uint32_t i = 0; i < count; i++)
        some |= (uint32_t)((row->code[quad + i] & mask) != 0) << i;
    return some;
}

/* Quads whose context is 0 have an event, which happens if they have significant samples. */
static struct j2k_ht_events row_events(const struct j2k_ht_row *row, uint32_t quad, uint32_t count)
{
    struct j2k_ht_events events = {0, 0};
    for (uint32_t i = quad; i < quad + count; i++) {
        const uint32_t code = row->code[i];
        if (code < 256)
            events.bits |= (uint32_t)(code != 0) << events.count++;
    }
    return events;
}

static void put_row_signs(struct j2k_ht_encoder *encoder, uint32_t quads)
{
    const struct j2k_ht_row *row = &encoder->row;
    for (uint32_t quad = 0; quad < quads; quad++) {
        const uint32_t rho = row->code[quad] >> 4 & 15;
        if (rho != 0)
            ht_put_signs(&encoder->signs, row->value + (size_t)4 * quad, rho, row->known[quad], row->bound[quad]);
    }
}

#endif
