/* SPDX-License-Identifier: BSD-2-Clause */
/* The MQ encoder (T.800 Annex C), which takes decisions by the run, and the writer of raw bits (D.6). */
#ifndef KOSTKA_J2K_CPU_BLOCKS_MQ_ENCODE_H
#define KOSTKA_J2K_CPU_BLOCKS_MQ_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "j2k/cpu/blocks/mq.h"

/* A decision: the context in bits 1–7, the bit in bit 0. */
typedef uint8_t j2k_decision;

/* The registers of C.2 between two decisions. `at` is byte B, at first the one in front of the data, which is not 0xFF
 * and stays as it is: no carry reaches it. */
struct j2k_mq_encoder {
    uint32_t range; /* A */
    uint32_t code;  /* C */
    uint32_t left;  /* CT */
    uint8_t *at;
};

void kst_j2k_mq_encode_start(struct j2k_mq_encoder *mq, uint8_t *data);
void kst_j2k_mq_encode(
    struct j2k_mq_encoder *coder, uint32_t *contexts, const j2k_decision *decision, const j2k_decision *end);

enum { J2K_MQ_CARRY = 0x8000000 };

/* BYTEOUT (C.2.7). */
static inline __attribute__((always_inline)) void j2k_mq_byte_out(struct j2k_mq_encoder *mq)
{
    bool stuff = *mq->at == 0xFF;
    if (!stuff && mq->code >= J2K_MQ_CARRY) {
        stuff = ++*mq->at == 0xFF;
        mq->code &= J2K_MQ_CARRY - 1;
    }
    uint32_t shift = stuff ? 20 : 19;
    *++mq->at = (uint8_t)(mq->code >> shift);
    mq->code &= ((uint32_t)1 << shift) - 1;
    mq->left = stuff ? 7 : 8;
}

/* ENCODE (C.2.2) of each. The choice between the subintervals is made with masks, as which it is is chance. */
static inline __attribute__((always_inline)) void j2k_mq_encode(
    struct j2k_mq_encoder *coder, uint32_t *contexts, const j2k_decision *decision, const j2k_decision *end)
{
    struct j2k_mq_encoder mq = *coder;
    for (; decision < end; decision++) {
        uint32_t *context = &contexts[*decision >> 1];
        uint32_t row = *context, estimate = row >> 16, range = mq.range - estimate;
        uint32_t less = (row ^ *decision) & 1;
        /* a run's zero that only takes from the interval, which many are: nothing waits for tables then */
        if (*decision == J2K_CONTEXT_RUN << 1 && (range >> 15 & ~less) != 0) {
            mq.range = range;
            mq.code += estimate;
            continue;
        }
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
            j2k_mq_byte_out(&mq);
        }
        mq.code <<= shift;
        mq.left -= shift;
    }
    *coder = mq;
}

/* FLUSH (C.2.9), and predictable termination (D.4.2). Both return the data's end, which no 0xFF precedes. */
uint8_t *kst_j2k_mq_flush(struct j2k_mq_encoder *mq);
uint8_t *kst_j2k_mq_flush_predictably(struct j2k_mq_encoder *mq);

/*
 * The upper end of the interval, as the bytes that would be written if the data ended there. Data that are cut and
 * continued by ones decode as far as this point iff they stay below it.
 */
struct j2k_mq_bound {
    uint8_t *at; /* where the first of the bytes would be */
    uint8_t byte[5];
};

struct j2k_mq_bound kst_j2k_mq_bound(const struct j2k_mq_encoder *mq);

/* How many bytes of the finished segment [data, end) are needed to decode as far as a bound that was met on the way. */
uint32_t kst_j2k_mq_needed(const struct j2k_mq_bound *bound, const uint8_t *data, const uint8_t *end);

/* Raw bits, most significant first, seven of a byte that follows 0xFF. */
struct j2k_raw_writer {
    uint32_t byte; /* with `free` bits still to come */
    uint32_t free;
    uint8_t *next;
};

void kst_j2k_raw_write_start(struct j2k_raw_writer *raw, uint8_t *data);

static inline void j2k_raw_write(struct j2k_raw_writer *raw, uint32_t bit)
{
    raw->byte |= bit << --raw->free;
    if (raw->free == 0) {
        *raw->next++ = (uint8_t)raw->byte;
        raw->free = raw->byte == 0xFF ? 7 : 8;
        raw->byte = 0;
    }
}

/* Fills up with zeros and ones by turns, from a zero; a last 0xFF is followed by another byte. Returns the end. */
uint8_t *kst_j2k_raw_write_end(struct j2k_raw_writer *raw, const uint8_t *data);

#endif
