/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans how decoded components become the caller's picture: scaling, resampling, cropping and colour conversion. A
 * planned output does not change any more; the CPU and the GPU executors carry it out.
 */
#ifndef KOSTKA_JPEG_PLAN_OUTPUT_H
#define KOSTKA_JPEG_PLAN_OUTPUT_H

#include "jpeg/plan/frame.h"
#include "jpeg/tables/upsampling.h"

/* Pixel layouts of colour pictures. */
enum jpeg_layout { JPEG_LAYOUT_RGB, JPEG_LAYOUT_BGR, JPEG_LAYOUT_RGBA, JPEG_LAYOUT_BGRA, JPEG_LAYOUT_COUNT };

/* Return the layout of an interleaved format of R, G and B; the result is unused for other formats. */
enum jpeg_layout kst_jpeg_layout(kst_format format);

enum { JPEG_BLOCK_MAX = 16 };

/* Describes a component as it is scaled for the output. Sizes and positions are in samples of the reduced component. */
struct jpeg_scaled {
    bool needed;
    bool fast;      /* the fast DCT is used: the table then holds multipliers, see kst_jpeg_fast_multipliers() */
    uint32_t block; /* a block gives block² samples, 1–JPEG_BLOCK_MAX */
    uint32_t width, height;
    uint32_t mcu_rows;    /* sample rows in an MCU row */
    uint32_t first_block; /* the first column of blocks that the region needs */
    uint32_t block_count;
    uint32_t first; /* the first sample in those columns */
    uint32_t count; /* number of samples in a row that exist from there on */
    enum jpeg_upsampling upsampling;
    uint32_t h_in, h_out; /* horizontal ratio: h_out output samples are made from h_in */
    uint32_t v_in, v_out;
};

enum jpeg_conversion {
    JPEG_CONVERT_RAW,  /* each component goes to its own plane and is not resampled */
    JPEG_CONVERT_COPY, /* each component goes to its own plane */
    JPEG_CONVERT_GREY, /* grey or luminance is written in the channel order `layout` */
    JPEG_CONVERT_YCC,  /* YCbCr is converted to RGB in the channel order `layout` */
    JPEG_CONVERT_RGB,  /* RGB is written in the channel order `layout` */
    JPEG_CONVERT_RGB_GREY,
    JPEG_CONVERT_YCC_PLANAR,
    JPEG_CONVERT_CMYK,
    JPEG_CONVERT_YCCK,
    JPEG_CONVERT_YCCK_PLANAR,
    JPEG_CONVERT_CMYK_RGB, /* the ink values are inverted, as Adobe writes them */
    JPEG_CONVERT_YCCK_RGB
};

struct jpeg_output {
    struct jpeg_frame frame;       /* a frame of one component counts as sampled 1×1, which changes no sample */
    kst_image image;               /* the caller's image, of region.width × region.height, except for RAW */
    kst_region region;             /* in pixels of the scaled picture; never empty */
    uint32_t width, height;        /* size of the scaled picture */
    uint32_t mcu_lines;            /* lines of the scaled picture in an MCU row */
    uint32_t lag;                  /* 1 if the last line of an MCU row needs samples of the next one, else 0 */
    uint32_t first_mcu, mcu_count; /* columns of MCUs that the region needs */
    uint32_t first_row, row_count; /* rows of MCUs that the region needs */
    enum jpeg_conversion conversion;
    enum jpeg_layout layout;
    uint8_t alpha;
    struct jpeg_scaled scaled[JPEG_COMPONENTS];
};

/*
 * Find the conversion from the coded colour space to a format, which is not AUTO; returns false if there is none. The
 * other functions return the format that AUTO stands for, and the colour of the picture that a conversion makes.
 */
bool kst_jpeg_find_conversion(kst_colour colour, kst_format format, enum jpeg_conversion *conversion);
kst_format kst_jpeg_natural_format(kst_colour colour);
kst_colour kst_jpeg_output_colour(kst_colour coded, enum jpeg_conversion conversion, kst_format format);

/*
 * Find the region that `asked` means in a picture of this size: the whole picture if its width and height are 0.
 * Returns false if the region is empty or reaches outside.
 */
bool kst_jpeg_choose_region(const kst_region *asked, uint32_t width, uint32_t height, kst_region *region);

/*
 * Describe the picture that `options` ask for: its format, colour, size and planes with tight pitches, but without
 * buffers. Errors are KST_ERROR_OPTIONS, KST_ERROR_REGION and KST_ERROR_JPEG_COLOUR.
 */
kst_status kst_jpeg_output_describe(
    const struct jpeg_frame *frame, const kst_decode_options *options, kst_image *image);

/* Return the inverse fast DCT's multipliers of a quantisation table, both in raster order. They wrap at 16 bits. */
void kst_jpeg_fast_multipliers(const uint16_t quant[64], uint16_t multiplier[64]);

/*
 * Find the samples of component `index` that lie under a region of the picture, when blocks give `block` samples along
 * a side (8: those that are coded).
 */
void kst_jpeg_raw_range(
    const struct jpeg_frame *frame, uint32_t index, uint32_t block, const kst_region *region, kst_region *range);

/* Return the frame with a single component that counts as sampled 1×1, which changes no sample (A.2.2). */
struct jpeg_frame kst_jpeg_flatten(const struct jpeg_frame *frame);

/* Plan the output into an image that matches the description. */
void kst_jpeg_output_plan(struct jpeg_output *output, const struct jpeg_frame *frame, const kst_decode_options *options,
    const kst_image *image);

/*
 * Find a component's rows that line y of the scaled picture is made of: `near` is the nearest row, `far` the other one
 * that the vertical filters use.
 */
void kst_jpeg_line_rows(const struct jpeg_scaled *scaled, uint32_t y, uint32_t *near, uint32_t *far);

#endif
