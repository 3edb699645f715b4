/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares colour conversion in plain C with the equations in floating point and fixed point, and every tier with plain
 * C.
 */
#include <math.h>
#include <string.h>

#include "support/jpeg/tiers.h"

/* The functions of one direction in one form; `layout` is used by those that come in four. */
struct decoder {
    const char *name;
    int planes, size; /* size 0: 3 or 4 by layout */
    void (*run)(const struct jpeg_dsp *dsp, int layout, const uint8_t *const in[4], uint8_t *out, uint32_t n);
};

static void run_ycc(const struct jpeg_dsp *dsp, int layout, const uint8_t *const in[4], uint8_t *out, uint32_t n)
{
    dsp->ycc_to_rgb[layout](in[0], in[1], in[2], out, n, 0x5A);
}

static void run_rgb(const struct jpeg_dsp *dsp, int layout, const uint8_t *const in[4], uint8_t *out, uint32_t n)
{
    dsp->rgb_to_rgb[layout](in[0], in[1], in[2], out, n, 0x5A);
}

static void run_grey(const struct jpeg_dsp *dsp, int layout, const uint8_t *const in[4], uint8_t *out, uint32_t n)
{
    dsp->grey_to_rgb[layout](in[0], out, n, 0x5A);
}

static void run_ycck(const struct jpeg_dsp *dsp, int layout, const uint8_t *const in[4], uint8_t *out, uint32_t n)
{
    (void)layout;
    dsp->ycck_to_cmyk(in[0], in[1], in[2], in[3], out, n);
}

static void run_cmyk(const struct jpeg_dsp *dsp, int layout, const uint8_t *const in[4], uint8_t *out, uint32_t n)
{
    (void)layout;
    dsp->cmyk_to_cmyk(in[0], in[1], in[2], in[3], out, n);
}

static const struct decoder decoders[] = {
    {"ycc_to_rgb", 3, 0, run_ycc},
    {"rgb_to_rgb", 3, 0, run_rgb},
    {"grey_to_rgb", 1, 0, run_grey},
    {"ycck_to_cmyk", 4, 4, run_ycck},
    {"cmyk_to_cmyk", 4, 4, run_cmyk},
};

struct encoder {
    const char *name;
    int planes, size;
    void (*run)(const struct jpeg_dsp *dsp, int layout, const uint8_t *in, uint8_t *const out[4], uint32_t n);
};

static void run_to_ycc(const struct jpeg_dsp *dsp, int layout, const uint8_t *in, uint8_t *const out[4], uint32_t n)
{
    dsp->rgb_to_ycc[layout](in, out[0], out[1], out[2], n);
}

static void run_to_grey(const struct jpeg_dsp *dsp, int layout, const uint8_t *in, uint8_t *const out[4], uint32_t n)
{
    dsp->rgb_to_grey[layout](in, out[0], n);
}

static void run_split(const struct jpeg_dsp *dsp, int layout, const uint8_t *in, uint8_t *const out[4], uint32_t n)
{
    dsp->rgb_split[layout](in, out[0], out[1], out[2], n);
}

static void run_to_ycck(const struct jpeg_dsp *dsp, int layout, const uint8_t *in, uint8_t *const out[4], uint32_t n)
{
    (void)layout;
    dsp->cmyk_to_ycck(in, out[0], out[1], out[2], out[3], n);
}

static void run_cmyk_split(const struct jpeg_dsp *dsp, int layout, const uint8_t *in, uint8_t *const out[4], uint32_t n)
{
    (void)layout;
    dsp->cmyk_split(in, out[0], out[1], out[2], out[3], n);
}

static const struct encoder encoders[] = {
    {"rgb_to_ycc", 3, 0, run_to_ycc},
    {"rgb_to_grey", 1, 0, run_to_grey},
    {"rgb_split", 3, 0, run_split},
    {"cmyk_to_ycck", 4, 4, run_to_ycck},
    {"cmyk_split", 4, 4, run_cmyk_split},
};

static size_t pixel_size(int size, int layout)
{
    return size != 0 ? (size_t)size : layout >= JPEG_LAYOUT_RGBA ? 4 : 3;
}

static void compare_decoder(const struct tier *tier, int count, const struct decoder *decoder, int layout,
    const struct fence fence[4], uint32_t n)
{
    const uint8_t *in[4];
    for (int p = 0; p < 4; p++) {
        uint8_t *plane = fence_at_end(&fence[p], (size_t)n + JPEG_ROW_PADDING);
        random_samples(plane, (size_t)n + JPEG_ROW_PADDING);
        in[p] = plane;
    }
    struct output expected;
    output_create(&expected, n * pixel_size(decoder->size, layout), 0);
    decoder->run(&tier[0].dsp, layout, in, expected.data, n);
    output_check(&expected, 0);
    for (int t = 1; t < count; t++) {
        struct output given;
        output_create(&given, expected.length, random_u32());
        decoder->run(&tier[t].dsp, layout, in, given.data, n);
        if (memcmp(given.data, expected.data, expected.length) != 0)
            fail_msg("%s, layout %d, %s, n = %u", decoder->name, layout, tier[t].name, (unsigned)n);
        output_check(&given, 0);
        output_destroy(&given);
    }
    output_destroy(&expected);
}

