/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that is formatted by hand is what snprintf() writes, and ends where its room does. */
#include "j2k/syntax/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"

enum { ROOM = 128 };

#define EXPECT(...)                                                                                                    \
    do {                                                                                                               \
        for (size_t room = 1; room <= ROOM; room++) {                                                                  \
            char made[ROOM + 1], wanted[ROOM + 1];                                                                     \
            memset(made, '#', sizeof made);                                                                            \
            memset(wanted, '#', sizeof wanted);                                                                        \
            struct j2k_text text = {made, room, 0};                                                                    \
            kst_j2k_text_add(&text, __VA_ARGS__);                                                                      \
            snprintf(wanted, room, __VA_ARGS__);                                                                       \
            assert_string_equal(made, wanted);                                                                         \
            assert_int_equal(text.length, strlen(wanted));                                                             \
            assert_int_equal(made[room], '#');                                                                         \
        }                                                                                                              \
    } while (0)

static void formats(void **state)
{
    (void)state;
    EXPECT("no conversion");
    EXPECT("%s and %s, %c", "words", "", 'x');
    EXPECT("%u %u %u", 0U, 10U, UINT_MAX);
    EXPECT("%zu|%llu", SIZE_MAX, ULLONG_MAX);
    EXPECT("0x%04X %08X %02X %02X", 0x1AU, 0xFFFFFFFFU, 0U, 0xABCU);
    EXPECT("10^%d and 10^%d, %d", -128, 127, INT_MIN);
}

static void grows(void **state)
{
    char room[8];
    struct j2k_text text = {room, sizeof room, 0};
    (void)state;
    kst_j2k_text_add(&text, "%s", "abc");
    kst_j2k_text_add(&text, "%u", 123U);
    assert_string_equal(room, "abc123");
    kst_j2k_text_add(&text, "%u", 456U);
    assert_string_equal(room, "abc1234");
    kst_j2k_text_add(&text, "%s", "more");
    assert_string_equal(room, "abc1234");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(formats), cmocka_unit_test(grows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
