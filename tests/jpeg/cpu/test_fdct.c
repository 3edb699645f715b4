/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares quantisation with division, the forward DCT with its formula, and every tier with plain C, zig-zag included.
 */
#include <math.h>
#include <string.h>

#include "jpeg/plan/frame.h"
#include "support/jpeg/tiers.h"

/* Larger than any magnitude the forward DCT gives: 8 times the largest coefficient of 8-bit samples, 1024·√2·cos …. */
enum { LARGEST = 16384 };

static int quotient(const struct jpeg_quantizer *q, int i, int magnitude)
{
    return (int)(((uint32_t)magnitude + q->correction[i]) * q->reciprocal[i] >> q->shift[i]);
}

static int vector_quotient(const struct jpeg_quantizer *q, int i, int magnitude)
{
    const uint32_t corrected = ((uint32_t)magnitude + q->correction[i]) & 0xFFFF;
    return (int)((corrected * q->reciprocal[i] >> 16) * q->scale[i] >> 16);
}

/* All divisors that 8q can leave in 16 bits, all magnitudes: rounding half away from zero. */
static void test_quantizer(void **state)
{
    (void)state;
    for (int first = 1; first < 8192; first += 64) {
        uint16_t quant[64];
        struct jpeg_quantizer q;
        for (int i = 0; i < 64; i++)
            quant[i] = (uint16_t)(first + i);
        kst_jpeg_cpu_quantizer_init(&q, quant);
        for (int i = 0; i < 64 && first + i < 8192; i++) {
            const int d = 8 * (first + i), step = d > 2048 ? 5 : 1;
            int expected = 0, next = d / 2; /* the magnitude where the quotient grows */
            for (int x = 0; x <= LARGEST; x += x < next - step ? step : 1) {
                while (x >= next) {
                    expected++;
                    next += d;
                }
                if (quotient(&q, i, x) != expected || vector_quotient(&q, i, x) != expected)
                    fail_msg("%d / %d", x, d);
            }
        }
    }
}

/* The lower 16 bits of 8q divide; if they are 0, the quotient is 0. */
static void test_large_quantisers(void **state)
{
    (void)state;
    uint16_t quant[64];
    struct jpeg_quantizer large, small;
    for (int i = 0; i < 64; i++)
        quant[i] = (uint16_t)(8192 * (1 + i % 7) + 37 * i);
    kst_jpeg_cpu_quantizer_init(&large, quant);
    for (int i = 0; i < 64; i++)
        quant[i] = (uint16_t)(i == 0 ? 1 : 37 * i);
    kst_jpeg_cpu_quantizer_init(&small, quant);
    for (int i = 0; i < 64; i++)
        for (int x = 0; x <= LARGEST; x += 7)
            assert_int_equal(quotient(&large, i, x), i == 0 ? 0 : quotient(&small, i, x));
}

static void random_quant(uint16_t quant[64])
{
    const uint32_t kind = random_u32() % 4;
    for (int i = 0; i < 64; i++) {
        const uint32_t r = random_u32();
        quant[i] = (uint16_t)(kind == 0 ? 1 : kind == 1 ? 1 + r % 255 : kind == 2 ? 1 + r % 20 : 1 + r % 65535);
    }
}

/* What does both stages at once gives what they give one after the other. */
static void check_both(const struct jpeg_dsp *dsp, const uint8_t *in, ptrdiff_t pitch, const struct jpeg_quantizer *q,
    const int16_t *raster)
{
    _Alignas(64) int16_t expected[64], given[64];
    if (!dsp->fdct_zigzag)
        return;
    uint64_t mask = dsp->zigzag(raster, expected);
    memset(given, POISON, sizeof given);
    assert_true(dsp->fdct_zigzag(in, pitch, q, given) == mask);
    assert_memory_equal(given, expected, sizeof given);
}

static void check_fast(const struct tier *tier, int count, const uint8_t *in, ptrdiff_t pitch, const uint16_t quant[64])
{
    _Alignas(64) int16_t expected[64], given[64];
    struct jpeg_quantizer quantizer;
    kst_jpeg_cpu_quantizer_init_fast(&quantizer, quant);
    tier[0].dsp.fdct_fast(in, pitch, &quantizer, expected);
    for (int t = 1; t < count; t++) {
        memset(given, POISON, sizeof given);
        tier[t].dsp.fdct_fast(in, pitch, &quantizer, given);
        assert_memory_equal(given, expected, sizeof given);
    }
}

