/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses libjpeg as an oracle: for coefficients and pixels of a stream, and for streams of every shape to try. */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_LIBJPEG_COEFFICIENTS_H
#define KOSTKA_TESTS_SUPPORT_JPEG_LIBJPEG_COEFFICIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct peer_coefficients {
    int components;
    uint32_t blocks_w[4], blocks_h[4]; /* padded to whole MCUs */
    int16_t *blocks[4];                /* raster order */
    long warnings;
};

/* False where libjpeg refuses the stream. */
bool peer_read_coefficients(const uint8_t *data, size_t length, struct peer_coefficients *coefficients);
void peer_release(struct peer_coefficients *coefficients);

struct peer_image {
    int components;
    uint32_t width[4], height[4]; /* samples of each plane, whole blocks */
    uint8_t *plane[4];            /* raw data: no colour conversion, no resampling */
    long warnings;
};

/* The planes as jpeg_read_raw_data() gives them, with block smoothing. */
bool peer_read_planes(const uint8_t *data, size_t length, struct peer_image *image);
void peer_image_release(struct peer_image *image);

struct peer_scan {
    int components; /* 0: all of them, interleaved; else one, `component` */
    int component;
    int ss, se, ah, al;
};

struct peer_request {
    uint32_t width, height;
    int components; /* 1, 3 or 4 */
    uint8_t h[4], v[4];
    int quality;
    int restart;      /* MCUs; negative: rows */
    bool progressive; /* by the script, or by libjpeg's own where there is none */
    bool optimize;
    const struct peer_scan *script;
    int script_length;
};

/* A picture of slopes, edges and noise. The caller frees it. */
uint8_t *peer_encode(const struct peer_request *request, size_t *length);

#endif
