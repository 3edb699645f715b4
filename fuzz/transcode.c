/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transcodes any bytes, and checks that the result is the same on every context and decodes without a warning to the
 * same pixels.
 */
#include "fuzz.h"

#include <string.h>

static kst_transcode_options read_options(struct fuzz_input *input)
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.coding = (kst_coding)fuzz_take(input, 3);
    options.restart.unit = (kst_restart_unit)fuzz_take(input, KST_RESTART_KEEP + 1);
    options.restart.interval = 1 + fuzz_take(input, 20);
    uint32_t flags = fuzz_take(input, 64);
    options.strict = flags == 63;
    options.grey = (flags & 7) == 7;
    options.strip = (kst_strip)((flags >> 3) % 3);
    if (flags & 1) {
        options.transform = (kst_transform)fuzz_take(input, KST_TRANSFORM_ROTATE_270 + 1);
        options.edge = (kst_edge)fuzz_take(input, 3);
    }
    if (flags & 2) {
        options.crop.x = fuzz_take(input, 30);
        options.crop.y = fuzz_take(input, 30);
        options.crop.width = 1 + fuzz_take(input, 40);
        options.crop.height = 1 + fuzz_take(input, 40);
    }
    return options;
}

static bool keeps_pixels(const kst_transcode_options *options)
{
    return options->transform == KST_TRANSFORM_NONE && options->crop.width == 0 && !options->grey;
}

/*
 * Return whether the file is progressive. Blocks of an unfinished progressive file are smoothed when it is decoded,
 * which changes pixels.
 */
static bool is_progressive(const void *data, size_t length)
{
    kst_decoder *decoder;
    fuzz_check(!kst_decoder_create(fuzz_plain(), &decoder), "a decoder can be made");
    bool progressive =
        !kst_decoder_open(decoder, data, length) && kst_decoder_info(decoder)->process == KST_PROCESS_PROGRESSIVE;
    kst_decoder_destroy(&decoder);
    return progressive;
}

static void check_output(const uint8_t *data, size_t length, const kst_buffer *output, bool same_pixels)
{
    kst_image before;
    kst_image after;
    kst_report before_report;
    kst_report after_report;
    kst_image_init(&before);
    kst_image_init(&after);
    kst_report_init(&before_report);
    kst_report_init(&after_report);
    kst_status b = kst_decode(fuzz_fast(), output->data, output->length, NULL, &after, &after_report);
    if (b != KST_ERROR_LIMIT_MEMORY) {
        fuzz_check(!b || b == KST_ERROR_JPEG_COLOUR, "the output can be decoded");
        if (same_pixels && !kst_decode(fuzz_plain(), data, length, NULL, &before, &before_report) &&
            before_report.warnings == 0 && !b) {
            fuzz_check(after_report.warnings == 0, "the output has no warnings");
            fuzz_check_same_image(&before, &after);
        }
    }
    kst_image_release(fuzz_plain(), &before);
    kst_image_release(fuzz_fast(), &after);
}

/* Return whether the data are JPEG 2000, which has its own target. */
static bool is_other(const uint8_t *data, size_t length)
{
    return length >= 12 && (memcmp(data, "\xFF\x4F\xFF\x51", 4) == 0 || memcmp(data + 4, "jP  ", 4) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct fuzz_input input = {data, length};
    if (is_other(data, length))
        return 0;
    kst_transcode_options options = read_options(&input);
    kst_buffer plain = {0};
    kst_buffer fast = {0};
    kst_report plain_report;
    kst_report fast_report;
    kst_report_init(&plain_report);
    kst_report_init(&fast_report);
    kst_status a = kst_transcode(fuzz_plain(), data, length, &options, &plain, &plain_report);
    kst_status b = kst_transcode(fuzz_fast(), data, length, &options, &fast, &fast_report);
    if (!fuzz_ran_out(a, b)) {
        fuzz_check(a == b && a == plain_report.status, "the reported status is the one returned");
        fuzz_check_same_report(&plain_report, &fast_report);
        if (!a) {
            fuzz_check(
                plain.length == fast.length && memcmp(plain.data, fast.data, plain.length) == 0, "the same bytes");
            check_output(data, length, &plain, keeps_pixels(&options) && !is_progressive(data, length));
        }
    }
    kst_buffer_release(fuzz_plain(), &plain);
    kst_buffer_release(fuzz_fast(), &fast);
    return 0;
}
