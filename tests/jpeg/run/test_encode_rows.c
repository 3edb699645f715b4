/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that encoding JPEG from a function for rows gives the same bytes as from memory, in little memory, whatever
 * fails.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_writer.h>

#include "support/context.h"
#include "support/sanitizers.h"
#include "support/test.h"

/* A picture in memory as the source of rows, which looks at how it is asked. */
struct source {
    const kst_image *image;
    uint32_t fail_at; /* row */
    uint32_t next;    /* row, where they come in order */
    bool in_order;
    atomic_uint inside;
    atomic_uint bands;
    atomic_uint wrong; /* rows that were asked for beside another, or not in their turn: any thread counts them */
};

static size_t pixel_bytes(const kst_image *image)
{
    uint32_t channels = kst_format_channels(image->format);
    return channels ? channels : 1;
}

static bool bring(void *user, uint32_t index, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    struct source *source = user;
    const kst_plane *plane = &source->image->plane[index];
    size_t pixel = pixel_bytes(source->image);
    bool wrong = x + count > plane->width || y >= plane->height;
    if (source->in_order) {
        wrong |= atomic_fetch_add(&source->inside, 1) != 0 || x != 0 || y != source->next++ || y > source->fail_at;
        atomic_fetch_sub(&source->inside, 1);
    }
    if (wrong)
        atomic_fetch_add(&source->wrong, 1);
    if (wrong || y >= source->fail_at)
        return false;
    memcpy(samples, (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch + x * pixel, count * pixel);
    return true;
}

static bool bring_band(void *user, uint32_t index, uint32_t y, uint32_t rows, void *samples, size_t pitch)
{
    struct source *source = user;
    atomic_fetch_add(&source->bands, 1);
    for (uint32_t i = 0; i < rows; i++)
        if (!bring(user, index, 0, y + i, source->image->plane[index].width, (uint8_t *)samples + i * pitch))
            return false;
    return true;
}

/* A writer that takes bytes in order. */
struct target {
    uint8_t *data;
    size_t length, capacity;
    size_t largest;
};

static bool take(void *user, uint64_t offset, const void *data, size_t length)
{
    struct target *target = user;
    assert_int_equal(offset, target->length);
    if (length > target->capacity - target->length)
        return false;
    memcpy(target->data + target->length, data, length);
    target->length += length;
    target->largest = length > target->largest ? length : target->largest;
    return true;
}

/* Noise upon a ramp, so that rows differ, and coded data are long enough for several pieces. */
static void make(kst_context *context, kst_format format, uint32_t width, uint32_t height, kst_image *image)
{
    uint32_t seed = 1;
    kst_image_init(image);
    image->format = format;
    image->width = width;
    image->height = height;
    image->plane_count = format == KST_FORMAT_PLANAR || format == KST_FORMAT_RAW ? 3 : 1;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        bool half = format == KST_FORMAT_RAW && i > 0;
        image->plane[i] =
            (kst_plane){.width = half ? (width + 1) / 2 : width, .height = half ? (height + 1) / 2 : height};
    }
    assert_int_equal(kst_image_allocate(context, image), KST_OK);
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = &image->plane[i];
        for (uint32_t y = 0; y < plane->height; y++) {
            uint8_t *row = (uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
            for (size_t x = 0; x < plane->width * pixel_bytes(image); x++) {
                seed = seed * 1664525 + 1013904223;
                row[x] = (uint8_t)((x + y) / 4 + (seed >> 27));
            }
        }
    }
}

static kst_status encode_rows(kst_context *context, struct source *source, bool bands,
    const kst_encode_options *options, struct target *target, kst_report *report)
{
    const kst_rows rows = {.size = sizeof rows,
        .read = bring,
        .user = source,
        .in_order = source->in_order,
        .read_band = bands ? bring_band : NULL};
    const kst_writer writer = {.size = sizeof writer, .write = take, .user = target, .in_order = true};
    kst_image described = *source->image;
    for (uint32_t i = 0; i < described.plane_count; i++)
        described.plane[i].data = NULL;
    source->next = 0;
    target->length = target->largest = 0;
    kst_status status = kst_encode_to(context, &described, &rows, options, &writer, NULL, report);
    assert_int_equal(source->wrong, 0);
    return status;
}

static void check_same(kst_context *context, const kst_image *image, const kst_encode_options *options)
{
    kst_buffer whole = {0};
    struct target target = {.capacity = 4u << 20};
    target.data = malloc(target.capacity);
    assert_non_null(target.data);
    assert_int_equal(kst_encode(context, image, options, &whole, NULL), KST_OK);
    for (int how = 0; how < 4; how++) {
        struct source source = {.image = image, .fail_at = UINT32_MAX, .in_order = how & 2};
        if (source.in_order && image->plane_count > 1)
            continue;
        assert_int_equal(encode_rows(context, &source, how & 1, options, &target, NULL), KST_OK);
        assert_int_equal(target.length, whole.length);
        assert_memory_equal(target.data, whole.data, whole.length);
        assert_int_equal(source.bands > 0, how & 1);
        if (source.in_order)
            assert_int_equal(source.next, image->height);
    }
    free(target.data);
    kst_buffer_release(context, &whole);
}

