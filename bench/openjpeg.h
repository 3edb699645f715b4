/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG 2000 by libopenjp2, from memory to memory. */
#ifndef KOSTKA_BENCH_OPENJPEG_H
#define KOSTKA_BENCH_OPENJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Planes of samples, unsigned. */
struct opj_picture {
    uint32_t width, height, components, depth;
    const uint16_t *sample; /* pixel by pixel; or, for encoding, */
    const uint8_t *packed;  /* the same, a byte each where there are no more than 8 bits */
};

/* A bare codestream from malloc, lossless where `ratio` is 0, else that many times smaller. Null on failure. */
uint8_t *openjpeg_encode(const struct opj_picture *picture, float ratio, int threads, size_t *length);

/* Into planes that the library makes and that are freed again. */
bool openjpeg_decode(const uint8_t *data, size_t length, int threads);

#endif
