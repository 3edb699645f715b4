/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that any bytes decode to the same pixels and the same report on every tier and number of threads. */
#include "fuzz.h"

static kst_decode_options read_options(struct fuzz_input *input)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.format = (kst_format)fuzz_take(input, KST_FORMAT_RAW + 1);
    options.reduce = fuzz_take(input, 4);
    uint32_t flags = fuzz_take(input, 8);
    options.strict = flags == 7;
    options.orient = flags & 1 && options.format != KST_FORMAT_RAW;
    if (flags & 2) {
        options.region.x = fuzz_take(input, 40);
        options.region.y = fuzz_take(input, 40);
        options.region.width = 1 + fuzz_take(input, 60);
        options.region.height = 1 + fuzz_take(input, 60);
    }
    if (flags & 4) {
        const uint32_t method = fuzz_take(input, 128);
        options.eighths = options.reduce ? 0 : method % 32;
        options.dct = (kst_dct)(method / 32 % 2);
        options.upsampling = (kst_upsampling)(method / 64);
    }
    return options;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct fuzz_input input = {data, length};
    kst_decode_options options = read_options(&input);
    kst_image plain;
    kst_image fast;
    kst_report plain_report;
    kst_report fast_report;
    kst_image_init(&plain);
    kst_image_init(&fast);
    kst_report_init(&plain_report);
    kst_report_init(&fast_report);
    kst_status a = kst_decode(fuzz_plain(), data, length, &options, &plain, &plain_report);
    kst_status b = kst_decode(fuzz_fast(), data, length, &options, &fast, &fast_report);
    if (!fuzz_ran_out(a, b)) {
        fuzz_check(a == plain_report.status && a == b, "the reported status is the one returned");
        fuzz_check_same_report(&plain_report, &fast_report);
        if (!a)
            fuzz_check_same_image(&plain, &fast);
    }
    kst_image_release(fuzz_plain(), &plain);
    kst_image_release(fuzz_fast(), &fast);
    return 0;
}
