/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures of JPEG 2000 that the CPU has less memory for than they take at once: decoded in parts, or fewer tiles at a
 * time, they are what the whole gives, to the caller's memory, which the limit is not of.
 */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#include "support/j2k/coded.h"
#include "support/j2k/pictures.h"
#include "support/progress.h"
#include "support/sanitizers.h"
#include "support/shared_context.h"
#include "support/test.h"

/*
 * Under ThreadSanitizer, which takes forty times as long, one picture stands for all on which the same threads work;
 * with fewer cases one stands for two.
 */
static size_t shapes_apart(void)
{
    return THREADS_WATCHED ? 3 : fewer_cases() ? 2 : 1;
}

enum { THREADS = 3, MANY = 16, MEMORY = 21 << 16, CODING_MEMORY = 11 << 19, LITTLE = 340000 };

/* Into memory like the whole's, which is decoded to *whole. */
static kst_status decode_small(kst_context *small, const kst_buffer *stream, const kst_decode_options *options,
    kst_image *whole, kst_image *image, kst_report *report)
{
    kst_report_init(report);
    kst_decode_options quiet = *options;
    quiet.progress = NULL;
    kst_image_init(whole);
    assert_int_equal(kst_decode(context, stream->data, stream->length, &quiet, whole, NULL), KST_OK);
    image_like(image, whole);
    return kst_decode(small, stream->data, stream->length, options, image, report);
}

static void compare(const char *what, kst_context *small, const kst_buffer *stream, const kst_decode_options *options)
{
    struct progress_calls calls = {.stop = 2};
    const kst_progress progress = {.size = sizeof progress, .told = take_progress, .user = &calls};
    kst_decode_options with = *options;
    kst_image whole, image;
    kst_report report;
    with.progress = &progress;
    if (decode_small(small, stream, &with, &whole, &image, &report))
        fail_msg("%s: %s", what, report.message);
    expect_same_samples(what, &whole, &image);
    assert_true(calls.last == 1);
    image_free(&image);
    kst_image_release(context, &whole);
}

/* A region, a reduced picture and another format: two of them, by turns. Raw components have no other format. */
static void compare_parts(const char *what, kst_context *small, const kst_image *image, const kst_buffer *stream)
{
    enum { REGION, REDUCED, FORMAT, PARTS };
    static uint32_t left_out;
    const bool raw = image->format == KST_FORMAT_RAW;
    kst_decode_options options[PARTS];
    for (uint32_t i = 0; i < PARTS; i++) {
        kst_decode_options_init(&options[i]);
        options[i].format = i == FORMAT ? KST_FORMAT_RGBA : image->format;
    }
    options[REGION].region = (kst_region){77, 5, image->width - 100, image->height - 9};
    options[REDUCED].reduce = 1;
    for (uint32_t i = 0; i < PARTS; i++)
        if (i != (raw ? FORMAT : left_out))
            compare(what, small, stream, &options[i]);
    left_out = (left_out + 1) % PARTS;
}

static void check(const char *what, kst_context *small, const kst_image *image, const kst_j2k_options *j2k)
{
    kst_buffer stream = j2k_coded(context, image, j2k);
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.format = image->format;
    compare(what, small, &stream, &options);
    if (!THREADS_WATCHED)
        compare_parts(what, small, image, &stream);
    kst_buffer_release(context, &stream);
}

/* With so much memory. */
static void check_shapes(const struct coded_shape *shapes, size_t count, uint64_t memory,
    void (*look)(const char *what, kst_context *small, const kst_image *image, const kst_j2k_options *j2k))
{
    kst_context *small = limited_context(THREADS, memory);
    for (size_t i = 0; i < count; i += shapes_apart()) {
        kst_image image = noise_image(shapes[i].format, shapes[i].width, shapes[i].height, shapes[i].depth);
        const kst_j2k_options j2k = shape_options(&shapes[i]);
        look(shapes[i].name, small, &image, &j2k);
        image_free(&image);
    }
    kst_context_destroy(&small);
}

