/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of 17 to 31 bits, and many components, on GPUs, both ways: the CPU's bytes of streams, and its samples, of
 * whole pictures and of parts, in host, pinned and device memory. What the CPU did instead of a GPU fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/j2k/coded.h"
#include "support/random.h"
#include "support/test.h"

static uint32_t below(uint32_t bound)
{
    return (uint32_t)((uint64_t)next_random() * bound >> 32);
}

enum content { NOISE, EXTREMES, SLOPES, CONTENTS };

/* Return a number of this many bits. */
static uint32_t paint(enum content content, uint32_t x, uint32_t y, uint32_t depth)
{
    uint32_t max = (UINT32_C(1) << depth) - 1;
    switch (content) {
    case NOISE:
        return below(max) + below(2);
    case EXTREMES:
        return below(5) ? ((x / 3 + y) % 2 ? max : 0) : below(2) ? max / 2 : max / 2 + 1;
    default:
        return (uint32_t)(((uint64_t)max * (x + 2 * y) / 300 + below(max / 256 + 1)) % max);
    }
}

static void fill_plane(const kst_image *image, kst_plane *plane, enum content content)
{
    uint32_t channels = kst_format_channels(image->format), count = plane->width * (channels ? channels : 1);
    uint32_t bytes = plane->depth > 16 ? 4 : plane->depth > 8 ? 2 : 1;
    plane->pitch = (ptrdiff_t)count * (ptrdiff_t)bytes + 12;
    plane->data = malloc((size_t)plane->pitch * plane->height);
    assert_non_null(plane->data);
    for (uint32_t y = 0; y < plane->height; y++)
        for (uint32_t x = 0; x < count; x++) {
            uint32_t value = paint(content, x, y, plane->depth);
            if (plane->is_signed)
                value -= UINT32_C(1) << (plane->depth - 1);
            for (uint32_t i = 0; i < bytes; i++)
                ((uint8_t *)plane->data)[(ptrdiff_t)y * plane->pitch + (ptrdiff_t)(x * bytes + i)] =
                    (uint8_t)(value >> 8 * i);
        }
}

static kst_plane describe_plane(uint32_t width, uint32_t height, uint32_t apart, uint32_t depth, bool is_signed)
{
    return (kst_plane){.width = (width + apart - 1) / apart,
        .height = (height + apart - 1) / apart,
        .depth = (uint8_t)depth,
        .is_signed = is_signed};
}

static kst_plane *plane_of(kst_image *image, kst_plane *more, uint32_t p)
{
    return p < 4 ? &image->plane[p] : &more[p - 4];
}

/* RAW: of two planes or more the second is a quarter of the picture and has a bit less. */
static kst_image make_image(
    kst_format format, uint32_t width, uint32_t height, uint32_t planes, uint32_t depth, bool is_signed)
{
    static uint32_t turn;
    kst_image image;
    kst_image_init(&image);
    image.format = format;
    image.width = width;
    image.height = height;
    image.plane_count = planes;
    kst_plane *more = planes > 4 ? calloc(planes - 4, sizeof *more) : NULL;
    for (uint32_t p = 0; p < planes; p++) {
        bool apart = format == KST_FORMAT_RAW && p == 1;
        kst_plane *plane = plane_of(&image, more, p);
        *plane = describe_plane(width, height, apart ? 2 : 1, depth - apart, is_signed != apart);
        fill_plane(&image, plane, (enum content)(turn++ % CONTENTS));
    }
    image.more = more;
    return image;
}

static void free_image(kst_image *image)
{
    for (uint32_t p = 0; p < image->plane_count; p++)
        free(kst_image_plane(image, p)->data);
    free((void *)(uintptr_t)image->more);
}

