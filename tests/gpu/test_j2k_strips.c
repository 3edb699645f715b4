/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JPEG 2000 pictures of components as they are, too large for the limit of memory: on GPUs strip by strip, the CPU's
 * samples. What the CPU did instead of a GPU, or a GPU at once, fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contexts.h"
#include "random.h"
#include "support.h"
#include "told.h"

enum { WIDTH = 150, HEIGHT = 603, LEFT = 5, TOP = 13, LEAST_CALLS = 4, MEMORY = 2 << 20 };

/* Where a component has its samples, and what they are. */
struct plane {
    uint32_t dx, dy, depth;
    bool is_signed;
};

/* Of the reference grid's [first, first + size) what is at multiples. */
static uint32_t samples_of(uint32_t first, uint32_t size, uint32_t apart)
{
    return (first + size + apart - 1) / apart - (first + apart - 1) / apart;
}

static kst_image make_image(const struct plane *planes, uint32_t count)
{
    kst_image image;
    kst_image_init(&image);
    image.format = KST_FORMAT_RAW;
    image.width = WIDTH;
    image.height = HEIGHT;
    image.plane_count = count;
    kst_plane *more = calloc(count, sizeof *more);
    assert_non_null(more);
    image.more = more;
    for (uint32_t p = 0; p < count; p++) {
        const struct plane *from = &planes[p];
        kst_plane *plane = p < 4 ? &image.plane[p] : &more[p - 4];
        uint32_t bytes = from->depth > 16 ? 4 : from->depth > 8 ? 2 : 1;
        *plane = (kst_plane){.width = samples_of(LEFT, WIDTH, from->dx),
            .height = samples_of(TOP, HEIGHT, from->dy),
            .depth = (uint8_t)from->depth,
            .is_signed = from->is_signed};
        plane->pitch = (ptrdiff_t)plane->width * bytes;
        uint8_t *data = plane->data = malloc((size_t)plane->pitch * plane->height);
        assert_non_null(data);
        for (uint32_t i = 0; i < plane->width * plane->height; i++) {
            uint32_t value = (i / 40 + (next_random() >> 28)) & ((1U << (from->depth - 1)) - 1);
            for (uint32_t b = 0; b < bytes; b++)
                data[i * bytes + b] = (uint8_t)(value >> 8 * b);
        }
    }
    return image;
}

static void free_image(kst_image *image)
{
    for (uint32_t p = 0; p < image->plane_count; p++)
        free(kst_image_plane(image, p)->data);
    free((void *)(uintptr_t)image->more);
}

static kst_context *make_small_context(const kst_context *like, uint64_t memory)
{
    kst_device_info info = {.size = sizeof info};
    kst_context_options options;
    kst_context *context;
    assert_int_equal(kst_context_device(like, &info), KST_OK);
    kst_context_options_init(&options);
    options.device = info.name;
    options.threads = 2;
    options.limits.memory = memory;
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    return context;
}

static void compare(
    kst_context *context, const kst_buffer *stream, const kst_decode_options *options, kst_memory memory)
{
    struct told calls = {.stop = 2};
    kst_progress progress = {.size = sizeof progress, .told = told, .user = &calls};
    kst_decode_options with = *options;
    kst_image wanted, image;
    kst_report report;
    char what[80];
    kst_image_init(&wanted);
    kst_image_init(&image);
    kst_report_init(&report);
    snprintf(what, sizeof what, "memory %d, reduced %u, tile %u, %u components", (int)memory, (unsigned)options->reduce,
        (unsigned)options->tile, (unsigned)options->component_count);
    assert_int_equal(kst_decode(cpu_context, stream->data, stream->length, options, &wanted, NULL), KST_OK);
    image.memory = memory;
    with.progress = &progress;
    if (kst_decode(context, stream->data, stream->length, &with, &image, &report))
        fail_msg("%s: %s", what, report.message);
    if (report.stage_device[KST_STAGE_ENTROPY] <= KST_DEVICE_CPU ||
        report.stage_device[KST_STAGE_PIXELS] <= KST_DEVICE_CPU)
        fail_msg("%s: not on the device", what);
    if (calls.calls < LEAST_CALLS)
        fail_msg("%s: not in strips", what);
    expect_same_image(what, context, &wanted, &image);
    kst_image_release(cpu_context, &wanted);
    kst_image_release(context, &image);
}

static void check(kst_context *context, const kst_image *image, const kst_j2k_options *j2k)
{
    static const uint32_t listed[] = {0, 2};
    const kst_memory memories[] = {KST_MEMORY_HOST, KST_MEMORY_PINNED, device_memory(context)};
    kst_encode_options encoding;
    kst_decode_options options;
    kst_buffer stream = {.data = NULL};
    kst_encode_options_init(&encoding);
    encoding.codec = KST_CODEC_JPEG2000;
    encoding.jpeg2000 = j2k;
    assert_int_equal(kst_encode(cpu_context, image, &encoding, &stream, NULL), KST_OK);
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    for (uint32_t m = 0; m < (image->plane_count > 4 ? 1 : 3); m++)
        compare(context, &stream, &options, memories[m]);
    options.components = listed;
    options.component_count = 2;
    compare(context, &stream, &options, KST_MEMORY_PINNED);
    options.components = NULL;
    options.component_count = 0;
    options.region = (kst_region){9, 21, 114, 540};
    if (j2k->tile_height > 0)
        options.tile = 0;
    compare(context, &stream, &options, KST_MEMORY_HOST);
    kst_buffer_release(cpu_context, &stream);
}

/* Smaller components, one of which has no row in some strips; more planes than an image has room for; samples of two
 * and four bytes. */
static void test_components(void **state)
{
    (void)state;
    static const struct plane planes[] = {
        {1, 1, 8, false}, {3, 200, 12, true}, {1, 1, 8, false}, {2, 2, 8, false}, {1, 3, 20, false}, {1, 1, 8, true}};
    static const uint32_t counts[] = {3, 6};
    for (uint32_t k = 0; k < gpu_contexts; k++)
        for (uint32_t i = 0; i < 2; i++) {
            kst_image image = make_image(planes, counts[i]);
            kst_j2k_options j2k;
            kst_context *context = make_small_context(gpu_context[k], MEMORY);
            kst_j2k_options_init(&j2k);
            j2k.levels = 3;
            j2k.image_x = LEFT;
            j2k.image_y = TOP;
            j2k.block_width = j2k.block_height = 32;
            check(context, &image, &j2k);
            j2k.tile_width = 130;
            j2k.tile_height = 580;
            check(context, &image, &j2k);
            kst_context_destroy(&context);
            free_image(&image);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_components)};
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