/* Broad ones, whose rows alone are too much; samples of 16 and 32 bits in between; tiles; smaller components. */
static void test_columns(void **state)
{
    (void)state;
    static const struct coded_shape shapes[] = {
        {"lossless", KST_FORMAT_RGB, 3000, 130, 8, 0, KST_J2K_LOSSLESS, 0},
        {"lossy", KST_FORMAT_RGB, 3000, 130, 8, 0, KST_J2K_RATIO, 6},
        {"deep", KST_FORMAT_GREY, 5000, 130, 12, 0, KST_J2K_RATIO, 6},
        {"tiles", KST_FORMAT_RGB, 3000, 130, 8, 1400, KST_J2K_RATIO, 6},
        {"components", KST_FORMAT_RAW, 4001, 130, 12, 0, KST_J2K_RATIO, 6},
        {"high", KST_FORMAT_RGB, 150, 2600, 8, 0, KST_J2K_LOSSLESS, 0},
    };
    check_shapes(shapes, sizeof shapes / sizeof *shapes, MEMORY, check);
}

/* Tiles of which one has room, but not as many as there are threads. */
static void test_lanes(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_RGB, 1024, 512, 8);
    kst_context *small = limited_context(MANY, (uint64_t)MANY << 18);
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.tile_width = j2k.tile_height = 256;
    check("many tiles", small, &image, &j2k);
    kst_context_destroy(&small);
    image_free(&image);
}

static kst_buffer make_broad(void)
{
    kst_image image = noise_image(KST_FORMAT_RGB, 3000, 130, 8);
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.style = KST_J2K_SYMBOLS;
    kst_buffer stream = j2k_coded(context, &image, &j2k);
    image_free(&image);
    return stream;
}

static void test_cancelled(void **state)
{
    (void)state;
    static const double stops[] = {0, 0.01, 0.3, 0.6, 0.9};
    kst_context *small = limited_context(THREADS, MEMORY);
    kst_buffer stream = make_broad();
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i += shapes_apart()) {
        struct progress_calls calls = {.stop = stops[i]};
        const kst_progress progress = {.size = sizeof progress, .told = take_progress, .user = &calls};
        kst_decode_options options;
        kst_image image = noise_image(KST_FORMAT_RGB, 3000, 130, 8);
        kst_decode_options_init(&options);
        options.progress = &progress;
        assert_int_equal(kst_decode(small, stream.data, stream.length, &options, &image, NULL), KST_ERROR_CANCELLED);
        assert_true(calls.last >= stops[i] && calls.last < 1);
        image_free(&image);
    }
    kst_buffer_release(context, &stream);
    kst_context_destroy(&small);
}

/* A picture that cannot fit in any way is refused with the least memory that it needs. */
static void test_refused(void **state)
{
    (void)state;
    kst_buffer stream = make_broad();
    kst_decode_options options;
    kst_image whole, image;
    kst_report report;
    kst_context *small = limited_context(THREADS, LITTLE);
    kst_decode_options_init(&options);
    assert_int_equal(decode_small(small, &stream, &options, &whole, &image, &report), KST_ERROR_LIMIT_MEMORY);
    const char *bytes = strpbrk(report.message, "0123456789");
    uint64_t least = bytes ? strtoull(bytes, NULL, 10) : 0;
    if (least <= LITTLE || least > MEMORY)
        fail_msg("%s", report.message);
    kst_context_destroy(&small);
    image_free(&image);
    kst_image_release(context, &whole);
    small = limited_context(THREADS, least + least / 4);
    compare("a little more", small, &stream, &options);
    kst_context_destroy(&small);
    kst_buffer_release(context, &stream);
}

/* The first limit is too low, the last one is not, and with more memory than is enough there is enough. */
static void look_for_limit(const char *what, kst_context *small, const kst_image *image, const kst_j2k_options *j2k)
{
    enum { FIRST = 270000, STEP = 30000, LAST = 390000 };
    (void)small;
    kst_buffer stream = j2k_coded(context, image, j2k);
    kst_decode_options options;
    kst_image whole;
    bool enough = false;
    kst_decode_options_init(&options);
    kst_image_init(&whole);
    assert_int_equal(kst_decode(context, stream.data, stream.length, &options, &whole, NULL), KST_OK);
    for (uint64_t memory = FIRST; memory <= LAST; memory += STEP) {
        struct progress_calls calls = {.stop = 2};
        const kst_progress progress = {.size = sizeof progress, .told = take_progress, .user = &calls};
        kst_context *with = limited_context(1, memory);
        kst_image room;
        kst_report report;
        kst_report_init(&report);
        options.progress = &progress;
        image_like(&room, &whole);
        kst_status status = kst_decode(with, stream.data, stream.length, &options, &room, &report);
        if (!status)
            expect_same_samples(what, &whole, &room);
        else if (enough || status != KST_ERROR_LIMIT_MEMORY)
            fail_msg("%s: %llu bytes: %s", what, (unsigned long long)memory, report.message);
        assert_true(memory > FIRST || status);
        enough = !status;
        image_free(&room);
        kst_context_destroy(&with);
    }
    assert_true(enough);
    kst_image_release(context, &whole);
    kst_buffer_release(context, &stream);
}

