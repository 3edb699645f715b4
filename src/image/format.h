/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the only table of pixel formats, which says what each holds and where. No other code tests for single
 * formats.
 */
#ifndef KOSTKA_IMAGE_FORMAT_H
#define KOSTKA_IMAGE_FORMAT_H

#include "core/shared.h"
#include <kostka/kostka.h>

struct pixel_layout {
    uint32_t channels; /* samples of a pixel, beside each other; 0: each channel has a plane of its own, or no format */
    kst_colour colour; /* of interleaved formats */
    bool alpha;        /* the last channel is alpha */
    bool reversed;     /* the colours lie in memory as B, G, R */
    bool planes;       /* PLANAR, RAW */
};

/* Return the format's row of the table; for AUTO and for invalid formats, a row with neither channels nor planes. */
KST_SHARED const struct pixel_layout *kst_pixel_layout(kst_format format);

/* Return whether the table has the format; AUTO is in it. */
bool kst_format_is_known(kst_format format);

/*
 * Return where in a pixel, or in which plane, channel `index` lies, in the order R, G, B, alpha. The function is its
 * own inverse.
 */
static inline uint32_t kst_pixel_place(const struct pixel_layout *layout, uint32_t index)
{
    return layout->reversed && index < 3 ? 2 - index : index;
}

/* Return whether pixels hold R, G and B, perhaps with alpha. */
static inline bool kst_pixel_is_rgb(const struct pixel_layout *layout)
{
    return layout->colour == KST_COLOUR_RGB;
}

/* Return the depth that a plane's `depth` stands for: 8 for 0. */
KST_SHARED uint32_t kst_plane_depth(const kst_plane *plane);

/*
 * Return the bytes of a sample: for integers 1 for a depth of up to 8, 2 up to 16, else 4; 2 for float16, 4 for
 * float32 and int32.
 */
KST_SHARED uint32_t kst_plane_sample_bytes(const kst_plane *plane);

/* Return whether samples of a type are integers, for which depth and sign matter. */
static inline bool kst_sample_is_integer(unsigned sample)
{
    return sample == KST_SAMPLE_INTEGER || sample == KST_SAMPLE_INT32;
}

/* Return the number of samples in one pixel of a plane: the format's channels, or 1 for PLANAR and RAW. */
KST_SHARED uint32_t kst_format_samples(kst_format format);

#endif
