/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes the lossless process (T.81 H) in the plainest way, for tests that decode it. */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_LOSSLESS_H
#define KOSTKA_TESTS_SUPPORT_JPEG_LOSSLESS_H

#include "support/bytes.h"

enum { LOSSLESS_COMPONENTS = 4 };

struct lossless_stream {
    uint32_t width, height, components;
    uint8_t precision, predictor, shift;  /* the shift is the point transform, Pt */
    uint8_t factors[LOSSLESS_COMPONENTS]; /* h × 16 + v */
    uint8_t ids[LOSSLESS_COMPONENTS];
    uint32_t restart_rows;                  /* MCU rows of a restart interval; 0: no restart markers */
    bool separate;                          /* a scan for each component */
    bool long_codes;                        /* Huffman codes of 1 to 16 bits instead of 5 */
    uint16_t *samples[LOSSLESS_COMPONENTS]; /* the input, whose low `shift` bits are set to 0 */
};

/* Return the width and the height of a component. */
uint32_t lossless_width(const struct lossless_stream *stream, uint32_t component);
uint32_t lossless_height(const struct lossless_stream *stream, uint32_t component);

/* Allocate the samples and fill them with noise, or with a picture and noise, over their whole range; and free them. */
void lossless_make(struct lossless_stream *stream, uint32_t seed, bool noise);
void lossless_free(struct lossless_stream *stream);

/* Append the stream to `bytes`. */
void lossless_encode(const struct lossless_stream *stream, struct bytes *bytes);

#endif