static void test_limits(void **state)
{
    (void)state;
    if (THREADS_WATCHED) /* there is one */
        skip("there is one thread");
    static const struct coded_shape shapes[] = {
        {"lossless", KST_FORMAT_RGB, 1100, 160, 8, 0, KST_J2K_LOSSLESS, 0},
        {"lossy", KST_FORMAT_RGB, 1100, 160, 8, 0, KST_J2K_RATIO, 6},
    };
    check_shapes(shapes, sizeof shapes / sizeof *shapes, MEMORY, look_for_limit);
}

static bool bring(void *user, uint32_t index, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    const kst_image *image = user;
    const kst_plane *plane = &image->plane[index];
    size_t channels = image->format == KST_FORMAT_RGB ? 3 : 1, pixel = channels * (plane->depth > 8 ? 2 : 1);
    memcpy(samples, (const uint8_t *)plane->data + y * plane->pitch + x * pixel, count * pixel);
    return true;
}

/* Use cells that are few code-blocks wide, an origin that is not theirs, and colour with a region of interest. */
static void compare_coded(const char *what, kst_context *small, const kst_image *image, const kst_j2k_options *usual)
{
    kst_j2k_options cells = *usual, *j2k = &cells;
    cells.levels = 3;
    cells.block_width = cells.block_height = 32;
    cells.image_x = 2;
    cells.image_y = 3;
    if (image->format == KST_FORMAT_RGB && cells.target == KST_J2K_RATIO)
        cells.interest = (kst_region){3000, 20, 2000, 60};
    struct progress_calls calls = {.stop = 2};
    const kst_rows rows = {.size = sizeof rows, .read = bring, .user = (void *)(uintptr_t)image};
    const kst_progress progress = {.size = sizeof progress, .told = take_progress, .user = &calls};
    kst_encode_options options = j2k_coding(j2k);
    kst_buffer whole = j2k_coded(context, image, j2k);
    for (uint32_t i = THREADS_WATCHED; i < 2; i++) {
        kst_buffer parts = {.data = NULL};
        kst_report report;
        kst_report_init(&report);
        options.progress = i ? &progress : NULL;
        kst_status status = i ? kst_encode_rows(small, image, &rows, &options, &parts, &report)
                              : kst_encode(small, image, &options, &parts, &report);
        if (status)
            fail_msg("%s: %s", what, report.message);
        if (parts.length != whole.length || memcmp(parts.data, whole.data, whole.length) != 0)
            fail_msg("%s: other bytes", what);
        kst_buffer_release(small, &parts);
    }
    assert_true(calls.last == 1);
    kst_buffer_release(context, &whole);
}

/* Rows of coefficients that are too much are made of some columns at a time, to the same bytes. */
static void test_coded(void **state)
{
    (void)state;
    static const struct coded_shape shapes[] = {
        {"lossless", KST_FORMAT_RGB, 8200, 130, 8, 0, KST_J2K_LOSSLESS, 0},
        {"lossy", KST_FORMAT_RGB, 8200, 130, 8, 0, KST_J2K_RATIO, 20},
        {"deep", KST_FORMAT_GREY, 12001, 194, 12, 0, KST_J2K_RATIO, 10},
        {"tiles", KST_FORMAT_RGB, 8200, 130, 8, 5500, KST_J2K_RATIO, 20},
        {"components", KST_FORMAT_RAW, 9999, 195, 12, 0, KST_J2K_RATIO, 20},
    };
    check_shapes(shapes, THREADS_WATCHED ? 1 : sizeof shapes / sizeof *shapes, CODING_MEMORY, compare_coded);
}

/*
 * The memory is enough for the whole stream, though not for all columns of its rows at once: other threads may code all
 * that is left while the one that is told to stop waits for a processor.
 */
static void test_coding_cancelled(void **state)
{
    enum { ENOUGH = 8 << 20 };
    (void)state;
    static const double stops[] = {0.01, 0.3, 0.8};
    kst_image image = noise_image(KST_FORMAT_RGB, 8200, 130, 8);
    kst_context *small = limited_context(THREADS, ENOUGH);
    for (size_t i = THREADS_WATCHED; i < sizeof stops / sizeof *stops; i += shapes_apart()) {
        struct progress_calls calls = {.stop = stops[i]};
        const kst_progress progress = {.size = sizeof progress, .told = take_progress, .user = &calls};
        kst_encode_options options = j2k_coding(NULL);
        kst_buffer none = {.data = NULL};
        options.progress = &progress;
        assert_int_equal(kst_encode(small, &image, &options, &none, NULL), KST_ERROR_CANCELLED);
        assert_null(none.data);
        assert_true(calls.last >= stops[i] && calls.last < 1);
    }
    kst_context_destroy(&small);
    image_free(&image);
}

