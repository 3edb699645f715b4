/* SPDX-License-Identifier: BSD-2-Clause */
/* Provides an allocator that fails at a chosen call, and counts what was not released. */
#ifndef KOSTKA_TESTS_SUPPORT_FAILING_ALLOCATOR_H
#define KOSTKA_TESTS_SUPPORT_FAILING_ALLOCATOR_H

#include <stdatomic.h>

#include <kostka/kostka.h>

/* May be called from several threads. */
struct failing {
    atomic_long calls;   /* so far */
    atomic_long failing; /* the call that fails, and with `ever_after` those behind it; 0: none */
    bool ever_after;
    atomic_long live;
};

kst_context *failing_context_on(struct failing *failing, const char *device, uint32_t threads);

/* On the CPU. */
kst_context *failing_context(struct failing *failing, uint32_t threads);

/* One piece of work, to be done again and again. What it gives is released, and the status is the report's. */
typedef kst_status (*failing_work)(kst_context *context, const void *argument);

/*
 * Let the work fail at each of its allocations, once only and ever after: it must say that there is no memory – or,
 * where one alone fails, do without – leave nothing allocated, and succeed when nothing fails. Gives how often it
 * failed, or where threads are watched, and only some are let fail, about how often all would.
 */
long failing_check(failing_work work, const void *argument, uint32_t threads);

/* Work: transcode to a buffer; `argument` is a struct failing_transcode. */
struct failing_transcode {
    const void *data;
    size_t length;
    kst_transcode_options options;
};
kst_status failing_transcode(kst_context *context, const void *argument);

/* These are the functions of a kst_allocator; `user` is a struct failing. */
void *failing_allocate(void *user, size_t length);
void failing_release(void *user, void *memory);

#endif
