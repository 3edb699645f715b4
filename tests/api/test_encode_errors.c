/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks what kst_encode() refuses, and what it leaves behind when it fails. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#include "support/context.h"
#include "support/shared_context.h"
#include "support/test.h"

static uint8_t pixels[64 * 64 * 4];

static kst_image picture(kst_format format, uint32_t width, uint32_t height)
{
    kst_image image;
    assert_int_equal(kst_image_wrap(&image, format, width, height, pixels, 0), KST_OK);
    return image;
}

static kst_encode_options defaults(void)
{
    kst_encode_options o;
    kst_encode_options_init(&o);
    return o;
}

static void check(const kst_image *image, const kst_encode_options *o, kst_status expected)
{
    kst_buffer output = {0};
    kst_report report;
    kst_report_init(&report);
    kst_status status = kst_encode(context, image, o, &output, &report);
    if (status != expected)
        fail_msg("%s instead of %s: %s", kst_status_name(status), kst_status_name(expected), report.message);
    assert_int_equal(report.status, expected);
    if (expected) {
        assert_null(output.data);
        assert_true(strlen(report.message) > 0);
    }
    kst_buffer_release(context, &output);
}

static void options_refused(void **state)
{
    (void)state;
    kst_image image = picture(KST_FORMAT_RGB, 32, 32);
    kst_encode_options o = defaults();
    check(&image, &o, KST_OK);
    check(&image, NULL, KST_OK);
    o.size = 3;
    check(&image, &o, KST_ERROR_OPTIONS);
    o = defaults();
    o.quality = 0;
    check(&image, &o, KST_ERROR_JPEG_QUALITY);
    o.quality = 101;
    check(&image, &o, KST_ERROR_JPEG_QUALITY);
    o = defaults();
    o.codec = KST_CODEC_NONE;
    check(&image, &o, KST_ERROR_OPTIONS);
    o = defaults();
    o.subsampling = (kst_subsampling)6;
    check(&image, &o, KST_ERROR_OPTIONS);
    o = defaults();
    o.coding = (kst_coding)3;
    check(&image, &o, KST_ERROR_OPTIONS);
    o = defaults();
    o.restart.unit = KST_RESTART_KEEP;
    check(&image, &o, KST_ERROR_OPTIONS);
    o.restart = (kst_restart){KST_RESTART_MCUS, 65536};
    check(&image, &o, KST_ERROR_OPTIONS);
    o = defaults();
    o.script_length = 1;
    check(&image, &o, KST_ERROR_OPTIONS);
    o = defaults();
    o.metadata_count = 1;
    check(&image, &o, KST_ERROR_OPTIONS);
    o = defaults();
    o.quant_index[1] = 2;
    check(&image, &o, KST_ERROR_OPTIONS);
    o.quant_index[1] = 4;
    check(&image, &o, KST_ERROR_OPTIONS);
    o = defaults();
    o.colour = (kst_colour)9;
    check(&image, &o, KST_ERROR_OPTIONS);
}

static void sampling_refused(void **state)
{
    (void)state;
    static const struct {
        uint8_t h[4], v[4];
    } bad[] = {{{5, 1, 1}, {1, 1, 1}}, {{1, 0, 1}, {1, 1, 1}}, {{1, 1, 1}, {0, 0, 0}}, {{4, 2, 1}, {2, 2, 1}},
        {{3, 2, 1}, {1, 1, 1}}, {{1, 1, 1}, {2, 3, 1}}};
    kst_image image = picture(KST_FORMAT_RGB, 32, 32);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kst_encode_options o = defaults();
        memcpy(o.h, bad[i].h, 4);
        memcpy(o.v, bad[i].v, 4);
        check(&image, &o, KST_ERROR_JPEG_SAMPLING);
    }
}

static void tables_refused(void **state)
{
    (void)state;
    uint16_t table[64];
    for (uint32_t i = 0; i < 64; i++)
        table[i] = 10;
    kst_image image = picture(KST_FORMAT_RGB, 32, 32);
    kst_encode_options o = defaults();
    o.quant_table[0] = table;
    table[63] = 0;
    check(&image, &o, KST_ERROR_JPEG_TABLE_VALUE);
    table[63] = 256;
    check(&image, &o, KST_ERROR_JPEG_TABLE_VALUE);
    o.wide_quantisers = true;
    check(&image, &o, KST_OK);
    for (uint32_t i = 0; i < 64; i++)
        table[i] = 65535;
    check(&image, &o, KST_OK);
}

