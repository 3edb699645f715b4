/* SPDX-License-Identifier: BSD-2-Clause */
/* The inverse DCTs of each tier against plain C, for any coefficients and quantisers that 16 bits can hold. */
#include <string.h>

#include "jpeg/plan/frame.h"
#include "support/jpeg/tiers.h"

struct block {
    _Alignas(64) int16_t coefficients[64];
    _Alignas(64) uint16_t quant[64];
    uint32_t last;
};

static int16_t random_coefficient(uint32_t kind)
{
    const uint32_t r = random_u32();
    switch (kind) {
    case 0: /* as photographs have them */
        return (int16_t)((int)(r % 31) - 15);
    case 1:
        return (int16_t)((int)(r % 2047) - 1023);
    case 2: /* extremes */
        return (int16_t)(r & 1 ? INT16_MAX : INT16_MIN);
    case 3:
        return (int16_t)(r & 1 ? (int)(r >> 8 & 3) - 2 : (r & 2 ? INT16_MAX : INT16_MIN));
    default:
        return (int16_t)r;
    }
}

static uint16_t random_quantiser(uint32_t kind)
{
    const uint32_t r = random_u32();
    switch (kind) {
    case 0:
        return (uint16_t)(1 + r % 64);
    case 1:
        return 1;
    case 2:
        return (uint16_t)(r & 1 ? 65535 : 32768);
    default:
        return (uint16_t)r;
    }
}

static void random_block(struct block *block)
{
    const uint32_t kind = random_u32() % 5, quant_kind = random_u32() % 4, density = 1 + random_u32() % 3;
    memset(block, 0, sizeof *block);
    block->last = random_u32() % 4 == 0 ? random_u32() % 10 : random_u32() % 64;
    for (uint32_t k = 0; k <= block->last; k++)
        if (random_u32() % density == 0)
            block->coefficients[kst_jpeg_natural[k]] = random_coefficient(kind);
    for (int i = 0; i < 64; i++)
        block->quant[i] = random_quantiser(quant_kind);
}

enum { FAST = 0 }; /* stands for the fast transform in the place of a size */

static void transform(
    const struct jpeg_dsp *dsp, uint32_t size, const struct block *block, uint32_t last, uint8_t *out, ptrdiff_t pitch)
{
    (size == FAST ? dsp->idct_fast : dsp->idct[size])(block->coefficients, block->quant, last, out, pitch);
}

static void compare(const struct tier *c, const struct tier *other, uint32_t n, const struct block *block)
{
    enum { PITCH = 23 };
    const size_t size = n == FAST ? 8 : n;
    struct output expected, given;
    output_create(&expected, PITCH * JPEG_BLOCK_MAX, 0);
    output_create(&given, PITCH * JPEG_BLOCK_MAX, random_u32());
    transform(&c->dsp, n, block, 63, expected.data, PITCH);
    transform(&other->dsp, n, block, block->last, given.data, PITCH);
    for (size_t y = 0; y < size; y++)
        assert_memory_equal(given.data + y * PITCH, expected.data + y * PITCH, size);
    /* nothing between the rows nor around them */
    for (size_t y = 0; y < JPEG_BLOCK_MAX; y++)
        for (size_t x = y < size ? size : 0; x < PITCH; x++)
            assert_int_equal(given.data[y * PITCH + x], POISON);
    output_check(&given, 0);
    output_destroy(&expected);
    output_destroy(&given);
}

static void test_tiers(void **state)
{
    (void)state;
    struct tier tier[5];
    const int count = tiers(tier);
    for (int i = 0; i < 20000; i++) {
        struct block block;
        random_block(&block);
        for (int t = 0; t < count; t++) {
            for (uint32_t n = 1; n <= 8; n *= 2)
                compare(&tier[0], &tier[t], n, &block);
            compare(&tier[0], &tier[t], (uint32_t)i % (JPEG_BLOCK_MAX + 1), &block);
        }
    }
}

/* One coefficient alone at every place, small and extreme; each `last` that covers it gives the same. */
static void test_single_coefficients(void **state)
{
    (void)state;
    static const int16_t values[] = {1, -1, 100, -100, 2047, -2048, INT16_MAX, INT16_MIN};
    struct tier tier[5];
    const int count = tiers(tier);
    struct block block;
    memset(&block, 0, sizeof block);
    for (int i = 0; i < 64; i++)
        block.quant[i] = (uint16_t)(1 + i);
    for (uint32_t k = 0; k < 64; k++) {
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            block.coefficients[kst_jpeg_natural[k]] = values[v];
            for (block.last = k; block.last < 64; block.last += 1 + block.last / 4)
                for (int t = 0; t < count; t++)
                    for (uint32_t n = 0; n <= 8; n = n ? 2 * n : 1)
                        compare(&tier[0], &tier[t], n, &block);
        }
        block.coefficients[kst_jpeg_natural[k]] = 0;
    }
}

/* A DC coefficient of 8·v is a block of v + 128, at every size. */
static void test_flat(void **state)
{
    (void)state;
    struct tier tier[5];
    const int count = tiers(tier);
    struct block block;
    memset(&block, 0, sizeof block);
    for (int i = 0; i < 64; i++)
        block.quant[i] = 2;
    for (int v = -200; v < 200; v++) {
        const int expected = v < -128 ? 0 : v > 127 ? 255 : v + 128;
        block.coefficients[0] = (int16_t)(4 * v);
        for (int t = 0; t < count; t++) {
            for (uint32_t n = 1; n <= JPEG_BLOCK_MAX; n++) {
                uint8_t out[JPEG_BLOCK_MAX * JPEG_BLOCK_MAX];
                transform(&tier[t].dsp, n, &block, 0, out, JPEG_BLOCK_MAX);
                for (uint32_t y = 0; y < n; y++)
                    for (uint32_t x = 0; x < n; x++)
                        assert_int_equal(out[JPEG_BLOCK_MAX * y + x], expected);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiers),
        cmocka_unit_test(test_single_coefficients),
        cmocka_unit_test(test_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
