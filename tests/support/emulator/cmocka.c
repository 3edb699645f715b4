/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a group of tests one after the other, each from its setup to its teardown. */
#include <stdio.h>
#include <stdlib.h>

#include "support/test.h"

enum outcome { PASSED, SKIPPED, FAILED };

static jmp_buf end_of_test;
static enum outcome outcome;

_Noreturn void _skip(const char *file, int line)
{
    (void)file;
    (void)line;
    outcome = SKIPPED;
    longjmp(end_of_test, 1);
}

_Noreturn void fail_at(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s:%d: ", file, line);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    outcome = FAILED;
    longjmp(end_of_test, 1);
}

/* Call a setup, a test's own function, or a teardown. Setup and teardown return 0 on success. */
static void call(const struct CMUnitTest *test, int (*step)(void **state), void **state)
{
    if (setjmp(end_of_test) != 0)
        return;
    if (!step)
        test->run(state);
    else if (step(state) != 0)
        fail_msg("the setup or teardown of %s failed", test->name);
}

static enum outcome run_test(const struct CMUnitTest *test, void *group_state)
{
    static const char *const words[] = {"ok", "skipped", "FAILED"};
    void *state = group_state;
    outcome = PASSED;
    if (test->setup)
        call(test, test->setup, &state);
    if (outcome == PASSED)
        call(test, NULL, &state);
    if (test->teardown)
        call(test, test->teardown, &state);
    printf("%s: %s\n", test->name, words[outcome]);
    return outcome;
}

int _cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count, int (*setup)(void **state),
    int (*teardown)(void **state))
{
    int failed = 0;
    void *state = NULL;
    printf("%s:\n", name);
    if (setup && setup(&state) != 0)
        return (int)count;
    for (size_t i = 0; i < count; i++)
        failed += run_test(&tests[i], state) == FAILED;
    if (teardown && teardown(&state) != 0)
        failed++;
    return failed;
}
