/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares upsampling and downsampling in plain C with the filters' definitions, and every tier with plain C. */
#include <string.h>

#include "support/jpeg/tiers.h"

/* The row functions in one form: of up to two rows of n·in_step samples one of n·out_step. */
struct filter {
    const char *name;
    uint32_t in_step, out_step;
    void (*run)(const struct jpeg_dsp *dsp, const uint8_t *a, const uint8_t *b, uint8_t *out, uint32_t n);
};

static void run_up_h2v1(const struct jpeg_dsp *dsp, const uint8_t *a, const uint8_t *b, uint8_t *out, uint32_t n)
{
    (void)b;
    dsp->upsample_h2v1(a, out, n);
}

static void run_up_h2v2(const struct jpeg_dsp *dsp, const uint8_t *a, const uint8_t *b, uint8_t *out, uint32_t n)
{
    dsp->upsample_h2v2(a, b, out, n);
}

static void run_up_h1v2_upper(const struct jpeg_dsp *dsp, const uint8_t *a, const uint8_t *b, uint8_t *out, uint32_t n)
{
    dsp->upsample_h1v2(a, b, out, n, false);
}

static void run_up_h1v2_lower(const struct jpeg_dsp *dsp, const uint8_t *a, const uint8_t *b, uint8_t *out, uint32_t n)
{
    dsp->upsample_h1v2(a, b, out, n, true);
}

static void run_replicate(const struct jpeg_dsp *dsp, const uint8_t *a, const uint8_t *b, uint8_t *out, uint32_t n)
{
    (void)b;
    dsp->replicate_h2(a, out, n);
}

static void run_down_h2v1(const struct jpeg_dsp *dsp, const uint8_t *a, const uint8_t *b, uint8_t *out, uint32_t n)
{
    (void)b;
    dsp->downsample_h2v1(a, out, n);
}

static void run_down_h2v2(const struct jpeg_dsp *dsp, const uint8_t *a, const uint8_t *b, uint8_t *out, uint32_t n)
{
    dsp->downsample_h2v2(a, b, out, n);
}

static const struct filter filters[] = {
    {"upsample_h2v1", 1, 2, run_up_h2v1},
    {"upsample_h2v2", 1, 2, run_up_h2v2},
    {"upsample_h1v2 upper", 1, 1, run_up_h1v2_upper},
    {"upsample_h1v2 lower", 1, 1, run_up_h1v2_lower},
    {"replicate_h2", 1, 2, run_replicate},
    {"downsample_h2v1", 2, 1, run_down_h2v1},
    {"downsample_h2v2", 2, 1, run_down_h2v2},
};

static void test_tiers(void **state)
{
    (void)state;
    struct tier tier[5];
    const int count = tiers(tier);
    struct fence a_fence, b_fence;
    fence_create(&a_fence, 16384);
    fence_create(&b_fence, 16384);
    for (size_t f = 0; f < sizeof filters / sizeof filters[0]; f++) {
        const struct filter *filter = &filters[f];
        uint32_t n;
        for (int i = 0; (n = row_length(i)) != 0; i++) {
            const size_t length = (size_t)n * filter->in_step + JPEG_ROW_PADDING;
            uint8_t *a = fence_at_end(&a_fence, length), *b = fence_at_end(&b_fence, length);
            random_samples(a, length);
            random_samples(b, length);
            struct output expected;
            output_create(&expected, (size_t)n * filter->out_step, 0);
            filter->run(&tier[0].dsp, a, b, expected.data, n);
            output_check(&expected, 0);
            for (int t = 1; t < count; t++) {
                struct output given;
                output_create(&given, (size_t)n * filter->out_step, random_u32());
                filter->run(&tier[t].dsp, a, b, given.data, n);
                if (memcmp(given.data, expected.data, expected.length) != 0)
                    fail_msg("%s, %s, n = %u", filter->name, tier[t].name, (unsigned)n);
                output_check(&given, JPEG_ROW_PADDING);
                output_destroy(&given);
            }
            output_destroy(&expected);
        }
    }
    fence_destroy(&a_fence);
    fence_destroy(&b_fence);
}

/* Every pair of neighbours, and every column of two rows. */
static void test_upsampling(void **state)
{
    (void)state;
    struct jpeg_dsp dsp;
    kst_jpeg_cpu_dsp_init(&dsp, CPU_C);
    for (int a = 0; a < 256; a++) {
        for (int b = 0; b < 256; b++) {
            const uint8_t row[3] = {(uint8_t)a, (uint8_t)b, (uint8_t)a},
                          other[3] = {(uint8_t)b, (uint8_t)a, (uint8_t)b};
            uint8_t out[6];
            dsp.upsample_h2v1(row, out, 3);
            assert_int_equal(out[0], a);
            assert_int_equal(out[1], (3 * a + b + 2) / 4);
            assert_int_equal(out[2], (3 * b + a + 1) / 4);
            assert_int_equal(out[3], (3 * b + a + 2) / 4);
            assert_int_equal(out[4], (3 * a + b + 1) / 4);
            assert_int_equal(out[5], a);
            dsp.upsample_h1v2(row, other, out, 3, false);
            assert_int_equal(out[0], (3 * a + b + 1) / 4);
            dsp.upsample_h1v2(row, other, out, 3, true);
            assert_int_equal(out[0], (3 * a + b + 2) / 4);
            const int p = 3 * a + b, q = 3 * b + a;
            dsp.upsample_h2v2(row, other, out, 3);
            assert_int_equal(out[0], (4 * p + 8) / 16);
            assert_int_equal(out[1], (3 * p + q + 7) / 16);
            assert_int_equal(out[2], (3 * q + p + 8) / 16);
            assert_int_equal(out[3], (3 * q + p + 7) / 16);
            assert_int_equal(out[4], (3 * p + q + 8) / 16);
            assert_int_equal(out[5], (4 * p + 7) / 16);
            dsp.replicate_h2(row, out, 3);
            assert_int_equal(out[1], a);
            assert_int_equal(out[2], b);
        }
    }
}

static void test_downsampling(void **state)
{
    (void)state;
    struct jpeg_dsp dsp;
    kst_jpeg_cpu_dsp_init(&dsp, CPU_C);
    for (int i = 0; i < 20000; i++) {
        uint8_t upper[4], lower[4], out[2];
        random_samples(upper, 4);
        random_samples(lower, 4);
        dsp.downsample_h2v1(upper, out, 2);
        assert_int_equal(out[0], (upper[0] + upper[1]) / 2);
        assert_int_equal(out[1], (upper[2] + upper[3] + 1) / 2);
        dsp.downsample_h2v2(upper, lower, out, 2);
        assert_int_equal(out[0], (upper[0] + upper[1] + lower[0] + lower[1] + 1) / 4);
        assert_int_equal(out[1], (upper[2] + upper[3] + lower[2] + lower[3] + 2) / 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_upsampling),
        cmocka_unit_test(test_downsampling),
        cmocka_unit_test(test_tiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
