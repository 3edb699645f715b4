/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the parts of writing PNG: filters against their definitions, and joined deflate streams by inflating them with
 * zlib.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libdeflate.h>
#include <zlib.h>

#include "files/deflate/join.h"
#include "files/png/filter.h"

enum { LONGEST_ROW = 300, PIECE = 400000, PIECES = 6 };

static int absolute(int value)
{
    return value < 0 ? -value : value;
}

/* ISO/IEC 15948, 9.4, as it is written. */
static uint8_t paeth(int a, int b, int c)
{
    int p = a + b - c, pa = absolute(p - a), pb = absolute(p - b), pc = absolute(p - c);

    return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

static uint8_t predicted(int filter, int a, int b, int c)
{
    switch (filter) {
    case 1:
        return (uint8_t)a;
    case 2:
        return (uint8_t)b;
    case 3:
        return (uint8_t)((a + b) / 2);
    case 4:
        return paeth(a, b, c);
    default:
        return 0;
    }
}

static void check_row(const uint8_t *row, const uint8_t *above, size_t length, size_t pixel)
{
    uint8_t made[LONGEST_ROW + 2];
    long best_sum = -1;
    int best = 0;

    for (int filter = 0; filter < 5; filter++) {
        long sum = 0;
        made[length + 1] = 0xA5;
        png_filter_row((enum png_filter)filter, row, above, length, pixel, made);
        assert_int_equal(made[0], filter);
        assert_int_equal(made[length + 1], 0xA5);
        for (size_t i = 0; i < length; i++) {
            uint8_t difference = (uint8_t)(row[i] - predicted(filter, row[i - pixel], above[i], above[i - pixel]));
            assert_int_equal(made[i + 1], difference);
            sum += absolute((int8_t)difference);
        }
        if (best_sum < 0 || sum < best_sum) {
            best_sum = sum;
            best = filter;
        }
    }
    assert_int_equal(png_filter_choose(row, above, length, pixel), best);
}

static void test_filters(void **state)
{
    uint8_t rows[2][PNG_FILTER_MARGIN + LONGEST_ROW];
    uint64_t seed = 7;
    (void)state;

    memset(rows, 0, sizeof rows);
    for (size_t length = 1; length <= LONGEST_ROW; length += length < 70 ? 1 : 23)
        for (size_t pixel = 1; pixel <= 8; pixel++)
            for (int kind = 0; kind < 4; kind++) {
                for (size_t i = 0; i < length; i++)
                    for (int k = 0; k < 2; k++) {
                        seed = seed * 6364136223846793005u + 1442695040888963407u;
                        uint8_t noise = (uint8_t)(seed >> 40);
                        rows[k][PNG_FILTER_MARGIN + i] = kind == 0   ? noise
                                                         : kind == 1 ? (uint8_t)((noise & 1) != 0 ? 255 : 0)
                                                         : kind == 2 ? (uint8_t)(3 * i + (noise & 3))
                                                                     : (uint8_t)(i % 5 * (size_t)(40 + k));
                    }
                check_row(rows[0] + PNG_FILTER_MARGIN, rows[1] + PNG_FILTER_MARGIN, length, pixel);
            }
}

/* A long row, so that sums of absolute values pass what sixteen bits hold. */
static void test_long_row(void **state)
{
    size_t length = 1 << 20;
    uint8_t *rows = calloc(2, PNG_FILTER_MARGIN + length);
    (void)state;

    assert_non_null(rows);
    uint8_t *row = rows + PNG_FILTER_MARGIN, *above = row + PNG_FILTER_MARGIN + length;
    memset(row, 0x80, length);
    memset(above, 0x7F, length);
    assert_int_equal(png_filter_choose(row, above, length, 3), PNG_FILTER_OF_PAETH);
    row[length - 1] = 0;
    memset(above, 0x80, length);
    assert_int_equal(png_filter_choose(row, above, length, 3), PNG_FILTER_OF_UP);
    free(rows);
}

/* Bytes of some kind: noise, few symbols, long runs, text that repeats, samples with slopes. */
static void fill(uint8_t *data, size_t length, int kind)
{
    uint64_t seed = (uint64_t)kind + 1;

    for (size_t i = 0; i < length; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint8_t noise = (uint8_t)(seed >> 40);
        data[i] = kind == 0   ? noise
                  : kind == 1 ? noise & 3
                  : kind == 2 ? (uint8_t)(i >> 14)
                  : kind == 3 ? (uint8_t)("a filter and its row "[i % 21] + (noise > 250))
                              : (uint8_t)((noise & 15) - (noise >> 4 & 15) + (noise == 77 ? noise : 0));
    }
}

/* Appends a stream of `data`; the last one stays closed. */
static size_t append(uint8_t *to, size_t room, const uint8_t *data, size_t length, int level, bool last)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);

    assert_non_null(compressor);
    size_t made = libdeflate_deflate_compress(compressor, data, length, to, room - DEFLATE_JOIN_BYTES);
    libdeflate_free_compressor(compressor);
    assert_true(made > 0);
    if (!last)
        assert_true(deflate_open_end(to, &made));
    return made;
}

