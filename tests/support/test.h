/* SPDX-License-Identifier: BSD-2-Clause */
/* Includes cmocka and the headers that it needs. */
#ifndef KOSTKA_TESTS_SUPPORT_TEST_H
#define KOSTKA_TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Skip a test that lacks something that it needs; `reason` says what, for the summary of ./dev test. */
#undef skip
#define skip(reason) (note_skipped(reason), _skip(__FILE__, __LINE__))

/*
 * Run a group of tests. If all of them were skipped the program ends with 77, by which ctest knows that nothing was
 * tested.
 */
#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown)                                                                 \
    end_group(_cmocka_run_group_tests(#tests, tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown),             \
        sizeof(tests) / sizeof((tests)[0]))

void note_skipped(const char *reason);

/* Skip the whole program. Returns its exit status. */
int skip_all(const char *reason);

/*
 * Return whether tests with many similar cases are to try some of them: with sanitizers, and if KOSTKA_TESTS is "some".
 */
bool fewer_cases(void);

/*
 * Return the number of the case behind a case, or UINT32_MAX. With fewer cases there are a few below 19, which have all
 * remainders by 2 to 5, so that options that are chosen by remainders all occur.
 */
uint32_t next_case(uint32_t number);

/* Return the exit status of a program whose group had `tests` tests, of which `failed` failed. */
int end_group(int failed, size_t tests);

#endif
