/* SPDX-License-Identifier: BSD-2-Clause */
/* How decoded components become the caller's picture: scaling, resampling, cropping, colour. Immutable once planned. */
#ifndef KOSTKA_JPEG_PLAN_OUTPUT_H
#define KOSTKA_JPEG_PLAN_OUTPUT_H

#include "jpeg/plan/frame.h"

/* Pixel layouts of colour pictures. */
enum jpeg_layout { JPEG_LAYOUT_RGB, JPEG_LAYOUT_BGR, JPEG_LAYOUT_RGBA, JPEG_LAYOUT_BGRA, JPEG_LAYOUT_COUNT };

/* The layout of an interleaved format of R, G and B; of another, what nobody looks at. */
enum jpeg_layout kst_jpeg_layout(kst_format format);

enum jpeg_upsampling {
    JPEG_UPSAMPLE_NONE,
    JPEG_UPSAMPLE_H2V1, /* the triangle filter */
    JPEG_UPSAMPLE_H1V2,
    JPEG_UPSAMPLE_H2V2,
    JPEG_REPLICATE /* any other ratio, whole or not: the sample at or before the place */
};

/* A component as the output needs it. Samples are those of the reduced component. */
struct jpeg_view {
    bool needed;
    uint32_t scale; /* blocks give (8 >> scale)² samples */
    uint32_t block; /* 8 >> scale */
    uint32_t width, height;
    uint32_t mcu_rows;    /* rows in an MCU row */
    uint32_t first_block; /* columns of blocks that the region needs */
    uint32_t block_count;
    uint32_t first; /* sample at which they start */
    uint32_t count; /* samples in a row that exist from there on */
    enum jpeg_upsampling upsampling;
    uint32_t h_in, h_out; /* horizontal ratio: h_out output samples from h_in */
    uint32_t v_in, v_out;
};

enum jpeg_conversion {
    JPEG_CONVERT_RAW,  /* each component to its plane, not resampled */
    JPEG_CONVERT_COPY, /* each component to its plane */
    JPEG_CONVERT_GREY, /* grey or luminance to layout */
    JPEG_CONVERT_YCC,  /* to layout */
    JPEG_CONVERT_RGB,  /* to layout */
    JPEG_CONVERT_RGB_GREY,
    JPEG_CONVERT_YCC_PLANAR,
    JPEG_CONVERT_CMYK,
    JPEG_CONVERT_YCCK,
    JPEG_CONVERT_YCCK_PLANAR,
    JPEG_CONVERT_CMYK_RGB, /* inverted ink, as Adobe writes it */
    JPEG_CONVERT_YCCK_RGB
};

struct jpeg_dsp;

struct jpeg_output {
    const struct jpeg_dsp *dsp;    /* what the CPU does it with; otherwise null */
    struct jpeg_bands *bands;      /* where the CPU's rows go instead of the image, of one plane; or null */
    struct jpeg_frame frame;       /* a frame of one component is taken as sampled 1×1, which changes no sample */
    kst_image image;               /* the caller's, of region.width × region.height but for RAW */
    kst_region region;             /* of the reduced picture; never empty */
    uint32_t width, height;        /* of the reduced picture */
    uint32_t mcu_lines;            /* lines of the reduced picture in an MCU row */
    uint32_t lag;                  /* 1 where the last line of an MCU row needs samples of the next, else 0 */
    uint32_t first_mcu, mcu_count; /* columns of MCUs that the region needs */
    uint32_t first_row, row_count; /* rows of MCUs */
    enum jpeg_conversion conversion;
    enum jpeg_layout layout;
    uint8_t alpha;
    struct jpeg_view view[JPEG_COMPONENTS];
};

/*
 * The picture that `options` ask for: format, colour, size and planes with tight pitches, no buffers.
 * KST_ERROR_OPTIONS, KST_ERROR_REGION or KST_ERROR_JPEG_COLOUR.
 */
kst_status kst_jpeg_output_describe(
    const struct jpeg_frame *frame, const kst_decode_options *options, kst_image *image);

/* Plan the output to an image that matches the description. */
void kst_jpeg_output_plan(struct jpeg_output *output, const struct jpeg_frame *frame, const kst_decode_options *options,
    const kst_image *image);

#endif