static void compare_encoder(const struct tier *tier, int count, const struct encoder *encoder, int layout,
    const struct fence *fence, uint32_t n)
{
    const size_t length = n * pixel_size(encoder->size, layout);
    uint8_t *in = fence_at_end(fence, length);
    random_samples(in, length);
    struct output expected[4], given[4];
    uint8_t *rows[4];
    for (int p = 0; p < 4; p++) {
        output_create(&expected[p], n, 0);
        rows[p] = expected[p].data;
    }
    encoder->run(&tier[0].dsp, layout, in, rows, n);
    for (int t = 1; t < count; t++) {
        for (int p = 0; p < 4; p++) {
            output_create(&given[p], n, random_u32());
            rows[p] = given[p].data;
        }
        encoder->run(&tier[t].dsp, layout, in, rows, n);
        for (int p = 0; p < 4; p++) {
            if (p < encoder->planes && memcmp(given[p].data, expected[p].data, n) != 0)
                fail_msg("%s, layout %d, %s, plane %d, n = %u", encoder->name, layout, tier[t].name, p, (unsigned)n);
            output_check(&given[p], JPEG_ROW_PADDING);
            output_destroy(&given[p]);
        }
    }
    for (int p = 0; p < 4; p++) {
        output_check(&expected[p], 0);
        output_destroy(&expected[p]);
    }
}

static void test_decoding_tiers(void **state)
{
    (void)state;
    struct tier tier[5];
    const int count = tiers(tier);
    struct fence fence[4];
    for (int p = 0; p < 4; p++)
        fence_create(&fence[p], 8192);
    for (size_t d = 0; d < sizeof decoders / sizeof decoders[0]; d++)
        for (int layout = 0; layout < (decoders[d].size == 0 ? JPEG_LAYOUT_COUNT : 1); layout++)
            for (int i = 0; row_length(i) != 0; i++)
                compare_decoder(tier, count, &decoders[d], layout, fence, row_length(i));
    for (int p = 0; p < 4; p++)
        fence_destroy(&fence[p]);
}

static void test_encoding_tiers(void **state)
{
    (void)state;
    struct tier tier[5];
    const int count = tiers(tier);
    struct fence fence;
    fence_create(&fence, 32768);
    for (size_t e = 0; e < sizeof encoders / sizeof encoders[0]; e++)
        for (int layout = 0; layout < (encoders[e].size == 0 ? JPEG_LAYOUT_COUNT : 1); layout++)
            for (int i = 0; row_length(i) != 0; i++)
                compare_encoder(tier, count, &encoders[e], layout, &fence, row_length(i));
    fence_destroy(&fence);
}

/* Every pair of chroma values against plain C, with all of a byte's luma values spread over them. */
static void test_all_chroma(void **state)
{
    (void)state;
    struct tier tier[5];
    const int count = tiers(tier);
    for (int cb = 0; cb < 256; cb++) {
        uint8_t y[256 + JPEG_ROW_PADDING] = {0}, blue[256 + JPEG_ROW_PADDING], red[256 + JPEG_ROW_PADDING] = {0};
        uint8_t expected[256 * 3], given[256 * 3];
        memset(blue, cb, sizeof blue);
        for (int i = 0; i < 256; i++) {
            red[i] = (uint8_t)i;
            y[i] = (uint8_t)(i * 7 + cb);
        }
        tier[0].dsp.ycc_to_rgb[JPEG_LAYOUT_RGB](y, blue, red, expected, 256, 0);
        for (int i = 0; i < 256; i++) {
            const double green = y[i] - 0.344136 * (cb - 128) - 0.714136 * (red[i] - 128);
            assert_true(fabs(fmin(fmax(green, 0), 255) - expected[3 * i + 1]) <= 0.51);
            assert_true(fabs(fmin(fmax(y[i] + 1.402 * (red[i] - 128), 0), 255) - expected[3 * i]) <= 0.51);
            assert_true(fabs(fmin(fmax(y[i] + 1.772 * (cb - 128), 0), 255) - expected[3 * i + 2]) <= 0.51);
        }
        for (int t = 1; t < count; t++) {
            tier[t].dsp.ycc_to_rgb[JPEG_LAYOUT_RGB](y, blue, red, given, 256, 0);
            assert_memory_equal(given, expected, sizeof given);
        }
    }
}

/* Use every 5th value of each primary, which includes 0 and 255. */
static void test_primaries(void **state)
{
    (void)state;
    struct tier tier[5];
    const int count = tiers(tier);
    for (int r = 0; r < 256; r += 5) {
        for (int g = 0; g < 256; g += 5) {
            uint8_t in[52 * 3], y[3][52 + JPEG_ROW_PADDING], other[3][52 + JPEG_ROW_PADDING];
            for (int b = 0; b < 52; b++) {
                in[3 * b] = (uint8_t)r;
                in[3 * b + 1] = (uint8_t)g;
                in[3 * b + 2] = (uint8_t)(5 * b);
            }
            tier[0].dsp.rgb_to_ycc[JPEG_LAYOUT_RGB](in, y[0], y[1], y[2], 52);
            for (int b = 0; b < 52; b++) {
                assert_true(fabs(0.299 * r + 0.587 * g + 0.114 * 5 * b - y[0][b]) <= 0.51);
                assert_true(fabs(-0.168736 * r - 0.331264 * g + 0.5 * 5 * b + 128 - y[1][b]) <= 0.51);
                assert_true(fabs(0.5 * r - 0.418688 * g - 0.081312 * 5 * b + 128 - y[2][b]) <= 0.51);
            }
            for (int t = 1; t < count; t++) {
                tier[t].dsp.rgb_to_ycc[JPEG_LAYOUT_RGB](in, other[0], other[1], other[2], 52);
                for (int p = 0; p < 3; p++)
                    assert_memory_equal(other[p], y[p], 52);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_chroma),
        cmocka_unit_test(test_primaries),
        cmocka_unit_test(test_decoding_tiers),
        cmocka_unit_test(test_encoding_tiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
