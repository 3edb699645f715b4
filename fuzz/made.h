/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes streams from a fuzzer's input. Their structure follows the standard, with odd choices. Each choice takes a byte
 * of the input, or two; once these are used up, choices are random numbers that depend on the whole input.
 */
#ifndef KOSTKA_FUZZ_MADE_H
#define KOSTKA_FUZZ_MADE_H

#include "fuzz.h"

struct made {
    uint8_t *data;
    size_t length, room;
    const uint8_t *input;
    size_t left; /* bytes of the input */
    uint32_t random;
    uint32_t bits, bit_count; /* fewer than 8 bits, not written to the bytes yet */
    bool stuffed; /* a byte 0xFF of bits is followed by a byte 0 (T.81), otherwise by only seven bits (T.800) */
};

void made_begin(struct made *made, const uint8_t *input, size_t length);
void made_end(struct made *made);

/* Begin another stream, which takes the choices that follow those of `made`; made_join() appends it to `made`. */
struct made made_apart(struct made *made);
void made_join(struct made *made, struct made *apart);

uint32_t made_choose(struct made *made, uint32_t bound); /* 0 … bound − 1 */
uint32_t made_random(struct made *made, uint32_t bound); /* 0 … bound − 1, without taking any byte of the input */
bool made_rarely(struct made *made, uint32_t one_in);

void made_put8(struct made *made, uint32_t value);
void made_put16(struct made *made, uint32_t value);
void made_put32(struct made *made, uint32_t value);
void made_put_all(struct made *made, const void *data, size_t length);

/* Begin a marker segment. Returns the offset of its length, which made_close() fills in. */
size_t made_open(struct made *made, uint32_t marker);
void made_close(struct made *made, size_t at);

void made_put_bits(struct made *made, uint32_t value, uint32_t count); /* highest first; count at most 24 */
void made_end_bits(struct made *made, uint32_t fill);                  /* with zeros or ones */

/* Change some bytes. */
void made_damage(struct made *made);

/*
 * Return a copy of the bytes in memory of exactly their length, so that reading past their end is detected. The caller
 * frees it.
 */
uint8_t *made_copy(const struct made *made);

/* Make a JPEG stream, or a codestream of JPEG 2000, of which the number of tiles is returned. */
void made_jpeg(struct made *made);
uint32_t made_j2k(struct made *made);

/*
 * Encode slices without a transform along z, in tiles; and make a codestream of them with multiple component transforms
 * (T.801) in its main header and in those of some tiles. The fuzzer's plain context encodes the slices, and has the
 * buffer.
 */
kst_buffer made_slices(bool lossy);
void made_volume(struct made *made, const kst_buffer *slices);

#endif
