/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests Huffman tables: the standard ones, which are valid, and optimal ones. */
#include <stdlib.h>
#include <string.h>

#include "jpeg/plan/huffman.h"
#include "support/test.h"

static uint32_t symbol_count(const struct jpeg_huffman *huffman)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i <= 16; i++)
        count += huffman->bits[i];
    return count;
}

static void standard_tables(void **state)
{
    (void)state;
    static const uint32_t count[2] = {12, 162};
    for (int chroma = 0; chroma < 2; chroma++) {
        for (int c = JPEG_DC; c <= JPEG_AC; c++) {
            const struct jpeg_huffman *huffman = kst_jpeg_standard_huffman((enum jpeg_table_class)c, chroma);
            assert_true(kst_jpeg_huffman_valid(huffman, (enum jpeg_table_class)c));
            assert_int_equal(symbol_count(huffman), count[c]);
        }
    }
    /* Examples from tables K.3 to K.6. */
    struct jpeg_huffman_codes codes;
    kst_jpeg_huffman_derive_codes(kst_jpeg_standard_huffman(JPEG_DC, 0), &codes);
    assert_int_equal(codes.code[0], 0);
    assert_int_equal(codes.length[11], 9);
    assert_int_equal(codes.code[11], 0x1FE);
    kst_jpeg_huffman_derive_codes(kst_jpeg_standard_huffman(JPEG_DC, 1), &codes);
    assert_int_equal(codes.code[11], 0x7FE);
    kst_jpeg_huffman_derive_codes(kst_jpeg_standard_huffman(JPEG_AC, 0), &codes);
    assert_int_equal(codes.code[0x00], 0xA);
    assert_int_equal(codes.length[0x00], 4);
    assert_int_equal(codes.code[0xF0], 0x7F9);
    assert_int_equal(codes.code[0xFA], 0xFFFE);
    assert_int_equal(codes.length[0x0B], 0);
    kst_jpeg_huffman_derive_codes(kst_jpeg_standard_huffman(JPEG_AC, 1), &codes);
    assert_int_equal(codes.code[0xF0], 0x3FA);
    assert_int_equal(codes.code[0xFA], 0xFFFE);
}

static void validity(void **state)
{
    (void)state;
    struct jpeg_huffman huffman = {.bits = {0, 1}};
    assert_true(kst_jpeg_huffman_valid(&huffman, JPEG_DC));
    huffman.bits[1] = 2; /* takes the code of all ones */
    assert_false(kst_jpeg_huffman_valid(&huffman, JPEG_DC));
    huffman = (struct jpeg_huffman){.bits = {0, 1, 1, 2}};
    assert_false(kst_jpeg_huffman_valid(&huffman, JPEG_AC));
    huffman = (struct jpeg_huffman){.bits = {[8] = 255, [9] = 1}};
    assert_true(kst_jpeg_huffman_valid(&huffman, JPEG_AC));
    huffman = (struct jpeg_huffman){.bits = {[8] = 200, [9] = 57}};
    assert_false(kst_jpeg_huffman_valid(&huffman, JPEG_AC));
    huffman = (struct jpeg_huffman){.bits = {0, 1}, .values = {16}};
    assert_false(kst_jpeg_huffman_valid(&huffman, JPEG_DC));
    assert_true(kst_jpeg_huffman_valid(&huffman, JPEG_AC));
    huffman.values[0] = 15;
    assert_true(kst_jpeg_huffman_valid(&huffman, JPEG_DC));
}

/* No two codes may be prefixes of each other, nor of 16 ones. */
static void check_prefix_free(const struct jpeg_huffman_codes *codes)
{
    for (uint32_t a = 0; a < 256; a++) {
        if (codes->length[a] == 0)
            continue;
        assert_int_not_equal(codes->code[a], (1 << codes->length[a]) - 1);
        for (uint32_t b = 0; b < 256; b++) {
            if (a != b && codes->length[b] >= codes->length[a])
                assert_int_not_equal(codes->code[b] >> (codes->length[b] - codes->length[a]), codes->code[a]);
        }
    }
}

/* Bits of Huffman's code for these frequencies and one more symbol that occurs once: the sum of its inner nodes. */
static uint64_t huffman_bits(const uint64_t *frequency)
{
    uint64_t weight[257], total = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 256; i++) {
        if (frequency[i] > 0)
            weight[count++] = frequency[i];
    }
    weight[count++] = 1;
    while (count > 1) {
        for (uint32_t pick = 0; pick < 2; pick++) {
            for (uint32_t i = 0; i + 1 < count - pick; i++) {
                if (weight[i] < weight[i + 1]) {
                    uint64_t other = weight[i];
                    weight[i] = weight[i + 1];
                    weight[i + 1] = other;
                }
            }
        }
        weight[count - 2] += weight[count - 1];
        total += weight[--count - 1];
    }
    return total;
}

static void check_optimal(const uint64_t *frequency, bool limited)
{
    uint64_t used[257], bits = 0, longest = 0;
    struct jpeg_huffman huffman;
    struct jpeg_huffman_codes codes;
    memcpy(used, frequency, 256 * sizeof *used);
    used[256] = 0;
    kst_jpeg_huffman_optimal(used, &huffman);
    assert_true(kst_jpeg_huffman_valid(&huffman, JPEG_AC));
    kst_jpeg_huffman_derive_codes(&huffman, &codes);
    check_prefix_free(&codes);
    for (uint32_t i = 0; i < 256; i++) {
        assert_int_equal(codes.length[i] > 0, frequency[i] > 0);
        bits += codes.length[i] * frequency[i];
        longest = codes.length[i] > longest ? codes.length[i] : longest;
    }
    /* The reserved code is as long as the longest. */
    if (!limited)
        assert_int_equal(bits + longest, huffman_bits(frequency));
}

static void optimal_tables(void **state)
{
    (void)state;
    uint64_t frequency[256] = {0};
    frequency[0xF0] = 5;
    check_optimal(frequency, false);
    for (uint32_t i = 0; i < 256; i++)
        frequency[i] = 1;
    check_optimal(frequency, false);
    uint32_t random = 1;
    for (uint32_t round = 0; round < 50; round++) {
        for (uint32_t i = 0; i < 256; i++) {
            random = random * 1664525 + 1013904223;
            frequency[i] = (random >> 16) % (round + 2) == 0 ? 0 : (random >> 12) % 60;
        }
        check_optimal(frequency, false);
    }
    /* Fibonacci's numbers make a code as deep as there are symbols; lengths end at 16. */
    uint64_t a = 1, b = 1;
    memset(frequency, 0, sizeof frequency);
    for (uint32_t i = 0; i < 80; i++) {
        frequency[i] = a;
        b += a;
        a = b - a;
    }
    check_optimal(frequency, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_tables), cmocka_unit_test(validity), cmocka_unit_test(optimal_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
