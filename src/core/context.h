/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_CORE_CONTEXT_H
#define KOSTKA_CORE_CONTEXT_H

#include "core/cpu.h"
#include "core/memory.h"
#include "core/pool.h"

struct kst_context {
    struct memory memory; /* of the context itself and of what outlives an operation; no limit */
    kst_log log;
    kst_limits limits; /* defaults filled in */
    enum cpu_tier tier;
    struct pool *pool;
};

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void kst_context_log(const struct kst_context *context, kst_log_level level, const char *format, ...);

#endif
