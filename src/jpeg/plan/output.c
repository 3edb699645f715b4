/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans how decoded components are scaled, resampled, cropped and converted. */
#include "jpeg/plan/output.h"

#include "image/format.h"
#include "image/validate.h"
#include "jpeg/tables/dct_fast.h"

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a + b - 1) / b);
}

static uint32_t minimum(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

kst_format kst_jpeg_natural_format(kst_colour colour)
{
    switch (colour) {
    case KST_COLOUR_GREY:
        return KST_FORMAT_GREY;
    case KST_COLOUR_YCBCR:
    case KST_COLOUR_RGB:
        return KST_FORMAT_RGB;
    case KST_COLOUR_CMYK:
    case KST_COLOUR_YCCK:
        return KST_FORMAT_CMYK;
    default:
        return KST_FORMAT_PLANAR;
    }
}

static bool is_rgb(kst_format format)
{
    return kst_pixel_is_rgb(kst_pixel_layout(format));
}

enum jpeg_layout kst_jpeg_layout(kst_format format)
{
    static const enum jpeg_layout layouts[2][2] = {
        {JPEG_LAYOUT_RGB, JPEG_LAYOUT_BGR}, {JPEG_LAYOUT_RGBA, JPEG_LAYOUT_BGRA}};
    const struct pixel_layout *layout = kst_pixel_layout(format);
    return layouts[layout->alpha][layout->reversed];
}

bool kst_jpeg_find_conversion(kst_colour colour, kst_format format, enum jpeg_conversion *conversion)
{
    static const enum jpeg_conversion none = (enum jpeg_conversion) - 1;
    struct {
        enum jpeg_conversion grey, rgb, cmyk, planar;
    } by_format = {none, none, none, JPEG_CONVERT_COPY};
    switch (colour) {
    case KST_COLOUR_GREY:
        by_format.grey = JPEG_CONVERT_COPY;
        by_format.rgb = JPEG_CONVERT_GREY;
        break;
    case KST_COLOUR_YCBCR:
        by_format.grey = JPEG_CONVERT_COPY;
        by_format.rgb = JPEG_CONVERT_YCC;
        by_format.planar = JPEG_CONVERT_YCC_PLANAR;
        break;
    case KST_COLOUR_RGB:
        by_format.grey = JPEG_CONVERT_RGB_GREY;
        by_format.rgb = JPEG_CONVERT_RGB;
        break;
    case KST_COLOUR_CMYK:
        by_format.cmyk = JPEG_CONVERT_CMYK;
        by_format.rgb = JPEG_CONVERT_CMYK_RGB;
        break;
    case KST_COLOUR_YCCK:
        by_format.cmyk = JPEG_CONVERT_YCCK;
        by_format.rgb = JPEG_CONVERT_YCCK_RGB;
        by_format.planar = JPEG_CONVERT_YCCK_PLANAR;
        break;
    default:
        break;
    }
    if (format == KST_FORMAT_RAW)
        *conversion = JPEG_CONVERT_RAW;
    else if (format == KST_FORMAT_PLANAR)
        *conversion = by_format.planar;
    else if (format == KST_FORMAT_GREY)
        *conversion = by_format.grey;
    else
        *conversion = is_rgb(format) ? by_format.rgb : by_format.cmyk;
    return *conversion != none;
}

/* Return the samples that a block of 8×8 gives along a side, 1–16, for a component that is not subsampled. */
static uint32_t block_size(const kst_decode_options *options)
{
    return options->eighths ? options->eighths : 8U >> options->reduce;
}

/*
 * Return how many samples a block of a component gives along a side, in a picture whose blocks give at least `least`.
 * The transform reduces subsampled components less if they then need no resampling, as it does in libjpeg.
 */
static uint32_t component_block(const struct jpeg_frame *frame, const struct jpeg_component *c, uint32_t least)
{
    uint32_t size = least;
    while (size < 8 && frame->hmax * least % (c->h * size * 2) == 0 && frame->vmax * least % (c->v * size * 2) == 0)
        size *= 2;
    return size;
}

static uint32_t scaled_size(uint32_t size, uint32_t block)
{
    return divide_up(size * block, 8);
}

static uint32_t scaled_width(const struct jpeg_frame *frame, const struct jpeg_component *c, uint32_t block)
{
    return divide_up(frame->width * c->h * block, frame->hmax * 8U);
}

static uint32_t scaled_height(const struct jpeg_frame *frame, const struct jpeg_component *c, uint32_t block)
{
    return divide_up(frame->height * c->v * block, frame->vmax * 8U);
}

bool kst_jpeg_choose_region(const kst_region *asked, uint32_t width, uint32_t height, kst_region *region)
{
    *region = *asked;
    if (asked->width == 0 && asked->height == 0)
        *region = (kst_region){.width = width, .height = height};
    return region->width > 0 && region->height > 0 && region->x < width && region->y < height &&
           region->width <= width - region->x && region->height <= height - region->y;
}

/*
 * Find the samples `*first` … `*first` + `*count` of a component of `size` samples that lie under the pixels `at` …
 * `at` + `length`.
 */
static void scale_range(
    uint32_t at, uint32_t length, uint32_t in, uint32_t out, uint32_t size, uint32_t *first, uint32_t *count)
{
    uint32_t from = (uint32_t)((uint64_t)at * in / out);
    uint32_t to = (uint32_t)(((uint64_t)at + length) * in + out - 1) / out;
    *first = minimum(from, size - 1);
    *count = minimum(to, size) - *first;
}

void kst_jpeg_raw_range(
    const struct jpeg_frame *frame, uint32_t index, uint32_t block, const kst_region *region, kst_region *range)
{
    const struct jpeg_component *c = &frame->component[index];
    uint32_t width = scaled_width(frame, c, block);
    uint32_t height = scaled_height(frame, c, block);
    scale_range(region->x, region->width, c->h, frame->hmax, width, &range->x, &range->width);
    scale_range(region->y, region->height, c->v, frame->vmax, height, &range->y, &range->height);
}

static void describe_planes(const struct jpeg_frame *frame, uint32_t block, const kst_region *region, kst_image *image)
{
    uint32_t channels = kst_format_channels(image->format);
    image->plane_count = channels ? 1 : frame->component_count;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        kst_plane *plane = &image->plane[i];
        kst_region range = *region;
        if (image->format == KST_FORMAT_RAW)
            kst_jpeg_raw_range(frame, i, block, region, &range);
        plane->width = range.width;
        plane->height = range.height;
        plane->depth = frame->precision;
        plane->pitch =
            (ptrdiff_t)range.width * (channels ? (ptrdiff_t)channels : 1) * (ptrdiff_t)kst_plane_sample_bytes(plane);
    }
}

