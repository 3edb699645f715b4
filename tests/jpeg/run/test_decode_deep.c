/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding deep pictures, whose samples have 12 bits: all samplings, scans, restarts, scales and colours against sums
 * of what libjpeg-turbo 3.1.3 makes of the same streams; regions, formats and threads against each other; damage; and
 * what is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/jpeg/deep.h"
#include "support/random.h"
#include "support/test.h"

static kst_context *context;

#define RESTART_MCUS(n)                                                                                                \
    {                                                                                                                  \
        KST_RESTART_MCUS, n                                                                                            \
    }
#define RESTART_ROWS(n)                                                                                                \
    {                                                                                                                  \
        KST_RESTART_ROWS, n                                                                                            \
    }

static const struct deep_stream streams[] = {
    {"grey", 61, 45, 1, KST_COLOUR_GREY, {1}, {1}, KST_CODING_BASELINE, {0}, 90, false},
    {"grey, progressive", 64, 40, 1, KST_COLOUR_GREY, {2}, {2}, KST_CODING_PROGRESSIVE, RESTART_MCUS(5), 60, false},
    {"4:4:4", 50, 33, 3, KST_COLOUR_YCBCR, {1, 1, 1}, {1, 1, 1}, KST_CODING_OPTIMIZED, {0}, 95, false},
    {"4:2:2", 57, 31, 3, KST_COLOUR_YCBCR, {2, 1, 1}, {1, 1, 1}, KST_CODING_BASELINE, RESTART_ROWS(1), 85, false},
    {"4:2:0", 83, 59, 3, KST_COLOUR_YCBCR, {2, 1, 1}, {2, 1, 1}, KST_CODING_PROGRESSIVE, {0}, 80, false},
    {"4:4:0", 35, 70, 3, KST_COLOUR_YCBCR, {1, 1, 1}, {2, 1, 1}, KST_CODING_BASELINE, RESTART_MCUS(3), 75, false},
    {"4:1:1", 70, 20, 3, KST_COLOUR_YCBCR, {4, 1, 1}, {1, 1, 1}, KST_CODING_OPTIMIZED, {0}, 30, false},
    {"RGB, fine", 40, 40, 3, KST_COLOUR_RGB, {1, 1, 1}, {1, 1, 1}, KST_CODING_BASELINE, {0}, 92, true},
    {"coarse", 48, 48, 3, KST_COLOUR_YCBCR, {2, 1, 1}, {2, 1, 1}, KST_CODING_BASELINE, {0}, 8, false},
    {"CMYK", 30, 22, 4, KST_COLOUR_CMYK, {1, 1, 1, 1}, {1, 1, 1, 1}, KST_CODING_BASELINE, {0}, 88, false},
    {"YCCK", 44, 37, 4, KST_COLOUR_YCCK, {2, 1, 1, 2}, {2, 1, 1, 2}, KST_CODING_PROGRESSIVE, {0}, 82, false},
};
enum { STREAMS = sizeof streams / sizeof streams[0] };

/* FNV-1a sums of 12-bit samples that libjpeg-turbo 3.1.3 decodes: with jpeg12_read_scanlines() in colour; in all
 * scales, one sum continued by the next; without fancy upsampling; to grey; and with jpeg12_read_raw_data(). Grey does
 * not come from inks. */
static const struct {
    uint32_t whole, scales, nearest, grey, raw;
} sums[STREAMS] = {
    {0x0aa6eb8c, 0x6a46185b, 0x0aa6eb8c, 0x0aa6eb8c, 0x0aa6eb8c},
    {0xf00d6b55, 0x2ccb52e4, 0xf00d6b55, 0xf00d6b55, 0xf00d6b55},
    {0x7d9524c9, 0x442769b7, 0x7d9524c9, 0xbc989a32, 0x00c63566},
    {0xcde37f27, 0x5125d9d4, 0x7289f4e9, 0x9a096bc6, 0xb5c6044a},
    {0x816d3cd3, 0x72cb480f, 0x1cf1dbe0, 0xa71ff439, 0xeeb8d755},
    {0x7a7e00ca, 0x555bb5d7, 0xc38f2181, 0x9909b0f8, 0xfe75fc5a},
    {0x4686be15, 0x58046903, 0x4686be15, 0xcb7fd88e, 0x58953202},
    {0xa807acfc, 0x4676883d, 0xa807acfc, 0x126896e3, 0x90f8ec98},
    {0x047b473f, 0xb66be16c, 0x85da1a01, 0x3fddc973, 0xc7e81343},
    {0x35f9916d, 0x203f2df5, 0x35f9916d, 0x00000000, 0x43f69089},
    {0x6af43814, 0x4dfb8f23, 0xd5d7adb9, 0x00000000, 0xa9a62be0},
};

