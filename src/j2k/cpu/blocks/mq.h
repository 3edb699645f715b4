/* SPDX-License-Identifier: BSD-2-Clause */
/* The MQ decoder (T.800 Annex C) and the reader of raw bits (D.6). */
#ifndef KOSTKA_J2K_CPU_BLOCKS_MQ_H
#define KOSTKA_J2K_CPU_BLOCKS_MQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Contexts as Annex D numbers them. */
enum {
    J2K_CONTEXT_ZERO = 0,
    J2K_CONTEXT_SIGN = 9,
    J2K_CONTEXT_MAGNITUDE = 14,
    J2K_CONTEXT_RUN = 17,
    J2K_CONTEXT_UNIFORM = 18,
    J2K_CONTEXTS = 19
};

/* An encoder's context is the row of Table C.2 it is in, with the more probable symbol: see j2k/kernels/mq_rows.h. */
extern const uint32_t kst_j2k_mq_rows[94];

/* The rows all contexts start in (Table D.7). */
void kst_j2k_mq_reset(uint32_t contexts[J2K_CONTEXTS]);

/*
 * A decoder's context is likewise a row with its symbol: Qe in bits 16–31, in bits 0–6 two times the number of the row
 * plus the symbol. And what follows such a context: after a more and after a less probable symbol, and twice itself for
 * where there is no renormalisation.
 */
extern __attribute__((visibility("hidden"))) const uint32_t kst_j2k_mq_states[94];
extern __attribute__((visibility("hidden"))) const uint32_t kst_j2k_mq_next_states[94][4];

void kst_j2k_mq_reset_states(uint32_t contexts[J2K_CONTEXTS]);

/*
 * Between two symbols. At the rates where time matters two symbols of three renormalise, which of them is chance: so
 * there are no branches but for more data.
 */
struct j2k_mq {
    uint64_t code;  /* Chigh in bits 48–63, below it `bits` bits of data */
    uint32_t range; /* A in bits 16–31 */
    int32_t bits;   /* 16–47 */
    const uint8_t *next;
    const uint8_t *end;
    uint32_t past; /* bytes of ones that were supplied behind the end */
};

enum { J2K_MQ_FRACTION = 48 };

void kst_j2k_mq_start(struct j2k_mq *mq, const uint8_t *data, size_t length);

/* BYTEIN until there are 16 bits. */
void kst_j2k_mq_refill_slowly(struct j2k_mq *mq);

/* The first byte has been read. */
static inline __attribute__((always_inline)) void j2k_mq_refill(struct j2k_mq *mq)
{
    if (__builtin_expect(mq->end - mq->next >= 4, 1)) {
        uint32_t four, before;
        memcpy(&four, mq->next, 4);
        memcpy(&before, mq->next - 1, 4); /* each byte's predecessor */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        four = __builtin_bswap32(four);
#endif
        /* A byte is 0xFF iff its complement is 0; false alarms only cost time. */
        if (__builtin_expect(((~before - 0x01010101) & before & 0x80808080) == 0, 1)) {
            mq->code += (uint64_t)four << (J2K_MQ_FRACTION - 32 - mq->bits);
            mq->bits += 32;
            mq->next += 4;
            return;
        }
    }
    struct j2k_mq copy = *mq; /* so that the decoder's own can stay in registers */
    kst_j2k_mq_refill_slowly(&copy);
    mq->code = copy.code;
    mq->bits = copy.bits;
    mq->next = copy.next;
    mq->past = copy.past;
}

/* DECODE (C.3.2) of one symbol. Masks, as compilers like to make branches of choices. */
static inline __attribute__((always_inline)) uint32_t j2k_mq_decode(struct j2k_mq *mq, uint32_t *context)
{
    uint32_t row = *context, estimate = row & 0xFFFF0000u, range = mq->range - estimate;
    uint64_t bound = (uint64_t)estimate << 32, above;
    uint64_t lower =
        0 - (uint64_t)__builtin_sub_overflow(mq->code, bound, &above); /* all ones in the lower subinterval */
    uint32_t less = (uint32_t)(range < estimate) ^ (uint32_t)(lower & 1);
    range ^= (range ^ estimate) & (uint32_t)lower;
    *context = kst_j2k_mq_next_states[row & 127][less + 2 * (range >> 31)];
    int32_t shift = __builtin_clz(range); /* at most 15 */
    mq->range = range << shift;
    mq->code = (above + (bound & lower)) << shift;
    mq->bits -= shift;
    if (mq->bits < 16)
        j2k_mq_refill(mq);
    return (row ^ less) & 1;
}

/* True if the next symbol is a 0 that is the more probable one and changes nothing but the interval, and then it is
 * decoded. For contexts of which that is very likely: nothing waits for a table then. */
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

/* Whether the decoder, which reads six bytes ahead at most, has come to the end of the data and not far beyond. */
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
