/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as JPEG 2000: the same samples and reports on every tier and number of threads, whole, reduced and in part;
 * and a part of what is not damaged is the same part of the whole.
 */
#include <string.h>

#include "fuzz.h"

static void choose_region(kst_decode_options *options, const kst_image *whole, struct fuzz_input *input)
{
    options->region.x = (uint32_t)((uint64_t)whole->width * fuzz_take(input, 256) / 256);
    options->region.y = (uint32_t)((uint64_t)whole->height * fuzz_take(input, 256) / 256);
    options->region.width =
        1 + (uint32_t)((uint64_t)(whole->width - options->region.x - 1) * fuzz_take(input, 256) / 255);
    options->region.height =
        1 + (uint32_t)((uint64_t)(whole->height - options->region.y - 1) * fuzz_take(input, 256) / 255);
}

/* On both contexts. The image is the fast one's. */
static kst_status decode(
    const uint8_t *data, size_t length, const kst_decode_options *options, kst_image *image, kst_report *report)
{
    kst_image plain;
    kst_report plain_report;
    kst_image_init(&plain);
    kst_image_init(image);
    kst_report_init(&plain_report);
    kst_report_init(report);
    kst_status a = kst_decode(fuzz_plain(), data, length, options, &plain, &plain_report);
    kst_status b = kst_decode(fuzz_fast(), data, length, options, image, report);
    bool ran_out = fuzz_ran_out(a, b);
    if (!ran_out) {
        fuzz_check(a == plain_report.status && a == b, "the reported status is the one returned");
        fuzz_check_same_report(&plain_report, report);
        if (a == KST_OK)
            fuzz_check_same_image(&plain, image);
    }
    kst_image_release(fuzz_plain(), &plain);
    return ran_out ? KST_ERROR_LIMIT_MEMORY : b;
}

/* Of a plane whose samples are the picture's. */
static void check_part(const kst_image *whole, const kst_image *part, const kst_region *region)
{
    for (uint32_t i = 0; i < part->plane_count; i++) {
        const kst_plane *a = kst_image_plane(whole, i), *b = kst_image_plane(part, i);
        if (a->width != whole->width || a->height != whole->height)
            continue;
        size_t bytes = a->depth > 16 ? 4 : a->depth > 8 ? 2 : 1;
        for (uint32_t y = 0; y < b->height; y++) {
            const uint8_t *from = (const uint8_t *)a->data + (ptrdiff_t)(y + region->y) * a->pitch + region->x * bytes;
            const uint8_t *row = (const uint8_t *)b->data + (ptrdiff_t)y * b->pitch;
            fuzz_check(memcmp(from, row, b->width * bytes) == 0, "a part is that part of the whole");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct fuzz_input input = {data, length};
    kst_decode_options options;
    kst_image whole, part;
    kst_report whole_report, part_report;
    if (length < 12 || data[0] == 0xFF ? length < 12 || data[1] != 0x4F : data[0] != 0)
        return 0;
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    options.reduce = fuzz_take(&input, 4);
    options.layers = fuzz_take(&input, 3);
    options.strict = fuzz_take(&input, 8) == 7;
    if (decode(data, length, &options, &whole, &whole_report) == KST_OK) {
        choose_region(&options, &whole, &input);
        kst_status status = decode(data, length, &options, &part, &part_report);
        if (status == KST_OK && whole_report.warnings == 0)
            check_part(&whole, &part, &options.region);
        kst_image_release(fuzz_fast(), &part);
    }
    kst_image_release(fuzz_fast(), &whole);
    return 0;
}
