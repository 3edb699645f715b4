/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes any bytes as JPEG 2000, and checks that samples and reports are the same on every tier and number of threads:
 * whole, reduced, a region, some components, a tile. Without damage, a part must equal the same part of the whole.
 * Lower limits must give the same result or their own error.
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

/* Decode on both contexts. The image is that of the fast one. */
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
        if (!a)
            fuzz_check_same_image(&plain, image);
    }
    kst_image_release(fuzz_plain(), &plain);
    return ran_out ? KST_ERROR_LIMIT_MEMORY : b;
}

/* Check a part of a plane whose samples correspond to the picture's pixels. */
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

/* Choose some components, at least one, in ascending order. */
static uint32_t choose_components(uint32_t chosen[8], uint32_t count, struct fuzz_input *input)
{
    uint32_t bits = fuzz_take(input, 256), some = 0;
    for (uint32_t i = 0; i < 8 && i < count; i++)
        if (bits & 1U << i)
            chosen[some++] = i;
    if (some == 0)
        chosen[some++] = count > 256 ? bits : bits % count;
    return some;
}

static void check_region(
    const uint8_t *data, size_t length, kst_decode_options options, const kst_image *whole, struct fuzz_input *input)
{
    kst_image part;
    kst_report report;
    choose_region(&options, whole, input);
    if (!decode(data, length, &options, &part, &report))
        check_part(whole, &part, &options.region);
    kst_image_release(fuzz_fast(), &part);
}

static void check_components(
    const uint8_t *data, size_t length, kst_decode_options options, const kst_image *whole, struct fuzz_input *input)
{
    uint32_t chosen[8];
    kst_image part;
    kst_report report;
    options.components = chosen;
    options.component_count = choose_components(chosen, whole->plane_count, input);
    if (!decode(data, length, &options, &part, &report)) {
        fuzz_check(part.plane_count == options.component_count, "as many planes as components");
        for (uint32_t i = 0; i < part.plane_count; i++) {
            const kst_plane *a = kst_image_plane(whole, chosen[i]), *b = kst_image_plane(&part, i);
            size_t bytes = a->depth > 16 ? 4 : a->depth > 8 ? 2 : 1;
            fuzz_check(a->width == b->width && a->height == b->height && a->depth == b->depth, "the same plane");
            for (uint32_t y = 0; y < a->height; y++)
                fuzz_check(memcmp((const uint8_t *)a->data + (ptrdiff_t)y * a->pitch,
                               (const uint8_t *)b->data + (ptrdiff_t)y * b->pitch, a->width * bytes) == 0,
                    "a component alone is as it is among all");
        }
    }
    kst_image_release(fuzz_fast(), &part);
}

/* Check a tile, or a part of it, with all components or some, also if the stream is damaged. */
static void check_tile(
    const uint8_t *data, size_t length, kst_decode_options options, uint32_t planes, struct fuzz_input *input)
{
    uint32_t chosen[8];
    kst_image tile;
    kst_report report;
    options.tile = fuzz_take(input, 12);
    if (fuzz_take(input, 2)) {
        options.components = chosen;
        options.component_count = choose_components(chosen, planes, input);
    }
    kst_status status = decode(data, length, &options, &tile, &report);
    if (!status && report.warnings == 0 && !options.components)
        check_region(data, length, options, &tile, input);
    kst_image_release(fuzz_fast(), &tile);
}

static void check_limits(
    const uint8_t *data, size_t length, const kst_decode_options *options, const kst_image *whole, uint32_t kind)
{
    kst_image image;
    kst_image_init(&image);
    kst_status status = kst_decode(fuzz_limited(kind), data, length, options, &image, NULL);
    if (!status)
        fuzz_check_same_image(whole, &image);
    else
        fuzz_check(status >= KST_ERROR_LIMIT_PIXELS && status <= KST_ERROR_LIMIT_WORK, "a limit, and nothing else");
    kst_image_release(fuzz_limited(kind), &image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct fuzz_input input = {data, length};
    kst_decode_options options;
    kst_image whole;
    kst_report report;
    if (length < 12 || data[0] == 0xFF ? length < 12 || data[1] != 0x4F : data[0] != 0)
        return 0;
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    options.reduce = fuzz_take(&input, 4);
    options.layers = fuzz_take(&input, 3);
    options.strict = fuzz_take(&input, 8) == 7;
    if (!decode(data, length, &options, &whole, &report)) {
        uint32_t kind = fuzz_take(&input, 8);
        if (kind < 3 && report.warnings == 0)
            check_region(data, length, options, &whole, &input);
        else if (kind < 5 && report.warnings == 0)
            check_components(data, length, options, &whole, &input);
        else if (kind < 7)
            check_tile(data, length, options, whole.plane_count, &input);
        else
            check_limits(data, length, &options, &whole, fuzz_take(&input, FUZZ_LIMITS));
    }
    kst_image_release(fuzz_fast(), &whole);
    return 0;
}
