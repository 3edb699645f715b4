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

/* Read the coefficients. Returns false if libjpeg refuses the stream. */
bool peer_read_coefficients(const uint8_t *data, size_t length, struct peer_coefficients *coefficients);
void peer_release(struct peer_coefficients *coefficients);

struct peer_image {
    int components;
    uint32_t width[4], height[4]; /* of each plane, in whole blocks */
    uint8_t *plane[4];            /* raw data: no colour conversion, no resampling */
    long warnings;
};

/* Read the planes that jpeg_read_raw_data() returns, with block smoothing. */
bool peer_read_planes(const uint8_t *data, size_t length, struct peer_image *image);
void peer_image_release(struct peer_image *image);

struct peer_scan {
    int components; /* 0: all, interleaved; otherwise 1, `component` */
    int component;
    int ss, se, ah, al;
};

struct peer_request {
    uint32_t width, height;
    int components; /* 1, 3 or 4 */
    uint8_t h[4], v[4];
    int quality;
    int restart;      /* interval in MCUs; negative: in rows */
    bool progressive; /* with the script, or with libjpeg's own if there is none */
    bool optimize;
    const struct peer_scan *script;
    int script_length;
};

/* Encode a picture of slopes, edges and noise. The caller frees the stream. */
uint8_t *peer_encode(const struct peer_request *request, size_t *length);

#endif