static void test_same_bytes(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {1, 333}, {777, 1}, {333, 1000}, {16, 16}, {1023, 257}};
    static const kst_format formats[] = {KST_FORMAT_GREY, KST_FORMAT_RGB, KST_FORMAT_BGR, KST_FORMAT_RGBA,
        KST_FORMAT_BGRA, KST_FORMAT_CMYK, KST_FORMAT_PLANAR, KST_FORMAT_RAW};
    for (uint32_t threads = THREADS_WATCHED ? 3 : 1; threads <= 3; threads++) {
        kst_context *context = cpu_context_create(threads);
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                kst_image image;
                if (THREADS_WATCHED && (f + s) % 4 != 0)
                    continue;
                kst_encode_options options;
                kst_encode_options_init(&options);
                make(context, formats[f], sizes[s][0], sizes[s][1], &image);
                options.coding = (kst_coding)((f + s) % 3);
                options.restart.unit = s % 2 ? KST_RESTART_MCUS : KST_RESTART_NONE;
                options.restart.interval = 7;
                check_same(context, &image, &options);
                kst_image_release(context, &image);
            }
        kst_context_destroy(&context);
    }
}

/* A row that cannot be had ends the encoding, and every thread of it, whichever row it is. */
static void test_failing_rows(void **state)
{
    (void)state;
    kst_context *context = cpu_context_create(3);
    kst_image image;
    struct target target = {.capacity = 4u << 20};
    target.data = malloc(target.capacity);
    make(context, KST_FORMAT_RGB, 640, 480, &image);
    for (uint32_t row = 0; row < 480; row += THREADS_WATCHED ? 111 : 37)
        for (int coding = 0; coding < 3; coding++)
            for (int order = 0; order < 2; order++) {
                struct source source = {.image = &image, .fail_at = row, .in_order = order};
                kst_encode_options options;
                kst_report report;
                kst_encode_options_init(&options);
                kst_report_init(&report);
                options.coding = (kst_coding)coding;
                assert_int_equal(encode_rows(context, &source, row % 2, &options, &target, &report), KST_ERROR_ROWS);
                assert_int_equal(report.status, KST_ERROR_ROWS);
            }
    free(target.data);
    kst_image_release(context, &image);
    kst_context_destroy(&context);
}

static void test_writer_that_fails(void **state)
{
    (void)state;
    kst_context *context = cpu_context_create(2);
    kst_image image;
    kst_encode_options options;
    struct target target = {.capacity = 300 << 10};
    target.data = malloc(target.capacity);
    make(context, KST_FORMAT_RGB, 2000, 1000, &image);
    kst_encode_options_init(&options);
    options.quality = 95;
    struct source source = {.image = &image, .fail_at = UINT32_MAX};
    assert_int_equal(encode_rows(context, &source, true, &options, &target, NULL), KST_ERROR_WRITE);
    free(target.data);
    kst_image_release(context, &image);
    kst_context_destroy(&context);
}

/* Neither the picture nor the file is ever in memory: 16 MPix, 10 MB coded, in 3 MB. */
static void test_little_memory(void **state)
{
    (void)state;
    const kst_limits limits = {.memory = 3 << 20};
    kst_context *plenty = cpu_context_create(1);
    kst_image image;
    kst_encode_options options;
    struct target target = {.capacity = 32u << 20};
    target.data = malloc(target.capacity);
    make(plenty, KST_FORMAT_GREY, 4000, 4000, &image);
    kst_encode_options_init(&options);
    options.quality = 95;
    for (uint32_t threads = THREADS_WATCHED ? 2 : 1; threads <= 2; threads++) {
        kst_context *context = context_create("cpu", threads, &limits);
        struct source source = {.image = &image, .fail_at = UINT32_MAX, .in_order = true};
        assert_int_equal(encode_rows(context, &source, true, &options, &target, NULL), KST_OK);
        assert_true(target.length > (5 << 20));
        assert_true(target.largest >= (1 << 18) && target.largest < (1 << 20));
        kst_context_destroy(&context);
    }
    free(target.data);
    kst_image_release(plenty, &image);
    kst_context_destroy(&plenty);
}

static void test_refused(void **state)
{
    (void)state;
    kst_context *context = cpu_context_create(1);
    kst_image image;
    kst_encode_options options;
    struct target target = {.capacity = 1 << 20};
    target.data = malloc(target.capacity);
    make(context, KST_FORMAT_PLANAR, 64, 64, &image);
    kst_encode_options_init(&options);
    struct source source = {.image = &image, .fail_at = UINT32_MAX, .in_order = true};
    assert_int_equal(encode_rows(context, &source, false, &options, &target, NULL), KST_ERROR_OPTIONS);
    kst_image_release(context, &image);
    make(context, KST_FORMAT_RGB, 64, 64, &image);
    options.codec = KST_CODEC_JPEG2000;
    assert_int_equal(encode_rows(context, &source, false, &options, &target, NULL), KST_ERROR_OPTIONS);
    free(target.data);
    kst_image_release(context, &image);
    kst_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_failing_rows),
        cmocka_unit_test(test_writer_that_fails),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