static uint32_t decode_sum(const struct bytes *bytes, const kst_decode_options *options, uint32_t sum)
{
    kst_image image;
    kst_report report;
    kst_image_init(&image);
    kst_report_init(&report);
    assert_int_equal(kst_decode(context, bytes->data, bytes->length, options, &image, &report), KST_OK);
    assert_int_equal(report.warnings, 0);
    assert_int_equal(report.stage_device[KST_STAGE_ENTROPY], KST_DEVICE_CPU);
    assert_int_equal(report.stage_device[KST_STAGE_PIXELS], KST_DEVICE_CPU);
    assert_int_equal(image.plane[0].depth, 12);
    sum = deep_sum(sum, &image);
    kst_image_release(context, &image);
    return sum;
}

static kst_status decode_status(const struct bytes *bytes, const kst_decode_options *options)
{
    kst_image image;
    kst_image_init(&image);
    kst_status status = kst_decode(context, bytes->data, bytes->length, options, &image, NULL);
    kst_image_release(context, &image);
    return status;
}

static void expect(const char *name, const char *what, uint32_t sum, uint32_t wanted)
{
    if (sum != wanted)
        fail_msg("%s, %s: 0x%08x", name, what, (unsigned)sum);
}

static void test_sums(void **state)
{
    (void)state;
    for (size_t i = 0; i < STREAMS; i++) {
        const char *name = streams[i].name;
        struct bytes bytes = {0};
        kst_decode_options options;
        deep_make(context, &streams[i], &bytes);
        kst_decode_options_init(&options);
        expect(name, "whole", decode_sum(&bytes, &options, DEEP_SUM), sums[i].whole);
        options.dct = KST_DCT_FAST;
        assert_int_equal(decode_status(&bytes, &options), KST_ERROR_OPTIONS);
        kst_decode_options_init(&options);
        uint32_t sum = DEEP_SUM;
        for (options.eighths = 1; options.eighths <= 16; options.eighths++)
            sum = decode_sum(&bytes, &options, sum);
        expect(name, "scales", sum, sums[i].scales);
        kst_decode_options_init(&options);
        options.upsampling = KST_UPSAMPLING_NEAREST;
        expect(name, "nearest", decode_sum(&bytes, &options, DEEP_SUM), sums[i].nearest);
        kst_decode_options_init(&options);
        options.format = KST_FORMAT_GREY;
        if (streams[i].channels < 4)
            expect(name, "grey", decode_sum(&bytes, &options, DEEP_SUM), sums[i].grey);
        options.format = KST_FORMAT_RAW;
        expect(name, "raw", decode_sum(&bytes, &options, DEEP_SUM), sums[i].raw);
        bytes_free(&bytes);
    }
}

/* Cut a stream off before scan `scan`, counted from 0. */
static void cut(struct bytes *bytes, uint32_t scan)
{
    size_t at = 0;
    for (uint32_t found = 0; found <= scan; found += bytes->data[at] == 0xFF && bytes->data[at + 1] == 0xDA)
        at++;
    bytes->data[at + 1] = 0xD9; /* EOI */
    bytes->length = at + 2;
}

/* A progressive picture that lacks scans is smoothed. */
static void test_missing_scans(void **state)
{
    static const struct {
        size_t stream;
        uint32_t scan, sum; /* of what libjpeg-turbo 3.1.3 decodes */
    } cases[] = {
        {1, 1, 0x2686b3f7},
        {1, 3, 0x17127e5c},
        {4, 1, 0x7e77166f},
        {4, 3, 0x8d3745f5},
        {10, 1, 0x8c935952},
        {10, 3, 0xc3358a5e},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes bytes = {0};
        kst_decode_options options;
        deep_make(context, &streams[cases[i].stream], &bytes);
        cut(&bytes, cases[i].scan);
        kst_decode_options_init(&options);
        expect(streams[cases[i].stream].name, "cut", decode_sum(&bytes, &options, DEEP_SUM), cases[i].sum);
        bytes_free(&bytes);
    }
}

static void test_info(void **state)
{
    (void)state;
    for (size_t i = 0; i < STREAMS; i++) {
        struct bytes bytes = {0};
        kst_decoder *decoder;
        deep_make(context, &streams[i], &bytes);
        assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
        assert_int_equal(kst_decoder_open(decoder, bytes.data, bytes.length), KST_OK);
        const kst_info *info = kst_decoder_info(decoder);
        bool progressive = streams[i].coding == KST_CODING_PROGRESSIVE;
        assert_int_equal(info->codec, KST_CODEC_JPEG);
        if (streams[i].coding != KST_CODING_OPTIMIZED)
            assert_int_equal(info->process, progressive ? KST_PROCESS_PROGRESSIVE : KST_PROCESS_EXTENDED);
        assert_int_equal(info->component[0].depth, 12);
        assert_int_equal(info->colour, streams[i].colour);
        kst_decoder_destroy(&decoder);
        bytes_free(&bytes);
    }
}

