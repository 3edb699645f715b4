/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a program whose tests are all skipped says so, and does not pass. */
#include <stdio.h>

#include "support/test.h"

static void skipped(void **state)
{
    (void)state;
    skip("as it is to be");
}

static void passed(void **state)
{
    (void)state;
}

int main(void)
{
    const struct CMUnitTest none[] = {cmocka_unit_test(skipped), cmocka_unit_test(skipped)};
    const struct CMUnitTest some[] = {cmocka_unit_test(skipped), cmocka_unit_test(passed)};
    int of_none = cmocka_run_group_tests(none, NULL, NULL), of_some = cmocka_run_group_tests(some, NULL, NULL);
    printf("%d where all are skipped, %d where one is not\n", of_none, of_some);
    return of_none == 77 && of_some == 0 ? 0 : 1;
}
