/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what one operation of the library works with: memory, limits, threads, report, progress. The entry point
 * that begins the operation passes it down to all code that takes part, and owns what it points to.
 */
#ifndef KOSTKA_CORE_OPERATION_H
#define KOSTKA_CORE_OPERATION_H

#include "core/cpu.h"
#include "core/memory.h"
#include "core/pool.h"
#include "core/progress.h"

struct operation {
    struct memory *memory;        /* what is allocated counts here, against a limit */
    const kst_limits *limits;     /* on what a stream may ask for */
    struct pool *pool;            /* threads that share the work; null: the calling thread is alone */
    enum cpu_tier tier;           /* the functions that these threads use */
    kst_report *report;           /* the first error, warnings, times */
    const kst_searched *searched; /* the caller's function for streams that are searched; null: none */
    struct progress *progress; /* how far the work has come, and whether it must end; null: no progress is reported */
};

#endif
