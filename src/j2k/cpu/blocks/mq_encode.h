/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the MQ encoder (T.800 Annex C), which codes runs of decisions, and the writer of raw bits (D.6). */
#ifndef KOSTKA_J2K_CPU_BLOCKS_MQ_ENCODE_H
#define KOSTKA_J2K_CPU_BLOCKS_MQ_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "j2k/cpu/blocks/mq.h"

/* Holds a decision: the context in bits 1–7, the bit in bit 0. */
typedef uint8_t j2k_decision;

/*
 * Holds the registers of C.2 between two decisions. `at` is byte B. At first that is the byte before the data; it is
 * not 0xFF and stays as it is, because no carry reaches it.
 */
struct j2k_mq_encoder {
    uint32_t range; /* register A */
    uint32_t code;  /* register C */
    uint32_t left;  /* register CT */
    uint8_t *at;
};

void kst_j2k_cpu_mq_encode_start(struct j2k_mq_encoder *mq, uint8_t *data);
void kst_j2k_cpu_mq_encode(
    struct j2k_mq_encoder *coder, uint32_t *contexts, const j2k_decision *decision, const j2k_decision *end);

enum { J2K_MQ_CARRY = 0x8000000 };

/* Write a byte: BYTEOUT (C.2.7). */
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

/*
 * Code each decision: ENCODE (C.2.2). The subinterval is chosen with masks, because which one it is is unpredictable.
 */
static inline __attribute__((always_inline)) void j2k_mq_encode(
    struct j2k_mq_encoder *coder, uint32_t *contexts, const j2k_decision *decision, const j2k_decision *end)
{
    struct j2k_mq_encoder mq = *coder;
    for (; decision < end; decision++) {
        uint32_t *context = &contexts[*decision >> 1];
        uint32_t row = *context, estimate = row >> 16, range = mq.range - estimate;
        uint32_t less = (row ^ *decision) & 1;
        /* Many decisions are a run's zero that only shortens the interval: these need not wait for tables. */
        if (*decision == J2K_CONTEXT_RUN << 1 && (range >> 15 & ~less) != 0) {
            mq.range = range;
            mq.code += estimate;
            continue;
        }
        /*
         * The part of size Qe is the lower one. It belongs to the less probable symbol, unless the other part is
         * smaller.
         */
        uint32_t lower = 0 - (less ^ (uint32_t)(range < estimate));
        mq.code += estimate & ~lower;
        range ^= (range ^ estimate) & lower;
        uint32_t shift = (uint32_t)__builtin_clz(range) - 16;
        uint32_t after = kst_j2k_cpu_mq_rows[row >> (1 + 7 * less) & 127];
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

/* FLUSH (C.2.9), and predictable termination (D.4.2). Both return the end of the data; the last byte is not 0xFF. */
uint8_t *kst_j2k_cpu_mq_flush(struct j2k_mq_encoder *mq);
uint8_t *kst_j2k_cpu_mq_flush_predictably(struct j2k_mq_encoder *mq);

/*
 * Holds the upper end of the interval, as the bytes that would be written if the data ended there. Data that are cut
 * and then continued by ones can be decoded up to this point exactly if they stay below it.
 */
struct j2k_mq_bound {
    uint8_t *at; /* where the first of `byte` would be */
    uint8_t byte[5];
};

struct j2k_mq_bound kst_j2k_cpu_mq_bound(const struct j2k_mq_encoder *mq);

/*
 * Return the number of bytes of the finished segment [data, end) that are needed to decode up to a bound that was taken
 * while the segment was coded.
 */
uint32_t kst_j2k_cpu_mq_needed(const struct j2k_mq_bound *bound, const uint8_t *data, const uint8_t *end);

/* Holds the state of the writer of raw bits, most significant bit first. A byte that follows 0xFF has seven bits. */
struct j2k_raw_writer {
    uint32_t byte; /* the current byte, with `free` bits still to be filled */
    uint32_t free;
    uint8_t *next;
};

void kst_j2k_cpu_raw_write_start(struct j2k_raw_writer *raw, uint8_t *data);

static inline void j2k_raw_write(struct j2k_raw_writer *raw, uint32_t bit)
{
    raw->byte |= bit << --raw->free;
    if (raw->free == 0) {
        *raw->next++ = (uint8_t)raw->byte;
        raw->free = raw->byte == 0xFF ? 7 : 8;
        raw->byte = 0;
    }
}

/*
 * Fill the last byte with alternating zeros and ones, starting with zero; a final 0xFF is followed by another byte.
 * Returns the end.
 */
uint8_t *kst_j2k_cpu_raw_write_end(struct j2k_raw_writer *raw, const uint8_t *data);

#endif
