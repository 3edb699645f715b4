/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes and decodes JPEG 2000 with libopenjp2, from memory to memory. */
#ifndef KOSTKA_BENCH_OPENJPEG_H
#define KOSTKA_BENCH_OPENJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Holds planes of samples, unsigned. */
struct opj_picture {
    uint32_t width, height, components, depth;
    const uint16_t *sample; /* pixel by pixel; or, for encoding, */
    const uint8_t *packed;  /* the same, each a byte if there are no more than 8 bits */
};

/*
 * Return a bare codestream from malloc: lossless if `ratio` is 0, otherwise that many times smaller. Returns null on
 * failure.
 */
uint8_t *openjpeg_encode(const struct opj_picture *picture, float ratio, int threads, size_t *length);

/* Decode to planes that the library allocates, and free them. */
bool openjpeg_decode(const uint8_t *data, size_t length, int threads);

#endif
