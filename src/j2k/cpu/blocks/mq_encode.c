/* SPDX-License-Identifier: BSD-2-Clause */
/* Begins and ends codeword segments, MQ-coded and raw, and finds how many bytes of its segment a pass needs. */
#include "j2k/cpu/blocks/mq_encode.h"

void kst_j2k_cpu_mq_encode_start(struct j2k_mq_encoder *mq, uint8_t *data)
{
    *mq = (struct j2k_mq_encoder){.range = 0x8000, .left = 12, .at = data - 1};
}

void kst_j2k_cpu_mq_encode(
    struct j2k_mq_encoder *coder, uint32_t *contexts, const j2k_decision *decision, const j2k_decision *end)
{
    j2k_mq_encode(coder, contexts, decision, end);
}

static uint8_t *end_of(const struct j2k_mq_encoder *mq)
{
    return *mq->at == 0xFF ? mq->at : mq->at + 1;
}

uint8_t *kst_j2k_cpu_mq_flush(struct j2k_mq_encoder *mq)
{
    uint32_t top = mq->code + mq->range; /* as in SETBITS (C.2.9) */
    mq->code |= 0xFFFF;
    if (mq->code >= top)
        mq->code -= 0x8000;
    for (uint32_t i = 0; i < 2; i++) {
        mq->code <<= mq->left;
        j2k_mq_byte_out(mq);
    }
    return end_of(mq);
}

uint8_t *kst_j2k_cpu_mq_flush_predictably(struct j2k_mq_encoder *mq)
{
    for (int32_t bits = 12 - (int32_t)mq->left; bits > 0; bits -= (int32_t)mq->left) {
        mq->code <<= mq->left;
        j2k_mq_byte_out(mq);
    }
    return end_of(mq);
}

struct j2k_mq_bound kst_j2k_cpu_mq_bound(const struct j2k_mq_encoder *mq)
{
    struct j2k_mq_bound bound = {.at = mq->at, .byte = {*mq->at}};
    struct j2k_mq_encoder copy = *mq;
    copy.at = bound.byte;
    copy.code += copy.range;
    while (copy.at < bound.byte + sizeof bound.byte - 1) {
        copy.code <<= copy.left;
        j2k_mq_byte_out(&copy);
    }
    return bound;
}

uint32_t kst_j2k_cpu_mq_needed(const struct j2k_mq_bound *bound, const uint8_t *data, const uint8_t *end)
{
    const uint8_t *next = bound->at;
    for (uint32_t i = 0; i < sizeof bound->byte && next < end; i++) {
        bool below = next >= data && *next < bound->byte[i];
        next++;
        if (below)
            break;
    }
    while (next > data && next[-1] == 0xFF) /* ones follow the data anyway */
        next--;
    return next > data ? (uint32_t)(next - data) : 0;
}

void kst_j2k_cpu_raw_write_start(struct j2k_raw_writer *raw, uint8_t *data)
{
    *raw = (struct j2k_raw_writer){.free = 8, .next = data};
}

uint8_t *kst_j2k_cpu_raw_write_end(struct j2k_raw_writer *raw, const uint8_t *data)
{
    bool after = raw->next > data && raw->next[-1] == 0xFF;
    if (raw->free < 8 || after) { /* after 0xFF seven bits are free, and then the byte is needed in any case */
        for (uint32_t bit = 0; raw->free > 0; bit ^= 1)
            raw->byte |= bit << --raw->free;
        *raw->next++ = (uint8_t)raw->byte;
    }
    return raw->next;
}
