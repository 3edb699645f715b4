/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that a picture that is read twice, for Huffman tables made for it without keeping its coefficients, or twice
 * for each scan, becomes the same bytes as libjpeg writes, whatever its size; in little memory; and that rows that fail
 * or differ later are an error.
 */
#include <stdlib.h>
#include <string.h>

#include "jpeg/run/encode.h"
#include "support/context.h"
#include "support/jpeg/libjpeg_encode.h"
#include "support/test.h"

/* A picture in memory as the source of rows. */
struct source {
    const kst_image *image;
    atomic_uint rows;   /* read so far */
    uint32_t fail_at;   /* so many rows are read without failing */
    uint32_t differ_at; /* so many rows are as they are in memory */
    uint32_t again;     /* calls */
    bool refuses;       /* to begin again */
};

static size_t row_bytes(const kst_image *image)
{
    return (size_t)image->width * kst_format_channels(image->format);
}

static bool bring(void *user, uint32_t plane, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    struct source *source = user;
    const kst_plane *from = &source->image->plane[plane];
    uint32_t rows = atomic_fetch_add(&source->rows, 1);
    assert_int_equal(x, 0);
    assert_int_equal(count, from->width);
    memcpy(samples, (const uint8_t *)from->data + (ptrdiff_t)y * from->pitch, row_bytes(source->image));
    ((uint8_t *)samples)[row_bytes(source->image) - 1] ^= rows >= source->differ_at;
    return rows < source->fail_at;
}

static bool again(void *user)
{
    struct source *source = user;
    source->again++;
    return !source->refuses;
}

static struct source source_of(const kst_image *image)
{
    return (struct source){.image = image, .fail_at = UINT32_MAX, .differ_at = UINT32_MAX};
}

/* Noise upon a ramp. */
static void make(kst_context *context, kst_format format, uint32_t width, uint32_t height, kst_image *image)
{
    uint32_t seed = 1;
    kst_image_init(image);
    image->format = format;
    image->width = width;
    image->height = height;
    image->plane_count = 1;
    image->plane[0] = (kst_plane){.width = width, .height = height};
    assert_int_equal(kst_image_allocate(context, image), KST_OK);
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *row = (uint8_t *)image->plane[0].data + (ptrdiff_t)y * image->plane[0].pitch;
        for (size_t x = 0; x < row_bytes(image); x++) {
            seed = seed * 1664525 + 1013904223;
            row[x] = (uint8_t)((x + y) / 4 + (seed >> 27));
        }
    }
}

/* Encode, keeping at most `kept` bytes of coefficients; `source` is null for the picture in memory. */
static kst_status encode(kst_context *context, const kst_image *image, struct source *source, bool in_order,
    const kst_encode_options *options, uint64_t kept, kst_buffer *output)
{
    struct encoding e;
    const kst_rows rows = {.size = sizeof rows, .read = bring, .user = source, .in_order = in_order, .again = again};
    assert_int_equal(kst_encoding_begin(&e, context, image, source ? &rows : NULL, options, output), KST_OK);
    jpeg_encoding_of(&e)->kept_most = kept;
    return kst_encoding_run(&e);
}

static void check_bytes(const kst_buffer *output, const unsigned char *expected, unsigned long length)
{
    assert_int_equal(output->length, length);
    assert_memory_equal(output->data, expected, length);
}

/* The number of scans of a progressive file, as libjpeg divides it. Those of few symbols are read once only. */
static uint32_t scans_of(const kst_image *image)
{
    return image->format == KST_FORMAT_GREY ? 6 : image->format == KST_FORMAT_RGB ? 10 : 18;
}

static void check_same(kst_context *context, const kst_image *image, const kst_encode_options *options)
{
    unsigned char *expected;
    unsigned long length;
    assert_true(libjpeg_encode(image, options, &expected, &length));
    bool progressive = options->coding == KST_CODING_PROGRESSIVE; /* reads rows in any order */
    for (int how = 0; how < (progressive ? 2 : 3); how++) {
        struct source source = source_of(image);
        kst_buffer output = {0};
        assert_int_equal(encode(context, image, how > 0 ? &source : NULL, how == 2, options, 0, &output), KST_OK);
        check_bytes(&output, expected, length);
        uint32_t least = how == 0 ? 0 : progressive ? scans_of(image) : 2;
        assert_int_equal(source.rows % image->height, 0);
        assert_in_range(source.rows / image->height, least, progressive ? 2 * least : least);
        assert_int_equal(source.again, how == 2 ? 1 : 0);
        kst_buffer_release(context, &output);
    }
    free(expected);
}

