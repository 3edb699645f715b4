/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Notes the reasons for which tests are skipped, ends programs with 77 if all of their tests are, and says whether
 * tests are to try fewer cases.
 */
#include "support/test.h"
#include "support/sanitizers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };

static size_t skipped_tests;

static void tell(const char *reason)
{
    printf("skipped: %s\n", reason);
    fflush(stdout); /* in case the program is ended at once */
}

void note_skipped(const char *reason)
{
    skipped_tests++;
    tell(reason);
}

int skip_all(const char *reason)
{
    tell(reason);
    return SKIPPED;
}

bool fewer_cases(void)
{
    const char *tests = getenv("KOSTKA_TESTS");
    return SANITIZED || (tests && strcmp(tests, "some") == 0);
}

uint32_t next_case(uint32_t number)
{
    static const uint32_t few[] = {0, 4, 7, 11, 13, 18};
    if (!fewer_cases())
        return number + 1;
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        if (few[i] > number)
            return few[i];
    return UINT32_MAX;
}

int end_group(int failed, size_t tests)
{
    size_t skipped = skipped_tests;
    skipped_tests = 0;
    return failed == 0 && skipped == tests ? SKIPPED : failed;
}
