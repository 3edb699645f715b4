/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any pixels with any options of JPEG 2000 encode to the same bytes on every context, or to the same error; they decode
 * without a warning, and where nothing was to be lost nothing is.
 */
#include "fuzz.h"

#include <string.h>

enum { SIDE = 72 };

struct picture {
    kst_image image;
    _Alignas(2) uint8_t pixels[SIDE * SIDE * 8];
};

/* Samples within the depth, so that they can come back. */
static void fill_picture(struct picture *picture, struct fuzz_input *input)
{
    kst_image *image = &picture->image;
    kst_image_init(image);
    image->format = (kst_format)(KST_FORMAT_GREY + fuzz_take(input, KST_FORMAT_CMYK));
    image->width = 1 + fuzz_take(input, SIDE);
    image->height = 1 + fuzz_take(input, SIDE);
    image->plane_count = 1;
    uint32_t depth = 1 + fuzz_take(input, 16), bytes = depth > 8 ? 2 : 1;
    uint32_t row = image->width * kst_format_channels(image->format);
    image->plane[0] = (kst_plane){.data = picture->pixels,
        .pitch = (ptrdiff_t)(row * bytes),
        .width = image->width,
        .height = image->height,
        .depth = (uint8_t)depth};
    for (size_t i = 0; i < (size_t)row * image->height; i++) {
        uint32_t value = input->length > 0 ? input->data[i % input->length] * 0x101u * (uint32_t)(i % 7 + 1) : 0;
        uint16_t sample = (uint16_t)(value & ((1u << depth) - 1));
        if (bytes == 2)
            memcpy(picture->pixels + 2 * i, &sample, 2);
        else
            picture->pixels[i] = (uint8_t)sample;
    }
}

static void read_sizes(struct fuzz_input *input, kst_j2k_options *options)
{
    options->image_x = fuzz_take(input, 70);
    options->image_y = fuzz_take(input, 70);
    options->tile_x = fuzz_take(input, 70);
    options->tile_y = fuzz_take(input, 70);
    options->tile_width = fuzz_take(input, 2) ? 8 + fuzz_take(input, 120) : 0;
    options->tile_height = fuzz_take(input, 2) ? 8 + fuzz_take(input, 120) : 0;
    options->block_width = 1u << fuzz_take(input, 12);
    options->block_height = 1u << fuzz_take(input, 12);
    options->precinct_count = fuzz_take(input, 4);
    for (uint32_t i = 0; i < options->precinct_count; i++) {
        options->precinct_width[i] = 1u << fuzz_take(input, 17);
        options->precinct_height[i] = 1u << fuzz_take(input, 17);
    }
}

static kst_j2k_options read_options(struct fuzz_input *input)
{
    kst_j2k_options options;
    kst_j2k_options_init(&options);
    options.target = (kst_j2k_target)fuzz_take(input, KST_J2K_STEP + 1);
    options.value = (1 + fuzz_take(input, 256)) / (options.target == KST_J2K_PSNR ? 4.0 : 16.0);
    options.layers = 1 + fuzz_take(input, 8);
    options.levels = fuzz_take(input, 12);
    options.style = fuzz_take(input, 64);
    options.progression = (kst_progression)fuzz_take(input, 5);
    options.guard_bits = 1 + fuzz_take(input, 7);
    options.division = fuzz_take(input, 8);
    uint32_t flags = fuzz_take(input, 256);
    options.reversible = flags & 1;
    options.keep_components = flags & 2;
    options.codestream = flags & 4;
    options.derived_steps = flags & 8;
    options.sop = flags & 16;
    options.eph = flags & 32;
    options.packet_lengths = flags & 64;
    options.tile_part_lengths = flags & 128;
    if (fuzz_take(input, 4) == 3)
        options.interest = (kst_region){
            fuzz_take(input, 40), fuzz_take(input, 40), 1 + fuzz_take(input, 40), 1 + fuzz_take(input, 40)};
    read_sizes(input, &options);
    return options;
}

static void check_pixels(const kst_image *wanted, const kst_image *found)
{
    kst_comparison comparison = {.size = sizeof comparison};
    fuzz_check(kst_compare(wanted, found, &comparison) == KST_OK, "the images can be compared");
    fuzz_check(comparison.identical, "the same pixels");
}

/* A bare codestream does not say what four components are. */
static void check_decoded(const struct picture *picture, const kst_buffer *coded, const kst_j2k_options *j2k)
{
    bool nameless = j2k->codestream && kst_format_channels(picture->image.format) == 4;
    kst_decode_options options;
    kst_image image;
    kst_report report;
    kst_decode_options_init(&options);
    kst_image_init(&image);
    kst_report_init(&report);
    options.format = nameless ? KST_FORMAT_RAW : picture->image.format;
    fuzz_check(
        kst_decode(fuzz_fast(), coded->data, coded->length, &options, &image, &report) == KST_OK, report.message);
    fuzz_check(report.warnings == 0, report.message);
    if (j2k->target == KST_J2K_LOSSLESS && !nameless)
        check_pixels(&picture->image, &image);
    kst_image_release(fuzz_fast(), &image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static struct picture picture;
    struct fuzz_input input = {data, length};
    kst_j2k_options j2k = read_options(&input);
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = &j2k;
    fill_picture(&picture, &input);
    kst_buffer plain = {0}, fast = {0};
    kst_status a = kst_encode(fuzz_plain(), &picture.image, &options, &plain, NULL);
    kst_status b = kst_encode(fuzz_fast(), &picture.image, &options, &fast, NULL);
    if (!fuzz_ran_out(a, b)) {
        fuzz_check(a == b, "the same status");
        fuzz_check(a != KST_OK || (plain.length == fast.length && memcmp(plain.data, fast.data, plain.length) == 0),
            "the same bytes");
        fuzz_check(a == KST_OK || (!plain.data && !fast.data), "a failure leaves no buffer");
    }
    if (a == KST_OK)
        check_decoded(&picture, &plain, &j2k);
    kst_buffer_release(fuzz_plain(), &plain);
    kst_buffer_release(fuzz_fast(), &fast);
    return 0;
}