static void scripts_refused(void **state)
{
    (void)state;
    const kst_scan dc = {3, {0, 1, 2}, 0, 0, 0, 0}, all = {3, {0, 1, 2}, 0, 63, 0, 0};
    kst_image image = picture(KST_FORMAT_RGB, 32, 32);
    kst_encode_options o = defaults();
    o.script = &dc;
    o.script_length = 1;
    check(&image, &o, KST_ERROR_JPEG_SCRIPT);
    o.coding = KST_CODING_PROGRESSIVE;
    check(&image, &o, KST_ERROR_JPEG_SCRIPT);
    o.script = &all;
    check(&image, &o, KST_ERROR_JPEG_SCRIPT);
    o.script_length = 0;
    check(&image, &o, KST_ERROR_JPEG_SCRIPT);
    o.coding = KST_CODING_OPTIMIZED;
    o.script_length = 1;
    check(&image, &o, KST_OK);
}

static void metadata_refused(void **state)
{
    (void)state;
    static uint8_t bytes[70000];
    static const struct {
        kst_metadata item;
        kst_status status;
    } known[] = {
        {{.kind = KST_METADATA_COMMENT, .data = bytes, .length = 65533}, KST_OK},
        {{.kind = KST_METADATA_COMMENT, .data = bytes, .length = 65534}, KST_ERROR_JPEG_METADATA_SIZE},
        {{.kind = KST_METADATA_EXIF, .data = bytes, .length = 65527}, KST_OK},
        {{.kind = KST_METADATA_EXIF, .data = bytes, .length = 65528}, KST_ERROR_JPEG_METADATA_SIZE},
        {{.kind = KST_METADATA_XMP, .data = bytes, .length = 65504}, KST_OK},
        {{.kind = KST_METADATA_XMP, .data = bytes, .length = 65505}, KST_ERROR_JPEG_METADATA_SIZE},
        {{.kind = KST_METADATA_APP, .marker = 0xEF, .data = bytes, .length = 65534}, KST_ERROR_JPEG_METADATA_SIZE},
        {{.kind = KST_METADATA_APP, .marker = 0xD8, .data = bytes, .length = 1}, KST_ERROR_ARGUMENT},
        {{.kind = KST_METADATA_ICC, .data = bytes, .length = 0}, KST_ERROR_ARGUMENT},
        {{.kind = KST_METADATA_COMMENT, .data = NULL, .length = 1}, KST_ERROR_ARGUMENT},
        {{.kind = (kst_metadata_kind)0, .data = bytes, .length = 1}, KST_ERROR_ARGUMENT},
        {{.kind = KST_METADATA_ICC, .data = bytes, .length = (size_t)65519 * 255 + 1}, KST_ERROR_JPEG_METADATA_SIZE},
    };
    kst_image image = picture(KST_FORMAT_RGB, 8, 8);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        kst_encode_options o = defaults();
        o.metadata = &known[i].item;
        o.metadata_count = 1;
        check(&image, &o, known[i].status);
    }
}