static void check_inflates(uint8_t *joined, size_t length, const uint8_t *data, size_t expected)
{
    uint8_t *back = malloc(expected + 1);
    z_stream stream = {.next_in = joined, .avail_in = (uInt)length};

    assert_non_null(back);
    stream.next_out = back;
    stream.avail_out = (uInt)expected + 1;
    assert_int_equal(inflateInit2(&stream, -15), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.avail_in, 0);
    assert_int_equal(stream.total_out, expected);
    assert_memory_equal(back, data, expected);
    inflateEnd(&stream);
    free(back);
}

static void test_joined(void **state)
{
    static const size_t lengths[] = {0, 1, 2, 3, 5, 100, 5000, 66000, PIECE};
    size_t room = PIECES * (PIECE + PIECE / 8 + 1000);
    uint8_t *data = malloc((size_t)PIECES * PIECE), *joined = malloc(room);
    (void)state;

    assert_true(data != NULL && joined != NULL);
    for (int kind = 0; kind < 5; kind++)
        for (int level = 0; level < 10; level += level < 4 ? 1 : 2)
            for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
                size_t length = lengths[n], pieces = length == PIECE ? 3 : PIECES, used = 0;
                fill(data, pieces * length, kind);
                for (size_t i = 0; i < pieces; i++)
                    used += append(joined + used, room - used, data + i * length, length, level, i + 1 == pieces);
                check_inflates(joined, used, data, pieces * length);
            }
    free(data);
    free(joined);
}

/* zlib's streams have fixed codes and other blocks than libdeflate's. */
static void test_zlib(void **state)
{
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE};
    uint8_t *data = malloc(PIECE), *made = malloc(2 * PIECE);
    (void)state;

    assert_true(data != NULL && made != NULL);
    for (int kind = 0; kind < 5; kind++)
        for (size_t s = 0; s < 4; s++) {
            z_stream stream = {.next_in = data, .avail_in = PIECE};
            fill(data, PIECE, kind);
            stream.next_out = made;
            stream.avail_out = 2 * PIECE;
            assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, strategies[s]), Z_OK);
            assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
            size_t length = stream.total_out;
            deflateEnd(&stream);
            assert_true(deflate_open_end(made, &length));
            memcpy(made + length, "\3\0", 2); /* an empty block of fixed codes, the last */
            check_inflates(made, length + 2, data, PIECE);
        }
    free(data);
    free(made);
}

/*
 * A stream that is cut short, continues, or has changed bits is refused or stays valid, and nothing outside is touched.
 */
static void test_damaged(void **state)
{
    enum { LENGTH = 3000, ROOM = 2 * LENGTH };
    uint8_t data[LENGTH], made[ROOM];
    uint64_t seed = 3;
    (void)state;

    for (int kind = 0; kind < 5; kind++) {
        fill(data, LENGTH, kind);
        size_t length = append(made, ROOM, data, LENGTH, 6, true);
        for (size_t cut = 0; cut <= length; cut += cut < 200 ? 1 : 31) {
            uint8_t *copy = malloc(cut + DEFLATE_JOIN_BYTES);
            size_t left = cut;
            assert_non_null(copy);
            memcpy(copy, made, cut);
            assert_int_equal(deflate_open_end(copy, &left), cut == length);
            assert_true(cut == length || left == cut);
            free(copy);
        }
        made[length] = 0;
        size_t longer = length + 1;
        assert_false(deflate_open_end(made, &longer));
        for (int i = 0; i < 3000; i++) {
            uint8_t *copy = malloc(length + DEFLATE_JOIN_BYTES);
            size_t left = length;
            assert_non_null(copy);
            memcpy(copy, made, length);
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            copy[(seed >> 33) % (i % 2 == 0 || length < 60 ? length : 60)] ^= (uint8_t)(1u << (seed >> 20 & 7));
            if (deflate_open_end(copy, &left))
                assert_in_range(left, length, length + DEFLATE_JOIN_BYTES);
            free(copy);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_filters), cmocka_unit_test(test_long_row),
        cmocka_unit_test(test_joined), cmocka_unit_test(test_zlib), cmocka_unit_test(test_damaged)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
