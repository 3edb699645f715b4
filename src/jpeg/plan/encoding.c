/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses headers, restart intervals and quantisation tables for a stream to be written. */
#include "jpeg/plan/encoding.h"

static uint8_t adobe_transform(kst_colour colour)
{
    return colour == KST_COLOUR_YCBCR ? 1 : colour == KST_COLOUR_YCCK ? 2 : 0;
}

void kst_jpeg_encoding_colour(struct jpeg_encoding *encoding, kst_colour colour)
{
    /* If the colour space is unknown, no header is written that would say what it is. */
    bool jfif = colour == KST_COLOUR_GREY || colour == KST_COLOUR_YCBCR;
    encoding->header = (struct jpeg_header){
        .jfif = jfif,
        .adobe = !jfif && colour != KST_COLOUR_UNKNOWN,
        .adobe_transform = adobe_transform(colour),
        .jfif_version = 0x0101,
        .density_unit = KST_DENSITY_RATIO,
        .density_x = 1,
        .density_y = 1,
    };
    bool chroma = colour == KST_COLOUR_YCBCR || colour == KST_COLOUR_YCCK;
    for (uint32_t c = 0; c < JPEG_COMPONENTS; c++)
        encoding->huffman[c] = chroma && (c == 1 || c == 2);
}

kst_coding kst_jpeg_encoding_coding(const struct jpeg_frame *frame, kst_coding wanted)
{
    return frame->precision == JPEG_DEEP && wanted == KST_CODING_BASELINE ? KST_CODING_OPTIMIZED : wanted;
}

enum { INTERVAL_MAX = 65535 };

uint32_t kst_jpeg_restart_interval(const kst_restart *restart, const struct jpeg_scan_geometry *geometry)
{
    uint64_t interval = 0;
    if (restart->unit == KST_RESTART_MCUS)
        interval = restart->interval;
    else if (restart->unit == KST_RESTART_ROWS)
        interval = (uint64_t)restart->interval * geometry->mcus_w;
    return (uint32_t)(interval < INTERVAL_MAX ? interval : INTERVAL_MAX);
}

/* Tables K.1 and K.2 in raster order. */
static const uint8_t base_table[2][64] = {
    {
        16, 11, 10, 16, 24, 40, 51, 61,     /**/
        12, 12, 14, 19, 26, 58, 60, 55,     /**/
        14, 13, 16, 24, 40, 57, 69, 56,     /**/
        14, 17, 22, 29, 51, 87, 80, 62,     /**/
        18, 22, 37, 56, 68, 109, 103, 77,   /**/
        24, 35, 55, 64, 81, 104, 113, 92,   /**/
        49, 64, 78, 87, 103, 121, 120, 101, /**/
        72, 92, 95, 98, 112, 100, 103, 99,  /**/
    },
    {
        17, 18, 24, 47, 99, 99, 99, 99, /**/
        18, 21, 26, 66, 99, 99, 99, 99, /**/
        24, 26, 56, 99, 99, 99, 99, 99, /**/
        47, 66, 99, 99, 99, 99, 99, 99, /**/
        99, 99, 99, 99, 99, 99, 99, 99, /**/
        99, 99, 99, 99, 99, 99, 99, 99, /**/
        99, 99, 99, 99, 99, 99, 99, 99, /**/
        99, 99, 99, 99, 99, 99, 99, 99, /**/
    },
};

uint16_t kst_jpeg_quality_value(int quality, int chroma, uint16_t limit, uint32_t index)
{
    int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
    int value = (base_table[chroma][index] * percent + 50) / 100;
    return (uint16_t)(value < 1 ? 1 : value > limit ? limit : value);
}

void kst_jpeg_quality_table(int quality, int chroma, uint16_t limit, uint16_t table[64])
{
    for (uint32_t i = 0; i < 64; i++)
        table[i] = kst_jpeg_quality_value(quality, chroma, limit, i);
}