static void images_refused(void **state)
{
    (void)state;
    kst_encode_options o = defaults();
    kst_image image = picture(KST_FORMAT_RGB, 32, 32);
    image.plane[0].pitch = 200; /* enough for two bytes a sample */
    for (uint32_t depth = 9; depth <= 16; depth++) {
        image.plane[0].depth = (uint8_t)depth;
        check(&image, &o, depth == 12 ? KST_OK : KST_ERROR_IMAGE_DEPTH);
    }
    image.plane[0].depth = 12;
    o.dct = KST_DCT_FAST;
    check(&image, &o, KST_ERROR_OPTIONS);
    o.dct = KST_DCT_ACCURATE;
    image.plane[0].depth = 8;
    image.plane[0].is_signed = true;
    check(&image, &o, KST_ERROR_IMAGE_DEPTH);
    image = picture(KST_FORMAT_RGB, 32, 32);
    image.memory = KST_MEMORY_CUDA;
    check(&image, &o, KST_ERROR_IMAGE_MEMORY);
    image = picture(KST_FORMAT_RGB, 32, 32);
    image.plane[0].pitch = 10;
    check(&image, &o, KST_ERROR_IMAGE_PITCH);
    image = picture(KST_FORMAT_RGB, 32, 32);
    image.width = 33;
    check(&image, &o, KST_ERROR_IMAGE_SIZE);
    image = picture(KST_FORMAT_RGB, 32, 32);
    image.format = KST_FORMAT_AUTO;
    check(&image, &o, KST_ERROR_IMAGE_FORMAT);
    image = picture(KST_FORMAT_RGB, 32, 32);
    image.colour = KST_COLOUR_CMYK;
    check(&image, &o, KST_ERROR_IMAGE_FORMAT);
    image = picture(KST_FORMAT_GREY, 32, 32);
    o.colour = KST_COLOUR_YCBCR;
    check(&image, &o, KST_ERROR_JPEG_COLOUR);
    image = picture(KST_FORMAT_CMYK, 32, 32);
    check(&image, &o, KST_ERROR_JPEG_COLOUR);
    o = defaults();
    image = picture(KST_FORMAT_RGB, 32, 32);
    image.format = KST_FORMAT_RAW;
    image.plane_count = 3;
    image.plane[1] = image.plane[2] = image.plane[0];
    image.colour = KST_COLOUR_YCBCR;
    check(&image, &o, KST_ERROR_IMAGE_SIZE); /* chrominance planes ought to be 16×16 */
    image.plane[1].width = image.plane[2].width = image.plane[1].height = image.plane[2].height = 16;
    check(&image, &o, KST_OK);
    o.colour = KST_COLOUR_RGB;
    check(&image, &o, KST_ERROR_JPEG_COLOUR);
    o = defaults();
    image.plane_count = 2;
    image.colour = KST_COLOUR_UNKNOWN;
    check(&image, &o, KST_ERROR_IMAGE_FORMAT);
    /* One row, repeated, is a picture as tall as one likes. */
    image = picture(KST_FORMAT_GREY, 16, 4);
    image.height = image.plane[0].height = 65536;
    image.plane[0].pitch = 16;
    uint8_t *tall = calloc(65536, 16);
    image.plane[0].data = tall;
    check(&image, &o, KST_ERROR_JPEG_TOO_LARGE);
    image.height = image.plane[0].height = 65535;
    check(&image, &o, KST_OK);
    free(tall);
}

