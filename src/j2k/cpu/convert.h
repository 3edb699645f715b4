/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts decoded components to the channels of an image: palettes, sYCC, subsampled components, grey as RGB, alpha.
 */
#ifndef KOSTKA_J2K_CPU_CONVERT_H
#define KOSTKA_J2K_CPU_CONVERT_H

#include "core/pool.h"
#include "j2k/packets/output.h"

/* Holds the component of a channel: its decoded samples, without padding. */
struct j2k_conversion_source {
    const uint16_t *data;
    struct j2k_rect area; /* in the component's samples; contains everything that the pixels shown need */
    uint32_t dx, dy;
};

struct j2k_conversion {
    const struct j2k_channels *channels; /* checked: they fit together */
    struct j2k_conversion_source source[J2K_CHANNELS_MAX];
    struct j2k_rect shown;               /* the image's pixels on the reduced reference grid */
    uint16_t *palette[J2K_CHANNELS_MAX]; /* the value that each index stands for; null: samples are values */
    uint32_t palette_last;               /* the highest index; larger ones are treated like it */
    uint32_t alpha;                      /* for pictures without alpha, at the format's depth */
    const kst_image *image;              /* any format but RAW, in host memory */
};

void kst_j2k_cpu_convert(struct pool *pool, const struct j2k_conversion *conversion);

#endif