static void name_case(const kst_image *image, const kst_j2k_options *o, char *name, size_t length)
{
    snprintf(name, length, "format %d, %u bits, %s, %u planes; target %d %g, reversible %d, style %u, %u levels",
        (int)image->format, image->plane[0].depth, image->plane[0].is_signed ? "signed" : "unsigned",
        image->plane_count, (int)o->target, o->value, o->reversible, o->style, o->levels);
}

/* All stages that a GPU has. */
static void expect_device(const char *name, const kst_report *report)
{
    for (kst_stage stage = KST_STAGE_ENTROPY; stage <= KST_STAGE_PIXELS; stage++)
        if (report->stage_device[stage] == KST_DEVICE_NONE || report->stage_device[stage] == KST_DEVICE_CPU)
            fail_msg("%s: not on the device", name);
}

static kst_memory memory_of(uint32_t device, uint32_t turn)
{
    return turn % 3 == 0 ? KST_MEMORY_HOST : turn % 3 == 1 ? KST_MEMORY_PINNED : device_memory(gpu_context[device]);
}

static void encode_there(const char *name, uint32_t device, const kst_image *image, const kst_encode_options *options,
    const kst_buffer *wanted)
{
    kst_buffer found = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    if (kst_encode(gpu_context[device], image, options, &found, &report))
        fail_msg("%s: %s", name, report.message);
    if (found.length != wanted->length || memcmp(found.data, wanted->data, found.length) != 0)
        fail_msg("%s: other bytes, %zu of them, not %zu", name, found.length, wanted->length);
    if (report.stage_device[KST_STAGE_ENTROPY] <= KST_DEVICE_CPU)
        fail_msg("%s: not on the device", name);
    kst_buffer_release(gpu_context[device], &found);
}

static void encode_everywhere(
    const char *name, const kst_image *image, const kst_encode_options *options, const kst_buffer *wanted)
{
    static uint32_t turn;
    turn++;
    for (uint32_t d = 0; d < gpu_contexts; d++) {
        kst_image copy = *image;
        copy.memory = memory_of(d, turn);
        if (image->plane_count > 4 || copy.memory == KST_MEMORY_HOST) {
            encode_there(name, d, image, options, wanted);
            continue;
        }
        assert_int_equal(kst_image_allocate(gpu_context[d], &copy), KST_OK);
        assert_int_equal(kst_image_copy(gpu_context[d], image, &copy), KST_OK);
        encode_there(name, d, &copy, options, wanted);
        kst_image_release(gpu_context[d], &copy);
    }
}

static void expect_same_planes(const char *name, const kst_image *wanted, const kst_image *found)
{
    kst_comparison comparison = {.size = sizeof comparison};
    assert_int_equal(kst_compare(wanted, found, &comparison), KST_OK);
    if (!comparison.identical)
        fail_msg("%s: %u of %u samples differ", name, (unsigned)comparison.differing, (unsigned)comparison.samples);
}

static void decode_everywhere(const char *name, const kst_buffer *stream, const kst_decode_options *options)
{
    static uint32_t turn;
    kst_image wanted;
    kst_image_init(&wanted);
    kst_status status = kst_decode(cpu_context, stream->data, stream->length, options, &wanted, NULL);
    assert_int_equal(status, KST_OK);
    turn++;
    for (uint32_t d = 0; d < gpu_contexts; d++) {
        kst_image found;
        kst_report report;
        kst_image_init(&found);
        kst_report_init(&report);
        found.memory = wanted.plane_count > 4 ? KST_MEMORY_HOST : memory_of(d, turn);
        if (kst_decode(gpu_context[d], stream->data, stream->length, options, &found, &report))
            fail_msg("%s: %s", name, report.message);
        expect_device(name, &report);
        if (found.memory == KST_MEMORY_HOST)
            expect_same_planes(name, &wanted, &found);
        else
            expect_same_image(name, gpu_context[d], &wanted, &found);
        kst_image_release(gpu_context[d], &found);
    }
    kst_image_release(cpu_context, &wanted);
}

