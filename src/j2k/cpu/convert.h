/* SPDX-License-Identifier: BSD-2-Clause */
/* From components to the channels of an image: palettes, sYCC, smaller components, grey as RGB, alpha. */
#ifndef KOSTKA_J2K_CPU_CONVERT_H
#define KOSTKA_J2K_CPU_CONVERT_H

#include "core/pool.h"
#include "j2k/packets/output.h"

/* The component of a channel: those samples that are decoded, without padding. */
struct j2k_conversion_source {
    const uint16_t *data;
    struct j2k_rect area; /* in the component's samples; holds all that the pixels shown take */
    uint32_t dx, dy;
};

struct j2k_conversion {
    const struct j2k_channels *channels; /* that fit together */
    struct j2k_conversion_source source[J2K_CHANNELS_MAX];
    struct j2k_rect shown;               /* where the image's pixels lie on the reduced reference grid */
    uint16_t *palette[J2K_CHANNELS_MAX]; /* what each index stands for; null: the sample itself */
    uint32_t palette_last;               /* the highest index there is; larger ones count as it */
    uint32_t alpha;                      /* of pictures without, as the format's depth has it */
    const kst_image *image;              /* any format but RAW, in host memory */
};

void kst_j2k_convert(struct pool *pool, const struct j2k_conversion *conversion);

#endif
