/* SPDX-License-Identifier: BSD-2-Clause */
/* Creates contexts, and ends the program where one cannot be created. */
#include "support/context.h"

#include <stdio.h>
#include <stdlib.h>

kst_context *context_create(const char *device, uint32_t threads, const kst_limits *limits)
{
    kst_context_options options;
    kst_context *context;
    kst_context_options_init(&options);
    options.device = device;
    options.threads = threads;
    if (limits)
        options.limits = *limits;
    kst_status status = kst_context_create(&options, &context);
    if (!status)
        return context;
    fprintf(stderr, "no context on %s: %s\n", device, kst_status_text(status));
    exit(1);
}

kst_context *cpu_context_create(uint32_t threads)
{
    return context_create("cpu", threads, NULL);
}
