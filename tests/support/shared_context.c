/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and destroys the context that all tests of a program share. */
#include "support/shared_context.h"

kst_context *context;

void shared_context_create(uint32_t threads)
{
    context = cpu_context_create(threads);
}

int shared_context_destroy(int failed)
{
    kst_context_destroy(&context);
    return failed;
}
