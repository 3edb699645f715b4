/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of T.814's block coder, by what the standard says of them and by sums over independent copies. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "j2k/tables/ht.h"
#include "j2k/tables/ht_vlc.h"
#include "support/test.h"

enum { CONTEXTS = 8, INDICES = 1 << J2K_HT_VLC_BITS };

static const uint16_t table[2][J2K_HT_VLC_ENTRIES] = {{J2K_HT_VLC_FIRST}, {J2K_HT_VLC_NEXT}};

/* A codeword's own entry is the one with zeros behind it. */
static bool is_row(uint32_t entry, uint32_t bits)
{
    return bits >> J2K_HT_VLC_LENGTH(entry) == 0;
}

static void codes_are_complete(void **state)
{
    (void)state;
    for (uint32_t t = 0; t < 2; t++) {
        for (uint32_t i = 0; i < J2K_HT_VLC_ENTRIES; i++) {
            uint32_t entry = table[t][i], length = J2K_HT_VLC_LENGTH(entry), code = i & ((1U << length) - 1);
            assert_in_range(length, 1, J2K_HT_VLC_BITS);
            assert_int_equal(entry, table[t][i / INDICES * INDICES + code]);
            assert_true(is_row(entry, code));
        }
    }
}

static void fields_lie_inside_each_other(void **state)
{
    (void)state;
    for (uint32_t t = 0; t < 2; t++) {
        for (uint32_t i = 0; i < J2K_HT_VLC_ENTRIES; i++) {
            uint32_t entry = table[t][i], known = J2K_HT_VLC_KNOWN(entry);
            assert_int_equal(known & ~J2K_HT_VLC_RHO(entry), 0);
            assert_int_equal(J2K_HT_VLC_ONE(entry) & ~known, 0);
            assert_true(J2K_HT_VLC_OFFSET(entry) || known == 0);
            assert_true(i >= INDICES || J2K_HT_VLC_RHO(entry) != 0);
        }
    }
}

static void numbers_of_rows(void **state)
{
    static const uint32_t rows[2][CONTEXTS] = {{49, 44, 45, 62, 45, 66, 63, 70}, {34, 33, 39, 51, 36, 48, 59, 58}};
    static const uint32_t lengths[2] = {2782, 2220}, codes[2] = {20419, 16347}, offsets[2] = {317, 231};
    (void)state;
    for (uint32_t t = 0; t < 2; t++) {
        uint32_t count[CONTEXTS] = {0}, length = 0, code = 0, offset = 0;
        for (uint32_t i = 0; i < J2K_HT_VLC_ENTRIES; i++) {
            uint32_t entry = table[t][i];
            if (!is_row(entry, i % INDICES))
                continue;
            count[i / INDICES]++;
            length += J2K_HT_VLC_LENGTH(entry);
            code += i % INDICES;
            offset += J2K_HT_VLC_OFFSET(entry);
        }
        assert_memory_equal(count, rows[t], sizeof count);
        assert_int_equal(length, lengths[t]);
        assert_int_equal(code, codes[t]);
        assert_int_equal(offset, offsets[t]);
    }
}

/* The table as bytes, little endian. */
static void assert_sum(uint32_t t, const char *expected)
{
    char path[] = "ht_table_XXXXXX", command[64], sum[65] = {0};
    int file = mkstemp(path);
    assert_true(file >= 0);
    for (uint32_t i = 0; i < J2K_HT_VLC_ENTRIES; i++) {
        uint8_t bytes[2] = {(uint8_t)table[t][i], (uint8_t)(table[t][i] >> 8)};
        assert_int_equal(write(file, bytes, sizeof bytes), sizeof bytes);
    }
    assert_int_equal(close(file), 0);
    assert_true(snprintf(command, sizeof command, "sha256sum %s", path) > 0);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    assert_int_equal(fread(sum, 1, sizeof sum - 1, output), sizeof sum - 1);
    assert_int_equal(pclose(output), 0);
    assert_int_equal(unlink(path), 0);
    assert_string_equal(sum, expected);
}

static void codes_are_the_standards(void **state)
{
    (void)state;
    assert_sum(0, "018c57541fdaf582791c3e61bb4e8defa6d830aa2b309d8b5616de09f27539cb");
    assert_sum(1, "00915bca44a0267ade790e2396aee69e11af50f3db3397c546371c6762311457");
}

static void prefixes_of_u(void **state)
{
    static const uint32_t prefix[] = {J2K_HT_U_PREFIXES};
    (void)state;
    for (uint32_t bits = 0; bits < 8; bits++) {
        uint32_t length = bits & 1 ? 1 : bits & 2 ? 2 : 3, suffix = bits & 3 ? 0 : bits & 4 ? 1 : 5;
        uint32_t value = length < 3 ? length : suffix == 1 ? 3 : 5;
        assert_int_equal(prefix[bits], length | suffix << 2 | value << 5);
    }
}

static void exponents_of_mel(void **state)
{
    static const uint8_t exponent[] = {J2K_HT_MEL_EXPONENTS};
    (void)state;
    assert_int_equal(sizeof exponent, J2K_HT_MEL_STATES);
    for (uint32_t i = 0; i < J2K_HT_MEL_STATES; i++)
        assert_int_equal(exponent[i], i < 9 ? i / 3 : i < 11 ? 3 : i - 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(codes_are_complete),
        cmocka_unit_test(fields_lie_inside_each_other), cmocka_unit_test(numbers_of_rows),
        cmocka_unit_test(codes_are_the_standards), cmocka_unit_test(prefixes_of_u), cmocka_unit_test(exponents_of_mel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