/* Whole, reduced, a part, both. */
static void decode_parts(const char *name, const kst_buffer *stream, const kst_image *image, const kst_j2k_options *j2k)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    decode_everywhere(name, stream, &options);
    if (simulated())
        return;
    options.reduce = j2k->levels > 0;
    decode_everywhere(name, stream, &options);
    options.region = (kst_region){image->width / 9, image->height / 7, image->width / 4, image->height / 5};
    decode_everywhere(name, stream, &options);
    options.reduce = 0;
    decode_everywhere(name, stream, &options);
}

/* Return whether the CPU encodes it; the devices need not encode what the CPU refuses. */
static bool check(const kst_image *image, const kst_j2k_options *j2k)
{
    char name[200];
    kst_buffer wanted = {.data = NULL};
    kst_encode_options options = j2k_coding(j2k);
    name_case(image, j2k, name, sizeof name);
    if (kst_encode(cpu_context, image, &options, &wanted, NULL))
        return false;
    encode_everywhere(name, image, &options, &wanted);
    decode_parts(name, &wanted, image, j2k);
    kst_buffer_release(cpu_context, &wanted);
    return true;
}

static const uint32_t depths[] = {17, 20, 24, 25, 28, 31};
enum { DEPTHS = sizeof depths / sizeof *depths };

static kst_j2k_options options_of(kst_j2k_target target, double value)
{
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.target = target;
    j2k.value = value;
    j2k.levels = simulated() ? 0 : 3;
    j2k.block_width = j2k.block_height = 32;
    return j2k;
}

/* With 31 bits the 5/3 transform has no room for the bits of a band, except without levels, nor for guard bits. */
static void test_lossless(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < (simulated() ? 1 : 2 * DEPTHS); i++) {
        uint32_t depth = depths[i / 2];
        kst_image image =
            make_image(KST_FORMAT_RAW, simulated() ? 9 : 75, simulated() ? 6 : 58, simulated() ? 1 : 2, depth, i % 2);
        kst_j2k_options j2k = options_of(KST_J2K_LOSSLESS, 0);
        if (depth > 24) {
            j2k.guard_bits = 1;
            j2k.levels = depth > 28 ? 0 : 1;
        }
        if (i % 4 == 3)
            j2k.style = i == 3 ? 63 : 1 + below(62);
        assert_true(check(&image, &j2k));
        free_image(&image);
    }
}

/* The 9/7, by steps, rates and errors. */
static void test_lossy(void **state)
{
    (void)state;
    static const kst_j2k_target targets[] = {KST_J2K_STEP, KST_J2K_RATIO, KST_J2K_PSNR};
    for (uint32_t i = 0; i < (simulated() ? 0 : 3 * DEPTHS); i++) {
        uint32_t depth = depths[i % DEPTHS];
        kst_image image = make_image(KST_FORMAT_RAW, 83, 71, 1 + i % 2, depth, i / 2 % 2);
        kst_j2k_options j2k = options_of(targets[i / DEPTHS], 0);
        j2k.value = j2k.target == KST_J2K_STEP    ? (i % 4 == 0 ? 0.5 : (double)(UINT32_C(1) << (depth - 12)))
                    : j2k.target == KST_J2K_RATIO ? 6
                                                  : 48;
        j2k.layers = 1 + i % 3;
        j2k.guard_bits = depth > 24 ? 1 : 2;
        j2k.style = i % 5 == 4 ? below(64) : 0;
        if (i % 4 == 1) {
            j2k.image_x = 6;
            j2k.image_y = 8;
            j2k.tile_width = 50;
            j2k.tile_height = 41;
        }
        assert_true(check(&image, &j2k));
        free_image(&image);
    }
}

