/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the tables and the rarer steps of the MQ decoder (T.800 Annex C), and the end of raw segments. */
#include "j2k/cpu/blocks/mq.h"

#include "j2k/tables/mq.h"

const uint32_t kst_j2k_cpu_mq_rows[J2K_MQ_STATES] = {J2K_MQ_TABLE(J2K_MQ_ROWS)};

enum {
#define ESTIMATES(row, estimate, more, less, change) ESTIMATE_##row = (estimate),
    J2K_MQ_TABLE(ESTIMATES)
};

#define STATE(row, symbol) ((uint32_t)ESTIMATE_##row << 16 | (2u * (row) + (symbol)))
#define STATES(row, estimate, more, less, change) STATE(row, 0), STATE(row, 1),

const uint32_t kst_j2k_cpu_mq_states[J2K_MQ_STATES] = {J2K_MQ_TABLE(STATES)};

#define NEXT(row, more, less, change, symbol)                                                                          \
    {STATE(more, symbol), STATE(less, (symbol) ^ (change)), STATE(row, symbol), STATE(row, symbol)},
#define NEXT_STATES(row, estimate, more, less, change) NEXT(row, more, less, change, 0) NEXT(row, more, less, change, 1)

const uint32_t kst_j2k_cpu_mq_next_states[J2K_MQ_STATES][4] = {J2K_MQ_TABLE(NEXT_STATES)};

void kst_j2k_cpu_mq_reset(uint32_t contexts[J2K_CONTEXTS])
{
    for (uint32_t i = 0; i < J2K_CONTEXTS; i++)
        contexts[i] = kst_j2k_cpu_mq_rows[0];
    contexts[J2K_CONTEXT_ZERO] = kst_j2k_cpu_mq_rows[J2K_START_ZERO];
    contexts[J2K_CONTEXT_RUN] = kst_j2k_cpu_mq_rows[J2K_START_RUN];
    contexts[J2K_CONTEXT_UNIFORM] = kst_j2k_cpu_mq_rows[J2K_START_UNIFORM];
}

void kst_j2k_cpu_mq_reset_states(uint32_t contexts[J2K_CONTEXTS])
{
    for (uint32_t i = 0; i < J2K_CONTEXTS; i++)
        contexts[i] = kst_j2k_cpu_mq_states[0];
    contexts[J2K_CONTEXT_ZERO] = kst_j2k_cpu_mq_states[J2K_START_ZERO];
    contexts[J2K_CONTEXT_RUN] = kst_j2k_cpu_mq_states[J2K_START_RUN];
    contexts[J2K_CONTEXT_UNIFORM] = kst_j2k_cpu_mq_states[J2K_START_UNIFORM];
}

/*
 * Read bytes (C.3.4). A byte that follows 0xFF is added one bit higher, because it may hold a carry. If it is above
 * 0x8F it is a marker, and the data end before it.
 */
void kst_j2k_cpu_mq_refill_slowly(struct j2k_mq *mq)
{
    while (mq->bits < 16) {
        bool stuffed = mq->next < mq->end && mq->next[-1] == 0xFF;
        if (mq->next == mq->end || (stuffed && *mq->next > 0x8F)) {
            mq->bits += 8;
            mq->code += (uint64_t)0xFF << (J2K_MQ_FRACTION - mq->bits);
            mq->past++;
            continue;
        }
        mq->bits += stuffed ? 7 : 8;
        mq->code += (uint64_t)*mq->next++ << (J2K_MQ_FRACTION - mq->bits);
    }
}

/* INITDEC (C.3.5): Chigh starts with a zero and 15 bits of data. */
void kst_j2k_cpu_mq_start(struct j2k_mq *mq, const uint8_t *data, size_t length)
{
    uint64_t first = length > 0 ? *data : 0xFF;
    *mq = (struct j2k_mq){.range = 0x80000000u, .bits = 8 - 15, .next = data, .end = data + length};
    mq->code = first << (J2K_MQ_FRACTION - mq->bits);
    mq->next += length > 0;
    mq->past = length == 0;
    kst_j2k_cpu_mq_refill_slowly(mq);
}

/* Return the number of bits of Chigh that are not from the data; negative if data are left. */
static int32_t bits_left(const struct j2k_mq *mq)
{
    return mq->next < mq->end ? -1 : 8 * (int32_t)mq->past - mq->bits;
}

bool kst_j2k_cpu_mq_used_up(const struct j2k_mq *mq)
{
    return bits_left(mq) >= 0 && mq->past <= 8;
}

bool kst_j2k_cpu_mq_ended_predictably(const struct j2k_mq *mq)
{
    int32_t left = bits_left(mq);
    if (left < 7 || left > 23 || mq->code >> (J2K_MQ_FRACTION + 15) != 0)
        return false;
    uint32_t spare = left < 15 ? ((uint32_t)1 << (15 - left)) - 1 : 0;
    return left >= 16 || mq->code >> (J2K_MQ_FRACTION + left) == 0 || (mq->next[-1] & spare) == spare;
}

void kst_j2k_cpu_raw_start(struct j2k_raw *raw, const uint8_t *data, size_t length)
{
    *raw = (struct j2k_raw){.next = data, .end = data + length};
}

bool kst_j2k_cpu_raw_used_up(const struct j2k_raw *raw)
{
    return raw->end - raw->next <=
           (raw->bits == 0 && raw->loaded == 0xFF); /* one byte may be left that keeps 0xFF from being last */
}

bool kst_j2k_cpu_raw_ended_predictably(const struct j2k_raw *raw)
{
    uint32_t loaded = raw->loaded, bits = raw->bits;
    const uint8_t *next = raw->next;
    if (bits == 0 && loaded == 0xFF && next < raw->end) {
        loaded = *next++;
        bits = 7;
    }
    uint32_t mask = ((uint32_t)1 << bits) - 1;
    return next == raw->end && (loaded & mask) == (0x55u >> (8 - bits) & mask);
}
