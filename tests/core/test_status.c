/* SPDX-License-Identifier: BSD-2-Clause */
/* Every status of the header has its own name and sentence. The header itself is read, so that none can be forgotten.
 */
#include <kostka/kostka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static void check_entry(const char *name, int value)
{
    kst_status status = (kst_status)value;
    assert_string_equal(kst_status_name(status), name);
    const char *text = kst_status_text(status);
    assert_true(strlen(text) > 3 && strlen(text) < 100);
    assert_string_not_equal(text, kst_status_text((kst_status)-1));
    assert_int_equal(kst_status_is_warning(status), strncmp(name, "WARNING_", 8) == 0);
}

static void test_every_status(void **state)
{
    (void)state;
    FILE *header = fopen(STATUS_HEADER, "r");
    assert_non_null(header);
    char line[300];
    int count = 0;
    while (fgets(line, sizeof line, header)) {
        char name[80];
        char number[8];
        if (sscanf(line, " KST_%79[A-Z0-9_] = %7[0-9]", name, number) != 2)
            continue;
        check_entry(name, (int)strtol(number, NULL, 10));
        count++;
    }
    fclose(header);
    assert_true(count > 60);
}

static void test_texts_differ(void **state)
{
    (void)state;
    for (int a = 0; a < 350; a++) {
        for (int b = 0; b < a; b++) {
            if (strcmp(kst_status_name((kst_status)b), "UNKNOWN") == 0)
                continue;
            assert_string_not_equal(kst_status_name((kst_status)a), kst_status_name((kst_status)b));
            assert_string_not_equal(kst_status_text((kst_status)a), kst_status_text((kst_status)b));
        }
    }
}

static void test_unknown(void **state)
{
    (void)state;
    static const int unknown[] = {-1, 19, 1000000};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_string_equal(kst_status_name((kst_status)unknown[i]), "UNKNOWN");
        assert_false(kst_status_is_warning((kst_status)unknown[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_status),
        cmocka_unit_test(test_texts_differ),
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
