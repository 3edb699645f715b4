/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/j2k_mq_encode.h"

#include <stdbool.h>

#include "cpu/j2k_mq.h"

enum { CARRY = 0x8000000 };

void kst_j2k_mq_encode_start(struct j2k_mq_encoder *mq, uint8_t *data)
{
    *mq = (struct j2k_mq_encoder){.range = 0x8000, .left = 12, .at = data - 1};
}

/* BYTEOUT (C.2.7). */
static inline __attribute__((always_inline)) void byte_out(struct j2k_mq_encoder *mq)
{
    bool stuff = *mq->at == 0xFF;
    if (!stuff && mq->code >= CARRY) {
        stuff = ++*mq->at == 0xFF;
        mq->code &= CARRY - 1;
    }
    uint32_t shift = stuff ? 20 : 19;
    *++mq->at = (uint8_t)(mq->code >> shift);
    mq->code &= ((uint32_t)1 << shift) - 1;
    mq->left = stuff ? 7 : 8;
}

/* ENCODE (C.2.2) of each. The choice between the subintervals is made with masks, as which it is is chance. */
void kst_j2k_mq_encode(
    struct j2k_mq_encoder *coder, uint32_t *contexts, const j2k_decision *decision, const j2k_decision *end)
{
    struct j2k_mq_encoder mq = *coder;
    for (; decision < end; decision++) {
        uint32_t *context = &contexts[*decision >> 1];
        uint32_t row = *context, estimate = row >> 16, range = mq.range - estimate;
        uint32_t less = (row ^ *decision) & 1;
        /* the part of size Qe is the lower one; the less probable symbol has it unless the other part is smaller */
        uint32_t lower = 0 - (less ^ (uint32_t)(range < estimate));
        mq.code += estimate & ~lower;
        range ^= (range ^ estimate) & lower;
        uint32_t shift = (uint32_t)__builtin_clz(range) - 16;
        uint32_t after = kst_j2k_mq_rows[row >> (1 + 7 * less) & 127];
        *context = shift == 0 ? row : after;
        mq.range = range << shift;
        while (shift >= mq.left) {
            mq.code <<= mq.left;
            shift -= mq.left;
            byte_out(&mq);
        }
        mq.code <<= shift;
        mq.left -= shift;
    }
    *coder = mq;
}

static uint8_t *end_of(const struct j2k_mq_encoder *mq)
{
    return *mq->at == 0xFF ? mq->at : mq->at + 1;
}

uint8_t *kst_j2k_mq_flush(struct j2k_mq_encoder *mq)
{
    uint32_t top = mq->code + mq->range; /* SETBITS (C.2.9) */
    mq->code |= 0xFFFF;
    if (mq->code >= top)
        mq->code -= 0x8000;
    for (uint32_t i = 0; i < 2; i++) {
        mq->code <<= mq->left;
        byte_out(mq);
    }
    return end_of(mq);
}

uint8_t *kst_j2k_mq_flush_predictably(struct j2k_mq_encoder *mq)
{
    for (int32_t bits = 12 - (int32_t)mq->left; bits > 0; bits -= (int32_t)mq->left) {
        mq->code <<= mq->left;
        byte_out(mq);
    }
    return end_of(mq);
}

struct j2k_mq_bound kst_j2k_mq_bound(const struct j2k_mq_encoder *mq)
{
    struct j2k_mq_bound bound = {.at = mq->at, .byte = {*mq->at}};
    struct j2k_mq_encoder copy = *mq;
    copy.at = bound.byte;
    copy.code += copy.range;
    while (copy.at < bound.byte + sizeof bound.byte - 1) {
        copy.code <<= copy.left;
        byte_out(&copy);
    }
    return bound;
}

uint32_t kst_j2k_mq_needed(const struct j2k_mq_bound *bound, const uint8_t *data, const uint8_t *end)
{
    const uint8_t *next = bound->at;
    for (uint32_t i = 0; i < sizeof bound->byte && next < end; i++) {
        bool below = next >= data && *next < bound->byte[i];
        next++;
        if (below)
            break;
    }
    while (next > data && next[-1] == 0xFF) /* the ones that follow anyway */
        next--;
    return next > data ? (uint32_t)(next - data) : 0;
}

void kst_j2k_raw_write_start(struct j2k_raw_writer *raw, uint8_t *data)
{
    *raw = (struct j2k_raw_writer){.free = 8, .next = data};
}

uint8_t *kst_j2k_raw_write_end(struct j2k_raw_writer *raw, const uint8_t *data)
{
    bool after = raw->next > data && raw->next[-1] == 0xFF;
    if (raw->free < 8 || after) { /* seven are free behind 0xFF, and then the byte is needed in any case */
        for (uint32_t bit = 0; raw->free > 0; bit ^= 1)
            raw->byte |= bit << --raw->free;
        *raw->next++ = (uint8_t)raw->byte;
    }
    return raw->next;
}
