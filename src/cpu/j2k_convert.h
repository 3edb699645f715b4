/* SPDX-License-Identifier: BSD-2-Clause */
/* From components to the channels of an image: palettes, sYCC, grey as RGB, alpha. */
#ifndef KOSTKA_CPU_J2K_CONVERT_H
#define KOSTKA_CPU_J2K_CONVERT_H

#include "core/pool.h"
#include "j2k/channels.h"

struct j2k_conversion {
    const struct j2k_channels *channels;      /* that fit together */
    const uint16_t *source[J2K_CHANNELS_MAX]; /* the component of each channel: rows as wide as the image, no padding */
    uint16_t *palette[J2K_CHANNELS_MAX];      /* what each index stands for; null: the sample itself */
    uint32_t palette_last;                    /* the highest index there is; larger ones count as it */
    uint32_t alpha;                           /* of pictures without, as the format's depth has it */
    const kst_image *image;                   /* any format but RAW, in host memory */
};

void kst_j2k_convert(struct pool *pool, const struct j2k_conversion *conversion);

#endif
