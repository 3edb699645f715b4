/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what one operation of the library works with: memory, limits, threads, report, progress. The entry point
 * that begins the operation owns what the structure points to, and passes it to all code that takes part.
 */
#ifndef KOSTKA_CORE_OPERATION_H
#define KOSTKA_CORE_OPERATION_H

#include "core/cpu.h"
#include "core/memory.h"
#include "core/pool.h"
#include "core/progress.h"

struct operation {
    struct memory *memory;        /* accounts for all allocations, against a limit */
    const kst_limits *limits;     /* on what a stream may ask for */
    struct pool *pool;            /* threads that share the work; null: the calling thread does it all */
    enum cpu_tier tier;           /* the functions that these threads use */
    kst_report *report;           /* the first error, warnings, times */
    const kst_searched *searched; /* the caller's function to which searched bytes are reported; null: none */
    struct progress *progress; /* how far the work has come, and whether it must end; null: no progress is reported */
};

#endif