static void decode(const struct bytes *bytes, const kst_decode_options *options, kst_image *image)
{
    kst_image_init(image);
    assert_int_equal(kst_decode(context, bytes->data, bytes->length, options, image, NULL), KST_OK);
}

static const uint16_t *pixel(const kst_image *image, uint32_t x, uint32_t y)
{
    const uint8_t *row = (const uint8_t *)image->plane[0].data + (ptrdiff_t)y * image->plane[0].pitch;
    return (const uint16_t *)(const void *)row + (size_t)x * kst_format_channels(image->format);
}

/* A region has the pixels that the whole picture has there, whatever the scale and the upsampling. */
static void test_regions(void **state)
{
    uint32_t seed = 5;
    (void)state;
    for (size_t i = 0; i < STREAMS; i++) {
        struct bytes bytes = {0};
        deep_make(context, &streams[i], &bytes);
        for (int n = 0; n < 24; n++) {
            kst_decode_options options;
            kst_image whole, part;
            kst_decode_options_init(&options);
            options.eighths = n < 8 ? 8 : (uint8_t)(1 + random_below(&seed, 16));
            options.upsampling = n % 3 ? KST_UPSAMPLING_FANCY : KST_UPSAMPLING_NEAREST;
            decode(&bytes, &options, &whole);
            kst_region *r = &options.region;
            r->x = random_below(&seed, whole.width);
            r->y = random_below(&seed, whole.height);
            r->width = 1 + random_below(&seed, whole.width - r->x);
            r->height = 1 + random_below(&seed, whole.height - r->y);
            decode(&bytes, &options, &part);
            size_t size = r->width * sizeof(uint16_t) * kst_format_channels(whole.format);
            for (uint32_t y = 0; y < r->height; y++)
                assert_memory_equal(pixel(&part, 0, y), pixel(&whole, r->x, r->y + y), size);
            kst_image_release(context, &whole);
            kst_image_release(context, &part);
        }
        bytes_free(&bytes);
    }
}

/* Other formats hold the same samples in another order, and opacity as wide as they are. */
static void test_formats(void **state)
{
    static const kst_format formats[] = {KST_FORMAT_BGR, KST_FORMAT_RGBA, KST_FORMAT_BGRA};
    (void)state;
    for (size_t i = 0; i < STREAMS; i++) {
        struct bytes bytes = {0};
        kst_decode_options options;
        kst_image rgb, other;
        deep_make(context, &streams[i], &bytes);
        kst_decode_options_init(&options);
        options.format = KST_FORMAT_RGB;
        options.alpha = 128;
        decode(&bytes, &options, &rgb);
        for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
            bool reversed = formats[f] != KST_FORMAT_RGBA;
            options.format = formats[f];
            decode(&bytes, &options, &other);
            for (uint32_t y = 0; y < rgb.height; y++)
                for (uint32_t x = 0; x < rgb.width; x++) {
                    const uint16_t *p = pixel(&rgb, x, y), *q = pixel(&other, x, y);
                    assert_true(p[0] == q[reversed ? 2 : 0] && p[1] == q[1] && p[2] == q[reversed ? 0 : 2]);
                    assert_true(formats[f] == KST_FORMAT_BGR || q[3] == 128 * 4095 / 255);
                }
            kst_image_release(context, &other);
        }
        kst_image_release(context, &rgb);
        bytes_free(&bytes);
    }
}

/* Planes of inks hold what CMYK pixels hold, planes of three colours what RGB pixels hold. */
static void test_planes(void **state)
{
    (void)state;
    for (size_t i = 0; i < STREAMS; i++) {
        struct bytes bytes = {0};
        kst_decode_options options;
        kst_image whole, planar;
        deep_make(context, &streams[i], &bytes);
        kst_decode_options_init(&options);
        options.format = streams[i].channels == 1   ? KST_FORMAT_GREY
                         : streams[i].channels == 3 ? KST_FORMAT_RGB
                                                    : KST_FORMAT_CMYK;
        if (streams[i].colour != KST_COLOUR_RGB) { /* which PLANAR leaves as it is, and so is the same, too */
            decode(&bytes, &options, &whole);
            options.format = KST_FORMAT_PLANAR;
            decode(&bytes, &options, &planar);
            for (uint32_t c = 0; c < planar.plane_count; c++)
                for (uint32_t y = 0; y < whole.height; y++) {
                    const kst_plane *p = &planar.plane[c];
                    const uint16_t *row = (const void *)((const uint8_t *)p->data + (ptrdiff_t)y * p->pitch);
                    for (uint32_t x = 0; x < whole.width; x++)
                        assert_int_equal(row[x], pixel(&whole, x, y)[c]);
                }
            kst_image_release(context, &planar);
            kst_image_release(context, &whole);
        }
        bytes_free(&bytes);
    }
}