/* Encode an image, or transcode a stream, with so many threads and so much memory. Returns whether that was enough. */
static bool coded_with(uint32_t threads, uint64_t memory, const kst_image *image, const kst_j2k_options *j2k,
    const kst_buffer *from, const kst_buffer *whole, const kst_transcode_options *changes)
{
    const kst_encode_options options = j2k_coding(j2k);
    kst_buffer stream = {.data = NULL};
    kst_context *small = limited_context(threads, memory);
    const kst_status status = changes ? kst_transcode(small, from->data, from->length, changes, &stream, NULL)
                                      : kst_encode(small, image, &options, &stream, NULL);
    if (status)
        assert_int_equal(status, KST_ERROR_LIMIT_MEMORY);
    else if (stream.length != whole->length || memcmp(stream.data, whole->data, whole->length) != 0)
        fail_msg("%u threads, %llu bytes: other bytes", (unsigned)threads, (unsigned long long)memory);
    kst_buffer_release(small, &stream);
    kst_context_destroy(&small);
    return !status;
}

/* Find the least memory, in steps, with which one thread does not fail: many do not fail then, either. */
static void look_for_least(const char *what, const kst_image *image, const kst_j2k_options *j2k, const kst_buffer *from,
    const kst_buffer *whole, const kst_transcode_options *changes)
{
    enum { STEP = 225000 };
    uint64_t memory = STEP, tries = 3;
    for (; tries > 0; memory += STEP) {
        if (!coded_with(1, memory, image, j2k, from, whole, changes))
            continue;
        if (!coded_with(MANY, memory, image, j2k, from, whole, changes))
            fail_msg("%s: %llu bytes suffice for one thread alone", what, (unsigned long long)memory);
        tries--;
    }
}

/* Many threads do not fail where memory suffices for one: fewer of them work, on fewer tiles side by side. */
static void test_coding_lanes(void **state)
{
    (void)state;
    static const struct coded_shape shapes[] = {
        {"tiles", KST_FORMAT_RGB, 768, 384, 8, 192, KST_J2K_LOSSLESS, 0},
        {"one tile", KST_FORMAT_RGB, 768, 384, 8, 0, KST_J2K_LOSSLESS, 0},
        {"lossy tiles", KST_FORMAT_RGB, 768, 384, 8, 192, KST_J2K_RATIO, 20},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i += shapes_apart()) {
        kst_image image = noise_image(shapes[i].format, shapes[i].width, shapes[i].height, shapes[i].depth);
        const kst_j2k_options j2k = shape_options(&shapes[i]);
        kst_buffer whole = j2k_coded(context, &image, &j2k);
        look_for_least(shapes[i].name, &image, &j2k, NULL, &whole, NULL);
        kst_buffer_release(context, &whole);
        image_free(&image);
    }
}

/* Code-blocks that are coded again, those of HT or those measured for a rate, need no more for many threads. */
static void test_transcoding_lanes(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_RGB, 768, 384, 8);
    kst_buffer stream = j2k_coded(context, &image, NULL);
    for (uint32_t i = THREADS_WATCHED; i < 2; i++) {
        kst_buffer whole = {.data = NULL};
        kst_transcode_options changes;
        kst_transcode_options_init(&changes);
        changes.jpeg2000.rate = i;
        changes.jpeg2000.ht = i ? KST_CHOICE_KEEP : KST_CHOICE_YES;
        assert_int_equal(kst_transcode(context, stream.data, stream.length, &changes, &whole, NULL), KST_OK);
        look_for_least(i ? "a rate" : "HT", NULL, NULL, &stream, &whole, &changes);
        kst_buffer_release(context, &whole);
    }
    kst_buffer_release(context, &stream);
    image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns), cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_cancelled), cmocka_unit_test(test_refused), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_coded), cmocka_unit_test(test_coding_cancelled), cmocka_unit_test(test_coding_lanes),
        cmocka_unit_test(test_transcoding_lanes)};
    return run_with_context(THREADS, tests, NULL, NULL);
}