kst_colour kst_jpeg_output_colour(kst_colour coded, enum jpeg_conversion conversion, kst_format format)
{
    if (format == KST_FORMAT_GREY)
        return KST_COLOUR_GREY;
    if (conversion == JPEG_CONVERT_YCC_PLANAR || is_rgb(format))
        return KST_COLOUR_RGB;
    if (conversion == JPEG_CONVERT_YCCK_PLANAR || format == KST_FORMAT_CMYK)
        return KST_COLOUR_CMYK;
    return coded;
}

struct jpeg_frame kst_jpeg_flatten(const struct jpeg_frame *frame)
{
    struct jpeg_frame flat = *frame;
    if (flat.component_count == 1) {
        flat.component[0].h = 1;
        flat.component[0].v = 1;
        kst_jpeg_frame_geometry(&flat);
    }
    return flat;
}

static bool options_are_known(const kst_decode_options *options)
{
    bool scaled = options->eighths ? options->eighths <= JPEG_BLOCK_MAX && !options->reduce : options->reduce <= 3;
    bool enlarged = options->format != KST_FORMAT_RAW || options->upsampling == KST_UPSAMPLING_FANCY;
    return scaled && enlarged && kst_format_is_known(options->format) && (unsigned)options->dct <= KST_DCT_FAST &&
           (unsigned)options->upsampling <= KST_UPSAMPLING_NEAREST;
}