/* The reversible transform at a rate: gains of planes that are above single precision. */
static void test_rates(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < (simulated() ? 0 : 4); i++) {
        kst_image image = make_image(KST_FORMAT_RAW, 90, 66, 1, depths[i], i % 2);
        kst_j2k_options j2k = options_of(KST_J2K_RATIO, 5);
        j2k.reversible = true;
        j2k.guard_bits = 1;
        j2k.levels = i == 3 ? 1 : 3;
        j2k.block_width = j2k.block_height = 8;
        assert_true(check(&image, &j2k));
        free_image(&image);
    }
}

/* Pixels of several channels, and component transforms. */
static void test_colours(void **state)
{
    (void)state;
    static const kst_format formats[] = {KST_FORMAT_RGB, KST_FORMAT_BGR, KST_FORMAT_RGBA, KST_FORMAT_PLANAR,
        KST_FORMAT_GREY, KST_FORMAT_CMYK, KST_FORMAT_BGRA};
    for (uint32_t i = 0; i < (simulated() ? 0 : 7); i++) {
        kst_image image = make_image(formats[i], 70, 52, formats[i] == KST_FORMAT_PLANAR ? 3 : 1, depths[i % 3], false);
        kst_j2k_options j2k = options_of(KST_J2K_LOSSLESS, 0);
        assert_true(check(&image, &j2k));
        j2k.target = KST_J2K_RATIO;
        j2k.value = 7;
        assert_true(check(&image, &j2k));
        free_image(&image);
    }
}

/* A region of interest, as far as planes are left for it. */
static void test_interest(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < (simulated() ? 0 : DEPTHS); i++) {
        kst_image image = make_image(KST_FORMAT_RAW, 85, 64, 1, depths[i], i % 2);
        kst_j2k_options j2k = options_of(KST_J2K_STEP, (double)(UINT32_C(1) << (depths[i] - 8)));
        j2k.guard_bits = 1;
        j2k.interest = (kst_region){20, 12, 40, 30};
        assert_true(check(&image, &j2k));
        free_image(&image);
    }
}

/* Decode some of many components, which need not be neighbours. */
static void decode_some(const kst_image *image, const kst_j2k_options *j2k)
{
    uint32_t listed[200], count = 0;
    kst_decode_options some;
    kst_buffer stream = j2k_coded(cpu_context, image, j2k);
    kst_decode_options_init(&some);
    for (uint32_t c = below(4); c < image->plane_count && count < 200; c += 1 + below(5))
        listed[count++] = c;
    some.components = listed;
    some.component_count = count;
    decode_everywhere("some components", &stream, &some);
    some.component_count = count < 4 ? count : 4;
    decode_everywhere("up to four components", &stream, &some);
    kst_buffer_release(cpu_context, &stream);
}

/* More components than a view of the kernels' has room for. */
static void test_components(void **state)
{
    (void)state;
    static const uint32_t planes[] = {5, 17, 300, 7, 12, 6};
    for (uint32_t i = 0; i < (simulated() ? 1 : 6); i++) {
        uint32_t side = simulated() ? 7 : i == 2 ? 12 : 45;
        kst_image image = make_image(KST_FORMAT_RAW, side, side + 3, planes[i], i % 2 ? 12 : 8, false);
        kst_j2k_options j2k = options_of(i % 3 == 1 ? KST_J2K_RATIO : i == 5 ? KST_J2K_PSNR : KST_J2K_LOSSLESS, 8);
        j2k.value = j2k.target == KST_J2K_PSNR ? 40 : 8;
        if (i == 3 || i == 4) {
            free(image.plane[1].data);
            image.plane[1] = image.plane[2]; /* the size of all others */
            image.plane[1].data = NULL;
            fill_plane(&image, &image.plane[1], NOISE);
        }
        if (i == 4) {
            j2k.tile_width = 30;
            j2k.tile_height = 20;
        }
        assert_true(check(&image, &j2k));
        if (!simulated())
            decode_some(&image, &j2k);
        free_image(&image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lossless),
        cmocka_unit_test(test_lossy),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_interest),
        cmocka_unit_test(test_components),
    };
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
