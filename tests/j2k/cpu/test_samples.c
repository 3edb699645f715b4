/* SPDX-License-Identifier: BSD-2-Clause */
/* Dequantisation, component transforms and level shift of JPEG 2000 against the formulas in double precision. */
#include <math.h>

#include "j2k/cpu/dwt/inverse.h"
#include "support/random.h"
#include "support/test.h"

enum { COUNT = 1000 };

static struct j2k_inverse steps; /* plain C */

static void indices(void **state)
{
    (void)state;
    static const uint32_t from[6] = {0, 5, 0x80000005, 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF};
    static const int32_t wanted[6] = {0, 5, -5, 0, INT32_MAX, -INT32_MAX};
    int32_t integers[8] = {0};
    float reals[8] = {0};
    struct j2k_indices block = {.from = from, .pitch = 3, .width = 3, .height = 2};
    steps.store_integers(&block, integers, 4);
    steps.store_reals(&block, 0.25F, reals, 4);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(integers[i / 3 * 4 + i % 3], wanted[i]);
        assert_true(reals[i / 3 * 4 + i % 3] == (float)wanted[i] * 0.25F);
    }
}

static void rct_inverts(void **state)
{
    (void)state;
    uint32_t random = 1;
    int32_t rgb[3][COUNT], y[COUNT], u[COUNT], v[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t c = 0; c < 3; c++)
            rgb[c][i] = (int32_t)(random_next(&random) % 65536) - 32768;
        y[i] = (rgb[0][i] + 2 * rgb[1][i] + rgb[2][i]) >> 2;
        u[i] = rgb[2][i] - rgb[1][i];
        v[i] = rgb[0][i] - rgb[1][i];
    }
    steps.rct(y, u, v, COUNT);
    assert_memory_equal(y, rgb[0], sizeof y);
    assert_memory_equal(u, rgb[1], sizeof u);
    assert_memory_equal(v, rgb[2], sizeof v);
}

static void ict_is_near(void **state)
{
    (void)state;
    uint32_t random = 2;
    float y[COUNT], cb[COUNT], cr[COUNT];
    double rgb[3][COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        y[i] = (float)(random_next(&random) % 65536) / 256 - 128;
        cb[i] = (float)(random_next(&random) % 65536) / 256 - 128;
        cr[i] = (float)(random_next(&random) % 65536) / 256 - 128;
        rgb[0][i] = (double)y[i] + 1.402 * (double)cr[i];
        rgb[1][i] = (double)y[i] - 0.34413 * (double)cb[i] - 0.71414 * (double)cr[i];
        rgb[2][i] = (double)y[i] + 1.772 * (double)cb[i];
    }
    steps.ict(y, cb, cr, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(fabs((double)y[i] - rgb[0][i]) < 1e-4);
        assert_true(fabs((double)cb[i] - rgb[1][i]) < 1e-4);
        assert_true(fabs((double)cr[i] - rgb[2][i]) < 1e-4);
    }
}

/* Each depth, with values in, at the ends of and far outside its range. */
static void finishing(void **state)
{
    (void)state;
    for (uint32_t depth = 1; depth <= 31; depth++)
        for (uint32_t is_signed = 0; is_signed < 2; is_signed++) {
            uint32_t random = depth;
            int64_t half = (int64_t)1 << (depth - 1), low = is_signed ? -half : 0, high = low + 2 * half - 1;
            int32_t from[COUNT], to[COUNT], rounded[COUNT];
            float real[COUNT];
            for (uint32_t i = 0; i < COUNT; i++) {
                int64_t wide = ((int64_t)random_next(&random) << 20 ^ random_next(&random)) % (3 * half) - 3 * half / 2;
                from[i] = (int32_t)(wide / (depth == 31 ? 2 : 1));
                real[i] = (float)from[i] + (depth < 16 ? 0.25F : 0);
            }
            steps.finish_integers(from, COUNT, depth, is_signed, to);
            steps.finish_reals(real, COUNT, depth, is_signed, rounded);
            for (uint32_t i = 0; i < COUNT; i++) {
                int64_t value = from[i] + (is_signed ? 0 : half);
                value = value < low ? low : value > high ? high : value;
                assert_int_equal(to[i], value);
                int64_t error = rounded[i] - value, allowed = depth <= 22 ? 0 : (int64_t)1 << (depth - 22);
                assert_true(error <= allowed && -error <= allowed);
                assert_true(rounded[i] >= low && rounded[i] <= high);
            }
        }
}

static void no_numbers(void **state)
{
    (void)state;
    float from[4] = {NAN, INFINITY, -INFINITY, 1e30F};
    int32_t to[4], wanted[4] = {0, 255, 0, 255};
    steps.finish_reals(from, 4, 8, false, to);
    assert_memory_equal(to, wanted, sizeof to);
}

static void packing(void **state)
{
    (void)state;
    int32_t from[5] = {0, 255, -1, 65535, 300};
    uint8_t bytes[15] = {0};
    uint16_t words[15] = {0};
    for (size_t step = 1; step <= 3; step += 2) {
        steps.pack_8(from, 5, bytes, step);
        steps.pack_16(from, 5, words, step);
        for (uint32_t i = 0; i < 5; i++) {
            assert_int_equal(bytes[i * step], from[i] & 0xFF);
            assert_int_equal(words[i * step], from[i] & 0xFFFF);
        }
    }
}

static void interleaving(void **state)
{
    (void)state;
    const uint8_t first[3] = {1, 2, 3}, second[3] = {4, 5, 6}, third[3] = {7, 8, 9};
    const uint8_t wanted[9] = {1, 4, 7, 2, 5, 8, 3, 6, 9};
    uint8_t to[9];
    steps.interleave_8(first, second, third, 3, to);
    assert_memory_equal(to, wanted, sizeof to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices),
        cmocka_unit_test(rct_inverts),
        cmocka_unit_test(ict_is_near),
        cmocka_unit_test(finishing),
        cmocka_unit_test(no_numbers),
        cmocka_unit_test(packing),
        cmocka_unit_test(interleaving),
    };
    kst_j2k_cpu_inverse_init(&steps, CPU_C);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