static void arguments_refused(void **state)
{
    (void)state;
    kst_image image = picture(KST_FORMAT_RGB, 32, 32);
    kst_buffer output = {0};
    assert_int_equal(kst_encode(NULL, &image, NULL, &output, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_encode(context, NULL, NULL, &output, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_encode(context, &image, NULL, NULL, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_encode_batch(NULL, NULL, 0), KST_ERROR_ARGUMENT);
}

/* The caller's buffer: just large enough, and a byte short at every place. */
static void fixed_buffers(void **state)
{
    (void)state;
    kst_image image = picture(KST_FORMAT_RGB, 60, 50);
    for (int coding = 0; coding <= KST_CODING_PROGRESSIVE; coding++) {
        kst_encode_options o = defaults();
        o.coding = (kst_coding)coding;
        kst_buffer output = {0};
        assert_int_equal(kst_encode(context, &image, &o, &output, NULL), KST_OK);
        for (size_t capacity = 1; capacity <= output.length; capacity++) {
            uint8_t *data = malloc(capacity);
            kst_buffer fixed = {.data = data, .capacity = capacity};
            kst_status status = kst_encode(context, &image, &o, &fixed, NULL);
            assert_int_equal(status, capacity < output.length ? KST_ERROR_BUFFER_FULL : KST_OK);
            assert_ptr_equal(fixed.data, data);
            assert_false(fixed.owned);
            if (!status) {
                assert_int_equal(fixed.length, output.length);
                assert_memory_equal(data, output.data, output.length);
            }
            free(data);
        }
        kst_buffer_release(context, &output);
    }
}

struct counter {
    atomic_long left; /* allocations before one fails */
    atomic_long held;
};

static void *counted_allocate(void *user, size_t length)
{
    struct counter *counter = user;
    if (atomic_fetch_sub(&counter->left, 1) <= 0)
        return NULL;
    atomic_fetch_add(&counter->held, 1);
    return malloc(length);
}

static void counted_release(void *user, void *memory)
{
    atomic_fetch_sub(&((struct counter *)user)->held, 1);
    free(memory);
}

static void failed_allocations(void **state)
{
    (void)state;
    struct counter counter;
    kst_context *failing;
    kst_context_options co;
    kst_image image = picture(KST_FORMAT_RGB, 64, 64);
    atomic_init(&counter.left, 1000000);
    atomic_init(&counter.held, 0);
    kst_context_options_init(&co);
    co.device = "cpu";
    co.threads = 2;
    co.allocator = (kst_allocator){counted_allocate, counted_release, &counter};
    assert_int_equal(kst_context_create(&co, &failing), KST_OK);
    const long before = atomic_load(&counter.held);
    for (int coding = 0; coding <= KST_CODING_PROGRESSIVE; coding++) {
        kst_encode_options o = defaults();
        o.coding = (kst_coding)coding;
        o.quality = 100;
        o.restart = (kst_restart){KST_RESTART_MCUS, 1};
        kst_status status = KST_ERROR_MEMORY;
        long point = 0;
        for (; status; point++) {
            kst_buffer output = {0};
            atomic_store(&counter.left, point);
            status = kst_encode(failing, &image, &o, &output, NULL);
            assert_true(!status || status == KST_ERROR_MEMORY);
            kst_buffer_release(failing, &output);
            assert_int_equal(atomic_load(&counter.held), before);
        }
        assert_true(point > 3);
    }
    atomic_store(&counter.left, 1000000);
    kst_context_destroy(&failing);
    assert_int_equal(atomic_load(&counter.held), 0);
}

static void limits(void **state)
{
    (void)state;
    kst_context *limited = context_create("cpu", 0, &(kst_limits){.pixels = 1000, .memory = 100000});
    kst_image image = picture(KST_FORMAT_RGB, 32, 32);
    kst_buffer output = {0};
    assert_int_equal(kst_encode(limited, &image, NULL, &output, NULL), KST_ERROR_LIMIT_PIXELS);
    image = picture(KST_FORMAT_RGB, 31, 32);
    assert_int_equal(kst_encode(limited, &image, NULL, &output, NULL), KST_OK);
    kst_buffer_release(limited, &output);
    kst_context_destroy(&limited);
    limited = context_create("cpu", 0, &(kst_limits){.memory = 2000});
    assert_int_equal(kst_encode(limited, &image, NULL, &output, NULL), KST_ERROR_LIMIT_MEMORY);
    assert_null(output.data);
    kst_context_destroy(&limited);
}

static void batches(void **state)
{
    (void)state;
    enum { ITEMS = 40 };
    kst_encode_item item[ITEMS];
    kst_image good = picture(KST_FORMAT_RGB, 60, 60), bad = picture(KST_FORMAT_RGB, 60, 60);
    bad.plane[0].is_signed = true;
    memset(item, 0, sizeof item);
    for (uint32_t i = 0; i < ITEMS; i++)
        item[i].image = i == 7 ? &bad : &good;
    assert_int_equal(kst_encode_batch(context, item, ITEMS), KST_ERROR_IMAGE_DEPTH);
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_int_equal(item[i].report.status, i == 7 ? KST_ERROR_IMAGE_DEPTH : KST_OK);
        if (i != 7 && i != 0) {
            assert_int_equal(item[i].output.length, item[0].output.length);
            assert_memory_equal(item[i].output.data, item[0].output.data, item[0].output.length);
        }
    }
    for (uint32_t i = 0; i < ITEMS; i++)
        kst_buffer_release(context, &item[i].output);
    assert_int_equal(kst_encode_batch(context, NULL, 0), KST_OK);
}

static int set_up(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i >> 5);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_refused),
        cmocka_unit_test(sampling_refused),
        cmocka_unit_test(tables_refused),
        cmocka_unit_test(scripts_refused),
        cmocka_unit_test(metadata_refused),
        cmocka_unit_test(images_refused),
        cmocka_unit_test(arguments_refused),
        cmocka_unit_test(fixed_buffers),
        cmocka_unit_test(failed_allocations),
        cmocka_unit_test(limits),
        cmocka_unit_test(batches),
    };
    return run_with_context(3, tests, set_up, NULL);
}
