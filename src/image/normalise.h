/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the conversion of integer samples to floating point. */
#ifndef KOSTKA_IMAGE_NORMALISE_H
#define KOSTKA_IMAGE_NORMALISE_H

#include "image/format.h"

/* Describes the conversion of the values of each channel: (value − mean) × scale. */
struct normal {
    kst_sample sample;
    float mean[4], scale[4]; /* within the magnitudes that kst_decode_options has, so that no step is subnormal */
};

/* Set the values by the options, for samples of a depth and sign. Returns false if they are out of range. */
bool kst_normal_init(struct normal *normal, const kst_decode_options *options, uint32_t depth, bool is_signed);

/* Return the bits of the sample to which a value is converted. */
uint32_t kst_normal_value(const struct normal *normal, int32_t value, uint32_t channel);

/*
 * Convert rows first … end − 1 of an image of integers to one of floating-point samples, of the same format and size;
 * both are checked and in host memory.
 */
void kst_image_normalise(
    const kst_image *from, const kst_image *to, const struct normal *normal, uint32_t first, uint32_t end);

#endif