static void test_fdct_tiers(void **state)
{
    (void)state;
    enum { PITCH = 29 };
    struct tier tier[5];
    const int count = tiers(tier);
    struct fence fence;
    fence_create(&fence, 4096);
    for (int i = 0; i < 20000; i++) {
        uint16_t quant[64];
        struct jpeg_quantizer quantizer;
        uint8_t *in = fence_at_end(&fence, 7 * PITCH + 8);
        _Alignas(64) int16_t expected[64], given[64];
        random_quant(quant);
        kst_jpeg_cpu_quantizer_init(&quantizer, quant);
        random_samples(in, 7 * PITCH + 8);
        if (i % 4 == 0) /* the signs of a basis function: the largest coefficients */
            for (int y = 0; y < 8; y++)
                for (int x = 0; x < 8; x++)
                    in[y * PITCH + x] = cos((2 * x + 1) * (i / 4 % 8) * 0.19634954) *
                                                    cos((2 * y + 1) * (i / 32 % 8) * 0.19634954) * (i & 512 ? 1 : -1) >
                                                0
                                            ? 255
                                            : 0;
        check_fast(tier, count, in, PITCH, quant);
        tier[0].dsp.fdct(in, PITCH, &quantizer, expected);
        for (int t = 1; t < count; t++) {
            memset(given, POISON, sizeof given);
            tier[t].dsp.fdct(in, PITCH, &quantizer, given);
            assert_memory_equal(given, expected, sizeof given);
            check_both(&tier[t].dsp, in, PITCH, &quantizer, expected);
        }
    }
    fence_destroy(&fence);
}

/* With quantisers of 1 the coefficients are within 1 of T.81 A.3.3's. */
static void test_fdct_formula(void **state)
{
    (void)state;
    struct jpeg_dsp dsp;
    kst_jpeg_cpu_dsp_init(&dsp, CPU_C);
    uint16_t quant[64];
    struct jpeg_quantizer quantizer;
    for (int i = 0; i < 64; i++)
        quant[i] = 1;
    kst_jpeg_cpu_quantizer_init(&quantizer, quant);
    for (int i = 0; i < 50; i++) {
        uint8_t in[64];
        _Alignas(64) int16_t out[64];
        random_samples(in, 64);
        dsp.fdct(in, 8, &quantizer, out);
        for (int v = 0; v < 8; v++) {
            for (int u = 0; u < 8; u++) {
                double sum = 0;
                for (int y = 0; y < 8; y++)
                    for (int x = 0; x < 8; x++)
                        sum += (in[8 * y + x] - 128) * cos((2 * x + 1) * u * 3.14159265358979 / 16) *
                               cos((2 * y + 1) * v * 3.14159265358979 / 16);
                sum *= 0.25 * (u == 0 ? sqrt(0.5) : 1) * (v == 0 ? sqrt(0.5) : 1);
                assert_true(fabs(sum - out[8 * v + u]) < 1);
            }
        }
    }
}

static void test_zigzag(void **state)
{
    (void)state;
    struct tier tier[5];
    const int count = tiers(tier);
    for (int i = 0; i < 5000; i++) {
        _Alignas(64) int16_t block[64], out[64];
        uint64_t mask = 0;
        for (int k = 0; k < 64; k++) {
            const uint32_t r = random_u32();
            block[kst_jpeg_natural[k]] = (int16_t)(i == 0       ? (uint32_t)k + 1
                                                   : r % 3 == 0 ? r >> 16
                                                   : r % 3 == 1 ? r >> 8 & 1
                                                                : 0);
            mask |= (uint64_t)(block[kst_jpeg_natural[k]] != 0) << k;
        }
        for (int t = 0; t < count; t++) {
            assert_true(tier[t].dsp.zigzag(block, out) == mask);
            for (int k = 0; k < 64; k++)
                assert_int_equal(out[k], block[kst_jpeg_natural[k]]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantizer),
        cmocka_unit_test(test_large_quantisers),
        cmocka_unit_test(test_fdct_formula),
        cmocka_unit_test(test_fdct_tiers),
        cmocka_unit_test(test_zigzag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
