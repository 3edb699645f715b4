/* SPDX-License-Identifier: BSD-2-Clause */
#include "support.h"

size_t skipped_tests;

int end_group(int failed, size_t tests)
{
    size_t skipped = skipped_tests;
    skipped_tests = 0;
    return failed == 0 && skipped == tests ? 77 : failed;
}
