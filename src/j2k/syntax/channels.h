/* SPDX-License-Identifier: BSD-2-Clause */
/* Which components, straight or through a palette, are which channels of the picture (T.800 I.5.3). */
#ifndef KOSTKA_J2K_SYNTAX_CHANNELS_H
#define KOSTKA_J2K_SYNTAX_CHANNELS_H

#include "j2k/syntax/stream.h"

enum { J2K_CHANNELS_MAX = 5 }; /* four colours and an alpha channel */

struct j2k_channel {
    uint32_t component;
    bool palette;
    uint8_t column; /* of the palette */
    uint8_t depth;
    bool is_signed;
};

struct j2k_channels {
    kst_colour colour; /* GREY, RGB, YCBCR (sYCC) or CMYK; UNKNOWN: only the components as they are make sense */
    uint32_t count;    /* colours, and one more with alpha: the last */
    bool has_alpha;
    bool
        together; /* the colour is known, all are unsigned and of one depth up to 16, the first of the picture's size */
    bool enlarged; /* others are of less, and have to be brought to it */
    struct j2k_channel channel[J2K_CHANNELS_MAX];
};

void kst_j2k_channels(const struct j2k_stream *stream, struct j2k_channels *channels);

#endif
