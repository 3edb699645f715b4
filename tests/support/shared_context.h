/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the context on the CPU that all tests of a program share. */
#ifndef KOSTKA_TESTS_SUPPORT_SHARED_CONTEXT_H
#define KOSTKA_TESTS_SUPPORT_SHARED_CONTEXT_H

#include "support/context.h"
#include "support/test.h"

extern kst_context *context;

/*
 * Run a group of tests with the shared context, which has this number of threads (0: as many as processors). Returns
 * the exit status of the program. The context exists in the group's setup and teardown, which may be null.
 */
#define run_with_context(threads, tests, setup, teardown)                                                              \
    (shared_context_create(threads), shared_context_destroy(cmocka_run_group_tests(tests, setup, teardown)))
void shared_context_create(uint32_t threads);

/* Destroy the context. Returns `failed`. */
int shared_context_destroy(int failed);

#endif