kst_status kst_jpeg_output_describe(const struct jpeg_frame *frame, const kst_decode_options *options, kst_image *image)
{
    struct jpeg_frame flat = kst_jpeg_flatten(frame);
    enum jpeg_conversion conversion;
    kst_region region;
    if (!options_are_known(options))
        return KST_ERROR_OPTIONS;
    uint32_t block = block_size(options);
    if (!kst_jpeg_choose_region(
            &options->region, scaled_size(flat.width, block), scaled_size(flat.height, block), &region))
        return KST_ERROR_REGION;
    kst_image_init(image);
    image->format = options->format == KST_FORMAT_AUTO ? kst_jpeg_natural_format(flat.colour) : options->format;
    if (!kst_jpeg_find_conversion(flat.colour, image->format, &conversion))
        return KST_ERROR_JPEG_COLOUR;
    image->colour = kst_jpeg_output_colour(flat.colour, conversion, image->format);
    image->width = region.width;
    image->height = region.height;
    describe_planes(&flat, block, &region, image);
    return KST_OK;
}

/*
 * Choose the upsampling as libjpeg does: the triangle filter for 2:1, unless the caller wants none or the picture is
 * reduced to one sample per block.
 */
static void choose_upsampling(const struct jpeg_frame *frame, const struct jpeg_component *c,
    const kst_decode_options *options, struct jpeg_scaled *scaled)
{
    uint32_t least = block_size(options);
    scaled->h_in = c->h * scaled->block;
    scaled->h_out = frame->hmax * least;
    scaled->v_in = c->v * scaled->block;
    scaled->v_out = frame->vmax * least;
    bool h1 = scaled->h_in == scaled->h_out, h2 = scaled->h_in * 2 == scaled->h_out;
    bool v1 = scaled->v_in == scaled->v_out, v2 = scaled->v_in * 2 == scaled->v_out;
    bool smooth = least > 1 && options->upsampling == KST_UPSAMPLING_FANCY;
    scaled->upsampling = JPEG_REPLICATE;
    if (h1 && v1)
        scaled->upsampling = JPEG_UPSAMPLE_NONE;
    else if (smooth && h1 && v2)
        scaled->upsampling = JPEG_UPSAMPLE_H1V2;
    else if (smooth && h2 && v1 && scaled->width > 2)
        scaled->upsampling = JPEG_UPSAMPLE_H2V1;
    else if (smooth && h2 && v2 && scaled->width > 2)
        scaled->upsampling = JPEG_UPSAMPLE_H2V2;
}

void kst_jpeg_fast_multipliers(const uint16_t quant[64], uint16_t multiplier[64])
{
    enum { SHIFT = FAST_SCALE_BITS - FAST_PASS_BITS };
    static const uint16_t scale[64] = {JPEG_FAST_SCALES};
    for (int i = 0; i < 64; i++)
        multiplier[i] = (uint16_t)((quant[i] * (uint32_t)scale[i] + (1U << (SHIFT - 1))) >> SHIFT);
}

/* Find the whole MCUs that hold the columns of the region and, for the filters, the samples beside them. */
static void plan_columns(struct jpeg_output *output)
{
    /* Width of an MCU in pixels of the scaled picture. */
    uint32_t pixels = output->frame.hmax * (output->mcu_lines / output->frame.vmax);
    uint32_t margin = 2;
    uint32_t left = output->region.x > margin ? output->region.x - margin : 0;
    uint32_t right = minimum(output->region.x + output->region.width + margin, output->width);
    output->first_mcu = left / pixels;
    output->mcu_count = divide_up(right, pixels) - output->first_mcu;
}

