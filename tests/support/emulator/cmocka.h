/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs tests for another processor than this machine's. It replaces the header of cmocka, a library that is seldom
 * installed for two processors, and declares the part of it that the tests of instruction tiers use.
 */
#ifndef KOSTKA_TESTS_SUPPORT_EMULATOR_CMOCKA_H
#define KOSTKA_TESTS_SUPPORT_EMULATOR_CMOCKA_H

#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
    int (*setup)(void **state);
    int (*teardown)(void **state);
};

#define cmocka_unit_test(function) cmocka_unit_test_setup_teardown(function, NULL, NULL)
#define cmocka_unit_test_setup_teardown(function, setup, teardown)                                                     \
    {                                                                                                                  \
#function, function, setup, teardown                                                                           \
    }
#define cmocka_run_group_tests_name(name, tests, setup, teardown)                                                      \
    _cmocka_run_group_tests(name, tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)

/* Run a group of tests, and return the number of those that failed. */
int _cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count, int (*setup)(void **state),
    int (*teardown)(void **state));

/* End the current test. */
_Noreturn void _skip(const char *file, int line);
_Noreturn void fail_at(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

#define fail_msg(...) fail_at(__FILE__, __LINE__, __VA_ARGS__)
#define assert_true(is) ((is) ? (void)0 : fail_msg("%s is false", #is))
#define assert_false(is) ((is) ? fail_msg("%s is true", #is) : (void)0)
#define assert_null(pointer) assert_true((pointer) == NULL)
#define assert_non_null(pointer) assert_true((pointer) != NULL)
#define assert_ptr_not_equal(a, b) assert_true((a) != (b))
#define assert_string_equal(a, b) assert_true(strcmp(a, b) == 0)
#define assert_memory_equal(a, b, length) assert_true(memcmp(a, b, length) == 0)

/* Compare integers as 64-bit ones, to which they are converted, as cmocka does. */
static inline void compare_integers(const char *file, int line, uint64_t a, uint64_t b)
{
    if (a != b)
        fail_at(file, line, "%#llx is not %#llx", (unsigned long long)a, (unsigned long long)b);
}

static inline void check_range(const char *file, int line, uint64_t value, uint64_t least, uint64_t most)
{
    if (value < least || value > most)
        fail_at(file, line, "%#llx is not within %#llx–%#llx", (unsigned long long)value, (unsigned long long)least,
            (unsigned long long)most);
}

#define assert_int_equal(a, b) compare_integers(__FILE__, __LINE__, (uint64_t)(a), (uint64_t)(b))
#define assert_in_range(value, least, most)                                                                            \
    check_range(__FILE__, __LINE__, (uint64_t)(value), (uint64_t)(least), (uint64_t)(most))

#endif
