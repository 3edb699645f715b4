/* SPDX-License-Identifier: BSD-2-Clause */
/* The MQ encoder (T.800 Annex C), which takes decisions by the run, and the writer of raw bits (D.6). */
#ifndef KOSTKA_CPU_J2K_MQ_ENCODE_H
#define KOSTKA_CPU_J2K_MQ_ENCODE_H

#include <stddef.h>
#include <stdint.h>

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
