/* SPDX-License-Identifier: BSD-2-Clause */
/* The MQ decoder (T.800 Annex C) and the reader of raw bits (D.6). */
#ifndef KOSTKA_CPU_J2K_MQ_H
#define KOSTKA_CPU_J2K_MQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Contexts as Annex D numbers them. */
enum {
    J2K_CONTEXT_ZERO = 0,
    J2K_CONTEXT_SIGN = 9,
    J2K_CONTEXT_MAGNITUDE = 14,
    J2K_CONTEXT_RUN = 17,
    J2K_CONTEXT_UNIFORM = 18,
    J2K_CONTEXTS = 19
};

/*
 * A context is the row of Table C.2 it is in, with the more probable symbol: Qe in bits 16–31, the row that follows a
 * less probable symbol in bits 8–14, the one that follows a renormalising more probable one in 1–7, the symbol in 0.
 */
extern const uint32_t kst_j2k_mq_rows[94];

/* The rows all contexts start in (Table D.7). */
void kst_j2k_mq_reset(uint32_t contexts[J2K_CONTEXTS]);

/* The bits of `code` in use: sound data stay below A. */
#define J2K_MQ_CODE (((int64_t)1 << 48) - 1)

/*
 * Annex C subtracts Qe from A and from Chigh for each more probable symbol that needs no renormalisation. Here both are
 * kept less `slack`, the amount that may still be subtracted before A falls below 0x8000 or Chigh below 0: one
 * subtraction and one test for most symbols.
 */
struct j2k_mq {
    int64_t code;   /* Chigh − slack in bits 32–47, below it `bits` bits of data */
    uint32_t range; /* A − slack */
    int32_t slack;
    int32_t bits;  /* 16–31 between two symbols */
    uint32_t last; /* byte before next */
    const uint8_t *next;
    const uint8_t *end;
    uint32_t past; /* bytes of ones that were supplied behind the end */
};

void kst_j2k_mq_start(struct j2k_mq *mq, const uint8_t *data, size_t length);

/* BYTEIN until there are 16 bits. By value, so that a decoder's copy can stay in registers. */
struct j2k_mq kst_j2k_mq_refill_slowly(struct j2k_mq mq);

static inline __attribute__((always_inline)) void j2k_mq_refill(struct j2k_mq *mq)
{
    if (__builtin_expect(mq->end - mq->next >= 2 && mq->last != 0xFF && mq->next[0] != 0xFF, 1)) {
        uint32_t two = (uint32_t)mq->next[0] << 8 | mq->next[1];
        mq->code += (int64_t)two << (16 - mq->bits);
        mq->bits += 16;
        mq->last = two & 0xFF;
        mq->next += 2;
        return;
    }
    *mq = kst_j2k_mq_refill_slowly(*mq);
}

/* Restore what slack stands for. */
static inline __attribute__((always_inline)) void j2k_mq_share_slack(struct j2k_mq *mq)
{
    int32_t high = (int32_t)(mq->code >> 32), spare = (int32_t)mq->range - 0x8000;
    mq->slack = high < spare ? high : spare;
    mq->range -= (uint32_t)mq->slack;
    mq->code -= (int64_t)mq->slack << 32;
}

/* DECODE (C.3.2) of one symbol. */
static inline __attribute__((always_inline)) uint32_t j2k_mq_decode(struct j2k_mq *mq, uint32_t *context)
{
    uint32_t row = *context;
    uint32_t less, estimate = row >> 16;
    mq->slack -= (int32_t)estimate;
    if (__builtin_expect(mq->slack >= 0, 1))
        return row & 1;
    mq->range += (uint32_t)mq->slack;
    mq->code += (int64_t)mq->slack * ((int64_t)1 << 32);
    if (mq->code < 0) { /* the lower subinterval */
        mq->code += (int64_t)estimate << 32;
        less = mq->range >= estimate;
        mq->range = estimate;
    } else
        less = mq->range < estimate;
    *context = kst_j2k_mq_rows[(less ? row >> 8 : row >> 1) & 127];
    int32_t shift = __builtin_clz(mq->range) - 16; /* at most 15 */
    mq->range <<= shift;
    mq->code = (mq->code << shift) & J2K_MQ_CODE;
    mq->bits -= shift;
    if (mq->bits < 16)
        j2k_mq_refill(mq);
    j2k_mq_share_slack(mq);
    return (row ^ less) & 1;
}

/* Whether the decoder, which reads four bytes ahead at most, has come to the end of the data and not far beyond. */
bool kst_j2k_mq_used_up(const struct j2k_mq *mq);

/*
 * Whether the data can have been ended as D.4.2 says of predictable termination. The encoder then writes its lower
 * bound down to bit 15 of A, and to the end of that byte either more of it or ones, and leaves a final 0xFF out. So the
 * data end at one of the bits 7–15, and what is left over of the interval is less than bit 15, in the former case less
 * than where they end.
 */
bool kst_j2k_mq_ended_predictably(const struct j2k_mq *mq);

/* Raw bits: seven of a byte that follows 0xFF, ones behind the end. */
struct j2k_raw {
    uint32_t window; /* lowest `bits` bits are still to be read */
    uint32_t bits;
    const uint8_t *next;
    const uint8_t *end;
};

void kst_j2k_raw_start(struct j2k_raw *raw, const uint8_t *data, size_t length);

static inline uint32_t j2k_raw_bit(struct j2k_raw *raw)
{
    if (raw->bits == 0) {
        bool stuffed = raw->window == 0xFF;
        raw->bits = stuffed ? 7 : 8;
        if (raw->next < raw->end && !(stuffed && *raw->next > 0x8F))
            raw->window = *raw->next++;
        else {
            raw->window = 0xFF;
            raw->bits = 8;
            raw->end = raw->next;
        }
    }
    raw->bits--;
    return raw->window >> raw->bits & 1;
}

/* Whether no whole byte is left. */
bool kst_j2k_raw_used_up(const struct j2k_raw *raw);

/* Whether what was not read is zeros and ones by turns, from a zero, and no byte more than needed. */
bool kst_j2k_raw_ended_predictably(const struct j2k_raw *raw);

#endif