static void test_threads(void **state)
{
    struct deep_stream large[] = {streams[4], streams[3], streams[10]};
    (void)state;
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        struct bytes bytes = {0};
        kst_context *alone = cpu_context_create(1), *crowd = cpu_context_create(5), *mine = context;
        kst_decode_options options;
        large[i].width = 333;
        large[i].height = 477;
        deep_make(context, &large[i], &bytes);
        kst_decode_options_init(&options);
        for (options.eighths = 3; options.eighths <= 8; options.eighths += 5) {
            context = alone;
            uint32_t sum = decode_sum(&bytes, &options, DEEP_SUM);
            context = crowd;
            assert_int_equal(decode_sum(&bytes, &options, DEEP_SUM), sum);
        }
        context = mine;
        kst_context_destroy(&alone);
        kst_context_destroy(&crowd);
        bytes_free(&bytes);
    }
}

/* Streams with a bit changed, or cut off, give a picture with a warning or an error, and in strict mode an error. */
static void test_damage(void **state)
{
    uint32_t seed = 9, warned = 0, tried = 0;
    (void)state;
    for (size_t i = 0; i < STREAMS; i += 2) {
        struct bytes bytes = {0};
        deep_make(context, &streams[i], &bytes);
        uint8_t *copy = malloc(bytes.length);
        assert_non_null(copy);
        for (uint32_t n = 0; n < 200; n++, tried++) {
            kst_decode_options options;
            kst_report report;
            kst_image image;
            kst_decode_options_init(&options);
            kst_report_init(&report);
            kst_image_init(&image);
            memcpy(copy, bytes.data, bytes.length);
            size_t at = random_below(&seed, (uint32_t)bytes.length), length = n % 2 ? bytes.length : at;
            copy[at] ^= (uint8_t)(1U << random_below(&seed, 8));
            kst_status status = kst_decode(context, copy, length, &options, &image, &report);
            assert_true(length == bytes.length || status || report.warnings > 0);
            warned += !status && report.warnings > 0;
            kst_image_release(context, &image);
            options.strict = true;
            if (report.warnings > 0)
                assert_int_not_equal(kst_decode(context, copy, length, &options, &image, NULL), KST_OK);
            kst_image_release(context, &image);
        }
        free(copy);
        bytes_free(&bytes);
    }
    assert_true(warned > tried / 4);
}

/* Find the byte behind a marker's length. */
static size_t behind(const struct bytes *bytes, uint8_t first, uint8_t last)
{
    size_t at = 2;
    while (bytes->data[at + 1] < first || bytes->data[at + 1] > last)
        at += 2U + ((size_t)bytes->data[at + 2] << 8 | bytes->data[at + 3]);
    return at + 4;
}

static void test_refusals(void **state)
{
    static const uint8_t precisions[] = {0, 2, 7, 9, 10, 11, 13, 16};
    struct bytes bytes = {0};
    kst_image image;
    kst_lines *lines;
    (void)state;
    deep_make(context, &streams[0], &bytes);
    assert_int_equal(kst_lines_open(context, bytes.data, bytes.length, NULL, &lines), KST_ERROR_JPEG_PRECISION);
    size_t frame = behind(&bytes, 0xC0, 0xC2);
    for (size_t i = 0; i < sizeof precisions; i++) {
        bytes.data[frame] = precisions[i];
        kst_image_init(&image);
        assert_int_equal(kst_decode(context, bytes.data, bytes.length, NULL, &image, NULL), KST_ERROR_JPEG_PRECISION);
    }
    bytes.data[frame] = 12;
    bytes.data[frame - 3] = 0xC9;
    kst_image_init(&image);
    assert_int_equal(kst_decode(context, bytes.data, bytes.length, NULL, &image, NULL), KST_ERROR_JPEG_ARITHMETIC);
    bytes_free(&bytes);
}

static int create(void **state)
{
    (void)state;
    context = cpu_context_create(3);
    return 0;
}

static int destroy(void **state)
{
    (void)state;
    kst_context_destroy(&context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_missing_scans),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, create, destroy);
}
