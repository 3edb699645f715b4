/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_TESTS_CPU_CONTEXT_H
#define KOSTKA_TESTS_CPU_CONTEXT_H

#include <stdio.h>
#include <stdlib.h>

#include <kostka/kostka.h>

/* A context on the CPU, with so many threads (0: as many as processors). The program ends where there is none. */
static inline kst_context *cpu_context_create(uint32_t threads)
{
    kst_context_options options;
    kst_context *context;
    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = threads;
    kst_status status = kst_context_create(&options, &context);
    if (status == KST_OK)
        return context;
    fprintf(stderr, "no context on the CPU: %s\n", kst_status_text(status));
    exit(1);
}

#endif
