/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how rows of UltraGrid's packed pixels are unpacked to planes, and packed again. */
#ifndef KOSTKA_ULTRAGRID_PIXELS_H
#define KOSTKA_ULTRAGRID_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum packing {
    PACKING_NONE,
    PACKING_UYVY, /* 4:2:2, 8 bits: U Y V Y */
    PACKING_YUYV, /* 4:2:2, 8 bits: Y U Y V */
    PACKING_V210, /* 4:2:2, 10 bits: three samples in a little-endian word, six pixels in four of them */
    PACKING_I420, /* 4:2:0, 8 bits, three planes one after the other */
    PACKING_RGB,  /* 8 bits */
    PACKING_RGBA, /* 8 bits; alpha is not coded */
    PACKING_RG48, /* RGB, 16 bits, little-endian */
    PACKING_R10K  /* RGB, 10 bits, big-endian words with two unused bits at the end */
};

/*
 * Return the length of a row in bytes; for I420, of a row of the first plane. Rows of v210 have a multiple of 128
 * bytes.
 */
size_t packing_row(enum packing packing, uint32_t width);

/* Return the bytes of a frame without gaps between its rows. */
size_t packing_frame(enum packing packing, uint32_t width, uint32_t height);

/* Return the number of significant bits of a sample: 8, 10 or 16. */
uint32_t packing_depth(enum packing packing);

bool packing_is_rgb(enum packing packing);

/*
 * Unpack a row of any packing but I420: to rows of three planes; for RGB, to the first row alone, interleaved. Samples
 * of more than 8 bits take two bytes.
 */
void packing_unpack(enum packing packing, const uint8_t *row, uint32_t width, void *const planes[3]);

/*
 * Pack a row of UYVY, YUYV or v210 from a luma row of `width` samples and two chroma rows of half of that, rounded up;
 * or a row of RG48 from three rows of `width` samples. Samples have the packing's depth.
 */
void packing_pack(enum packing packing, const void *const planes[3], uint32_t width, uint8_t *row);

/*
 * Convert a row of samples to another depth, and to twice or half as many samples: chroma samples are repeated, or
 * every second one is taken. Samples of more than 8 bits take two bytes, in either row.
 */
void packing_fit(
    const void *from, uint32_t from_width, uint32_t from_depth, void *to, uint32_t to_width, uint32_t to_depth);

#ifdef __cplusplus
}
#endif

#endif