static void test_same_bytes(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {8, 8}, {16, 16}, {317, 1}, {1, 431}, {17, 33}, {317, 431}};
    static const kst_restart restarts[] = {{KST_RESTART_NONE, 0}, {KST_RESTART_MCUS, 3}, {KST_RESTART_ROWS, 1}};
    static const kst_format formats[] = {KST_FORMAT_GREY, KST_FORMAT_RGB, KST_FORMAT_CMYK};
    static const kst_subsampling samplings[] = {KST_SUBSAMPLING_420, KST_SUBSAMPLING_444, KST_SUBSAMPLING_422};
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        kst_context *context = cpu_context_create(threads);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes * 9; i++) {
            kst_image image;
            kst_encode_options options;
            kst_encode_options_init(&options);
            options.coding = KST_CODING_OPTIMIZED;
            options.restart = restarts[i / 3 % 3];
            options.subsampling = i % 3 == 1 ? samplings[i / 9 % 3] : KST_SUBSAMPLING_444;
            make(context, formats[i % 3], sizes[i / 9][0], sizes[i / 9][1], &image);
            check_same(context, &image, &options);
            options.coding = KST_CODING_PROGRESSIVE;
            check_same(context, &image, &options);
            kst_image_release(context, &image);
        }
        kst_context_destroy(&context);
    }
}

enum { HEIGHT = 100 };

/* Rows fail, or are others, from some row on. */
static void check_failures(kst_context *context, const kst_image *image, kst_coding coding, bool in_order)
{
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.coding = coding;
    for (uint32_t row = 0; row < 2 * HEIGHT; row += 33)
        for (int differs = 0; differs < 2; differs++) {
            struct source source = source_of(image);
            kst_buffer output = {0};
            if (differs)
                source.differ_at = row < 1 ? 1 : row;
            else
                source.fail_at = row;
            assert_int_equal(encode(context, image, &source, in_order, &options, 0, &output), KST_ERROR_ROWS);
            assert_null(output.data);
        }
}

static void test_failures(void **state)
{
    (void)state;
    kst_context *context = cpu_context_create(2);
    kst_image image;
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.coding = KST_CODING_OPTIMIZED;
    make(context, KST_FORMAT_RGB, 75, HEIGHT, &image);
    check_failures(context, &image, KST_CODING_OPTIMIZED, false);
    check_failures(context, &image, KST_CODING_OPTIMIZED, true);
    check_failures(context, &image, KST_CODING_PROGRESSIVE, false);
    struct source source = source_of(&image);
    kst_buffer output = {0};
    source.refuses = true;
    assert_int_equal(encode(context, &image, &source, true, &options, 0, &output), KST_ERROR_ROWS);
    assert_int_equal(source.rows, HEIGHT);
    kst_image_release(context, &image);
    kst_context_destroy(&context);
}

/* 40 MPix have 80 MB of coefficients; with those of 4 MPix, which would be kept, memory decides. */
static void test_little_memory(void **state)
{
    (void)state;
    static const struct {
        uint32_t side;
        uint64_t limit;
        bool twice;
    } cases[] = {{2000, UINT64_C(64) << 20, false}, {2000, UINT64_C(4) << 20, true}, {6400, UINT64_C(4) << 20, true},
        {6400, UINT64_C(512) << 20, true}};
    kst_context *plenty = cpu_context_create(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kst_limits limits = {.memory = cases[i].limit};
        kst_context *context = context_create("cpu", 1, &limits);
        kst_image image;
        kst_encode_options options;
        kst_buffer output = {0};
        kst_encode_options_init(&options);
        options.coding = KST_CODING_OPTIMIZED;
        options.quality = 10;
        make(plenty, KST_FORMAT_GREY, cases[i].side, cases[i].side, &image);
        struct source source = source_of(&image);
        const kst_rows rows = {.size = sizeof rows, .read = bring, .user = &source};
        assert_int_equal(kst_encode_rows(context, &image, &rows, &options, &output, NULL), KST_OK);
        assert_int_equal(source.rows, image.height << cases[i].twice);
        kst_buffer_release(context, &output);
        kst_image_release(plenty, &image);
        kst_context_destroy(&context);
    }
    kst_context_destroy(&plenty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
