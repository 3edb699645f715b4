/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes any pixels with any options, and checks that every context gives the same bytes, which decode without a
 * warning to a picture of the same size, and that transcoding them changes no pixel.
 */
#include "fuzz.h"

#include <string.h>

enum { SIDE = 72 };

struct picture {
    kst_image image;
    uint8_t pixels[SIDE * SIDE * 4];
};

static void fill_picture(struct picture *picture, struct fuzz_input *input)
{
    kst_format format = (kst_format)(KST_FORMAT_GREY + fuzz_take(input, KST_FORMAT_CMYK));
    uint32_t width = 1 + fuzz_take(input, SIDE);
    uint32_t height = 1 + fuzz_take(input, SIDE);
    size_t wanted = (size_t)width * height * kst_format_channels(format);
    for (size_t i = 0; i < wanted; i++)
        picture->pixels[i] = input->length > 0 ? input->data[i % input->length] : 0;
    fuzz_check(!kst_image_wrap(&picture->image, format, width, height, picture->pixels, 0), "pixels wrapped");
}

static kst_encode_options read_options(struct fuzz_input *input)
{
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.quality = 1 + (int)fuzz_take(input, 100);
    options.subsampling = (kst_subsampling)fuzz_take(input, KST_SUBSAMPLING_410 + 1);
    options.coding = (kst_coding)fuzz_take(input, 3);
    options.restart.unit = (kst_restart_unit)fuzz_take(input, KST_RESTART_AUTO + 1);
    options.restart.interval = 1 + fuzz_take(input, 30);
    uint32_t flags = fuzz_take(input, 64);
    options.wide_quantisers = flags & 1;
    if ((flags & 14) == 14)
        options.colour = KST_COLOUR_RGB;
    if ((flags & 48) == 48) {
        for (int i = 0; i < 4; i++) {
            options.h[i] = (uint8_t)(1 + fuzz_take(input, 4));
            options.v[i] = (uint8_t)(1 + fuzz_take(input, 4));
        }
    }
    return options;
}

static void check_transcoded(const kst_buffer *coded, const kst_image *decoded, kst_coding coding)
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.coding = coding;
    kst_buffer again = {0};
    kst_image image;
    kst_image_init(&image);
    fuzz_check(!kst_transcode(fuzz_fast(), coded->data, coded->length, &options, &again, NULL), "transcoded");
    fuzz_check(!kst_decode(fuzz_fast(), again.data, again.length, NULL, &image, NULL), "decoded again");
    fuzz_check_same_image(decoded, &image);
    kst_image_release(fuzz_fast(), &image);
    kst_buffer_release(fuzz_fast(), &again);
}

static void check_decoded(const struct picture *picture, const kst_buffer *coded, kst_coding other)
{
    kst_image image;
    kst_report report;
    kst_image_init(&image);
    kst_report_init(&report);
    fuzz_check(!kst_decode(fuzz_fast(), coded->data, coded->length, NULL, &image, &report), "decoded");
    fuzz_check(report.warnings == 0, "no warnings");
    fuzz_check(image.width == picture->image.width && image.height == picture->image.height, "the same size");
    check_transcoded(coded, &image, other);
    kst_image_release(fuzz_fast(), &image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static struct picture picture;
    struct fuzz_input input = {data, length};
    kst_encode_options options = read_options(&input);
    kst_coding other = (kst_coding)fuzz_take(&input, 3);
    fill_picture(&picture, &input);
    kst_buffer plain = {0};
    kst_buffer fast = {0};
    kst_status a = kst_encode(fuzz_plain(), &picture.image, &options, &plain, NULL);
    kst_status b = kst_encode(fuzz_fast(), &picture.image, &options, &fast, NULL);
    fuzz_check(a == b, "the same status");
    if (!a) {
        fuzz_check(plain.length == fast.length && memcmp(plain.data, fast.data, plain.length) == 0, "the same bytes");
        check_decoded(&picture, &plain, other);
    } else {
        /* Only sampling factors that do not fit together, and RGB from other pixels, may be refused. */
        fuzz_check(options.h[0] > 0 || options.colour == KST_COLOUR_RGB, "the options can be encoded");
        fuzz_check(!plain.data && !fast.data, "a failure leaves no buffer");
    }
    kst_buffer_release(fuzz_plain(), &plain);
    kst_buffer_release(fuzz_fast(), &fast);
    return 0;
}
