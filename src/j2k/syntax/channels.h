/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares which components are the channels of the picture, directly or through a palette (T.800 I.5.3). */
#ifndef KOSTKA_J2K_SYNTAX_CHANNELS_H
#define KOSTKA_J2K_SYNTAX_CHANNELS_H

#include "j2k/syntax/stream.h"

enum { J2K_CHANNELS_MAX = 5 }; /* four colours and an alpha channel */

struct j2k_channel {
    uint32_t component;
    bool palette;
    uint8_t column; /* column of the palette */
    uint8_t depth;
    bool is_signed;
};

struct j2k_channels {
    /* GREY, RGB, YCBCR (sYCC) or CMYK. UNKNOWN: the components can only be used without conversion. */
    kst_colour colour;
    uint32_t count; /* number of colours, plus one for an alpha channel, which comes last */
    bool has_alpha;
    /*
     * The colour is known, all channels are unsigned and have the same depth of up to 16 bits, and the first channel
     * has the picture's size.
     */
    bool together;
    bool enlarged; /* some channels are subsampled and have to be enlarged to the picture's size */
    struct j2k_channel channel[J2K_CHANNELS_MAX];
};

void kst_j2k_channels(const struct j2k_stream *stream, struct j2k_channels *channels);

#endif
