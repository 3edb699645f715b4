/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the MQ decoder (T.800 Annex C) and the reader of raw bits (D.6); the encoder shares the tables and the
 * contexts.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_MQ_H
#define KOSTKA_J2K_CPU_BLOCKS_MQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "j2k/tables/contexts.h"

/* An encoder's context is its row of Table C.2 with the more probable symbol: see j2k/tables/mq.h. */
extern const uint32_t kst_j2k_cpu_mq_rows[J2K_MQ_STATES];

/* Set all contexts to the rows in which they start (Table D.7). */
void kst_j2k_cpu_mq_reset(uint32_t contexts[J2K_CONTEXTS]);

/*
 * A decoder's context is also a row with its symbol: Qe in bits 16–31; in bits 0–6, two times the row's number plus the
 * symbol. The second table has the contexts that follow: after a more and after a less probable symbol with
 * renormalisation; then twice the context itself, without.
 */
extern __attribute__((visibility("hidden"))) const uint32_t kst_j2k_cpu_mq_states[J2K_MQ_STATES];
extern __attribute__((visibility("hidden"))) const uint32_t kst_j2k_cpu_mq_next_states[J2K_MQ_STATES][4];

void kst_j2k_cpu_mq_reset_states(uint32_t contexts[J2K_CONTEXTS]);

/*
 * Holds the state between two symbols. At rates where time matters, two of three symbols renormalise, and which ones is
 * unpredictable; so there are no branches except for reading more data.
 */
struct j2k_mq {
    uint64_t code;  /* Chigh in bits 48–63, below it `bits` bits of data */
    uint32_t range; /* A in bits 16–31 */
    int32_t bits;   /* 16–47 bits */
    const uint8_t *next;
    const uint8_t *end;
    uint32_t past; /* number of bytes of ones supplied after the end */
};

enum { J2K_MQ_FRACTION = 48 };

void kst_j2k_cpu_mq_start(struct j2k_mq *mq, const uint8_t *data, size_t length);

/* Read bytes (BYTEIN) until there are 16 bits. */
void kst_j2k_cpu_mq_refill_slowly(struct j2k_mq *mq);

/* Read more data; the first byte has already been read. */
static inline __attribute__((always_inline)) void j2k_mq_refill(struct j2k_mq *mq)
{
    if (__builtin_expect(mq->end - mq->next >= 4, 1)) {
        uint32_t four, before;
        memcpy(&four, mq->next, 4);
        memcpy(&before, mq->next - 1, 4); /* the byte before each of the four */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        four = __builtin_bswap32(four);
#endif
        /* A byte is 0xFF exactly if its complement is 0; false alarms only cost time. */
        if (__builtin_expect(((~before - 0x01010101) & before & 0x80808080) == 0, 1)) {
            mq->code += (uint64_t)four << (J2K_MQ_FRACTION - 32 - mq->bits);
            mq->bits += 32;
            mq->next += 4;
            return;
        }
    }
    struct j2k_mq copy = *mq; /* a copy, so that the decoder itself can stay in registers */
    kst_j2k_cpu_mq_refill_slowly(&copy);
    mq->code = copy.code;
    mq->bits = copy.bits;
    mq->next = copy.next;
    mq->past = copy.past;
}

/* Decode one symbol: DECODE (C.3.2). Masks are used because compilers tend to turn choices into branches. */
static inline __attribute__((always_inline)) uint32_t j2k_mq_decode(struct j2k_mq *mq, uint32_t *context)
{
    uint32_t row = *context, estimate = row & 0xFFFF0000u, range = mq->range - estimate;
    uint64_t bound = (uint64_t)estimate << 32, above;
    /* All bits of `lower` are ones if the symbol is in the lower subinterval. */
    uint64_t lower = 0 - (uint64_t)__builtin_sub_overflow(mq->code, bound, &above);
    uint32_t less = (uint32_t)(range < estimate) ^ (uint32_t)(lower & 1);
    range ^= (range ^ estimate) & (uint32_t)lower;
    *context = kst_j2k_cpu_mq_next_states[row & 127][less + 2 * (range >> 31)];
    int32_t shift = __builtin_clz(range); /* at most 15 */
    mq->range = range << shift;
    mq->code = (above + (bound & lower)) << shift;
    mq->bits -= shift;
    if (mq->bits < 16)
        j2k_mq_refill(mq);
    return (row ^ less) & 1;
}

/*
 * If the next symbol is a more probable 0 that needs no renormalisation, decode it and return true. This is for
 * contexts of which that is very likely: it need not wait for a table.
 */
static inline __attribute__((always_inline)) bool j2k_mq_skip(struct j2k_mq *mq, uint32_t row)
{
    uint32_t estimate = row & 0xFFFF0000u, range = mq->range - estimate;
    uint64_t bound = (uint64_t)estimate << 32;
    if (!((uint32_t)(mq->code >= bound) & range >> 31 & ~row))
        return false;
    mq->code -= bound;
    mq->range = range;
    return true;
}

/*
 * Return whether the decoder, which reads at most six bytes ahead, has reached the end of the data and has not gone far
 * beyond it.
 */
bool kst_j2k_cpu_mq_used_up(const struct j2k_mq *mq);

/*
 * Return whether the data may have been ended with predictable termination (D.4.2). The encoder then writes its lower
 * bound down to bit 15 of A, fills that byte with either more of the bound or ones, and leaves a final 0xFF out. So the
 * data end at one of the bits 7–15. What is left of the interval is less than bit 15; if more of the bound was written,
 * it is less than the bit at which the data end.
 */
bool kst_j2k_cpu_mq_ended_predictably(const struct j2k_mq *mq);

/* Holds the state of the reader of raw bits. A byte that follows 0xFF has seven bits; ones follow the end. */
struct j2k_raw {
    uint32_t loaded; /* the lowest `bits` bits are still to be read */
    uint32_t bits;
    const uint8_t *next;
    const uint8_t *end;
};

void kst_j2k_cpu_raw_start(struct j2k_raw *raw, const uint8_t *data, size_t length);

static inline uint32_t j2k_raw_bit(struct j2k_raw *raw)
{
    if (raw->bits == 0) {
        bool stuffed = raw->loaded == 0xFF;
        raw->bits = stuffed ? 7 : 8;
        if (raw->next < raw->end && !(stuffed && *raw->next > 0x8F))
            raw->loaded = *raw->next++;
        else {
            raw->loaded = 0xFF;
            raw->bits = 8;
            raw->end = raw->next;
        }
    }
    raw->bits--;
    return raw->loaded >> raw->bits & 1;
}

/* Return whether no whole byte is left to read. */
bool kst_j2k_cpu_raw_used_up(const struct j2k_raw *raw);

/* Return whether the unread bits alternate between zero and one, starting with zero, with no byte more than needed. */
bool kst_j2k_cpu_raw_ended_predictably(const struct j2k_raw *raw);

#endif