static void plan_rows(struct jpeg_output *output)
{
    uint32_t top = output->region.y > output->lag ? output->region.y - output->lag : 0;
    uint32_t bottom = minimum(output->region.y + output->region.height + output->lag, output->height);
    output->first_row = top / output->mcu_lines;
    output->row_count = divide_up(bottom, output->mcu_lines) - output->first_row;
}

static void plan_view(struct jpeg_output *output, uint32_t index, const kst_decode_options *options)
{
    const struct jpeg_frame *frame = &output->frame;
    const struct jpeg_component *c = &frame->component[index];
    struct jpeg_scaled *scaled = &output->scaled[index];
    bool raw = output->conversion == JPEG_CONVERT_RAW;
    scaled->needed =
        raw || output->image.format != KST_FORMAT_GREY || index == 0 || output->conversion == JPEG_CONVERT_RGB_GREY;
    scaled->block = raw ? block_size(options) : component_block(frame, c, block_size(options));
    scaled->fast = options->dct == KST_DCT_FAST && scaled->block == 8;
    scaled->width = scaled_width(frame, c, scaled->block);
    scaled->height = scaled_height(frame, c, scaled->block);
    scaled->mcu_rows = c->v * scaled->block;
    choose_upsampling(frame, c, options, scaled);
    if (raw)
        scaled->upsampling = JPEG_UPSAMPLE_NONE;
    if (scaled->needed && (scaled->upsampling == JPEG_UPSAMPLE_H1V2 || scaled->upsampling == JPEG_UPSAMPLE_H2V2))
        output->lag = 1;
}

void kst_jpeg_output_plan(struct jpeg_output *output, const struct jpeg_frame *frame, const kst_decode_options *options,
    const kst_image *image)
{
    uint32_t block = block_size(options);
    *output = (struct jpeg_output){.frame = kst_jpeg_flatten(frame), .image = *image, .alpha = options->alpha};
    output->width = scaled_size(frame->width, block);
    output->height = scaled_size(frame->height, block);
    output->mcu_lines = output->frame.vmax * block;
    kst_jpeg_choose_region(&options->region, output->width, output->height, &output->region);
    kst_jpeg_find_conversion(frame->colour, image->format, &output->conversion);
    output->layout = kst_jpeg_layout(image->format);
    for (uint32_t i = 0; i < output->frame.component_count; i++)
        plan_view(output, i, options);
    plan_columns(output);
    plan_rows(output);
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        struct jpeg_scaled *scaled = &output->scaled[i];
        uint32_t h = output->frame.component[i].h;
        scaled->first_block = output->first_mcu * h;
        scaled->block_count = output->mcu_count * h;
        if (scaled->fast)
            kst_jpeg_fast_multipliers(frame->component[i].quant, output->frame.component[i].quant);
        scaled->first = scaled->first_block * scaled->block;
        scaled->count = minimum(scaled->width - scaled->first, scaled->block_count * scaled->block);
    }
}

/* Return the row that line y lies in. Nearly all components have as many rows as there are lines, or half as many. */
static uint32_t nearest_row(const struct jpeg_scaled *scaled, uint32_t y)
{
    if (scaled->v_in == scaled->v_out)
        return y;
    if (2 * scaled->v_in == scaled->v_out)
        return y / 2;
    return (uint32_t)((uint64_t)y * scaled->v_in / scaled->v_out);
}

void kst_jpeg_line_rows(const struct jpeg_scaled *scaled, uint32_t y, uint32_t *near, uint32_t *far)
{
    *near = nearest_row(scaled, y);
    if (*near >= scaled->height)
        *near = scaled->height - 1;
    *far = *near;
    if (scaled->upsampling != JPEG_UPSAMPLE_H1V2 && scaled->upsampling != JPEG_UPSAMPLE_H2V2)
        return;
    if (y & 1)
        *far = *near + 1 < scaled->height ? *near + 1 : *near;
    else
        *far = *near > 0 ? *near - 1 : 0;
}
